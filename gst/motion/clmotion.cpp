/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clmotion: finds how the blocks of each frame have moved, attaches the vectors to it, and draws them. */
#include "filter/gstclwindowfilter.hpp"
#include "filter/runner.hpp"
#include "filter/settingstore.hpp"
#include "memory/memory.hpp"
#include "motion/search.hpp"
#include "shared/range.hpp"

#include <gst/cl/gstclmotionmeta.h>

namespace gst::cl::clmotion {

/* Bits for the frames before and after. */
enum Direction { BACKWARD = 1, FORWARD = 2, BOTH = 3 };
enum Overlay { OVERLAY_NONE, OVERLAY_VECTORS, OVERLAY_CONFIDENCE };

constexpr GEnumValue block_size_values[] = {{8, "8x8", "8"}, {16, "16x16", "16"}, {32, "32x32", "32"}, {}};
constexpr GEnumValue precision_values[] = {
    {4, "Whole pixels", "pixel"}, {2, "Half pixels", "half"}, {1, "Quarter pixels", "quarter"}, {}};
constexpr GEnumValue direction_values[] = {
    {BACKWARD, "Where blocks are in the previous frame; no latency", "backward"},
    {FORWARD, "Where blocks are in the next frame", "forward"},
    {BOTH, "Both", "both"},
    {},
};
constexpr GEnumValue overlay_values[] = {
    {OVERLAY_NONE, "Frames pass unchanged", "none"},
    {OVERLAY_VECTORS, "A line from each block to where it is found", "vectors"},
    {OVERLAY_CONFIDENCE, "How much each block's vector is to be trusted, as brightness", "confidence"},
    {},
};

struct ElementSettings {
  int block_size = 16;
  double overlap = 0.5;
  int precision = 1, levels = 0;
  Direction direction = BACKWARD;
  Overlay overlay = OVERLAY_NONE;
  double scene_threshold = 0.5;
};

constexpr Property properties[] = {
    property<&ElementSettings::block_size> (
        "block-size", "Width and height of a block, in pixels", enum_type<"GstClMotionBlockSize", block_size_values>),
    property<&ElementSettings::overlap> ("overlap", "Overlap of neighbouring blocks, as a fraction of a block", 0, 0.5),
    property<&ElementSettings::precision> (
        "precision", "Unit of the vectors", enum_type<"GstClMotionPrecision", precision_values>),
    property<&ElementSettings::levels> ("levels", "Number of levels of the pyramid; 0 = by size", 0, 6),
    property<&ElementSettings::direction> (
        "direction", "Frames in which blocks are searched", enum_type<"GstClMotionDirection", direction_values>),
    property<&ElementSettings::overlay> ("overlay", "Drawing on the picture", enum_type<"GstClMotionOverlay", overlay_values>),
    property<&ElementSettings::scene_threshold> (
        "scene-threshold", "Fraction of the blocks without a match that makes a scene cut; 1 = never", 0, 1),
};

/* The result of a search for a frame. */
struct Found {
  GstClMotionMeta description;
  Ref<GstMemory> memory;
};
using FoundList = std::vector<Found>;

/* Reuses memory objects that have no other user. */
class FieldPool {
public:
  Ref<GstMemory> take (Runner &runner, const MotionGrid &grid);

private:
  std::vector<Ref<GstMemory>> memories;
  size_t bytes = 0;
};

class Motion : public With<ElementSettings> {
public:
  Motion () { algorithm = "pyramid"; }

  void changed () override;
  void begin_frame (Runner &runner, const FrameInfo &info) override;
  void observe (Runner &runner, const PlaneTask &task) override;
  void run (Runner &runner, const PlaneTask &task) override;
  void end_frame (Runner &runner) override;

private:
  FoundList unasked, *found = &unasked;
  MotionSearch search;
  FieldPool pool;
  guint64 first_input = 0;
  int white = 0, frame_height = 0;
  MotionGrid grid{};
  bool has_looked = false;
};

Ref<GstMemory>
FieldPool::take (Runner &runner, const MotionGrid &grid)
{
  if (std::exchange (bytes, grid.field_bytes ()) != grid.field_bytes ())
    memories.clear ();
  for (Ref<GstMemory> &each : memories)
    if (GST_MINI_OBJECT_REFCOUNT_VALUE (each.get ()) == 1)
      return each;
  /* a memory object of a frame of the same size */
  GstVideoInfo info;
  gst_video_info_set_format (&info, GST_VIDEO_FORMAT_GRAY8, 8, guint (bytes / 8));
  memories.emplace_back (allocate_memory (runner.context (), info));
  runner.memory.allocations++;
  return memories.back ();
}

void
Motion::changed ()
{
  search.set ({.block = settings.block_size,
                  .overlap = settings.overlap,
                  .precision = settings.precision,
                  .levels = settings.levels,
                  .scene_threshold = settings.scene_threshold,
                  .confidence = true},
      3);
}

/* Called for each region, but vectors cover the whole picture; in interlaced frames, its upper field. */
void
Motion::observe (Runner &runner, const PlaneTask &task)
{
  if (task.plane != 0 || task.field != 0 || std::exchange (has_looked, true))
    return;
  const guint64 number = first_input + task.main;
  const MotionSearch::Picture own{task.src, number};
  const int row_step = task.src.height < frame_height ? 2 : 1;
  search.look (runner, task, own);
  grid = search.grid_of (task.src.width, task.src.height);
  std::vector<MotionSearch::Picture> others;
  std::vector<::cl::Buffer> to;
  for (int distance : {-1, 1}) {
    const guint64 other = number + guint64 (distance);
    const bool is_input = distance < 0 ? task.main > 0 : task.main + 1 < task.inputs.size ();
    if (!(settings.direction & unsigned (distance < 0 ? BACKWARD : FORWARD)) || !(is_input || search.knows (other)))
      continue;
    Ref<GstMemory> memory = pool.take (runner, grid);
    others.push_back ({is_input ? task.inputs[task.main + size_t (distance)] : task.src, other});
    to.push_back (frame_buffer_of (memory.get ())->handle ());
    found->push_back ({{.meta = {},
                           .distance = distance,
                           .block_width = guint (settings.block_size),
                           .block_height = guint (settings.block_size * row_step),
                           .step_x = guint (grid.step),
                           .step_y = guint (grid.step * row_step),
                           .columns = guint (grid.columns),
                           .rows = guint (grid.rows),
                           .vectors = memory.get ()},
        memory});
  }
  if (!others.empty ())
    search.find (runner, task, {.own = own, .others = others, .row_step = row_step, .to = to});
}

void
Motion::run (Runner &runner, const PlaneTask &task)
{
  copy_samples (runner, task, task.region);
  if (runner.format ().is_chroma (task.plane) || found->empty ())
    return;
  PlaneTask drawn = task;
  drawn.components &= ~(1u << alpha);
  const KernelSpec spec{
      .sources = {"motion/draw.cl"}, .function = "draw", .options = {{"CONFIDENCE", settings.overlay == OVERLAY_CONFIDENCE}}};
  const Rect &r = task.region;
  const Found &first_found = found->front ();
  runner.run (
      drawn, Launch::range (spec, runner.size_for (1, grid.rows, {1, 32}),
                 {frame_buffer_of (first_found.memory.get ())->handle (), ValueArgument (std::vector{grid}),
                     cl_int (settings.block_size), cl_int (first_found.description.step_y / first_found.description.step_x),
                     cl_int (white), cl_int4{{r.x, r.y, r.width, r.height}}, runner.keep_mask (drawn), drawn.dst.memory,
                     drawn.dst.offset, drawn.dst.stride}));
}

void
Motion::end_frame (Runner &runner)
{
  for (const Found &each : *found)
    if (runner.commands.last () ())
      gst_cl_memory_set_event (GST_CL_MEMORY_CAST (each.memory.get ()), runner.commands.last () ());
}

const FilterDescription description{
    .long_name = "OpenCL motion search",
    .klass = "Filter/Analyzer/Video/Hardware",
    .description = "Finds how blocks move from frame to frame, and attaches or draws the vectors",
    .properties = properties,
    .operation = operation_type<Motion> (),
    .neutral = of_settings<[] (const ElementSettings &settings) { return settings.overlay == OVERLAY_NONE; }>,
    .observes = [] (const Values &) { return true; },
    .reach = of_settings<[] (const ElementSettings &settings) {
      return FrameReach{.before = settings.direction & BACKWARD ? 1u : 0u, .after = settings.direction & FORWARD ? 1u : 0u};
    }>,
    .whole_frames = true,
};

GST_CL_DEFINE_FILTER_TYPE (
    GstClMotion, gst_cl_motion, clmotion, GstClWindowFilter, GST_TYPE_CL_WINDOW_FILTER, description, FoundList)

#define GST_CL_MOTION(obj) (reinterpret_cast<GstClMotion *> (obj))

void
Motion::begin_frame (Runner &runner, const FrameInfo &info)
{
  GstElement *element = info.reporter.owner ();
  found = element && G_TYPE_CHECK_INSTANCE_TYPE (element, gst_cl_motion_get_type ()) ? GST_CL_MOTION (element)->data : &unasked;
  first_input = info.first_input;
  frame_height = info.height;
  white = black_and_white (info.video, runner.format (), Range::automatic).white;
  has_looked = false;
  found->clear ();
}

/* The previous frame is kept, except in reverse, where it has yet to come. */
size_t
gst_cl_motion_reach (GstClWindowFilter *filter, const Values &values)
{
  return values.as<ElementSettings> ().direction != BACKWARD || GST_BASE_TRANSFORM (filter)->segment.rate < 0;
}

/* A passing frame may have other users unless it is copied; its memory is shared. */
GstFlowReturn
gst_cl_motion_make (GstClWindowFilter *filter, const FrameQueue::Window &window, unsigned, GstBuffer **out)
{
  FoundList &kept = *GST_CL_MOTION (filter)->data;
  const GstFlowReturn flow = gst_cl_window_filter_make (filter, window, 0, out);
  /* after a failed frame, too, so that a stopped element holds no device memory */
  const FoundList found = std::exchange (kept, {});
  if (flow != GST_FLOW_OK || !*out || found.empty ())
    return flow;
  if (!(*out = make_writable (GST_ELEMENT (filter), *out)))
    return GST_FLOW_ERROR;
  for (const Found &each : found)
    gst_cl_motion_meta_add (*out, &each.description);
  return flow;
}

void
gst_cl_motion_class_init (GstClMotionClass *klass)
{
  gst_cl_filter_class_set_description (&klass->parent_class.parent_class, &description);
  klass->parent_class.parent_class.inputs = [] (const Values &values) {
    return values.as<ElementSettings> ().direction == BACKWARD ? size_t (1) : 3;
  };
  klass->parent_class.reach = gst_cl_motion_reach;
  klass->parent_class.make = gst_cl_motion_make;
  delete_with_instance<&GstClMotion::data, &gst_cl_motion_parent_class, true> (G_OBJECT_CLASS (klass));
}

}  // namespace gst::cl::clmotion
