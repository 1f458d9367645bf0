/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clstabilize: removes the shake from hand-held video. */
#include "filter/gstclwindowfilter.hpp"
#include "stabilize/stabilize.hpp"

using namespace gst::cl;

namespace {

enum : unsigned { SMOOTHING, CROP, MAX_SHIFT, MAX_ANGLE, POST_MESSAGES, INTERVAL };

const Property properties[] = {
    integer_property (
        "smoothing", "Frames to either side over which the camera's path is smoothed; also the latency", 0, 600, 30),
    real_property ("crop", "Fraction of width and height that is cropped, so that no border shows", 0, 0.4, 0.1),
    real_property ("max-shift", "Limit of the shift to each side, as a fraction of width and height", 0, 1, 0.25),
    real_property ("max-angle", "Limit of the rotation, in degrees", 0, 45, 10),
    boolean_property ("post-messages", "Post messages", true),
    integer_property ("interval", "Post a message for every interval-th frame", 1, 1000000, 1),
};

StabilizeSettings
settings_of (const Values &values)
{
  return {.smoothing = values.integer (SMOOTHING),
      .crop = values.real (CROP),
      .max_shift = values.real (MAX_SHIFT),
      .max_angle = values.real (MAX_ANGLE),
      .posts = values.boolean (POST_MESSAGES),
      .interval = guint64 (values.integer (INTERVAL))};
}

bool
looks (const Values &values)
{
  return values.integer (SMOOTHING) > 0 || values.boolean (POST_MESSAGES);
}

const FilterDescription description{
    .long_name = "OpenCL video stabilizer",
    .description = "Removes the shake from hand-held video",
    .properties = properties,
    .windowed = true,
    .create = [] () -> std::unique_ptr<Operation> { return std::make_unique<Stabilize> (settings_of); },
    .neutral = [] (const Values &values) { return values.integer (SMOOTHING) == 0; },
    .observes = looks,
    /* the path of the camera is summed up from the first frame */
    .reach =
        [] (const Values &values) {
          const unsigned after = values.integer (SMOOTHING);
          return FrameReach{.before = after ? FrameReach::unbounded : 0, .after = after};
        },
    .alone = true,
};

struct GstClStabilize {
  GstClWindowFilter parent;
  /* the streaming thread's: the number of the last frame that was looked at */
  guint64 seen;
};

struct GstClStabilizeClass {
  GstClWindowFilterClass parent_class;
};

GST_DEBUG_CATEGORY_STATIC (gst_cl_stabilize_debug);

G_DEFINE_TYPE_WITH_CODE (GstClStabilize, gst_cl_stabilize, GST_TYPE_CL_WINDOW_FILTER,
    GST_DEBUG_CATEGORY_INIT (gst_cl_stabilize_debug, "clstabilize", 0, description.long_name))

/* Every frame is analysed once: the frames ahead one by one before the first result, then the newest together with each. */
GstFlowReturn
gst_cl_stabilize_make (GstClWindowFilter *filter, const FrameQueue::Window &window, unsigned, GstBuffer **out)
{
  auto *self = reinterpret_cast<GstClStabilize *> (filter);
  const size_t newest = window.frames.size () - 1;
  const guint64 main = window.first + window.main;
  StabilizeJob job{.is_known = self->seen >= main || newest > window.main, .ahead = unsigned (newest - window.main)};
  FrameQueue::Window used{.frames = {window.frames[window.main]}, .main = 0, .first = main};
  if (looks (*gst_cl_filter_get_values (&filter->parent))) {
    for (size_t i = window.main; i < newest; i++) {
      if (self->seen >= window.first + i)
        continue;
      const StabilizeJob look{.only_looks = true};
      if (const GstFlowReturn flow = gst_cl_window_filter_look (filter, window, i, look.packed ()); flow != GST_FLOW_OK)
        return flow;
    }
    if (newest > window.main && self->seen < window.first + newest)
      used.frames.push_back (window.frames[newest]);
    self->seen = window.first + newest;
  }
  return gst_cl_window_filter_make (filter, used, job.packed (), out);
}

void
gst_cl_stabilize_class_init (GstClStabilizeClass *klass)
{
  gst_cl_filter_class_set_description (&klass->parent_class.parent_class, &description);
  klass->parent_class.reach = [] (GstClWindowFilter *, const Values &values) {
    return size_t (settings_of (values).smoothing);
  };
  klass->parent_class.looks_ahead_only = true;
  klass->parent_class.make = gst_cl_stabilize_make;
}

void
gst_cl_stabilize_init (GstClStabilize *)
{
}

}  // namespace

GST_ELEMENT_REGISTER_DEFINE (clstabilize, "clstabilize", GST_RANK_NONE, gst_cl_stabilize_get_type ())
