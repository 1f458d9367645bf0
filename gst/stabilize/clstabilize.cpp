/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clstabilize: removes the shake from hand-held video. */
#include "filter/gstclwindowfilter.hpp"
#include "filter/settingstore.hpp"
#include "shared/pointer.hpp"
#include "shared/range.hpp"
#include "shared/region.hpp"
#include "stabilize/motion.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <numbers>

namespace gst::cl::clstabilize {

struct StabilizeSettings {
  /* How many frames to each side the camera path is smoothed over. */
  int smoothing = 30;
  /* The fraction of width and height that is cut off in total. */
  double crop = 0.1;
  /* max_shift as a fraction of width and height; max_angle in degrees. */
  double max_shift = 0.25, max_angle = 10;
  bool post_messages = true;
  int interval = 1;

  bool looks () const { return smoothing > 0 || post_messages; }
};

constexpr Property properties[] = {
    property<&StabilizeSettings::smoothing> (
        "smoothing", "Frames to either side over which the camera's path is smoothed; also the latency", 0, 600),
    property<&StabilizeSettings::crop> (
        "crop", "Fraction of width and height that is cropped, so that no border shows", 0, 0.4),
    property<&StabilizeSettings::max_shift> (
        "max-shift", "Limit of the shift to each side, as a fraction of width and height", 0, 1),
    property<&StabilizeSettings::max_angle> ("max-angle", "Limit of the rotation, in degrees", 0, 45),
    property<&StabilizeSettings::post_messages> ("post-messages", "Post messages"),
    property<&StabilizeSettings::interval> ("interval", "Post a message for every interval-th frame", 1, 1000000),
};

/* The work on the inputs: FrameTimes::job. */
struct StabilizeJob {
  /* The only input is analysed, and no result is made. */
  bool only_looks = false;
  /* The main frame, which is the first input, is already analysed; the second input, the newest frame, is not. */
  bool is_known = false;
  /* Whether the newest frames are the earliest. */
  bool backwards = false;
  /* Whether the correction is shown in `stats`. */
  bool reports = false;
  /* Frames after the main one that are analysed, including this call. */
  unsigned ahead = 0;

  unsigned packed () const { return only_looks | is_known << 1 | backwards << 2 | reports << 3 | ahead << 4; }
  static StabilizeJob of (unsigned packed)
  {
    return {(packed & 1) != 0, (packed & 2) != 0, (packed & 4) != 0, (packed & 8) != 0, packed >> 4};
  }
};

class Stabilize : public With<StabilizeSettings> {
public:
  Stabilize () { algorithm = "catmull-rom"; }
  void begin_frame (Runner &runner, const FrameInfo &info) override;
  void observe (Runner &runner, const PlaneTask &task) override;
  void run (Runner &runner, const PlaneTask &task) override;
  void end_frame (Runner &runner) override;

private:
  void look (Runner &runner, const PlaneTask &task);
  void find_correction (Runner &runner);

  MotionFinder finder;
  FrameTimes times;
  StabilizeJob job;
  GstVideoInfo video{};
  Reporter *reporter = nullptr;
  guint64 frames = 0;
  /* Whether the current frame was analysed in this call. */
  bool has_looked = false, interlaced = false;
};

/* See kernels/stabilize/path.cl. */
enum : size_t { PATH_X, PATH_Y, PATH_ANGLE, SHIFT_X, SHIFT_Y, SHIFT_ANGLE, CONFIDENCE, REPORTED };
constexpr size_t map_longs = 6;

/* Of messages and of `stats`. */
constexpr const char *correction_fields[] = {"correction-x", "correction-y", "correction-angle"};

constexpr double degrees = 180 / std::numbers::pi;

double
pixel_aspect_of (const GstVideoInfo &info)
{
  return double (GST_VIDEO_INFO_PAR_N (&info)) / GST_VIDEO_INFO_PAR_D (&info);
}

GstStructure *
message_of (const FrameTimes &times, std::span<const std::byte> bytes)
{
  std::array<cl_float, REPORTED> found;
  std::memcpy (found.data (), bytes.data (), sizeof found);
  return gst_structure_new ("clstabilize", "frame", G_TYPE_UINT64, times.number, "timestamp", GST_TYPE_CLOCK_TIME,
      times.timestamp, "stream-time", GST_TYPE_CLOCK_TIME, times.stream_time, "running-time", GST_TYPE_CLOCK_TIME,
      times.running_time, "shift-x", G_TYPE_DOUBLE, double (found[PATH_X]), "shift-y", G_TYPE_DOUBLE, double (found[PATH_Y]),
      "angle", G_TYPE_DOUBLE, double (found[PATH_ANGLE]) * degrees, "correction-x", G_TYPE_DOUBLE, double (found[SHIFT_X]),
      "correction-y", G_TYPE_DOUBLE, double (found[SHIFT_Y]), "correction-angle", G_TYPE_DOUBLE,
      double (found[SHIFT_ANGLE]) * degrees, "confidence", G_TYPE_DOUBLE, double (found[CONFIDENCE]), nullptr);
}

void
Stabilize::begin_frame (Runner &, const FrameInfo &info)
{
  times = info;
  job = StabilizeJob::of (info.job);
  video = info.video;
  reporter = &info.reporter;
  has_looked = false;
}

/* Analyses the newest input, if that has not been done before. */
void
Stabilize::look (Runner &runner, const PlaneTask &task)
{
  if (job.is_known && task.inputs.size () == 1)
    return;
  const bool is_main = !job.is_known, by_fields = GST_VIDEO_INFO_IS_INTERLACED (&video);
  const int height = GST_VIDEO_INFO_HEIGHT (&video);
  PlaneView plane = is_main ? task.src : task.inputs.back ();
  /* a whole frame of mixed video: its motion continues the path of upper fields */
  if (by_fields && plane.height == height)
    plane = field_of (plane, 0);
  finder.look (runner, task,
      {.plane = plane,
          .width = GST_VIDEO_INFO_WIDTH (&video),
          .height = height,
          .pixel_aspect = pixel_aspect_of (video),
          .row_step = by_fields ? 2 : 1},
      is_main         ? times.first_input
      : job.backwards ? times.first_input - job.ahead
                      : times.first_input + job.ahead);
}

/* Called for each region, but the motion is the whole picture's. */
void
Stabilize::observe (Runner &runner, const PlaneTask &task)
{
  if (task.plane != 0 || task.field != 0 || std::exchange (has_looked, true))
    return;
  interlaced = task.src.height < GST_VIDEO_INFO_HEIGHT (&video);
  look (runner, task);
  if (!job.only_looks)
    find_correction (runner);
}

void
Stabilize::find_correction (Runner &runner)
{
  const int reach = settings.smoothing;
  const double aspect = pixel_aspect_of (video);
  const double width = GST_VIDEO_INFO_WIDTH (&video), height = GST_VIDEO_INFO_HEIGHT (&video);
  const int ahead = std::min (int (job.ahead), reach);
  const int later = job.backwards ? reach : ahead, earlier = job.backwards ? ahead : reach;
  runner.run (MotionFinder::any_plane (),
      Launch::range (MotionFinder::spec ("find_correction"), {{1, 1}, {1, 1}},
          {MotionFinder::motions (runner), cl_int (times.first_input & G_MAXINT), cl_int4{{later, earlier, reach, 0}},
              cl_float4{{float (settings.max_shift * width * aspect), float (settings.max_shift * height),
                  float (settings.max_angle / degrees), 0}},
              cl_float (1 - settings.crop), cl_float4{{float (width), float (height), float (aspect), 0}},
              ScratchArgument{"stabilize-map", map_longs * sizeof (cl_long)},
              ScratchArgument{"stabilize-report", REPORTED * sizeof (cl_float)}}));
}

void
Stabilize::run (Runner &runner, const PlaneTask &task)
{
  const PlaneLayout &layout = *task.src.layout;
  const cl_int fields = interlaced ? 2 : 1;
  const cl_int first_x = twice_first_place (video, layout.subsample_x, false);
  const cl_int first_y = twice_first_place (video, layout.subsample_y, true) + 2 * task.field;
  runner.run (task, Launch (MotionFinder::plane_spec (runner, task, "warp_plane"),
                        {ScratchArgument{"stabilize-map", 0},
                            cl_int4{{layout.subsample_x, layout.subsample_y + fields - 1, first_x, first_y}},
                            cl_int2{{GST_VIDEO_INFO_WIDTH (&video), GST_VIDEO_INFO_HEIGHT (&video)}}}));
}

void
Stabilize::end_frame (Runner &runner)
{
  if (!has_looked || job.only_looks)
    return;
  const bool is_due = settings.post_messages && frames % guint64 (settings.interval) == 0;
  frames++;
  if (!is_due && !job.reports)
    return;
  runner.commands.read_back (runner.memory.buffer ("stabilize-report", 0), REPORTED * sizeof (cl_float),
      [of = times, to = reporter, is_due] (std::span<const std::byte> bytes) {
        GstStructure *message = message_of (of, bytes);
        for (const char *name : correction_fields)
          to->set_figure (name, g_value_get_double (gst_structure_get_value (message, name)));
        if (is_due)
          to->post_message (message);
        else
          gst_structure_free (message);
      });
}

const FilterDescription description{
    .long_name = "OpenCL video stabilizer",
    .description = "Removes the shake from hand-held video",
    .properties = properties,
    .windowed = true,
    .moves_alpha = true,
    .operation = operation_type<Stabilize> (),
    .neutral = of_settings<[] (const StabilizeSettings &settings) { return settings.smoothing == 0; }>,
    .observes = of_settings<[] (const StabilizeSettings &settings) { return settings.looks (); }>,
    /* the camera path is a sum from the first frame on */
    .reach = of_settings<[] (const StabilizeSettings &settings) {
      const unsigned after = settings.smoothing;
      return FrameReach{.before = after ? FrameReach::unbounded : 0, .after = after};
    }>,
    .whole_frames = true,
};

struct Seen {
  /* Streaming thread only: the last analysed frame, and whether the stream ran in reverse. */
  guint64 last = 0;
  bool backwards = false;
  /* Whether a pointer was over the picture. */
  std::atomic<bool> pointed = false;
};

GST_CL_DEFINE_FILTER_TYPE (
    GstClStabilize, gst_cl_stabilize, clstabilize, GstClWindowFilter, GST_TYPE_CL_WINDOW_FILTER, description, Seen)

/* Positions in a window are counted from the main frame, in order of arrival. */
struct Arrivals {
  const FrameQueue::Window &window;
  Seen &seen;

  /** The last one. */
  size_t newest () const { return window.backwards ? window.main : window.frames.size () - 1 - window.main; }
  size_t place (size_t i) const { return window.backwards ? window.main - i : window.main + i; }
  bool was_seen (size_t i) const
  {
    const guint64 number = window.first + place (i);
    return seen.last && seen.backwards == window.backwards && (window.backwards ? seen.last <= number : seen.last >= number);
  }
  /** Analyses the first n frames, each once. */
  GstFlowReturn look (GstClWindowFilter *filter, size_t n) const
  {
    for (size_t i = 0; i < n; i++) {
      if (was_seen (i))
        continue;
      const StabilizeJob job{.only_looks = true};
      if (const GstFlowReturn flow = gst_cl_window_filter_look (filter, window, place (i), job.packed ()); flow != GST_FLOW_OK)
        return flow;
    }
    return GST_FLOW_OK;
  }
  void remember () const
  {
    seen.last = window.first + place (newest ());
    seen.backwards = window.backwards;
  }
};

bool
looks (GstClWindowFilter *filter)
{
  return gst_cl_filter_get_values (&filter->parent)->as<StabilizeSettings> ().looks ();
}

/* Frames are analysed as they come: before the first result each by itself, then one with each result. */
GstFlowReturn
gst_cl_stabilize_look_ahead (GstClWindowFilter *filter, const FrameQueue::Window &so_far)
{
  if (!looks (filter))
    return GST_FLOW_OK;
  const Arrivals arrivals{so_far, *reinterpret_cast<GstClStabilize *> (filter)->data};
  const GstFlowReturn flow = arrivals.look (filter, arrivals.newest () + 1);
  if (flow == GST_FLOW_OK)
    arrivals.remember ();
  return flow;
}

GstFlowReturn
gst_cl_stabilize_make (GstClWindowFilter *filter, const FrameQueue::Window &window, unsigned, GstBuffer **out)
{
  const Arrivals arrivals{window, *reinterpret_cast<GstClStabilize *> (filter)->data};
  const size_t newest = arrivals.newest ();
  const StabilizeJob job{.is_known = arrivals.was_seen (0) || newest > 0,
      .backwards = window.backwards,
      .reports = arrivals.seen.pointed,
      .ahead = unsigned (newest)};
  FrameQueue::Window used{.frames = {window.frames[window.main]}, .main = 0, .first = window.first + window.main};
  if (looks (filter)) {
    if (const GstFlowReturn flow = arrivals.look (filter, newest); flow != GST_FLOW_OK)
      return flow;
    if (newest > 0 && !arrivals.was_seen (newest))
      used.frames.push_back (window.frames[arrivals.place (newest)]);
    arrivals.remember ();
  }
  return gst_cl_window_filter_make (filter, used, job.packed (), out);
}

/* Pixels of the result become pixels of the input, by the correction of the last finished frame, which is about the frame that is shown;
 * by the crop alone before the first event, since reading corrections takes a tenth of the time of a frame on an H200. */
void
place_pointer (GstClFilter *filter, const GstVideoInfo &info, double &x, double &y)
{
  reinterpret_cast<GstClStabilize *> (filter)->data->pointed = true;
  g_autoptr (GstStructure) stats = nullptr;
  g_object_get (filter, "stats", &stats, nullptr);
  std::array<double, 3> correction{};
  for (size_t i = 0; i < correction.size (); i++)
    gst_structure_get_double (stats, correction_fields[i], &correction[i]);
  const auto [shift_x, shift_y, angle] = correction;
  const double kept = 1 - gst_cl_filter_get_store (filter).own_values ().as<StabilizeSettings> ().crop;
  const double c = std::cos (angle / degrees), s = std::sin (angle / degrees), aspect = pixel_aspect_of (info);
  const double middle_x = (GST_VIDEO_INFO_WIDTH (&info) - 1) / 2.0, middle_y = (GST_VIDEO_INFO_HEIGHT (&info) - 1) / 2.0;
  const double across = (kept * (x - middle_x) - shift_x) * aspect, down = kept * (y - middle_y) - shift_y;
  x = middle_x + (c * across + s * down) / aspect;
  y = middle_y + c * down - s * across;
}

gboolean
gst_cl_stabilize_src_event (GstBaseTransform *base, GstEvent *event)
{
  if (GST_EVENT_TYPE (event) == GST_EVENT_NAVIGATION && !gst_base_transform_is_passthrough (base))
    gst_cl_base_transform_with_current_caps (reinterpret_cast<GstClBaseTransform *> (base), [&] (GstCaps *caps, GstCaps *) {
      GstVideoInfo info;
      if (video_info_from_caps (info, caps))
        event = move_pointer (
            event, [&] (double &x, double &y) { place_pointer (reinterpret_cast<GstClFilter *> (base), info, x, y); });
    });
  return GST_BASE_TRANSFORM_CLASS (gst_cl_stabilize_parent_class)->src_event (base, event);
}

void
gst_cl_stabilize_class_init (GstClStabilizeClass *klass)
{
  gst_cl_filter_class_set_description (&klass->parent_class.parent_class, &description);
  klass->parent_class.looks_ahead_only = true;
  klass->parent_class.look_ahead = gst_cl_stabilize_look_ahead;
  klass->parent_class.make = gst_cl_stabilize_make;
  GST_BASE_TRANSFORM_CLASS (klass)->src_event = gst_cl_stabilize_src_event;
  drop_places<&gst_cl_stabilize_parent_class> (GST_BASE_TRANSFORM_CLASS (klass));
  delete_with_instance<&GstClStabilize::data, &gst_cl_stabilize_parent_class> (G_OBJECT_CLASS (klass));
}

}  // namespace gst::cl::clstabilize
