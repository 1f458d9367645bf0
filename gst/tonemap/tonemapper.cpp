/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tonemap/tonemapper.hpp"

#include "core/arithmetic.hpp"
#include "shared/color.hpp"
#include "shared/colors.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>

namespace gst::cl {

namespace {

constexpr double display_gamma = 2.4;

bool
is_camera_curve (GstVideoTransferFunction transfer)
{
  switch (transfer) {
    case GST_VIDEO_TRANSFER_UNKNOWN:
    case GST_VIDEO_TRANSFER_BT709:
    case GST_VIDEO_TRANSFER_BT601:
    case GST_VIDEO_TRANSFER_BT2020_10:
    case GST_VIDEO_TRANSFER_BT2020_12:
    case GST_VIDEO_TRANSFER_SMPTE240M:
      return true;
    default:
      return false;
  }
}

}  // namespace

bool
is_hlg (const GstVideoColorimetry &colorimetry)
{
  return colorimetry.transfer == GST_VIDEO_TRANSFER_ARIB_STD_B67;
}

bool
is_hdr (const GstVideoColorimetry &colorimetry)
{
  return is_hlg (colorimetry) || colorimetry.transfer == GST_VIDEO_TRANSFER_SMPTE2084;
}

double
unit_of (const GstVideoColorimetry &colorimetry)
{
  return is_hlg (colorimetry) ? hlg_peak : is_hdr (colorimetry) ? pq_peak : sdr_white;
}

double
light_of (GstVideoTransferFunction transfer, double signal)
{
  return is_camera_curve (transfer) ? std::pow (signal, display_gamma) : gst_video_transfer_function_decode (transfer, signal);
}

double
signal_of (GstVideoTransferFunction transfer, double light)
{
  return is_camera_curve (transfer) ? std::pow (light, 1 / display_gamma)
                                    : gst_video_transfer_function_encode (transfer, light);
}

GstVideoColorPrimaries
primaries_of (const GstVideoColorimetry &colorimetry)
{
  if (colorimetry.primaries != GST_VIDEO_COLOR_PRIMARIES_UNKNOWN)
    return colorimetry.primaries;
  return is_hdr (colorimetry) ? GST_VIDEO_COLOR_PRIMARIES_BT2020 : GST_VIDEO_COLOR_PRIMARIES_BT709;
}

std::optional<double>
peak_of_caps (const GstCaps *caps)
{
  constexpr double mastering_unit = 10000; /* in 10,000ths of a nit */
  GstVideoContentLightLevel content;
  GstVideoMasteringDisplayInfo display;
  if (gst_video_content_light_level_from_caps (&content, caps) && content.max_content_light_level > 0)
    return content.max_content_light_level;
  if (gst_video_mastering_display_info_from_caps (&display, caps) && display.max_display_mastering_luminance > 0)
    return display.max_display_mastering_luminance / mastering_unit;
  return std::nullopt;
}

namespace {

/* Entries of the table of signals; kernels/tonemap/peak.cl has as many bins, less one. */
constexpr int signals = 1025;
/* Entries of the tables of light: 64 for each of 32 octaves, and 1. */
constexpr int light_step_bits = 17, lights = 32 * 64 + 1;
constexpr float least_light = 0x1p-32f;
/* sizes in kernels/tonemap/peak.cl */
constexpr int bins = 1024, ring_size = 600, grid = 2;
/* fraction of the sampled pixels that may be brighter than the peak */
constexpr double beyond_peak = 1e-4;

std::vector<float>
signal_table (const std::function<double (double)> &f)
{
  std::vector<float> table;
  for (int i = 0; i < signals; i++)
    table.push_back (float (f (double (i) / (signals - 1))));
  return table;
}

std::vector<float>
light_table (const std::function<double (double)> &f)
{
  std::vector<float> table;
  for (int i = 0; i < lights; i++)
    table.push_back (float (f (std::bit_cast<float> (std::bit_cast<int> (least_light) + (i << light_step_bits)))));
  return table;
}

/* Passes the constants above to the kernels. */
Options
table_options ()
{
  return {{"SIGNALS", signals}, {"LIGHTS", lights}, {"STEP_BITS", light_step_bits}, {"LEAST_LIGHT", "0x1p-32f"}};
}

/* The largest distance of a component from the greatest one in colours of the source, relative to the greatest one. */
double
farthest_color (const Matrix3 &primaries)
{
  double farthest = 1;
  for (int corner = 1; corner < 7; corner++) {
    double rgb[3];
    for (int i = 0; i < 3; i++)
      rgb[i] = primaries[i][0] * (corner & 1) + primaries[i][1] * (corner >> 1 & 1) + primaries[i][2] * (corner >> 2 & 1);
    const double most = std::ranges::max (rgb), least = std::ranges::min (rgb);
    farthest = std::max (farthest, 1 - least / most);
  }
  return farthest;
}

/* Tables that depend only on the caps. */
struct ToneMapTables {
  std::vector<float> decode, system, encode;
};

class ToneMapper : public With<ToneMapSettings, Converter> {
public:
  explicit ToneMapper (const CapsPeaks &peaks_) : peaks (peaks_) {}

  void changed () override
  {
    static constexpr const char *names[] = {"bt2390", "hable", "mobius", "reinhard", "linear", "clip"};
    algorithm = names[int (settings.algorithm)];
    fixed_peak = parse_peak (settings.peak);
  }

  void begin_frame (Runner &, const FrameInfo &info) override
  {
    /* after a seek, perhaps to the same frame, earlier frames do not count */
    if (!shown.continues (info, settings.frames ()))
      measured = {};
  }

  bool takes_steps () const override { return true; }

  Launches plan (Runner &runner, const ConvertTask &task) override
  {
    if (!prepared)
      prepare (task);
    spaces.begin_frame (task);
    Launches launches;
    const Argument peak =
        fixed_peak ? TableArgument ("tonemap-peak", std::vector{cl_float (*fixed_peak)}) : measure (runner, task, launches);
    const ScratchArgument tone{"tone", (lights + 1) * sizeof (cl_float)};
    constexpr size_t group = 64;
    launches.push_back (Launch::range ({.sources = {"tonemap/tone.cl"}, .function = "tone_table", .options = table_options ()},
        {{round_up (lights + 1, group), 1}, {group, 1}},
        {peak, fixed_peak ? 0 : ring_size, cl_int (settings.algorithm), float (unit), float (target), tone}));

    PointSteps steps{{step_for (*task.src[0].layout, tone)}};
    steps.steps.insert (steps.steps.end (), task.behind.begin (), task.behind.end ());
    if (task.src_format.model == ColorModel::yuv)
      return launches += place_launches (runner, task.src, task.dst, steps);
    const PlaneTask pixels{.src = task.src[0],
        .dst = task.dst[0],
        .plane = 0,
        .region = {0, 0, task.dst[0].width, task.dst[0].height},
        .components = task.components,
        .frame = task.src};
    launches.push_back (point_launch (runner, pixels, steps).on (pixels));
    return launches;
  }

private:
  void prepare (const ConvertTask &task)
  {
    const GstVideoColorimetry &in = GST_VIDEO_INFO_COLORIMETRY (&task.src_info),
                              &out = GST_VIDEO_INFO_COLORIMETRY (&task.dst_info);
    unit = unit_of (in);
    target = is_hdr (out) && !is_hlg (out) ? std::min (peaks.result.value_or (pq_peak), pq_peak) : unit_of (out);
    /* between HLG and HLG, scene light needs no conversion */
    scene_in = is_hlg (in) && !is_hlg (out);
    scene_out = is_hlg (out) && !is_hlg (in);
    source_xyz = to_xyz (primaries_of (in));
    result_xyz = to_xyz (primaries_of (out));
    primaries = convert_primaries (primaries_of (in), primaries_of (out));
    const double gamma = scene_out ? 1 / hlg_gamma : hlg_gamma, out_unit = unit_of (out);
    tables.decode = signal_table ([&] (double v) { return light_of (in.transfer, v); });
    tables.encode = light_table ([&] (double v) { return signal_of (out.transfer, v * target / out_unit); });
    tables.system = light_table ([&] (double v) { return std::pow (v, gamma - 1); });
    prepared = true;
  }

  PointStep step_for (const PlaneLayout &layout, const ScratchArgument &tone) const
  {
    static constexpr const char *sources[] = {"shared/color.clh", "tonemap/tonemap.clh"};
    return {.kind = "TONE",
        .kind_of_gray = "TONE",
        .sources = sources,
        .gray = PointStep::Gray::lost,
        .arguments =
            spaces.arguments (layout, {TableArgument ("decode", tables.decode), TableArgument ("system", tables.system), tone,
                                          TableArgument ("encode", tables.encode), numbers ()}),
        .shared_options =
            Options{{"SCENE_IN", scene_in}, {"SCENE_OUT", scene_out}, {"GAMUT", int (settings.gamut)}} + table_options (),
        .item_bytes = 4};
  }

  /* Adds the measurement of the frame's peak, which is written after the ring that it returns. */
  Argument measure (Runner &runner, const ConvertTask &task, Launches &launches)
  {
    const bool cpu = runner.backend () == Backend::cpu;
    constexpr int gpu_group = 256;
    constexpr size_t cpu_parts = 32;
    const size_t group = cpu ? 1 : gpu_group;
    const ComponentView first_one = find_component (task.src, first), second_one = find_component (task.src, second),
                        third_one = find_component (task.src, third);
    const PlaneLayout &of_first = *first_one.view.layout, &of_second = *second_one.view.layout;
    const int width = first_one.view.width, height = first_one.view.height;
    const PlaneTask plane{.src = first_one.view, .dst = task.dst[0], .plane = 0, .components = 0};
    const auto spec = [&] (const char *of) {
      return KernelSpec{.sources = {"shared/color.clh", "tonemap/peak.cl"},
          .function = of,
          .options = Options{{"YUV", task.src_format.model == ColorModel::yuv}, {"PARTS", cpu_parts}} + table_options ()};
    };
    const ::cl::Buffer &counts = runner.memory.zeros ("tonemap-counts", bins * sizeof (cl_uint));
    launches.push_back (Launch::range (spec ("measure_light"),
        cpu ? WorkSize{{1, cpu_parts}, {1, 1}} : WorkSize{{divide_up (height, grid) * group, 1}, {group, 1}},
        {first_one.view.memory, first_one.offset, first_one.view.stride, second_one.view.memory, second_one.offset,
            second_one.view.stride, third_one.view.memory, third_one.offset, third_one.view.stride,
            cl_int4{{of_first.samples_per_pixel, of_second.samples_per_pixel, of_second.subsample_x, of_second.subsample_y}},
            cl_int2{{width, height}}, spaces.source (), counts})
                            .on (plane));

    int &frames = measured[task.field], &next = slot[task.field];
    frames = std::min (frames + 1, ring_size);
    const ScratchArgument ring{{"tonemap-peaks", task.field}, (ring_size + 1) * sizeof (cl_float)};
    const double pixels = double (divide_up (width, grid)) * divide_up (height, grid);
    const double most = std::max (peaks.source.value_or (unit), target);
    launches.push_back (Launch::range (spec ("find_peak"), {{group, 1}, {group, 1}},
        {counts, cl_uint (pixels * beyond_peak), TableArgument ("decode", tables.decode), float (scene_in ? hlg_gamma : 1),
            float (unit), float (target), float (most), next, std::min (frames, settings.frames ()), ring})
                            .on (plane));
    next = (next + 1) % ring_size;
    return ring;
  }

  /* struct tonemap of the kernel. */
  Argument numbers () const
  {
    constexpr double knee = 0.8, no_bend = 1e9;
    const double farthest = farthest_color (primaries);
    std::vector<float> all;
    for (const Matrix3 &m : {source_xyz, result_xyz})
      all.insert (all.end (), {float (m[1][0]), float (m[1][1]), float (m[1][2])});
    for (const auto &row : primaries)
      for (const double v : row)
        all.push_back (float (v));
    const double bend = farthest > 1 + 1e-6 ? (farthest - knee) * (1 - knee) / (farthest - 1) : no_bend;
    for (const double v : {unit / target, target / unit, settings.desaturate, knee, bend})
      all.push_back (float (v));
    return ValueArgument (all);
  }

  const CapsPeaks peaks;
  std::optional<double> fixed_peak;
  Continuity shown;
  /** For each field, or for whole frames: the number of stored peaks, and the position of the next one. */
  std::array<int, 2> measured{}, slot{};

  /* of the caps */
  bool prepared = false, scene_in = false, scene_out = false;
  double unit = 0, target = 0;
  Matrix3 primaries{}, source_xyz{}, result_xyz{};
  ToneMapTables tables;
  ColorSpaces spaces;
};

}  // namespace

std::optional<double>
parse_peak (const std::string &text)
{
  if (complain_of_peak (text) || text == "auto")
    return std::nullopt;
  return g_ascii_strtod (text.c_str (), nullptr);
}

std::optional<std::string>
complain_of_peak (const std::string &text)
{
  gchar *end = nullptr;
  const double nits = g_ascii_strtod (text.c_str (), &end);
  if (text == "auto" || (end != text.c_str () && !*end && nits >= 1 && nits <= pq_peak))
    return std::nullopt;
  return "\"" + text + "\" is not a peak: write auto, or 1 .. 10000 (nits)";
}

std::unique_ptr<Operation>
make_tone_mapper (const CapsPeaks &peaks)
{
  return std::make_unique<ToneMapper> (peaks);
}

}  // namespace gst::cl
