/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cllut3d: grades colours with a look-up table from a .cube file, the format of grading programs and film emulations. */
#include "filter/gstclfilter.hpp"
#include "lut3d/cube.hpp"
#include "shared/color.hpp"
#include "shared/known_file.hpp"

#include <bit>

namespace gst::cl {

std::shared_ptr<const Cube>
load_cube (const std::string &path)
{
  /* four times a cube with 129 entries per edge and many digits */
  constexpr guint64 most_bytes = guint64 (512) << 20;
  return load_known_file<Cube> (path, most_bytes, [&] (InputFile &file) { return parse_cube (file.read (), path); });
}

}  // namespace gst::cl

namespace gst::cl::cllut3d {

enum class Interpolation { tetrahedral, trilinear };

constexpr GEnumValue interpolation_values[] = {
    {int (Interpolation::tetrahedral), "Between four entries; greys stay exactly as in the table", "tetrahedral"},
    {int (Interpolation::trilinear), "Between eight entries", "trilinear"},
};

struct LutSettings {
  std::string location;
  Interpolation interpolation = Interpolation::tetrahedral;
  double strength = 1;
  bool watch = false;
};

std::optional<std::string>
complaint (const std::string &text)
{
  if (text.empty ())
    return std::nullopt;
  try {
    load_cube (text);
  } catch (const Failure &failure) {
    return failure.what ();
  }
  return std::nullopt;
}

constexpr Property properties[] = {
    property<&LutSettings::location> ("location", "The .cube file; \"\" leaves frames unchanged", complaint),
    property<&LutSettings::interpolation> (
        "interpolation", "How entries are interpolated", enum_type<"GstClLut3dInterpolation", interpolation_values>),
    property<&LutSettings::strength> ("strength", "0 leaves the picture unchanged, 1 applies the full table", 0, 1),
    property<&LutSettings::watch> ("watch", "Reload the file when it changes"),
};

class Lut3d : public With<LutSettings, ColorFilter> {
public:
  void changed () override
  {
    if (settings.location != location || !cube)
      load (settings.location);
    algorithm = is_trilinear () ? "trilinear" : "tetrahedral";
  }

  void begin_frame (Runner &runner, const FrameInfo &info) override
  {
    ColorFilter::begin_frame (runner, info);
    if (settings.watch && g_get_monotonic_time () >= next_look)
      look_again (info.reporter);
  }

  std::optional<PointStep> point_step (Runner &runner, const PlaneTask &task) override
  {
    static constexpr const char *sources[] = {"shared/color.clh", "lut3d/lut3d.clh", "lut3d/halves.clh"};
    const bool in_halves = works_on_bytes (runner, task);
    const char *kind = in_halves ? "HALVES" : "CUBE";
    PointStep step{.kind = kind,
        .kind_of_gray = kind,
        .sources = std::span (sources).first (in_halves ? 3 : 2),
        .gray = PointStep::Gray::lost,
        .arguments = spaces.arguments (
            *task.src.layout, {table (runner, "curve", cube->curve), table (runner, "cube", cube->cube), lut_argument ()}),
        .options = {{"CURVES_", cube->curve_size > 0}, {"CUBE_", cube->cube_size > 0}, {"TRILINEAR_", is_trilinear ()}}};
    if (in_halves)
      step.arguments.push_back (runner.memory.table ("halves", halves, std::exchange (sent, packed) == packed));
    uploaded = cube;
    return step;
  }

private:
  bool is_trilinear () const { return settings.interpolation == Interpolation::trilinear; }

  void load (const std::string &path)
  {
    cube = path.empty () ? nullptr : load_cube (path);
    location = path;
    next_look = g_get_monotonic_time () + G_TIME_SPAN_SECOND;
  }

  void look_again (Reporter &reporter)
  {
    next_look = g_get_monotonic_time () + G_TIME_SPAN_SECOND;
    try {
      cube = load_cube (location);
      complained.clear ();
    } catch (const Failure &failure) {
      if (std::exchange (complained, failure.what ()) != failure.what ())
        reporter.warn (failure);
    }
  }

  /* Whether halves.clh applies: pixels of four bytes in buffers, and a cube whose inputs range from black to white. */
  bool works_on_bytes (const Runner &runner, const PlaneTask &task)
  {
    constexpr std::array<float, 3> black{0, 0, 0}, white{1, 1, 1};
    const Format &format = runner.format ();
    const bool has_bytes = runner.backend () == Backend::gpu && !task.src.image && !task.dst.image
                           && task.samples_per_pixel () == 4 && format.model == ColorModel::rgb && format.depth == 8;
    if (!has_bytes || settings.strength != 1 || is_trilinear () || cube->curve_size > 0 || cube->cube_low != black
        || cube->cube_high != white)
      return false;
    if (packed != cube)
      halves = halves_of (*cube);
    packed = cube;
    return !halves.empty ();
  }

  /* Comparing contents for each plane would take longer than small frames. */
  Argument table (Runner &runner, const char *name, const std::vector<float> &content) const
  {
    static const std::vector<float> none (4);
    return runner.memory.table (name, content.empty () ? none : content, uploaded == cube);
  }

  /* struct lut of the kernel. */
  ValueArgument lut_argument () const
  {
    std::vector<float> numbers{
        std::bit_cast<float> (cube->curve_size), std::bit_cast<float> (cube->cube_size), float (settings.strength)};
    for (const auto &[low, high] : {std::pair (cube->curve_low, cube->curve_high), {cube->cube_low, cube->cube_high}}) {
      numbers.insert (numbers.end (), low.begin (), low.end ());
      for (size_t i = 0; i < low.size (); i++)
        numbers.push_back (1 / (high[i] - low[i]));
    }
    return ValueArgument (numbers);
  }

  std::string location, complained;
  /** The current cube, and the cube on the device under the same name. */
  std::shared_ptr<const Cube> cube, uploaded;
  /** The cube packed for works_on_bytes(), and the cube that it was packed from. */
  std::vector<std::uint16_t> halves;
  std::shared_ptr<const Cube> packed, sent;
  gint64 next_look = 0;
};

const FilterDescription description{
    .long_name = "OpenCL 3D look-up table",
    .description = "Grades colours with a look-up table from a .cube file",
    .properties = properties,
    .operation = operation_type<Lut3d> (),
    .neutral = of_settings<[] (const LutSettings &settings) { return settings.location.empty () || settings.strength == 0; }>,
};

GST_CL_DEFINE_FILTER (GstClLut3d, gst_cl_lut3d, cllut3d, description)

}  // namespace gst::cl::cllut3d
