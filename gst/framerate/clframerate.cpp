/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clframerate: changes the framerate by interpolating pictures between frames, along the motion. The caps set the rate. */
#include "filter/gstclwindowfilter.hpp"
#include "filter/settingstore.hpp"
#include "filter/timecodes.hpp"
#include "framerate/interpolate.hpp"
#include "interop/caps.hpp"
#include "shared/region.hpp"

#include <algorithm>
#include <cmath>

namespace gst::cl::clframerate {

constexpr GEnumValue method_values[] = {
    {int (FramerateMethod::motion), "Along the motion of the picture", "motion"},
    {int (FramerateMethod::blend), "The mean of the frames on either side, by how near they are", "blend"},
    {int (FramerateMethod::repeat), "The nearest frame", "repeat"},
    {},
};

constexpr Property properties[] = {
    property<&FramerateSettings::method> (
        "method", "How frames between two others are made", enum_type<"GstClFramerateMethod", method_values>),
    property<&FramerateSettings::scene_threshold> ("scene-threshold",
        "Fraction of the picture without a match that makes a scene cut, where the nearest frame is repeated; 1 = never", 0, 1),
    property<&FramerateSettings::max_gap> (
        "max-gap", "Gap in nanoseconds above which the frame before it is repeated; 0 = never"),
};

const FilterDescription description{
    .long_name = "OpenCL framerate converter",
    .klass = "Filter/Effect/Video/Hardware",
    .description = "Changes the framerate: makes pictures between frames along the motion",
    .properties = properties,
    .operation = operation_type<Interpolation> (),
    .observes = [] (const Values &) { return true; },
    .reach = [] (const Values &) { return FrameReach{.before = 0, .after = 1}; },
    .whole_frames = true,
};

/* The times of frames, counted from the start of a segment, or from where the rate changed. They are stream times, so at half
 * speed they are half as far apart. */
class FrameGrid {
public:
  FrameGrid () = default;
  FrameGrid (GstClockTime origin_, int fps_n, int fps_d, double rate, gint64 first_ = 0)
      : origin (origin_), first (first_), n (fps_n), d (fps_d), speed (std::abs (rate))
  {
    constexpr GstClockTime most = GST_MSECOND;
    slack = std::min (most, length_of (first) / 16);
  }

  GstClockTime time_of (gint64 number) const
  {
    const GstClockTime passed = gst_util_uint64_scale (guint64 (number - first) * guint64 (d), GST_SECOND, guint64 (n));
    return origin + (speed == 1 ? passed : GstClockTime (std::llround (double (passed) * speed)));
  }

  GstClockTime length_of (gint64 number) const { return time_of (number + 1) - time_of (number); }
  /* The first frame at or after a time; a frame may be earlier by the tolerance, since times are often rounded. */
  gint64 first_from (GstClockTime time) const
  {
    if (time <= origin + slack)
      return first;
    const double passed = double (time - slack - origin) / speed * n / (double (d) * GST_SECOND);
    gint64 number = first + std::max<gint64> (0, gint64 (passed) - 1);
    while (time_of (number) + slack < time)
      number++;
    return number;
  }

  /* In nanoseconds. */
  GstClockTime tolerance () const { return slack; }

private:
  GstClockTime origin = 0, slack = 0;
  gint64 first = 0;
  int n = 1, d = 1;
  double speed = 1;
};

/* Streaming thread only. */
struct RateConversion {
  GstVideoInfo in{}, out{};
  /* keeps_times: downstream asks for no rate. */
  bool same_memory = true, keeps_times = false;
  FrameGrid grid;
  GstSegment segment{};
  /* The next result; in reverse the one after it. */
  std::optional<gint64> at{};
  /* The results of the current window: from `from` to to - 1. */
  gint64 from = 0, to = 0;
  /* Whether the segment ends now, so that the last frame fills it. */
  bool fills = false;
  /* Times of the last input, and of the next one unless it has its own. */
  GstClockTime last = GST_CLOCK_TIME_NONE, expected = GST_CLOCK_TIME_NONE;
  /* Whether the stream begins with the next frame: the element was not put into a stream that has begun. */
  bool begins = false;
  TimeCodeCounter codes{};

  /* Where the next result begins, if results were sent in this segment; in reverse where the last one begins. */
  std::optional<GstClockTime> sent_until () const
  {
    if (at && !keeps_times)
      return grid.time_of (*at);
    return keeps_times && GST_CLOCK_TIME_IS_VALID (last) ? std::optional (segment.rate > 0 ? expected : last) : std::nullopt;
  }
};

struct FramerateData {
  RateConversion conversion;
  gint passes = 0; /* atomic: whether all frames pass */
};

#define GST_CAT_DEFAULT gst_cl_framerate_debug
GST_CL_DEFINE_FILTER_TYPE (
    GstClFramerate, gst_cl_framerate, clframerate, GstClWindowFilter, GST_TYPE_CL_WINDOW_FILTER, description, FramerateData)

#define GST_CL_FRAMERATE(obj) (reinterpret_cast<GstClFramerate *> (obj))

GstClockTime
length_of (const RateConversion &conversion, GstBuffer *frame)
{
  if (GST_BUFFER_DURATION_IS_VALID (frame) && GST_BUFFER_DURATION (frame) > 0)
    return GST_BUFFER_DURATION (frame);
  const GstVideoInfo &in = conversion.in;
  return in.fps_n > 0 ? gst_util_uint64_scale_int (GST_SECOND, in.fps_d, in.fps_n) : conversion.grid.length_of (0);
}

/* The frames of a window in the order of their times; null if there is none. */
struct Pair {
  GstBuffer *earlier, *later;

  explicit Pair (const FrameQueue::Window &window) : earlier (window.frames[0].get ()), later (nullptr)
  {
    if (window.frames.size () > 1)
      later = window.frames[1].get ();
    else if (window.backwards)
      std::swap (earlier, later);
  }
};

/* The result after the last one of a frame without a successor. The frame lasts for its duration, so that it is seen, or, at the
 * end of a segment, at most a second longer, as in videorate. */
gint64
end_of (const RateConversion &conversion, GstBuffer *frame)
{
  GstClockTime end = GST_BUFFER_PTS (frame) + std::max (length_of (conversion, frame), conversion.grid.tolerance () + 1);
  if (const GstClockTime stop = conversion.segment.stop; GST_CLOCK_TIME_IS_VALID (stop)) {
    if (conversion.fills && conversion.segment.rate > 0)
      end = std::max (end, std::min (stop, end + GST_SECOND));
    end = std::min (end, stop);
  }
  return conversion.grid.first_from (end);
}

/* A frame stands for the time until the next one; the first frame of a stream also stands for the time before it. */
unsigned
gst_cl_framerate_results (GstClWindowFilter *filter, const FrameQueue::Window &window)
{
  RateConversion &c = GST_CL_FRAMERATE (filter)->data->conversion;
  if (c.keeps_times)
    return 1;
  const Pair pair (window);
  const auto first_of = [&c] (GstBuffer *frame) { return c.grid.first_from (GST_BUFFER_PTS (frame)); };
  if (window.backwards) {
    c.to = c.at.value_or (end_of (c, pair.later));
    c.from = pair.earlier ? first_of (pair.earlier) : c.fills ? 0 : first_of (pair.later);
    c.at = std::min (c.from, c.to);
  } else {
    c.from = c.at.value_or (c.begins ? 0 : first_of (pair.earlier));
    c.to = pair.later ? first_of (pair.later) : end_of (c, pair.earlier);
    c.at = std::max (c.from, c.to);
  }
  return unsigned (std::max<gint64> (c.to - c.from, 0));
}

/* The picture for a time: the first of two frames, the second one, or a picture between them, at a position in 256ths. */
struct Shown {
  GstBuffer *frame;
  int phase = 0;
};

Shown
shown_at (const RateConversion &c, const FramerateSettings &settings, const Pair &pair, GstClockTime time)
{
  if (!pair.earlier || !pair.later)
    return {pair.earlier ? pair.earlier : pair.later};
  const GstClockTime begin = GST_BUFFER_PTS (pair.earlier), end = GST_BUFFER_PTS (pair.later);
  if (time + c.grid.tolerance () >= end)
    return {pair.later};
  if (time <= begin + c.grid.tolerance ())
    return {pair.earlier};
  if (settings.max_gap > 0 && end - begin > settings.max_gap)
    return {pair.earlier};
  if (settings.method == FramerateMethod::repeat)
    return {time - begin <= end - time ? pair.earlier : pair.later};
  return {pair.earlier, std::clamp (int (gst_util_uint64_scale_round (time - begin, 256, end - begin)), 1, 255)};
}

/* Passes the frame itself if possible. */
GstFlowReturn
repeat (GstClFramerate *self, const FrameQueue::Window &window, GstBuffer *frame, GstBuffer **out)
{
  if (self->data->conversion.same_memory) {
    const bool done = run_guarded (GST_ELEMENT (self), [&] {
      *out = gst_cl_base_transform_get_element (self).for_downstream (GST_BASE_TRANSFORM_SRC_PAD (self), frame).release ();
    });
    return done ? GST_FLOW_OK : GST_FLOW_ERROR;
  }
  const size_t place = window.frames[0].get () == frame ? 0 : 1;
  const FrameQueue::Window alone{{window.frames[place]}, 0, window.first + place, window.backwards};
  return gst_cl_window_filter_make (&self->parent, alone, BetweenJob{.is_copy = true}.packed (), out);
}

/* Captions stay with a frame's first result; time codes count results. source: the frame whose metadata the result has. */
void
describe (RateConversion &c, GstBuffer *made, GstBuffer *source, gint64 number, gint64 first)
{
  int n = 1, d = 1;
  const bool is_known = c.in.fps_n > 0 && gst_util_fraction_multiply (c.out.fps_n, c.out.fps_d, c.in.fps_d, c.in.fps_n, &n, &d);
  share_metadata (made,
      {.number = unsigned (std::max<gint64> (number - first, 0)), .rate_n = is_known ? n : 1, .rate_d = is_known ? d : 1});
  c.codes.count (made, source, number);
  GST_BUFFER_PTS (made) = c.grid.time_of (number);
  GST_BUFFER_DURATION (made) = c.grid.length_of (number);
  GST_BUFFER_DTS (made) = GST_CLOCK_TIME_NONE;
  GST_BUFFER_OFFSET (made) = guint64 (number);
  GST_BUFFER_OFFSET_END (made) = guint64 (number) + 1;
  if (number > first)
    GST_BUFFER_FLAG_UNSET (made, GST_BUFFER_FLAG_DISCONT | GST_BUFFER_FLAG_RESYNC);
}

gint64
number_of (const RateConversion &c, const FrameQueue::Window &window, unsigned i)
{
  return window.backwards ? c.to - 1 - i : c.from + i;
}

GstClockTime
gst_cl_framerate_time_of (GstClWindowFilter *filter, const FrameQueue::Window &window, unsigned i)
{
  const RateConversion &c = GST_CL_FRAMERATE (filter)->data->conversion;
  return c.keeps_times ? GST_BUFFER_PTS (window.frames[window.main].get ()) : c.grid.time_of (number_of (c, window, i));
}

GstFlowReturn
gst_cl_framerate_make (GstClWindowFilter *filter, const FrameQueue::Window &window, unsigned i, GstBuffer **out)
{
  GstClFramerate *self = GST_CL_FRAMERATE (filter);
  RateConversion &c = self->data->conversion;
  if (c.keeps_times)
    return repeat (self, window, window.frames[window.main].get (), out);
  const Pair pair (window);
  const gint64 number = number_of (c, window, i);
  const auto &settings = gst_cl_filter_get_values (&filter->parent)->as<FramerateSettings> ();
  const Shown shown = shown_at (c, settings, pair, c.grid.time_of (number));
  GstBuffer *made = nullptr;
  FrameQueue::Window between = window;
  between.main = 0;
  const GstFlowReturn flow =
      shown.phase > 0 ? gst_cl_window_filter_make (filter, between, BetweenJob{.phase = shown.phase}.packed (), &made)
                      : repeat (self, window, shown.frame, &made);
  if (flow != GST_FLOW_OK || !made) {
    *out = made;
    return flow;
  }
  if (!(made = make_writable (GST_ELEMENT (self), made)))
    return GST_FLOW_ERROR;
  if (shown.phase > 0)
    mark_between (made, pair.later);
  describe (c, made, shown.frame, number, window.backwards ? c.grid.first_from (GST_BUFFER_PTS (shown.frame)) : c.from);
  *out = made;
  return GST_FLOW_OK;
}

void
begin_anew (RateConversion &c, const GstSegment &segment)
{
  c.segment = segment;
  const GstClockTime start = segment.format == GST_FORMAT_TIME ? segment.start : 0;
  if (c.out.fps_n > 0)
    c.grid = FrameGrid (start, c.out.fps_n, c.out.fps_d, segment.rate);
  c.at.reset ();
  c.codes.restart ();
  c.last = GST_CLOCK_TIME_NONE;
  c.expected = segment.rate > 0 ? start : GST_CLOCK_TIME_NONE;
}

/* Frames without a time follow the last frame; frames out of order are dropped. */
GstFlowReturn
gst_cl_framerate_submit_input_buffer (GstBaseTransform *base, gboolean is_discont, GstBuffer *input)
{
  RateConversion &c = GST_CL_FRAMERATE (base)->data->conversion;
  const bool forward = base->segment.rate > 0;
  GstClockTime time = GST_BUFFER_PTS (input);
  const GstClockTime length = length_of (c, input);
  const auto expect_after = [&] (GstClockTime time) {
    c.expected = forward ? time + length : time > length ? time - length : 0;
  };
  if (!GST_CLOCK_TIME_IS_VALID (c.last))
    c.begins = GST_BUFFER_IS_DISCONT (input);
  if (!c.keeps_times) {
    if (!GST_CLOCK_TIME_IS_VALID (time)) {
      if (!(input = make_writable (GST_ELEMENT (base), input)))
        return GST_FLOW_ERROR;
      GST_BUFFER_PTS (input) = c.expected;
    }
    const GstClockTime last = std::exchange (c.last, time = GST_BUFFER_PTS (input));
    if (!GST_CLOCK_TIME_IS_VALID (time) || (GST_CLOCK_TIME_IS_VALID (last) && (forward ? time < last : time > last))) {
      GST_DEBUG_OBJECT (
          base, "a frame at %" GST_TIME_FORMAT " behind one at %" GST_TIME_FORMAT, GST_TIME_ARGS (time), GST_TIME_ARGS (last));
      c.last = last;
      gst_buffer_unref (input);
      return GST_FLOW_OK;
    }
    expect_after (time);
  }
  const GstFlowReturn flow =
      GST_BASE_TRANSFORM_CLASS (gst_cl_framerate_parent_class)->submit_input_buffer (base, is_discont, input);
  /* before, the caps may have changed, and the frame was not sent */
  if (c.keeps_times && GST_CLOCK_TIME_IS_VALID (time))
    expect_after (c.last = time);
  return flow;
}

bool
continues (const GstSegment &a, const GstSegment &b)
{
  return a.format == b.format && a.start == b.start && a.rate == b.rate && a.base == b.base;
}

gboolean
gst_cl_framerate_sink_event (GstBaseTransform *base, GstEvent *event)
{
  RateConversion &c = GST_CL_FRAMERATE (base)->data->conversion;
  const GstEventType type = GST_EVENT_TYPE (event);
  const GstSegment *next = nullptr;
  if (type == GST_EVENT_SEGMENT)
    gst_event_parse_segment (event, &next);
  const bool updates = next && continues (c.segment, *next);
  c.fills = type == GST_EVENT_EOS || type == GST_EVENT_SEGMENT_DONE || (next && !updates);
  const gboolean done = GST_BASE_TRANSFORM_CLASS (gst_cl_framerate_parent_class)->sink_event (base, event);
  c.fills = false;
  if (updates)
    c.segment = base->segment;
  else if (type == GST_EVENT_SEGMENT || type == GST_EVENT_FLUSH_STOP)
    begin_anew (c, base->segment);
  return done;
}

gboolean
gst_cl_framerate_start (GstBaseTransform *base)
{
  GST_CL_FRAMERATE (base)->data->conversion = {};
  return GST_BASE_TRANSFORM_CLASS (gst_cl_framerate_parent_class)->start (base);
}

/* Upstream may have any rate, downstream's first. Downstream gets any rate, of which fixate_caps() takes the nearest:
 * gst_caps_simplify() would merge two structures that differ in the rate to a list with a range in it, which is no subset of
 * them. */
GstCaps *
gst_cl_framerate_transform_caps (GstBaseTransform *base, GstPadDirection direction, GstCaps *caps, GstCaps *filter)
{
  g_autoptr (GstCaps) open = gst_caps_copy (caps);
  for (guint i = 0; i < gst_caps_get_size (open); i++) {
    GstStructure *structure = gst_caps_get_structure (open, i);
    gst_structure_set (structure, "framerate", GST_TYPE_FRACTION_RANGE, 0, 1, G_MAXINT, 1, nullptr);
    gst_structure_remove_field (structure, "max-framerate");
  }
  g_autoptr (GstCaps) all =
      direction == GST_PAD_SINK ? gst_caps_ref (open) : gst_caps_merge (gst_caps_ref (caps), gst_caps_ref (open));
  return GST_BASE_TRANSFORM_CLASS (gst_cl_framerate_parent_class)->transform_caps (base, direction, all, filter);
}

GstCaps *
gst_cl_framerate_fixate_caps (GstBaseTransform *base, GstPadDirection direction, GstCaps *caps, GstCaps *other)
{
  int n = 0, d = 1;
  if (gst_structure_get_fraction (gst_caps_get_structure (caps, 0), "framerate", &n, &d)) {
    other = gst_caps_make_writable (other);
    for (guint i = 0; i < gst_caps_get_size (other); i++)
      gst_structure_fixate_field_nearest_fraction (gst_caps_get_structure (other, i), "framerate", n, d);
  }
  return GST_BASE_TRANSFORM_CLASS (gst_cl_framerate_parent_class)->fixate_caps (base, direction, caps, other);
}

/* The waiting frames have the old caps, whichever pad's caps have changed. If downstream asks for no rate, all frames pass. */
gboolean
gst_cl_framerate_set_caps (GstBaseTransform *base, GstCaps *in_caps, GstCaps *out_caps)
{
  GstClFramerate *self = GST_CL_FRAMERATE (base);
  RateConversion &c = self->data->conversion;
  gst_cl_window_filter_drain (&self->parent);
  if (!video_info_from_caps (c.in, in_caps) || !video_info_from_caps (c.out, out_caps))
    return FALSE;
  c.same_memory = memory_kind (in_caps) == memory_kind (out_caps);
  const std::optional<GstClockTime> next = c.sent_until ();
  const GstClockTime last = c.last, expected = c.expected;
  begin_anew (c, base->segment);
  c.keeps_times = c.out.fps_n == 0;
  if (next) {
    c.last = last;
    c.expected = expected;
  }
  if (next && !c.keeps_times) {
    c.at = c.grid.first_from (*next);
    /* the first result joins the last one of the other rate */
    if (base->segment.rate > 0)
      c.grid = FrameGrid (*next, c.out.fps_n, c.out.fps_d, base->segment.rate, *c.at);
  }
  g_atomic_int_set (&self->data->passes, c.keeps_times);
  const bool idle = c.keeps_times && c.same_memory;
  gst_cl_window_filter_set_idle (&self->parent, idle);
  return idle || GST_BASE_TRANSFORM_CLASS (gst_cl_framerate_parent_class)->set_caps (base, in_caps, out_caps);
}

void
gst_cl_framerate_class_init (GstClFramerateClass *klass)
{
  GstClWindowFilterClass &window = klass->parent_class;
  gst_cl_filter_class_set_description (&window.parent_class, &description);
  window.parent_class.inputs = [] (const Values &) { return size_t (2); };
  window.parent_class.builds_ahead = [] (const Values &, const GstVideoInfo &in, const GstVideoInfo &out) {
    return out.fps_n > 0 && gst_util_fraction_compare (in.fps_n, in.fps_d, out.fps_n, out.fps_d) != 0;
  };
  window.reach = [] (GstClWindowFilter *filter, const Values &) {
    return size_t (g_atomic_int_get (&GST_CL_FRAMERATE (filter)->data->passes) ? 0 : 1);
  };
  window.looks_ahead_only = window.bridges_gaps = true;
  window.results = gst_cl_framerate_results;
  window.time_of = gst_cl_framerate_time_of;
  window.make = gst_cl_framerate_make;
  delete_with_instance<&GstClFramerate::data, &gst_cl_framerate_parent_class> (G_OBJECT_CLASS (klass));
  GstBaseTransformClass *base = GST_BASE_TRANSFORM_CLASS (klass);
  base->start = gst_cl_framerate_start;
  base->submit_input_buffer = gst_cl_framerate_submit_input_buffer;
  base->sink_event = gst_cl_framerate_sink_event;
  base->transform_caps = gst_cl_framerate_transform_caps;
  base->fixate_caps = gst_cl_framerate_fixate_caps;
  base->set_caps = gst_cl_framerate_set_caps;
}

}  // namespace gst::cl::clframerate

#undef GST_CAT_DEFAULT
