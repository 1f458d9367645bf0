/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clwarp: corrects perspective and lens distortion: a matrix, a lens model or a file gives the source position of each
 * pixel. */
#include "filter/gstclfilter.hpp"
#include "shared/pointer.hpp"
#include "shared/range.hpp"
#include "shared/region.hpp"
#include "warp/warp.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

namespace gst::cl::clwarp {

constexpr int lanczos_taps = 6, lanczos_steps = 1024;

/* Three lobes: the weights for each fraction of a pixel; each set has the sum 1. */
std::vector<cl_float>
lanczos_weights ()
{
  const auto sinc = [] (double x) { return x == 0 ? 1 : std::sin (std::numbers::pi * x) / (std::numbers::pi * x); };
  std::vector<cl_float> table;
  for (int step = 0; step <= lanczos_steps; step++) {
    std::array<double, lanczos_taps> weights;
    double sum = 0;
    for (int k = 0; k < lanczos_taps; k++) {
      const double distance = double (step) / lanczos_steps + lanczos_taps / 2 - 1 - k;
      const bool is_sample = step % lanczos_steps == 0; /* otherwise rounding would leave small weights for other samples */
      weights[k] = is_sample ? distance == 0 : sinc (distance) * sinc (distance / (lanczos_taps / 2));
      sum += weights[k];
    }
    for (const double weight : weights)
      table.push_back (cl_float (weight / sum));
  }
  return table;
}

int
taps_of (WarpInterpolation interpolation)
{
  constexpr std::array<int, 4> taps{1, 2, 4, lanczos_taps};
  return taps[size_t (interpolation)];
}

/* struct fold of the kernel for an axis of n pixels. */
std::array<double, 6>
fold_of (int n, Border border)
{
  constexpr double far = 2e9, margin = 8;
  const auto repeated = [] (double shift, double period, double last) {
    return std::array<double, 6>{-far, far, shift, period, 1 / period, last};
  };
  switch (border) {
    case Border::wrap:
      return repeated (0, n, far);
    case Border::reflect:
      return repeated (0.5, 2 * n, n);
    case Border::reflect101:
      return repeated (0, std::max (2 * n - 2, 1), n - 1);
    default:
      return {-margin, n + margin, 0, 0, 0, far};
  }
}

/* The fraction bits of a position; the other bits hold the range of warp/positions.cl. */
int
fraction_bits (const PlaneView &plane)
{
  constexpr int number_bits = 31, margin = 16;
  return number_bits - int (std::bit_width (unsigned (std::max (plane.width, plane.height) + margin)));
}

/** Keeps a table of source positions for each kind of plane. */
class WarpOperation : public With<WarpSettings> {
public:
  void changed () override
  {
    constexpr std::array<const char *, 4> names{"nearest", "bilinear", "bicubic", "lanczos"};
    warp = warp_of (settings);
    algorithm = names[size_t (settings.interpolation)];
    changes++;
  }

  void begin_frame (Runner &, const FrameInfo &info) override
  {
    video = info.video;
    if (warp.map)
      check_map (*warp.map, info.width, info.height);
  }

  Plan plan (Runner &runner, const PlaneTask &task) override
  {
    const int samples = task.samples_per_pixel ();
    KernelSpec spec{.sources = {"lib/pixel.clh", "warp/warp.cl"},
        .function = "warp",
        .options = {{"TAPS", taps_of (settings.interpolation)}, {"LANCZOS_STEPS", lanczos_steps}},
        .item_samples = runner.backend () == Backend::cpu ? 1
                        : samples == 3                    ? 12
                                                          : 4};
    Launches launches;
    const Positions &from = positions (runner, task, launches);
    launches.emplace_back (std::move (spec), Arguments{from.xs, from.ys, fraction_bits (task.src), weights (runner)});
    return {"", std::move (launches)};
  }

private:
  struct Positions {
    ::cl::Memory xs, ys;
    /** The values that positions depend on: the kernel's structure, the properties and the border rule. */
    std::vector<double> numbers;
    int changes;
    Border border;

    bool operator== (const Positions &other) const
    {
      return xs () == other.xs () && ys () == other.ys () && numbers == other.numbers && changes == other.changes
             && border == other.border;
    }
  };

  const ::cl::Buffer &weights (Runner &runner) const
  {
    static const std::vector<cl_float> of_lanczos = lanczos_weights (), none (1);
    const bool wanted = settings.interpolation == WarpInterpolation::lanczos;
    return wanted ? runner.memory.table ("lanczos", of_lanczos, true) : runner.memory.table ("no weights", none, true);
  }

  /* struct warp of the kernel. */
  std::vector<double> numbers_for (const PlaneTask &task) const
  {
    const PlaneLayout &layout = *task.src.layout;
    const std::array<double, 9> matrix = warp.matrix_for (GST_VIDEO_INFO_WIDTH (&video), GST_VIDEO_INFO_HEIGHT (&video));
    std::vector<double> numbers (matrix.begin (), matrix.end ());
    numbers.insert (numbers.end (), warp.lens.begin (), warp.lens.end ());
    const double first_x = (twice_first_place (video, layout.subsample_x, false) - 1) / 2.0;
    const double first_y = (twice_first_place (video, layout.subsample_y, true) - 1) / 2.0;
    /* a field has every second row of the frame */
    numbers.insert (numbers.end (), {double (1 << layout.subsample_x), first_x, double (task.n_fields << layout.subsample_y),
                                        first_y * task.n_fields + task.field, double (1 << fraction_bits (task.src))});
    for (const int n : {task.src.width, task.src.height}) {
      const auto fold = fold_of (n, task.border);
      numbers.insert (numbers.end (), fold.begin (), fold.end ());
    }
    return numbers;
  }

  /* Returns the table of positions, and has it computed again if anything that it depends on has changed. */
  const Positions &positions (Runner &runner, const PlaneTask &task, Launches &launches)
  {
    const PlaneLayout &layout = *task.src.layout;
    constexpr int most_subsampling = 8, most_fields = 2;
    const ScratchName name{
        "positions", layout.subsample_x * most_subsampling + layout.subsample_y, task.n_fields * most_fields + task.field};
    const size_t bytes = sizeof (cl_int) * task.src.width * task.src.height;
    Positions &found = known[name];
    Positions wanted{runner.memory.buffer (name.with ("x"), bytes), runner.memory.buffer (name.with ("y"), bytes),
        numbers_for (task), changes, task.border};
    if (found == wanted)
      return found;
    launches.push_back (find_positions (runner, task, wanted));
    uploaded = warp.map;
    return found = std::move (wanted);
  }

  Launch find_positions (Runner &runner, const PlaneTask &task, const Positions &made) const
  {
    static const std::vector<float> none (2);
    const int width = task.src.width, height = task.src.height;
    const bool doubles = runner.cl ().device.has_extension ("cl_khr_fp64");
    const ValueArgument numbers = doubles ? ValueArgument (made.numbers)
                                          : ValueArgument (std::vector<cl_float> (made.numbers.begin (), made.numbers.end ()));
    const ::cl::Memory map =
        runner.memory.table (warp.map ? "map" : "no map", warp.map ? warp.map->points : none, uploaded == warp.map);
    KernelSpec spec{.sources = {"warp/positions.cl"},
        .function = "find_positions",
        .options = {{"ROWS_AT_ONCE", 1}, {"HAS_LENS", warp.has_lens ()}, {"HAS_MAP", warp.map != nullptr}},
        .moves_samples = true};
    const PlaneView plane{.width = width, .height = height, .layout = &one_sample};
    return Launch::range (std::move (spec), runner.size_for (width, height, {32, 4}),
        {made.xs, made.ys, map, numbers, cl_int2{{width, height}},
            cl_int2{{GST_VIDEO_INFO_WIDTH (&video), GST_VIDEO_INFO_HEIGHT (&video)}}})
        .on ({.src = plane, .dst = plane, .plane = 0, .components = 0});
  }

  Warp warp;
  /** The map that is on the device. */
  std::shared_ptr<const PointMap> uploaded;
  GstVideoInfo video;
  /** How often the properties have changed. */
  int changes = 0;
  std::map<ScratchName, Positions> known;
};

constexpr GEnumValue interpolation_values[] = {
    {int (WarpInterpolation::nearest), "The nearest pixel", "nearest"},
    {int (WarpInterpolation::bilinear), "Between 2x2 pixels", "bilinear"},
    {int (WarpInterpolation::bicubic), "4x4 pixels (Catmull-Rom), sharper", "bicubic"},
    {int (WarpInterpolation::lanczos), "6x6 pixels (Lanczos with 3 lobes), sharpest", "lanczos"},
};

constexpr Property properties[] = {
    property<&WarpSettings::matrix> ("matrix",
        "Maps pixels of the result to the input: 3 rows of 3 numbers, rows separated by ';'; \"\" = identity",
        warp_matrix_complaint),
    property<&WarpSettings::undistort> ("undistort",
        "Lens whose distortion is removed: \"fx fy cx cy k1 k2 p1 p2 [k3 k4 k5 k6]\"; \"\" = none", warp_lens_complaint),
    property<&WarpSettings::map> (
        "map", "File with x, y as float32 for each pixel: where it is read; \"\" = none", warp_map_complaint),
    property<&WarpSettings::interpolation> (
        "interpolation", "How pixels are interpolated", enum_type<"GstClWarpInterpolation", interpolation_values>),
};

const FilterDescription description{
    .long_name = "OpenCL warp",
    .description = "Corrects perspective and lens distortion, or moves pixels by a map",
    .properties = properties,
    .windowed = true,
    .operation = operation_type<WarpOperation> (),
    .neutral = of_settings<warp_is_neutral>,
    .whole_frames = true,
};

#define GST_CAT_DEFAULT gst_cl_warp_debug
GST_CL_DEFINE_FILTER_TYPE (GstClWarp, gst_cl_warp, clwarp, GstClFilter, GST_TYPE_CL_FILTER, description, void)

/* Points without a source are placed outside the picture. */
static void
place_pointer (const Warp &warp, const GstVideoInfo &info, double &x, double &y)
{
  if (!warp.move (x, y, GST_VIDEO_INFO_WIDTH (&info), GST_VIDEO_INFO_HEIGHT (&info)))
    x = y = -1;
}

static GstEvent *
move_to_input (GstBaseTransform *base, GstEvent *event)
{
  const Values values = gst_cl_filter_get_store (reinterpret_cast<GstClFilter *> (base)).own_values ();
  const auto &settings = values.as<WarpSettings> ();
  if (warp_is_neutral (settings))
    return event;
  try {
    const Warp warp = warp_of (settings);
    gst_cl_base_transform_with_current_caps (reinterpret_cast<GstClBaseTransform *> (base), [&] (GstCaps *caps, GstCaps *) {
      GstVideoInfo info;
      if (!video_info_from_caps (info, caps))
        return;
      if (warp.map)
        check_map (*warp.map, GST_VIDEO_INFO_WIDTH (&info), GST_VIDEO_INFO_HEIGHT (&info));
      event = move_pointer (event, [&] (double &x, double &y) { place_pointer (warp, info, x, y); });
    });
  } catch (const Failure &failure) {
    GST_WARNING_OBJECT (base, "pointer not moved: %s", failure.what ());
  }
  return event;
}

static void
gst_cl_warp_class_init (GstClWarpClass *klass)
{
  gst_cl_filter_class_set_description (&klass->parent_class, &description);
  GST_BASE_TRANSFORM_CLASS (klass)->src_event = [] (GstBaseTransform *base, GstEvent *event) -> gboolean {
    if (GST_EVENT_TYPE (event) == GST_EVENT_NAVIGATION)
      event = move_to_input (base, event);
    return GST_BASE_TRANSFORM_CLASS (gst_cl_warp_parent_class)->src_event (base, event);
  };
  drop_places<&gst_cl_warp_parent_class> (GST_BASE_TRANSFORM_CLASS (klass));
}

}  // namespace gst::cl::clwarp

#undef GST_CAT_DEFAULT
