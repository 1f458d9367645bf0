/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clhistogram: counts how often each value occurs in each component, and posts counts and statistics as messages. Frames
 * pass unchanged, or with the curves drawn into them. */
#include "filter/gstclfilter.hpp"
#include "filter/runner.hpp"
#include "shared/histogram_plan.hpp"
#include "shared/range.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <numeric>

namespace gst::cl::clhistogram {

/* Numbers of one component, in sample units. */
struct HistogramStatistics {
  guint min, max, median;
  double mean, stddev;
};

std::string
field (const char *name, int component)
{
  return std::string (name) + "-" + std::to_string (component);
}

void
take_array (GstStructure *content, const std::string &name, const std::vector<guint64> &numbers)
{
  GValue array = G_VALUE_INIT, item = G_VALUE_INIT;
  gst_value_array_init (&array, guint (numbers.size ()));
  g_value_init (&item, G_TYPE_UINT64);
  for (guint64 number : numbers) {
    g_value_set_uint64 (&item, number);
    gst_value_array_append_value (&array, &item);
  }
  g_value_unset (&item);
  gst_structure_take_value (content, name.c_str (), &array);
}

/* Statistics of the counts of each value, of which at least one is not 0. The median is the lower middle sample, the deviation
 * is the population's. */
HistogramStatistics
histogram_statistics (std::span<const guint64> counts)
{
  guint64 n = 0, sum = 0;
  for (size_t v = 0; v < counts.size (); v++) {
    n += counts[v];
    sum += counts[v] * v;
  }
  HistogramStatistics found{0, 0, 0, double (sum) / double (n), 0};
  const auto occupied = [] (guint64 count) { return count > 0; };
  found.min = guint (std::ranges::find_if (counts, occupied) - counts.begin ());
  double squares = 0;
  guint64 up_to = 0;
  for (size_t v = found.min; v < counts.size (); v++) {
    if (!counts[v])
      continue;
    found.max = guint (v);
    if (up_to <= (n - 1) / 2)
      found.median = guint (v);
    up_to += counts[v];
    const double difference = double (v) - found.mean;
    squares += double (counts[v]) * difference * difference;
  }
  found.stddev = std::sqrt (squares / double (n));
  return found;
}

/* The counts of values 0 .. n - 1 in bins: value v is in bin floor (v * bins / n). */
std::vector<guint64>
histogram_bins (std::span<const guint64> counts, int bins)
{
  std::vector<guint64> result (bins);
  for (size_t v = 0; v < counts.size (); v++)
    result[guint64 (v) * bins / counts.size ()] += counts[v];
  return result;
}

/* Gathers the counts of a frame. */
class HistogramMessage {
public:
  HistogramMessage (const FrameTimes &times_, const BlackWhite &range_, int values_, int bins_)
      : times (times_), range (range_), values (values_), bins (bins_)
  {
  }

  /* counts: a cl_uint for each value of a component. */
  void add (int component, std::span<const std::byte> counts)
  {
    std::vector<guint64> &sums = components[component];
    sums.resize (values);
    for (int v = 0; v < values; v++) {
      cl_uint count;
      std::memcpy (&count, counts.data () + v * sizeof count, sizeof count);
      sums[v] += count;
    }
  }

  /* The message's content, which the caller owns; null if nothing was counted. */
  GstStructure *content () const
  {
    GstStructure *content = nullptr;
    for (size_t i = 0; i < components.size (); i++) {
      const std::vector<guint64> &counts = components[i];
      if (std::accumulate (counts.begin (), counts.end (), guint64 (0)) == 0)
        continue;
      if (!content)
        content = gst_structure_new ("clhistogram", "timestamp", GST_TYPE_CLOCK_TIME, times.timestamp, "stream-time",
            GST_TYPE_CLOCK_TIME, times.stream_time, "running-time", GST_TYPE_CLOCK_TIME, times.running_time, "bins", G_TYPE_INT,
            bins, "black", G_TYPE_UINT, guint (range.black), "white", G_TYPE_UINT, guint (range.white), nullptr);
      const HistogramStatistics s = histogram_statistics (counts);
      const int n = int (i);
      gst_structure_set (content, field ("min", n).c_str (), G_TYPE_UINT, s.min, field ("max", n).c_str (), G_TYPE_UINT, s.max,
          field ("mean", n).c_str (), G_TYPE_DOUBLE, s.mean, field ("stddev", n).c_str (), G_TYPE_DOUBLE, s.stddev,
          field ("median", n).c_str (), G_TYPE_UINT, s.median, nullptr);
      take_array (content, field ("counts", n), histogram_bins (counts, bins));
    }
    return content;
  }

private:
  FrameTimes times;
  BlackWhite range;
  int values, bins;
  std::array<std::vector<guint64>, 4> components;
};

enum Display { DISPLAY_NONE, DISPLAY_OVERLAY };

constexpr GEnumValue display_values[] = {
    {DISPLAY_NONE, "Frames pass unchanged", "none"},
    {DISPLAY_OVERLAY, "The curves are drawn into the picture", "overlay"},
};

struct HistogramSettings {
  int bins = 256, interval = 1;
  bool post_messages = true;
  Display display = DISPLAY_NONE;
  unsigned components = 15;
  Range range = Range::automatic;

  bool draws () const { return display == DISPLAY_OVERLAY; }
};

constexpr Property properties[] = {
    property<&HistogramSettings::bins> ("bins", "Number of bins of each histogram", 2, 65536),
    property<&HistogramSettings::interval> ("interval", "Post a message for every interval-th frame", 1, 1000000),
    property<&HistogramSettings::post_messages> ("post-messages", "Post messages"),
    property<&HistogramSettings::display> (
        "display", "Drawing on the picture", enum_type<"GstClHistogramDisplay", display_values>),
    property<&HistogramSettings::components> ("components", "Components to count", planes_get_type),
    range_property<&HistogramSettings::range> (),
};

struct HistogramCurves {
  /* The components that were counted. */
  unsigned components;
  int bins;
  /* The range for drawing luma, grey and colours. */
  BlackWhite range;
};

/* Finds the heights for kernels/histogram/overlay.cl: two numbers for each column of every sample of the pixel. */
Launch
find_heights (const Runner &runner, const PlaneTask &task, const ::cl::Buffer &counts, const Argument &heights,
    const Rect &panel, int bins, int thickness)
{
  const bool cpu = runner.backend () == Backend::cpu;
  const size_t group = cpu ? 1 : std::min<size_t> (256, runner.cl ().device.max_work_group_size);
  return Launch::range ({.sources = {"lib/point.clh", "histogram/overlay.cl"},
                            .function = "find_heights",
                            .options = {{"HEIGHTS", 1}, {"GROUP", group}}},
      {{group * task.samples_per_pixel (), 1}, {group, 1}},
      {counts, heights, cl_int2{{panel.width, panel.height}}, cl_int (bins), cl_int (thickness)});
}

/* The place of the curves in a region of a plane; empty if it is too small. */
Rect
histogram_panel (const Rect &region)
{
  const int width = region.width / 2, height = region.height / 3;
  const int margin = std::min (region.width, region.height) / 24;
  return {region.x + margin, region.y + region.height - margin - height, width, height};
}

/* Draws the curves of task.region into its panel, and copies the rest of the region. counts: for each value of each sample of the
 * pixel, from count_histogram(). */
Launches
draw_histogram (const Runner &runner, const PlaneTask &task, const ::cl::Buffer &counts, const HistogramCurves &curves)
{
  const Rect &r = task.region, panel = histogram_panel (r);
  if (panel.empty ())
    return {copy_launch (runner, task, r)};
  const int below = panel.y + panel.height, right = panel.x + panel.width;
  Launches launches;
  for (const Rect &around : {Rect{r.x, r.y, r.width, panel.y - r.y}, Rect{r.x, below, r.width, r.y + r.height - below},
           Rect{r.x, panel.y, panel.x - r.x, panel.height}, Rect{right, panel.y, r.x + r.width - right, panel.height}})
    if (!around.empty ())
      launches.push_back (copy_launch (runner, task, around));

  const Format &format = runner.format ();
  const PlaneLayout &layout = *task.src.layout;
  const bool chroma = format.is_chroma (task.plane);
  const cl_int drawn = chroma ? 0 : cl_int (samples_of (layout, curves.components & ~(1u << alpha)));
  const cl_int fill = chroma ? format.neutral_chroma () : -1;
  const cl_int thickness = std::max (1, panel.height / 120);

  PlaneTask inside = task;
  inside.region = panel;
  inside.components &= ~(1u << alpha);
  const bool cpu = runner.backend () == Backend::cpu;
  const int samples = layout.samples_per_pixel;
  const int image_samples = (samples == 4 ? 8 : 4) / format.sample_size ();
  KernelSpec spec{.sources = {"lib/point.clh", "histogram/overlay.cl"},
      .function = "draw_curves",
      .item_samples = cpu                                ? 1
                      : task.src.image || task.dst.image ? image_samples
                      : samples == 3                     ? 12
                                                         : 8,
      .tunable = {.local = true}};
  /* without a curve the heights are not read */
  const ScratchArgument heights{{"histogram-heights", task.plane}, 2 * sizeof (cl_int) * panel.width * samples};
  if (drawn)
    launches.push_back (find_heights (runner, task, counts, heights, panel, curves.bins, thickness));
  launches.push_back (Launch (std::move (spec), {drawn ? Argument (heights) : Argument (counts), drawn, thickness, fill,
                                                    cl_int2{{curves.range.black, curves.range.white}}})
                          .on (inside));
  return launches;
}

class Histogram : public With<HistogramSettings> {
public:
  void changed () override { algorithm = settings.draws () ? "overlay" : "count"; }
  Abilities abilities (const Runner &) const override { return {.images = true, .sees_regions = true}; }

  void begin_frame (Runner &runner, const FrameInfo &frame) override
  {
    is_due = settings.post_messages && frames % guint64 (settings.interval) == 0;
    frames++;
    times = frame;
    range = black_and_white (frame.video, runner.format (), settings.range);
    reporter = &frame.reporter;
    counts.clear ();
    next_drawn.fill (0);
  }

  void observe (Runner &runner, const PlaneTask &task) override
  {
    if (!is_due && !settings.draws ())
      return;
    PlaneTask counted = task;
    counted.components = settings.components;
    const auto same_plane = [&] (const Counts &each) { return each.plane == task.plane; };
    const auto region = std::ranges::count_if (counts, same_plane);
    const ScratchName name{"histogram", task.plane, int (region)};
    const HistogramCount histogram = count_histogram (runner, counted, HistogramOf::components, name);
    runner.run (counted, histogram.launches);
    counts.push_back ({task.plane, task.src.layout, histogram.counts});
  }

  /* Regions of a plane come in the same order as in observe(). */
  Plan plan (Runner &runner, const PlaneTask &task) override
  {
    size_t skip = next_drawn[task.plane]++;
    for (const Counts &each : counts)
      if (each.plane == task.plane && skip-- == 0)
        return {"", draw_histogram (runner, task, each.buffer, {settings.components, settings.bins, range})};
    return {};
  }

  void end_frame (Runner &runner) override
  {
    if (!is_due || counts.empty ())
      return;
    const int values = runner.format ().max_value () + 1;
    auto message = std::make_shared<HistogramMessage> (times, range, values, settings.bins);
    for (size_t i = 0; i < counts.size (); i++) {
      const PlaneLayout &layout = *counts[i].layout;
      const size_t each = sizeof (cl_uint) * values;
      runner.commands.read_back (counts[i].buffer, each * layout.samples_per_pixel,
          [message, each, of = layout.components, samples = layout.samples_per_pixel, chosen = settings.components,
              post = i + 1 == counts.size () ? reporter : nullptr] (std::span<const std::byte> bytes) {
            for (int s = 0; s < samples; s++)
              if (of[s] != padding && (chosen >> of[s] & 1))
                message->add (of[s], bytes.subspan (s * each, each));
            if (GstStructure *content = post ? message->content () : nullptr)
              post->post_message (content);
          });
    }
  }

private:
  /* A region of a plane. */
  struct Counts {
    int plane;
    const PlaneLayout *layout;
    ::cl::Buffer buffer;
  };

  guint64 frames = 0;
  bool is_due = false;
  BlackWhite range{};
  FrameTimes times;
  Reporter *reporter = nullptr;
  std::vector<Counts> counts;
  std::array<size_t, most_planes> next_drawn{};
};

const FilterDescription description{
    .long_name = "OpenCL histogram",
    .klass = "Filter/Analyzer/Video/Hardware",
    .description = "Counts the values of each component and posts the counts as messages",
    .properties = properties,
    .operation = operation_type<Histogram> (),
    .neutral = of_settings<[] (const HistogramSettings &settings) { return !settings.draws (); }>,
    .observes = of_settings<[] (const HistogramSettings &settings) { return settings.post_messages || settings.draws (); }>,
};

GST_CL_DEFINE_FILTER (GstClHistogram, gst_cl_histogram, clhistogram, description)

}  // namespace gst::cl::clhistogram
