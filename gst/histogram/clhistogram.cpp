/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clhistogram: counts how often each value occurs in each component, and posts counts and statistics as messages. Frames
 * pass unchanged, or with the curves drawn into them. */
#include "filter/copies.hpp"
#include "filter/gstclfilter.hpp"
#include "histogram/message.hpp"
#include "histogram/overlay.hpp"
#include "shared/histogram_plan.hpp"

#include <algorithm>

using namespace gst::cl;

namespace {

enum : unsigned { BINS, INTERVAL, POST_MESSAGES, DISPLAY, COMPONENTS, RANGE };
enum Display { DISPLAY_NONE, DISPLAY_OVERLAY };

constexpr GEnumValue display_values[] = {
    {DISPLAY_NONE, "Frames pass unchanged", "none"},
    {DISPLAY_OVERLAY, "The curves are drawn into the picture", "overlay"},
    {},
};

const Property properties[] = {
    integer_property ("bins", "Number of bins of each histogram", 2, 65536, 256),
    integer_property ("interval", "Post a message for every interval-th frame", 1, 1000000, 1),
    boolean_property ("post-messages", "Post messages", true),
    enum_property (
        "display", "What is drawn into the picture", enum_type<"GstClHistogramDisplay", display_values>, DISPLAY_NONE),
    flags_property ("components", "Which components are counted", planes_get_type, 15),
    range_property (),
};

class Histogram : public Operation {
public:
  void update (const Values &values) override
  {
    bins = values.integer (BINS);
    interval = guint64 (values.integer (INTERVAL));
    posts = values.boolean (POST_MESSAGES);
    draws = values.integer (DISPLAY) == DISPLAY_OVERLAY;
    components = unsigned (values.integer (COMPONENTS));
    wanted_range = Range (values.integer (RANGE));
  }

  void begin_frame (Runner &runner, const FrameInfo &frame) override
  {
    is_due = posts && frames % interval == 0;
    frames++;
    times = frame;
    range = black_and_white (frame.video, runner.format (), wanted_range);
    reporter = &frame.reporter;
    counts.clear ();
    next_drawn.fill (0);
  }

  void observe (Runner &runner, const PlaneTask &task) override
  {
    if (!is_due && !draws)
      return;
    PlaneTask counted = task;
    counted.components = components;
    const auto same_plane = [&] (const Counts &each) { return each.plane == task.plane; };
    const auto region = std::ranges::count_if (counts, same_plane);
    const ScratchName name{"histogram", task.plane, int (region)};
    counts.push_back ({task.plane, task.src.layout, enqueue_histogram (runner, counted, HistogramOf::components, name)});
  }

  /* Regions of a plane come in the same order as in observe(). */
  void run (Runner &runner, const PlaneTask &task) override
  {
    size_t skip = next_drawn[task.plane]++;
    for (const Counts &each : counts)
      if (each.plane == task.plane && skip-- == 0)
        return draw_histogram (runner, task, each.buffer, {components, bins, range});
    copy_samples (runner, task, task.region);
  }

  void end_frame (Runner &runner) override
  {
    if (!is_due || counts.empty ())
      return;
    const int values = runner.format ().max_value () + 1;
    auto message = std::make_shared<HistogramMessage> (times, range, values, bins);
    for (size_t i = 0; i < counts.size (); i++) {
      const PlaneLayout &layout = *counts[i].layout;
      const size_t each = sizeof (cl_uint) * values;
      runner.commands.read_back (counts[i].buffer, each * layout.samples_per_pixel,
          [message, each, of = layout.components, samples = layout.samples_per_pixel, chosen = components,
              post = i + 1 == counts.size () ? reporter : nullptr] (std::span<const std::byte> bytes) {
            for (int s = 0; s < samples; s++)
              if (of[s] != padding && (chosen >> of[s] & 1))
                message->add (of[s], bytes.subspan (s * each, each));
            if (GstStructure *content = post ? message->content () : nullptr)
              post->post_message (content);
          });
    }
  }

  bool takes_images () const override { return true; }
  std::string algorithm () const override { return draws ? "overlay" : "count"; }

private:
  /* A region of a plane. */
  struct Counts {
    int plane;
    const PlaneLayout *layout;
    ::cl::Buffer buffer;
  };

  int bins = 256;
  guint64 interval = 1, frames = 0;
  bool posts = true, draws = false, is_due = false;
  unsigned components = 15;
  Range wanted_range = Range::automatic;
  BlackWhite range{};
  FrameTimes times;
  Reporter *reporter = nullptr;
  std::vector<Counts> counts;
  std::array<size_t, most_planes> next_drawn{};
};

bool
draws_overlay (const Values &values)
{
  return values.integer (DISPLAY) == DISPLAY_OVERLAY;
}

const FilterDescription description{
    .long_name = "OpenCL histogram",
    .klass = "Filter/Analyzer/Video/Hardware",
    .description = "Counts the values of each component and posts the counts as messages",
    .properties = properties,
    .windowed = false,
    .create = [] () -> std::unique_ptr<Operation> { return std::make_unique<Histogram> (); },
    .neutral = [] (const Values &values) { return !draws_overlay (values); },
    .observes = [] (const Values &values) { return values.boolean (POST_MESSAGES) || draws_overlay (values); },
};

}  // namespace

GST_CL_DEFINE_FILTER (GstClHistogram, gst_cl_histogram, clhistogram, description)
