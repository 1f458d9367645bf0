/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "filter/chain.hpp"

#include <algorithm>

namespace gst::cl {

Chain::Chain (const ContextRef &context_, const GstVideoInfo &video_, const GstVideoInfo &out_info, Backend backend_,
    std::span<const StagePlan> plans_)
    : context (context_), video (video_), info (picture_in_buffer (video)), backend (backend_),
      plans (plans_.begin (), plans_.end ())
{
  const Format &stored = *find_format (GST_VIDEO_INFO_FORMAT (&info));
  for (const StagePlan &plan : plans) {
    stages.push_back (std::make_unique<Stage> (context, info, stored.seen_by_filters (), backend, plan));
    runners.push_back (&stages.back ()->runner);
  }
  if (plans.front ().description->converts ())
    runners.push_back (&conversion.emplace (context, video, out_info, backend).writer);
  if (stored.arranged)
    arrangement.emplace (stored, info);
}

/* In pixels of the picture in the buffer. */
Regions
Chain::regions_of (size_t i, const Settings &settings, GstBuffer *buffer, bool enters)
{
  Stage &stage = *stages[i];
  if (buffer == entered && !enters)
    return stage.regions;
  Regions regions = stage.region_source.find (settings.common (), video, buffer, enters, stage.scales);
  if (!has_single_fields (video))
    return regions;
  regions.field = GST_VIDEO_BUFFER_IS_BOTTOM_FIELD (buffer);
  regions.n_fields = 2;
  for (size_t n = regions.rects.size (); n-- > 0;) {
    regions.rects[n] = region_on_field (regions.rects[n], regions.field);
    if (!regions.rects[n].empty ())
      continue;
    regions.rects.erase (regions.rects.begin () + gsize (n));
    if (regions.inverted)
      continue;
    regions.shapes.erase (regions.shapes.begin () + gsize (n));
    if (!regions.scales.empty ())
      regions.scales.erase (regions.scales.begin () + gsize (n));
  }
  return regions;
}

void
Chain::enter (std::span<const Settings> settings, GstBuffer *buffer, const MaskRef &mask)
{
  if (GST_BUFFER_IS_DISCONT (buffer))
    forget_regions ();
  for (size_t i = 0; i < stages.size (); i++) {
    stages[i]->regions = regions_of (i, settings[i], buffer, true);
    stages[i]->regions.mask = mask;
  }
  entered = buffer;
}

void
Chain::forget_regions ()
{
  for (const auto &stage : stages)
    stage->region_source.forget ();
}

bool
Chain::is_neutral (std::span<const Settings> settings, GstBuffer *buffer)
{
  if (conversion && !conversion->same_frames)
    return false;
  for (size_t i = 0; i < stages.size (); i++)
    if (!stages[i]->is_neutral (settings[i], regions_of (i, settings[i], buffer)))
      return false;
  return true;
}

bool
Chain::observes (std::span<const Settings> settings) const
{
  for (size_t i = 0; i < stages.size (); i++)
    if (stages[i]->observes (settings[i]))
      return true;
  return false;
}

void
Chain::update (std::span<const Settings> settings)
{
  for (size_t i = 0; i < stages.size (); i++)
    stages[i]->update (settings[i]);
  const bool grows = stages.front ()->scales && settings.front ().common ().roi_scale;
  /* a row of odd width has one luma sample more than pixels; between stages, separate planes are faster */
  takes_words = !grows && stages.size () == 1 && !conversion && find_format (GST_VIDEO_INFO_FORMAT (&info))->in_words
                && GST_VIDEO_INFO_WIDTH (&info) % 2 == 0 && stages.front ()->abilities ().words;
  if (!takes_words)
    return;
  if (!in_words) {
    const Format &stored = *find_format (GST_VIDEO_INFO_FORMAT (&info)), &seen = *stored.in_words;
    in_words.reset (new InWords{{stored, seen, info}, {context, info, seen, backend, plans.front ()}});
    runners.push_back (&in_words->stage.runner);
    if (rehearsed)
      in_words->stage.runner.rehearse (*rehearsed);
  }
  in_words->stage.update (settings.front ());
}

void
Chain::select_queue (bool profile)
{
  for (Runner *each : runners)
    each->commands.select_queue (profile);
}

/* All stages get the events to wait for, because any stage may enqueue the first command. */
void
Chain::begin_frame (const std::vector<::cl::Event> &wait, bool profile)
{
  frame_waits = wait;
  frame_profiled = profile;
  for (Runner *each : runners)
    each->commands.begin_frame (wait, profile);
}

/* Stages share a queue; the frame ends with the newest command of all stages. */
Fence
Chain::end_frame (std::vector<TimedCommands> timed)
{
  Fence fence;
  guint64 newest = 0;
  frame_waits.clear ();
  for (Runner *each : runners) {
    const guint64 order = each->commands.order ();
    const Fence last = each->commands.end_frame (each == runners.back ());
    if (last && order > newest) {
      newest = order;
      fence = last;
    }
    timed.push_back (each->commands.take_timed ());
  }
  if (fence)
    count_times (fence.event, std::move (timed));
  return fence;
}

/* Counts as soon as the last command is complete, even if no other frame follows. */
void
Chain::count_times (const ::cl::Event &last, std::vector<TimedCommands> timed)
{
  if (std::ranges::all_of (timed, [] (const TimedCommands &each) { return each.events.empty (); }))
    return;
  Reaper &reaper = Context::of (context.get ()).reaper;
  reaper.leave (last, [timed = std::move (timed), whole = timer] {
    guint64 all = 0;
    try {
      for (const TimedCommands &each : timed) {
        guint64 sum = 0;
        for (const ::cl::Event &event : each.events)
          sum += event.getProfilingInfo<CL_PROFILING_COMMAND_END> () - event.getProfilingInfo<CL_PROFILING_COMMAND_START> ();
        each.timer->add (sum);
        all += sum;
      }
      whole->add (all);
    } catch (const ::cl::Error &) {
      /* the frame failed */
    }
  });
  last_timed = reaper.left ();
}

void
Chain::finish () noexcept
{
  for (Runner *each : runners)
    each->commands.finish ();
  Context::of (context.get ()).reaper.wait_for (last_timed);
}

void
Chain::rehearse (std::set<KernelForm> &forms)
{
  rehearsed = &forms;
  for (Runner *each : runners)
    each->rehearse (forms);
}

std::vector<Chain::Active>
Chain::find_active (const ChainFrame &frame)
{
  std::vector<Active> active;
  for (size_t i = 0; i < stages.size (); i++) {
    const Settings &settings = frame.settings[i];
    Regions regions = regions_of (i, settings, frame.buffer);
    const bool writes = !stages[i]->is_neutral (settings, regions), looks = stages[i]->observes (settings);
    if (writes || looks)
      active.push_back ({i, stage (i), settings, std::move (regions), writes, looks});
  }
  return active;
}

bool
Chain::is_point (const Active &active) const
{
  const CommonSettings &common = active.settings.common ();
  const unsigned points = active.stage.abilities ().points;
  return !active.looks && common.mix == 1 && active.regions.is_plain () && points && !(common.planes & ~points);
}

/* The next filter must not read a sample that the first one has not filtered. */
bool
Chain::may_join (const Active &first, const Active &next) const
{
  const CommonSettings &common = next.settings.common ();
  return !next.looks && common.mix == 1 && first.regions.is_plain () && next.regions.is_plain ()
         && first.regions.rects.size () == 1 && next.regions.rects.size () == 1
         && first.regions.rects[0] == next.regions.rects[0] && first.settings.common ().planes == common.planes;
}

/* How many stages run in one kernel: points, and one filter before or after them. */
size_t
Chain::group_length (std::span<const Active> from) const
{
  size_t n = 1;
  while (n < from.size () && n < PointSteps::most && is_point (from[n]) && may_join (from[0], from[n]))
    n++;
  if (!is_point (from[0]))
    return from[0].settings.common ().mix == 1 && !from[0].stage.abilities ().weaves ? n : 1;
  const Rect &first = from[0].regions.rects[0];
  const bool whole = first.width == GST_VIDEO_INFO_WIDTH (&info) && first.height == GST_VIDEO_INFO_HEIGHT (&info);
  const bool takes = n < from.size () && whole && from[n].stage.abilities ().joins_points && may_join (from[0], from[n]);
  return takes ? n + 1 : n;
}

const Planes &
Chain::between (size_t i, const Planes &like)
{
  std::optional<Planes> &planes = intermediate[i % 2];
  if (!planes) {
    planes.emplace ();
    for (int p = 0; p < runner ().format ().n_planes; p++)
      (*planes)[p] = runner ().scratch_plane ({"chain", int (i % 2), p}, like[p]);
  }
  return *planes;
}

/* Counts all but the first. */
void
Chain::note_joined (std::span<const Active> group)
{
  for (const Active &each : group.subspan (1))
    joined.insert (&each.stage);
}

/* Runs the steps in one kernel. Until that is built, runs them one after another through two scratch planes. */
void
Chain::run_points (std::span<const Active> points, const PointSteps &steps, const PlaneTask &task)
{
  Runner &runner = points.back ().stage.runner;
  if (steps.empty ())
    return copy_samples (runner, task, task.region);
  if (steps.steps.size () > 1) {
    const Launches joined_steps{{point_spec (runner, task, steps), steps.arguments ()}};
    if (runner.ready (task, joined_steps)) {
      note_joined (points);
      return runner.run (task, joined_steps);
    }
  }
  PlaneTask one = task;
  for (size_t i = 0; i < points.size (); i++) {
    one.dst = i + 1 == points.size () ? task.dst : runner.scratch_plane ({"points", int (i % 2), task.plane}, task.src);
    points[i].stage.as_filter ().run (points[i].stage.runner, one);
    one.src = one.dst;
  }
}

PointSteps
Chain::steps_of (std::span<const Active> points, const PlaneTask &task)
{
  PointSteps steps;
  for (const Active &active : points)
    if (std::optional<PointStep> step = active.stage.as_filter ().point_step (active.stage.runner, task))
      steps.steps.push_back (std::move (*step));
  return steps;
}

void
Chain::run_fused (std::span<const Active> points, const Active *last, const PlaneTask &task)
{
  const PointSteps steps = steps_of (points, task);
  if (!last)
    return run_points (points, steps, task);
  Filter &filter = last->stage.as_filter ();
  Runner &runner = last->stage.runner;
  if (steps.empty ())
    return filter.run (runner, task);
  PlaneTask joins = task;
  joins.before = &steps;
  const Plan plan = filter.plan (runner, joins);
  if (!plan.empty () && runner.ready (joins, plan.front ().launches)) {
    filter.algorithm = plan.front ().name;
    runner.run (joins, plan.front ().launches);
    return note_joined (std::span (points.data (), points.size () + 1));
  }
  PlaneTask first = task, after = task;
  first.dst = after.src = runner.scratch_plane ({"before", task.plane}, task.src);
  run_points (points, steps, first);
  filter.run (runner, after);
}

/* The window's kernel also runs the steps if it can; it then filters all samples that the steps may read. Otherwise the steps
 * change its result in place. */
void
Chain::run_behind (const Active &window, std::span<const Active> points, const PlaneTask &task)
{
  const auto &components = task.src.layout->components;
  const bool filters_all = std::ranges::all_of (std::span (components).first (task.samples_per_pixel ()),
      [&] (int each) { return each == padding || each == alpha || task.components >> each & 1; });
  const PointSteps steps = steps_of (points, task);
  AfterPoints after{steps, task.dst.memory};
  PlaneTask one = task;
  if (!steps.empty () && filters_all)
    one.after = &after;
  window.stage.as_filter ().run (window.stage.runner, one);
  if (steps.empty ())
    return;
  if (after.ran)
    return note_joined (std::span (&window, points.size () + 1));
  PlaneTask behind = task;
  behind.src = task.dst;
  run_points (points, steps, behind);
}

/* One stage walks over the planes for the whole group: the first point, or the filter with a window. */
void
Chain::run_joined (std::span<const Active> group, const InputPlanes &in, const Planes &out, const StageFrame &how)
{
  if (!is_point (group.front ())) {
    const Active &window = group.front ();
    const Stage::Fusion fusion{[&] (const PlaneTask &task) { run_behind (window, group.subspan (1), task); }, false, true};
    window.stage.filter (in, out, {window.settings, window.regions, how.interlaced}, &fusion);
    return;
  }
  const bool ends_with_point = is_point (group.back ());
  const Active *last = ends_with_point ? nullptr : &group.back ();
  const std::span<const Active> points = ends_with_point ? group : group.first (group.size () - 1);
  /* joined steps must give the same bytes as separate filters, which may depend on whether they read images */
  const bool takes_images =
      ends_with_point && std::ranges::all_of (points, [] (const Active &each) { return each.stage.abilities ().images; });
  const Stage::Fusion fusion{[&] (const PlaneTask &task) { run_fused (points, last, task); }, takes_images};
  group.back ().stage.filter (in, out, how, &fusion);
}

/* A frame that was not entered is entered here. */
void
Chain::run (InputPlanes in, const Planes *result, const ChainFrame &frame)
{
  const bool enters = frame.buffer != entered && frame.times.is_result && !rehearsed;
  if (enters)
    enter (frame.settings, frame.buffer);
  const GstBuffer *const stays = enters ? nullptr : entered;
  if (conversion && !is_neutral (frame.settings, frame.buffer)) {
    conversion->run (*stages.front (), in.frames[in.main], *result, frame);
    entered = stays;
    return;
  }
  const Arrangement *const seen = takes_words ? &in_words->arrangement : arrangement ? &*arrangement : nullptr;
  for (size_t i = 0; seen && i < in.frames.size (); i++)
    in.frames[i] = seen->enter (runner (), in.frames[i], {"arranged", int (i)});
  std::optional<Planes> arranged;
  const Planes *out = result && seen ? &arranged.emplace (seen->result (runner (), *result)) : result;

  const std::vector<Active> active = find_active (frame);
  joined.clear ();
  for (const Active &each : active)
    each.stage.operation->begin_frame (each.stage.runner, frame_info (frame, each.stage));
  size_t left = std::ranges::count (active, true, &Active::writes), turn = 0;
  if (out && left == 0) /* the unchanged frame, in other memory */
    stage (0).filter (in, *out, {frame.settings.front (), Regions{}, frame.interlaced});
  for (size_t i = 0; i < active.size ();) {
    const Active &each = active[i];
    if (each.looks)
      each.stage.observe (in, {each.settings, each.regions, frame.interlaced});
    const size_t n = out && each.writes ? group_length (std::span (active).subspan (i)) : 1;
    i += n;
    if (!out || !each.writes)
      continue;
    left -= n;
    const Planes &to = left == 0 ? *out : between (turn++, *out);
    const Active &last = active[i - 1];
    const StageFrame how{last.settings, last.regions, frame.interlaced};
    if (!each.regions.scales.empty ())
      filter_scaled (each, in, to, frame);
    else if (n == 1)
      each.stage.filter (in, to, how);
    else
      run_joined (std::span (active).subspan (i - n, n), in, to, how);
    in = {.frames = {to}, .main = 0};
  }
  for (const Active &each : active)
    each.stage.operation->end_frame (each.stage.runner);
  if (result && seen)
    seen->leave (stages.back ()->runner, *out, *result);
  entered = stays;
}

std::string
Chain::algorithm () const
{
  if (takes_words)
    return in_words->stage.algorithm ();
  std::string names;
  for (const auto &stage : stages)
    names += (names.empty () ? "" : joined.contains (stage.get ()) ? " + " : " ! ") + stage->algorithm ();
  return names;
}

BuildCounts
Chain::builds () const
{
  BuildCounts sum;
  for (const Runner *each : runners)
    sum += each->kernels.builds;
  return sum;
}

guint64
Chain::allocations () const
{
  guint64 sum = 0;
  for (const Runner *each : runners)
    sum += each->memory.allocations;
  return sum;
}

}  // namespace gst::cl
