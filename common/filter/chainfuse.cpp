/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Filters of single pixels that run in one kernel, and regions whose windows grow with them (roi-scale). */
#include "filter/chain.hpp"

#include <algorithm>

namespace gst::cl {

bool
Chain::is_whole (const Active &active) const
{
  const Rect whole{0, 0, GST_VIDEO_INFO_WIDTH (&info), GST_VIDEO_INFO_HEIGHT (&info)};
  return active.regions.is_plain () && active.regions.rects.size () == 1 && active.regions.rects[0] == whole;
}

bool
Chain::is_place (const Active &active) const
{
  const CommonSettings &common = active.settings.common ();
  return active.writes && !active.looks && common.mix == 1 && active.stage.abilities ().places && is_whole (active)
         && !(ConvertTask::colors & ~common.planes);
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

/* How many stages run in the first one's kernel: it, and those behind it as long as they join. */
template <typename Active>
static size_t
length_of (std::span<const Active> from, auto joins)
{
  size_t n = 1;
  while (n < from.size () && n < PointSteps::most && joins (from[n]))
    n++;
  return n;
}

/* How many filters can run in one kernel: filters of places; or filters of points, and one filter before or after them. */
size_t
Chain::group_length (std::span<const Active> from, bool places) const
{
  if (places)
    return length_of (from, [this] (const Active &each) { return is_place (each); });
  const size_t n = length_of (from, [&] (const Active &each) { return is_point (each) && may_join (from[0], each); });
  if (const Stage &stage = from[0].stage; !is_point (from[0]))
    return from[0].settings.common ().mix == 1 && !stage.abilities ().weaves && !stage.description.moves_alpha ? n : 1;
  const bool takes =
      n < from.size () && is_whole (from[0]) && from[n].stage.abilities ().joins_points && may_join (from[0], from[n]);
  return takes ? n + 1 : n;
}

/* Replaces images by copies. */
static void
through_buffers (
    Runner &runner, const Planes &in, const Planes &out, const std::function<void (const Planes &from, const Planes &to)> &run)
{
  Planes from = in, to = out;
  for (int p = 0; p < runner.format ().n_planes; p++) {
    from[p] = in_buffer (runner, in[p], {"buffered", p});
    if (out[p].image)
      to[p] = runner.scratch_plane ({"buffered-result", p}, out[p]);
  }
  run (from, to);
  for (int p = 0; p < runner.format ().n_planes; p++)
    if (out[p].image)
      copy_plane (runner, to[p], out[p]);
}

/* Writes all planes at once. Until a kernel of several steps is built, runs these one after another through two frames. */
void
Chain::run_places (std::span<const Active> points, const Planes &in, const Planes &out)
{
  Runner &runner = points.back ().stage.runner;
  const size_t n_planes = size_t (runner.format ().n_planes);
  through_buffers (runner, in, out, [&] (const Planes &from, const Planes &to) {
    const PlaneTask task{.src = from[0], .dst = to[0], .plane = 0, .components = ~0u};
    const Launches all =
        place_launches (runner, std::span (from).first (n_planes), std::span (to).first (n_planes), steps_of (points, task));
    if (points.size () == 1 || runner.ready (task, all)) {
      note_joined (points);
      return runner.run (task, all);
    }
    Planes one = from;
    for (size_t i = 0; i < points.size (); i++) {
      Planes next = to;
      for (size_t p = 0; p < n_planes && i + 1 < points.size (); p++)
        next[p] = runner.scratch_plane ({"places", int (i % 2), int (p)}, from[p]);
      run_places (points.subspan (i, 1), one, next);
      one = next;
    }
  });
}

/* How many filters can run in one kernel: a converter, and filters of single pixels that change whole planes. */
size_t
Chain::conversion_length (std::span<const Active> from, bool whole_planes) const
{
  const bool is_yuv = find_format (GST_VIDEO_INFO_FORMAT (&info))->model == ColorModel::yuv;
  const auto joins = [&] (const Active &each) {
    const unsigned planes = each.settings.common ().planes;
    return is_yuv ? is_place (each)
                  : each.writes && is_point (each) && is_whole (each) && !(ConvertTask::colors & ~planes)
                        && planes == from[1].settings.common ().planes;
  };
  const bool takes = whole_planes && static_cast<const Converter &> (*from[0].stage.operation).takes_steps ();
  return takes ? length_of (from, joins) : 1;
}

void
Chain::run_conversion (std::span<const Active> group, const ChainFrame &frame, const Planes &out)
{
  const Planes &in = frame.planes[frame.main];
  Stage &first_one = group[0].stage;
  const unsigned components = group.size () > 1 ? group[1].settings.common ().planes : ConvertTask::colors;
  const PlaneTask task{.src = in[0], .dst = out[0], .plane = 0, .components = components};
  const PointSteps behind = steps_of (group.subspan (1), task);
  note_joined (group);
  through_buffers (first_one.runner, in, out, [&] (const Planes &from, const Planes &to) {
    conversion->run_seen (first_one, from, to, frame, behind.steps, components);
  });
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
    const Launches joined_steps{point_launch (runner, task, steps)};
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
Chain::run_joined (std::span<const Active> group, const ChainFrame &frame, const Planes &out)
{
  if (!is_point (group.front ())) {
    const Active &window = group.front ();
    const Stage::Fusion fusion{[&] (const PlaneTask &task) { run_behind (window, group.subspan (1), task); }, false, true};
    window.stage.filter (frame, out, {window.settings, window.regions}, &fusion);
    return;
  }
  const bool ends_with_point = is_point (group.back ());
  const Active &walks = group.back (), *last = ends_with_point ? nullptr : &walks;
  const std::span<const Active> points = ends_with_point ? group : group.first (group.size () - 1);
  /* joined steps must give the same bytes as separate filters, which may depend on whether they read images */
  const bool takes_images =
      ends_with_point && std::ranges::all_of (points, [] (const Active &each) { return each.stage.abilities ().images; });
  const Stage::Fusion fusion{[&] (const PlaneTask &task) { run_fused (points, last, task); }, takes_images};
  walks.stage.filter (frame, out, {walks.settings, walks.regions}, &fusion);
}

/* A stage needs its own operation and runner, because tables and scratch memory have the same names in both. Stages of the frame
 * at hand stay: one that goes waits for its commands and is made again in the next frame. */
Chain::ScaledStage &
Chain::scaled_stage (size_t i, int scale)
{
  constexpr size_t usual = 8;
  const auto known =
      std::ranges::find_if (scaled, [&] (const ScaledStage &each) { return each.original == i && each.scale == scale; });
  if (known != scaled.end ()) {
    std::rotate (scaled.begin (), known, known + 1); /* the most recently used stage moves to the front */
    scaled.front ().run = runs;
    return scaled.front ();
  }
  while (scaled.size () >= usual && scaled.back ().run != runs) {
    const Runner &gone = scaled.back ().stage->runner;
    gone_allocations += gone.memory.allocations;
    gone_builds += gone.kernels.builds;
    std::erase (runners, &gone);
    scaled.pop_back ();
  }
  const Format &stored = *find_format (GST_VIDEO_INFO_FORMAT (&info));
  auto stage = std::make_unique<Stage> (context, info, stored.seen_by_filters (), backend, plans[i]);
  if (rehearsed)
    stage->runner.rehearse (*rehearsed);
  stage->runner.commands.begin_frame (frame_waits, frame_profiled);
  runners.insert (runners.begin (), &stage->runner);
  scaled.insert (scaled.begin (), {i, scale, std::move (stage), runs});
  return scaled.front ();
}

FrameInfo
Chain::frame_info (const ChainFrame &frame, const Stage &stage) const
{
  const GstVideoInfo &seen = &stage == stages.front ().get () ? info : result;
  return {frame.times, GST_VIDEO_INFO_WIDTH (&seen), GST_VIDEO_INFO_HEIGHT (&seen), stage.reporter, seen};
}

/* Filters the regions of each size in turn; they are sorted by size. Each pass adds to the result of the passes before it,
 * which is not readable in an image. */
void
Chain::filter_scaled (const Active &active, const ChainFrame &frame, const Planes &result)
{
  const int n_planes = active.stage.runner.format ().n_planes;
  Planes out = result;
  for (int p = 0; p < n_planes; p++)
    if (result[p].image)
      out[p] = runner ().scratch_plane ({"scaled", p}, result[p]);
  const std::vector<int> &scales = active.regions.scales;
  for (size_t first = 0, end; first < scales.size (); first = end) {
    end = size_t (std::ranges::upper_bound (scales, scales[first]) - scales.begin ());
    ScaledStage &scaled_one = scaled_stage (active.index, scales[first]);
    Settings settings = active.settings;
    if (!(std::exchange (scaled_one.from, settings.own) == settings.own))
      scaled_one.grown = scaled_values (active.stage.description.properties, settings.own, scales[first]);
    settings.own = scaled_one.grown;
    Stage &stage = *scaled_one.stage;
    stage.update (settings);
    stage.operation->begin_frame (stage.runner, frame_info (frame, active.stage));
    stage.filter (frame, out, {settings, active.regions, {.first = int (first), .end = int (end), .copies = first == 0}});
    stage.operation->end_frame (stage.runner);
  }
  for (int p = 0; p < n_planes; p++)
    if (result[p].image)
      copy_plane (runner (), out[p], result[p]);
}

}  // namespace gst::cl
