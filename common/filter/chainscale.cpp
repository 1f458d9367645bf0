/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Regions whose windows grow with them (roi-scale). Each size has a stage of its own. */
#include "filter/chain.hpp"

#include <algorithm>
#include <cmath>

namespace gst::cl {

/* A stage needs its own operation and runner, because tables and scratch memory have the same names in both. */
Chain::ScaledStage &
Chain::scaled_stage (size_t i, int scale)
{
  constexpr size_t most = 8;
  const auto known =
      std::ranges::find_if (scaled, [&] (const ScaledStage &each) { return each.original == i && each.scale == scale; });
  if (known != scaled.end ()) {
    std::rotate (scaled.begin (), known, known + 1); /* the most recently used stage moves to the front */
    return scaled.front ();
  }
  if (scaled.size () == most) {
    std::erase (runners, &scaled.back ().stage->runner);
    scaled.pop_back ();
  }
  const Format &stored = *find_format (GST_VIDEO_INFO_FORMAT (&info));
  auto stage = std::make_unique<Stage> (context, info, stored.seen_by_filters (), backend, plans[i]);
  if (rehearsed)
    stage->runner.rehearse (*rehearsed);
  stage->runner.commands.begin_frame (frame_waits, frame_profiled);
  runners.insert (runners.begin (), &stage->runner);
  scaled.insert (scaled.begin (), {i, scale, std::move (stage)});
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
Chain::filter_scaled (const Active &active, const InputPlanes &in, const Planes &result, const ChainFrame &frame)
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
    stage.filter (
        in, out, {settings, active.regions, frame.interlaced, {.first = int (first), .end = int (end), .copies = first == 0}});
    stage.operation->end_frame (stage.runner);
  }
  for (int p = 0; p < n_planes; p++)
    if (result[p].image)
      copy_plane (runner (), out[p], result[p]);
}

}  // namespace gst::cl
