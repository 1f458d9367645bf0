/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cltemporal: removes noise by comparing frames: small changes from frame to frame are treated as noise. */
#include "filter/gstclwindowfilter.hpp"
#include "temporal/motion.hpp"

#include <algorithm>
#include <array>

namespace gst::cl::cltemporal {

enum class TemporalMethod { average, median, recursive, motion, motion_recursive };

/* How many frames a result along motion takes at most; sums of more would not fit 32 bits. */
constexpr int most_along_motion = 15;

struct TemporalSettings {
  TemporalMethod method = TemporalMethod::average;
  int frames = 5;
  double threshold = 0.1, strength = 1, scene_threshold = 0.5, limit = 1, chroma_limit = 1;

  bool is_running () const { return method == TemporalMethod::recursive || method == TemporalMethod::motion_recursive; }
  /* How many frames the window has, an odd number, and how many to each side a result needs. */
  int window () const { return frames | 1; }
  int reach () const
  {
    return is_running () ? 0 : (method == TemporalMethod::motion ? std::min (frames, most_along_motion) : frames) / 2;
  }
};

constexpr GEnumValue method_values[] = {
    {int (TemporalMethod::average), "Average of the similar samples in the window", "average"},
    {int (TemporalMethod::median), "Median of the samples in the window", "median"},
    {int (TemporalMethod::recursive), "Running value, without latency", "recursive"},
    {int (TemporalMethod::motion), "Average along the motion of the picture", "motion"},
    {int (TemporalMethod::motion_recursive), "Running value along the motion of the picture, without latency",
        "motion-recursive"},
    {},
};

constexpr Property properties[] = {
    property<&TemporalSettings::method> ("method", "How frames are combined", enum_type<"GstClTemporalMethod", method_values>),
    property<&TemporalSettings::frames> ("frames", "Number of frames in the window; odd, and at most 15 along motion", 3, 33),
    property<&TemporalSettings::threshold> (
        "threshold", "Largest difference at which samples count as the same, as a fraction of full scale", 0, 1),
    property<&TemporalSettings::strength> ("strength", "0 leaves the frames unchanged, 1 applies the full result", 0, 1),
    property<&TemporalSettings::scene_threshold> (
        "scene-threshold", "Along motion: fraction of the picture without a match that makes a scene cut; 1 = never", 0, 1),
    property<&TemporalSettings::limit> (
        "limit", "Along motion: the most that a sample may change, as a fraction of full scale; 1 = no limit", 0, 1),
    property<&TemporalSettings::chroma_limit> ("chroma-limit", "Along motion: the same for samples of chroma", 0, 1),
};

class Temporal : public With<TemporalSettings> {
public:
  void changed () override
  {
    static constexpr const char *names[] = {"average", "median", "recursive", "motion", "motion-recursive"};
    algorithm = names[int (settings.method)];
    if (std::exchange (judged_by, settings.threshold) != settings.threshold)
      for (Compared &each : compared)
        each.judged.clear ();
  }
  Abilities abilities (const Runner &) const override { return {.sees_regions = is_recursive ()}; }
  void begin_frame (Runner &runner, const FrameInfo &info) override;
  void observe (Runner &runner, const PlaneTask &task) override;
  void run (Runner &runner, const PlaneTask &task) override;
  void end_frame (Runner &runner) override;

private:
  /* The running values of one plane or field of it, before and after the current frame. */
  struct State {
    ::cl::Buffer before, after;
    int stride = 0;
    /* Regions that have values from the last frame, and from the current one. */
    std::vector<Rect> known, written;
  };

  MotionAverage::Settings along_motion () const
  {
    return {settings.reach (), settings.threshold, settings.scene_threshold, settings.strength, settings.limit,
        settings.chroma_limit, std::min (settings.frames, most_along_motion)};
  }
  bool is_recursive () const { return settings.method == TemporalMethod::recursive; }
  float limit (const Runner &runner) const { return float (settings.threshold * runner.format ().max_value ()); }
  State &state_of (Runner &runner, const PlaneTask &task);
  bool follows (const State &state, const Rect &region) const;
  KernelSpec scene_spec (const Runner &runner, const PlaneTask &task, const char *function) const;
  void count (Runner &runner, const PlaneTask &task, const PlaneView *other, const State *state, guint64 frame);
  void find_scene (Runner &runner, const PlaneTask &task);
  static const ::cl::Buffer &counts_of (Runner &runner, int field);
  static const ::cl::Buffer &begins_of (Runner &runner, int field);
  void run_window (Runner &runner, const PlaneTask &task);
  void run_recursive (Runner &runner, const PlaneTask &task);

  /* The numbers of the first input and of the current frame. */
  guint64 first_input = 0, current = 0;
  /* The newest input, and the frame to which the running values belong. */
  guint64 newest = 0, running = 0;
  /* Data for finding cuts, for each frame in the ring: the frame for which it is known whether a scene begins; how many samples
   * were compared; and whether counting has begun. */
  struct Compared {
    std::vector<guint64> judged, samples;
    std::vector<bool> begun;
    bool scene_found = false;
  };

  /* For each field; whole frames use the first field's. */
  std::array<Compared, 2> compared;
  double judged_by = 0;
  std::map<std::array<int, 3>, State> states;
  MotionAverage motion;
  /* Whether the motion of each field of the current frame is known. */
  std::array<bool, 2> has_looked{};
};

/* For how many frames it is kept whether a scene begins; more than any window has. */
constexpr int ring = 64;

/* The groups that count differing samples: enough to fill a large GPU. */
struct Jobs {
  int count, items;
};

Jobs
jobs_of (const Runner &runner)
{
  return runner.backend () == Backend::gpu ? Jobs{1024, 256} : Jobs{64, 1};
}

int
slot_of (guint64 frame)
{
  return int (frame % ring);
}

/* The alignment in bytes of all rows of these views: 16, 4 or none, if a kernel asks for it. */
int
alignment_of (const Runner &runner, std::span<const PlaneView> views)
{
  const auto fits = [&] (int bytes) {
    return std::ranges::all_of (views, [unit = bytes / runner.format ().sample_size ()] (const PlaneView &view) {
      return view.offset % unit == 0 && view.stride % unit == 0;
    });
  };
  return runner.backend () == Backend::cpu ? 0 : fits (16) ? 16 : fits (4) ? 4 : 0;
}

/* Windows of one class share a program. each: EACH_FRAME of kernels/temporal/temporal.cl. */
struct FrameClass {
  int frames;
  const char *each;
};

FrameClass
frame_class (int frames)
{
  for (const FrameClass &size : {FrameClass{5, "EACH_5"}, {9, "EACH_9"}, {17, "EACH_17"}})
    if (frames <= size.frames)
      return size;
  return {33, "EACH_33"};
}

void
Temporal::begin_frame (Runner &, const FrameInfo &info)
{
  first_input = newest = info.first_input;
  has_looked.fill (false);
  for (Compared &each : compared) {
    each.judged.resize (ring);
    each.samples.resize (ring);
    each.begun.assign (ring, false);
    each.scene_found = false;
  }
}

void
Temporal::end_frame (Runner &)
{
  for (auto &[key, state] : states) {
    std::swap (state.before, state.after);
    state.known = std::exchange (state.written, {});
  }
  running = current;
}

Temporal::State &
Temporal::state_of (Runner &runner, const PlaneTask &task)
{
  /* in mixed video a whole frame and the first field of another one are both field 0 */
  State &state = states[{task.plane, task.field, task.src.height}];
  if (!state.before ()) {
    constexpr int multiple = 64;
    const int width = task.src.width * task.src.layout->samples_per_pixel;
    state.stride = round_up (width, multiple);
    const size_t bytes = size_t (state.stride) * task.src.height * sizeof (cl_float);
    for (::cl::Buffer *buffer : {&state.before, &state.after})
      *buffer = ::cl::Buffer (runner.cl ().handle, CL_MEM_READ_WRITE, bytes);
    runner.memory.allocations += 2;
  }
  return state;
}

/* Whether the region's values follow from the previous frame; in reverse, from the next one. */
bool
Temporal::follows (const State &state, const Rect &region) const
{
  return (running + 1 == current || current + 1 == running)
         && std::ranges::any_of (state.known, [&] (const Rect &known) { return known == region; });
}

/* Kernels that find scenes, in one program. */
KernelSpec
Temporal::scene_spec (const Runner &runner, const PlaneTask &task, const char *function) const
{
  const Jobs jobs = jobs_of (runner);
  return {.sources = {"lib/point.clh", "shared/group.clh", "temporal/scene.cl"},
      .function = function,
      .options = is_recursive () ? Options{{"OTHER", "float"}, {"RUNNING", 1}}
                                 : Options{{"OTHER", "sample_t"}, {"INPUTS_ALIGNED", alignment_of (runner, task.inputs)}},
      .item_samples = runner.backend () == Backend::gpu ? 16 / runner.format ().sample_size () : 1,
      .jobs = size_t (jobs.count),
      .job_items = size_t (jobs.items),
      .any_pixel = true,
      .joins_chroma = true};
}

/* Counts the samples of a plane that differ between a frame and the frame before it, or the running values. */
void
Temporal::count (Runner &runner, const PlaneTask &task, const PlaneView *other, const State *state, guint64 frame)
{
  const Jobs jobs = jobs_of (runner);
  const int slot = slot_of (frame);
  auto &[judged, samples, begun, scene_found] = compared[task.field];
  runner.run (
      task, Launch (scene_spec (runner, task, "temporal_count"),
                {other ? other->memory : ::cl::Memory (state->before), other ? other->offset : 0,
                    other ? other->stride : state->stride, state ? limit (runner) : float (int (limit (runner))),
                    counts_of (runner, task.field), cl_int (slot * jobs.count), cl_int (begun[slot]), cl_int (jobs.count)}));
  const PlaneLayout &layout = *task.src.layout;
  const auto filtered = std::count_if (layout.components.begin (), layout.components.begin () + layout.samples_per_pixel,
      [&] (int component) { return component != padding && (task.components >> component & 1); });
  samples[slot] = (begun[slot] ? samples[slot] : 0) + guint64 (filtered) * task.region.width * task.region.height;
  begun[slot] = true;
}

void
Temporal::observe (Runner &runner, const PlaneTask &task)
{
  current = first_input + task.main;
  newest = first_input + task.inputs.size () - 1;
  if (settings.method == TemporalMethod::motion || settings.method == TemporalMethod::motion_recursive) {
    if (settings.strength > 0 && task.plane == 0 && !std::exchange (has_looked[task.field], true)) {
      if (settings.is_running ())
        motion.look_back (runner, task, along_motion (), current);
      else
        motion.look (runner, task, along_motion (), first_input);
    }
    return;
  }
  if (is_recursive ()) {
    const State &state = state_of (runner, task);
    if (task.components && follows (state, task.region))
      count (runner, task, nullptr, &state, current);
    return;
  }
  for (size_t i = 1; task.components && i < task.inputs.size (); i++) {
    if (compared[task.field].judged[slot_of (first_input + i)] == first_input + i)
      continue;
    PlaneTask later = task;
    later.src = task.inputs[i];
    count (runner, later, &task.inputs[i - 1], nullptr, first_input + i);
  }
}

const ::cl::Buffer &
Temporal::counts_of (Runner &runner, int field)
{
  return runner.memory.buffer ({"temporal-counts", field}, ring * jobs_of (runner).count * sizeof (cl_uint));
}

const ::cl::Buffer &
Temporal::begins_of (Runner &runner, int field)
{
  return runner.memory.buffer ({"temporal-begins", field}, ring * sizeof (cl_int));
}

/* Called when all planes are counted: finds the frames that belong to the current scene. */
void
Temporal::find_scene (Runner &runner, const PlaneTask &task)
{
  auto &[judged, samples, begun, scene_found] = compared[task.field];
  if (std::exchange (scene_found, true))
    return;
  const Jobs jobs = jobs_of (runner);
  const size_t items = jobs.items;
  /* only the last launch finds the range, which needs the notes of all frames of the window */
  const auto judge = [&] (int slot, bool is_last) {
    runner.run (task,
        Launch::range (scene_spec (runner, task, "temporal_scene"), {{items, 1}, {items, 1}},
            {counts_of (runner, task.field), slot, cl_int (jobs.count),
                cl_uint (slot < 0 ? 0 : std::min<guint64> (samples[slot], G_MAXUINT)), begins_of (runner, task.field),
                cl_int (ring), cl_int (slot_of (first_input)), is_last ? cl_int (task.inputs.size ()) : 0,
                is_last ? cl_int (task.main) : 0, runner.memory.buffer ({"temporal-range", task.field}, sizeof (cl_int2))}));
  };
  int waiting = -1;
  for (guint64 frame = first_input; frame <= newest; frame++)
    if (const int slot = slot_of (frame); begun[slot]) {
      if (waiting >= 0)
        judge (waiting, false);
      judged[slot] = frame;
      waiting = slot;
    }
  if (waiting >= 0 || !is_recursive ())
    judge (waiting, true);
}

void
Temporal::run (Runner &runner, const PlaneTask &task)
{
  if (settings.method == TemporalMethod::motion)
    return motion.run (runner, task, along_motion (), first_input);
  if (settings.method == TemporalMethod::motion_recursive)
    return motion.run_on (runner, task, along_motion (), current);
  find_scene (runner, task);
  if (is_recursive ())
    run_recursive (runner, task);
  else
    run_window (runner, task);
}

/* If a window has fewer frames than its class, the frame itself fills it up, and the range excludes these copies. */
void
Temporal::run_window (Runner &runner, const PlaneTask &task)
{
  const auto [frames, each] = frame_class (settings.window ());
  const bool gpu = runner.backend () == Backend::gpu, median = settings.method == TemporalMethod::median;
  /* many frames allow few samples: a median keeps all of them in registers, and the program of an average has as many loads */
  const int most = frames > 9 ? 4 : 8;
  const KernelSpec spec{.sources = {"lib/point.clh", "temporal/temporal.cl"},
      .function = "temporal",
      .options = {{"MEDIAN", median}, {"FRAMES", frames}, {"EACH_FRAME", each},
          {"INPUTS_ALIGNED", alignment_of (runner, task.inputs)}},
      .item_samples = !gpu     ? 1
                      : median ? 4
                               : most,
      .any_pixel = true,
      .joins_chroma = true,
      .tunable = free_on_gpu (gpu, median ? 0 : most)};
  Arguments arguments{ScratchArgument{{"temporal-range", task.field}, sizeof (cl_int2)},
      cl_int (settings.threshold * runner.format ().max_value ()), cl_float (settings.strength)};
  for (int i = 0; i < frames; i++) {
    const PlaneView &view = i < int (task.inputs.size ()) ? task.inputs[i] : task.src;
    arguments.insert (arguments.end (), {view.memory, cl_int2{{view.offset, view.stride}}});
  }
  runner.run (task, Launch (spec, arguments));
}

void
Temporal::run_recursive (Runner &runner, const PlaneTask &task)
{
  State &state = state_of (runner, task);
  const KernelSpec spec{.sources = {"lib/point.clh", "temporal/recursive.cl"},
      .function = "temporal_recursive",
      .item_samples = runner.backend () == Backend::gpu ? 8 : 1,
      .any_pixel = true,
      .joins_chroma = true,
      .tunable = {.local = true}};
  const cl_int first = !follows (state, task.region);
  /* a threshold of 0 changes no sample */
  const cl_float per_limit = settings.threshold > 0 ? 1 / limit (runner) : 1e30f;
  runner.run (task, Launch (spec, {begins_of (runner, task.field), cl_int (slot_of (current)), first, per_limit,
                                      cl_float (settings.strength), state.before, state.after, cl_int (state.stride)}));
  state.written.push_back (task.region);
}

const FilterDescription description{
    .long_name = "OpenCL temporal denoiser",
    .description = "Removes noise by comparing frames",
    .properties = properties,
    .operation = operation_type<Temporal> (),
    .neutral = of_settings<[] (const TemporalSettings &settings) { return settings.strength == 0; }>,
    /* running values are updated even if they change nothing */
    .observes = [] (const Values &) { return true; },
    .reach = of_settings<[] (const TemporalSettings &settings) {
      const unsigned reach = settings.reach ();
      return settings.is_running () ? FrameReach{.before = FrameReach::unbounded} : FrameReach{.before = reach, .after = reach};
    }>,
    .whole_frames = true,
};

GST_CL_DEFINE_FILTER_TYPE (
    GstClTemporal, gst_cl_temporal, cltemporal, GstClWindowFilter, GST_TYPE_CL_WINDOW_FILTER, description, void)

static void
gst_cl_temporal_class_init (GstClTemporalClass *klass)
{
  gst_cl_filter_class_set_description (&klass->parent_class.parent_class, &description);
  klass->parent_class.parent_class.inputs =
      of_settings<[] (const TemporalSettings &settings) { return size_t (2 * settings.reach () + 1); }>;
}

}  // namespace gst::cl::cltemporal
