/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clthreshold: makes the picture black and white, or cuts it off, at a threshold: a fixed one, one that adapts to each frame
 * (Otsu), or the mean of the surroundings. */
#include "core/arithmetic.hpp"
#include "filter/gstclfilter.hpp"
#include "shared/histogram_plan.hpp"
#include "shared/launches.hpp"
#include "threshold/plan.hpp"

#include <gst/gst.h>
#include <gst/video/navigation.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace gst::cl::clthreshold {

constexpr GEnumValue method_values[] = {
    {int (ThresholdMethod::fixed), "The threshold of the property", "fixed"},
    {int (ThresholdMethod::otsu), "Otsu's threshold of the frame's histogram", "otsu"},
    {int (ThresholdMethod::mean), "The mean of the window minus offset", "mean"},
};

constexpr GEnumValue type_values[] = {
    {int (ThresholdType::binary), "Full scale above the threshold, else 0", "binary"},
    {int (ThresholdType::binary_inv), "0 above the threshold, else full scale", "binary-inv"},
    {int (ThresholdType::trunc), "The threshold above it, else the value", "trunc"},
    {int (ThresholdType::tozero), "The value above the threshold, else 0", "tozero"},
    {int (ThresholdType::tozero_inv), "0 above the threshold, else the value", "tozero-inv"},
};

constexpr GEnumValue domain_values[] = {
    {int (ThresholdDomain::intensity), "The pixel's intensity, written to every colour component", "intensity"},
    {int (ThresholdDomain::per_component), "Each component by itself", "per-component"},
};

constexpr Property properties[] = {
    property<&ThresholdSettings::threshold> ("threshold", "Threshold for method=fixed, as a fraction of full scale", 0, 1),
    property<&ThresholdSettings::method> (
        "method", "Source of the threshold", enum_type<"GstClThresholdMethod", method_values>),
    property<&ThresholdSettings::type> (
        "type", "Results for values above the threshold and for other values", enum_type<"GstClThresholdType", type_values>),
    property<&ThresholdSettings::domain> (
        "domain", "Values that are compared with the threshold", enum_type<"GstClThresholdDomain", domain_values>),
    window_size (
        property<&ThresholdSettings::radius> ("radius", "For mean: samples on each side of the window's centre", 1, 127)),
    property<&ThresholdSettings::offset> (
        "offset", "For mean: how far the threshold lies below the mean, as a fraction of full scale", -1, 1),
    property<&ThresholdSettings::navigation> ("navigation", "The Up and Down keys in the video window move the threshold"),
    range_property<&ThresholdSettings::range> (),
};

/* Rows of neutral chroma that the launch for luma also fills, in samples of its memory. */
struct ChromaFilling {
  cl_int offset = 0, stride = 0, width = 0, rows = 0;
};

/* All chroma of a frame, if all of it is filled, and it is in luma's memory, in rows with one stride. */
ChromaFilling
chroma_behind (const Format &format, const FrameTask &frame)
{
  const PlaneTask &first_task = frame.tasks[0];
  const PlaneView &luma = first_task.dst;
  const Rect &r = frame.regions[0];
  if (size_t (format.n_planes) != frame.tasks.size () || r.width != luma.width || r.height != luma.height
      || !first_task.components || luma.layout->part >= 0)
    return {};
  ChromaFilling all;
  for (const PlaneTask &task : frame.tasks) {
    if (!format.is_chroma (task.plane))
      continue;
    const PlaneView &dst = task.dst;
    const bool joins = !all.rows || (dst.offset == all.offset + all.stride * all.rows && dst.stride == all.stride);
    if (dst.image || dst.memory () != luma.memory () || !joins
        || task.components != format.planes[task.plane].component_bits ())
      return {};
    if (!all.rows)
      all = {dst.offset, dst.stride, dst.width * task.samples_per_pixel (), 0};
    all.rows += dst.height;
  }
  return all;
}

class Threshold : public With<ThresholdSettings> {
public:
  void changed () override
  {
    static constexpr const char *names[] = {"direct", "otsu", "running-sums"};
    algorithm = names[int (settings.method)];
  }

  /* With an intensity, alpha would be compared separately. */
  Abilities abilities (const Runner &runner) const override
  {
    const bool fixed = settings.method == ThresholdMethod::fixed, mean = settings.method == ThresholdMethod::mean;
    const bool apart = settings.per_component () || runner.format ().model != ColorModel::rgb;
    return {.images = !mean,
        .sees_regions = settings.method == ThresholdMethod::otsu,
        .words = !mean,
        .second_plane = settings.per_component () ? WordPart::filtered : WordPart::neutral,
        .points = !fixed  ? 0
                  : apart ? Abilities::every_component
                          : Abilities::every_component & ~(1u << alpha)};
  }

  void begin_frame (Runner &runner, const FrameInfo &frame) override
  {
    reporter = &frame.reporter;
    range = black_and_white (frame.video, runner.format (), settings.range);
    filling = {}; /* a chain may call run() without prepare() */
  }

  void prepare (Runner &runner, const FrameTask &frame) override
  {
    filling = {};
    if (settings.method != ThresholdMethod::mean && !settings.per_component () && runner.backend () == Backend::cpu
        && frame.regions.size () == 1)
      filling = chroma_behind (runner.format (), frame);
  }

  Plan plan (Runner &runner, const PlaneTask &task) override
  {
    switch (compared_on (runner.format (), task.plane)) {
      case Compared::samples:
        return {"", filter_samples (runner, task)};
      case Compared::intensity:
        return {"", filter_pixels (runner, task)};
      default:
        return {"", filling.rows ? Launches{} : Launches{neutral_launch (runner)}};
    }
  }

  void run (Runner &runner, const PlaneTask &task) override
  {
    Filter::run (runner, task);
    for (const Found &each : found)
      report (runner, each);
    found.clear ();
  }

  std::optional<PointStep> point_step (Runner &runner, const PlaneTask &task) override
  {
    const Format &format = runner.format ();
    const Compared compared = compared_on (format, task.plane);
    const bool fills = compared == Compared::nothing;
    const cl_int2 limit = fills ? cl_int2{{0, 0}} : fixed_limit (on_plane (range, format, task.plane));
    const ThresholdOutcome outcome = fills ? constant_outcome (format.neutral_chroma ())
                                           : threshold_outcome (settings.type, on_plane (range, format, task.plane));
    return cut (task, compared == Compared::intensity, false, limit, outcome);
  }

private:
  /* The values of a plane that are compared. */
  enum class Compared { samples, intensity, nothing };

  /* Otsu's limits of a region. */
  struct Found {
    ScratchArgument memory;
    int count;
    bool intensity;
    unsigned filtered;
    std::array<int, 4> components;
  };

  /* limit: for all samples; with otsu, the result of find_limits (). */
  static PointStep cut (
      const PlaneTask &task, bool intensity, bool otsu, const Argument &limit, const ThresholdOutcome &outcome)
  {
    static constexpr const char *sources[] = {
        "lib/pixel.clh", "shared/intensity.clh", "threshold/threshold.clh", "threshold/step.clh"};
    return {.kind = intensity ? "CUT_INTENSITY" : "CUT",
        .kind_of_gray = "CUT",
        .sources = sources,
        .gray = intensity ? PointStep::Gray::made : PointStep::Gray::kept,
        .arguments = {limit, outcome.values, outcome.truncate, intensity_weights (*task.src.layout)},
        .shared_options = option_if (otsu, {"OTSU", 1}),
        .item_rows = 2};
  }

  Compared compared_on (const Format &format, int plane) const
  {
    if (settings.per_component () || format.model == ColorModel::gray
        || (format.model == ColorModel::yuv && !format.is_chroma (plane)))
      return Compared::samples;
    return format.model == ColorModel::yuv ? Compared::nothing : Compared::intensity;
  }

  cl_int2 fixed_limit (const BlackWhite &found) const
  {
    const double limit = found.black + settings.threshold * (found.white - found.black);
    return {{cl_int (std::floor (limit)), cl_int (std::nearbyint (limit))}};
  }

  /* Filters each component separately. */
  Launches filter_samples (Runner &runner, const PlaneTask &task)
  {
    if (settings.method != ThresholdMethod::mean)
      return compare (runner, task, task, false);
    return threshold_by_mean (
        runner, task, settings, on_plane (range, runner.format (), task.plane), {"threshold", task.plane});
  }

  /* Filters the intensity of RGB; alpha is an ordinary component if it is filtered. */
  Launches filter_pixels (Runner &runner, PlaneTask task)
  {
    constexpr unsigned alpha_bit = 1u << alpha;
    const PlaneTask whole = task;
    Launches launches;
    if (task.components & alpha_bit) {
      PlaneTask own = task;
      own.components = alpha_bit;
      if (task.components != alpha_bit)
        task.src = own.dst = runner.scratch_plane ("threshold-alpha", task.dst);
      for (const Launch &each : filter_samples (runner, own))
        launches.push_back (each.task ? each : each.on (own));
      task.components &= ~alpha_bit;
    }
    if (!task.components)
      return launches;
    launches += settings.method == ThresholdMethod::mean ? threshold_intensity_by_mean (runner, task, whole.src, settings)
                                                         : compare (runner, task, whole, true);
    return launches;
  }

  /* Compares with one limit for the region. counted: the plane whose histogram is counted. */
  Launches compare (Runner &runner, const PlaneTask &task, const PlaneTask &counted, bool intensity)
  {
    const BlackWhite ends = on_plane (range, runner.format (), task.plane);
    const ThresholdOutcome outcome = threshold_outcome (settings.type, ends);
    Launches launches;
    const bool otsu = settings.method == ThresholdMethod::otsu;
    const Argument limit = otsu ? find_limits (runner, counted, intensity, launches) : Argument (fixed_limit (ends));
    launches.push_back (comparison (runner, task, intensity, otsu, limit, outcome).on (task));
    return launches;
  }

  Launch comparison (
      Runner &runner, const PlaneTask &task, bool intensity, bool otsu, const Argument &limit, const ThresholdOutcome &outcome)
  {
    if (runner.backend () == Backend::gpu)
      return point_launch (runner, task, {{cut (task, intensity, otsu, limit, outcome)}});
    KernelSpec spec{.sources = {"lib/pixel.clh", "shared/intensity.clh", "shared/network.clh", "threshold/threshold.clh",
                        "threshold/threshold.cl"},
        .function = "threshold_rows",
        .options = {{"OTSU", otsu}, {"INTENSITY", intensity}},
        .item_samples = cpu_vector_bytes / runner.format ().sample_size (),
        .item_rows = cpu_rows};
    const int height = task.region.height, rows = height < cpu_rows ? 1 : cpu_rows;
    const Format &format = runner.format ();
    const ChromaFilling chroma = task.plane == 0 ? filling : ChromaFilling{};
    Launch launch (std::move (spec),
        {limit, outcome.values, outcome.truncate, intensity ? intensity_weights (*task.src.layout) : 0,
            cl_int4{{chroma.offset, chroma.stride, chroma.width, format.neutral_chroma () << format.shift}}, chroma.rows});
    launch.size = {{1, size_t (divide_up (height, rows) + divide_up (chroma.rows, rows))}, {1, 1}};
    return launch;
  }

  /* Otsu's limits for adjacent samples of a row; on the gpu back end, for a pixel's samples. */
  Argument find_limits (Runner &runner, const PlaneTask &task, bool intensity, Launches &launches)
  {
    const HistogramOf of = intensity ? HistogramOf::intensity : HistogramOf::components;
    const int histograms = histograms_per_tile (task, of);
    const size_t group = std::min<size_t> (256, std::bit_floor (runner.cl ().device.max_work_group_size));
    const ScratchName name{"otsu", task.plane, intensity};
    KernelSpec spec{.sources = {"shared/scan.clh", "threshold/otsu.cl"},
        .function = "find_otsu",
        .options = {{"GROUP", group}, {"SCANNED", "ulong2"}}};
    const auto [counting, counts] = count_histogram (runner, task, of, name);
    const ScratchArgument limits{name.with ("limits"), sizeof (cl_int) * histograms};
    const int pixels = runner.backend () == Backend::gpu || intensity ? 1 : task.region.width;
    const ScratchArgument row{name.with ("row"), size_t (pixels) * histograms * runner.format ().sample_size ()};
    launches += counting;
    launches.push_back (
        Launch::range (std::move (spec), {{group * histograms, 1}, {group, 1}}, {counts, limits, row, cl_int (pixels)})
            .on (task));
    found.push_back ({limits, histograms, intensity, task.components, task.src.layout->components});
    return row;
  }

  /* Reports `threshold` in stats, or `threshold-N` if component N has its own limit. */
  void report (Runner &runner, const Found &limits)
  {
    runner.commands.read_back (limits.memory.in (runner.memory), sizeof (cl_int) * limits.count,
        [to = reporter, intensity = limits.intensity, filtered = limits.filtered, components = limits.components] (
            std::span<const std::byte> bytes) {
          for (size_t s = 0; s < bytes.size () / sizeof (cl_int); s++) {
            cl_int limit;
            std::memcpy (&limit, bytes.data () + s * sizeof limit, sizeof limit);
            if (!intensity && (components[s] == padding || !(filtered >> components[s] & 1)))
              continue;
            if (intensity || components[s] == first)
              to->set_figure ("threshold", limit);
            if (!intensity)
              to->set_figure (("threshold-" + std::to_string (components[s])).c_str (), limit);
          }
        });
  }

  /* Rows of a work item on the cpu back end. */
  static constexpr int cpu_rows = 8;

  std::vector<Found> found;
  BlackWhite range{};
  Reporter *reporter = nullptr;
  ChromaFilling filling;
};

/* Whether no value can change. */
bool
keeps_all (const ThresholdSettings &settings)
{
  if (settings.method != ThresholdMethod::fixed || !settings.per_component () || settings.range != Range::full)
    return false;
  switch (settings.type) {
    case ThresholdType::trunc:
    case ThresholdType::tozero_inv:
      return settings.threshold >= 1;
    case ThresholdType::tozero:
      return settings.threshold <= 0;
    default:
      return false;
  }
}

/* The direction in which a key moves the threshold: 1 for Up, -1 for Down, 0 for other keys. Knows X's keysyms, which sinks
 * send on most platforms, and the names of the keypad and of web views. */
int
direction_of (const gchar *key)
{
  static constexpr struct {
    const char *name;
    int direction;
  } keys[] = {{"Up", 1}, {"KP_Up", 1}, {"ArrowUp", 1}, {"Down", -1}, {"KP_Down", -1}, {"ArrowDown", -1}};
  for (const auto &[name, direction] : keys)
    if (key && g_ascii_strcasecmp (key, name) == 0)
      return direction;
  return 0;
}

/* Handles a navigation event, on any thread. */
void
threshold_handle_key (GstObject *element, GstEvent *event)
{
  const gchar *key = nullptr;
  if (gst_navigation_event_get_type (event) != GST_NAVIGATION_EVENT_KEY_PRESS
      || !gst_navigation_event_parse_key_event (event, &key))
    return;
  const int direction = direction_of (key);
  gboolean wanted = FALSE;
  gdouble threshold = 0;
  g_object_get (element, "navigation", &wanted, "threshold", &threshold, nullptr);
  if (!wanted || !direction)
    return;
  /* rounded to hundredths, so that equal steps up and down return to the same number */
  constexpr double step = 2;
  const double moved = std::clamp (std::round (threshold * 1e8) / 1e6 + direction * step, 0.0, 100.0) / 100;
  g_object_set (element, "threshold", moved, nullptr);
}

const FilterDescription description{
    .long_name = "OpenCL threshold",
    .description = "Compares pixels with a fixed, an automatic or a local threshold",
    .properties = properties,
    .windowed = true,
    .operation = operation_type<Threshold> (),
    .neutral = of_settings<keeps_all>,
};

GST_CL_DEFINE_FILTER_TYPE (GstClThreshold, gst_cl_threshold, clthreshold, GstClFilter, GST_TYPE_CL_FILTER, description, void)

static void
gst_cl_threshold_class_init (GstClThresholdClass *klass)
{
  gst_cl_filter_class_set_description (&klass->parent_class, &description);
  GST_BASE_TRANSFORM_CLASS (klass)->src_event = [] (GstBaseTransform *base, GstEvent *event) -> gboolean {
    if (GST_EVENT_TYPE (event) == GST_EVENT_NAVIGATION)
      threshold_handle_key (GST_OBJECT (base), event);
    return GST_BASE_TRANSFORM_CLASS (gst_cl_threshold_parent_class)->src_event (base, event);
  };
}

}  // namespace gst::cl::clthreshold
