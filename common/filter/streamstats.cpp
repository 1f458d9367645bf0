/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The numbers that a stream counts. */
#include "filter/stream.hpp"

#include <gst/cl/gstclbufferpool.h>

#include <algorithm>

namespace gst::cl {

/* Whether the host copies the frame from foreign memory. */
static bool
is_staged (const FrameSource &source, bool texture, const Frame &frame)
{
  if (source.kind == MemoryKind::gl)
    return !texture;
  return is_foreign (source.kind) && (g_str_equal (frame.path, "upload") || g_str_equal (frame.path, "host-shared"));
}

void
Stream::count_frame (Trip &trip)
{
  if (!trip.inputs.empty ())
    input_path = trip.inputs[trip.main].frame->path;
  frames += trip.times.is_result;
  gsize staged = 0;
  for (const Input &each : trip.inputs)
    if (is_staged (*each.source, each.texture, *each.frame))
      staged += GST_VIDEO_INFO_SIZE (&each.source->info);
  input.counts.downloaded += staged;
  staged_frames += staged || trip.out_staged;
  if (trip.out && (out_kind == MemoryKind::system || trip.out_staged))
    input.counts.downloaded += trip.out->prefetch ();
  count_sources ();
  if (!allocations_at_first)
    allocations_at_first = count_allocations ();
}

/* Keeps the counts of inputs that are released. */
void
Stream::count_sources ()
{
  for (const auto &each : sources) {
    input.counts.uploaded += std::exchange (each->counts.uploaded, 0);
    input.counts.downloaded += std::exchange (each->counts.downloaded, 0);
    each->new_allocations ();
  }
}

guint64
Stream::count_allocations () const
{
  guint64 count = input.allocations () + writer.allocations () + chain->allocations ();
  for (const PoolRef &each : {pool, staging_pool})
    if (each && GST_IS_CL_BUFFER_POOL (each.get ()))
      count += pool_allocations (each.get ());
  for (const auto &each : sources)
    count += each->new_allocations ();
  return count + gl_counts ().image_misses + link_counts ().imports;
}

GlCounts
Stream::gl_counts () const
{
  GlCounts sum;
  const auto add = [&sum] (const std::shared_ptr<GlLink> &from) {
    if (!from || !from->textures)
      return;
    sum.image_hits += from->textures->counts.image_hits;
    sum.image_misses += from->textures->counts.image_misses;
    sum.texture_copies += from->textures->counts.texture_copies;
  };
  add (input.link);
  if (out_link != input.link)
    add (out_link);
  for (const auto &each : sources)
    add (each->link);
  return sum;
}

LinkCounts
Stream::link_counts () const
{
  LinkCounts sum;
  const auto add = [&sum] (const MemoryLinks &links) {
    for (const auto &each : links) {
      sum.imports += each->counts.imports;
      sum.copies += each->counts.copies;
    }
  };
  add (input.links);
  for (const auto &each : sources)
    add (each->links);
  return sum;
}

std::string
Stream::path () const
{
  if (out_other)
    return out_other->path ();
  for (const auto &each : input.links)
    if (each->kind == input.kind || g_str_equal (input_path, each->path ()))
      return each->path ();
  const auto linked = std::ranges::find_if (sources, [] (const auto &each) { return bool (each->link); });
  if (input.link || linked != sources.end ())
    return name_of ((input.link ? input.link : (*linked)->link)->path);
  const auto is_opencl = [] (const auto &each) { return each->kind == MemoryKind::opencl; };
  if ((sources.empty () ? input.kind == MemoryKind::opencl : std::ranges::all_of (sources, is_opencl))
      && out_kind == MemoryKind::opencl)
    return "opencl";
  const bool shared = Context::of (context.get ()).device.host_memory != HostMemory::staged;
  return shared && std::string (input_path) != "upload" ? "host-shared" : "upload";
}

StreamStats
Stream::stats () const
{
  StreamStats stats;
  stats.device = Context::of (context.get ()).device.name;
  stats.path = path ();
  stats.algorithm = chain->algorithm ();
  stats.frames = frames;
  stats.frame_counts = input.counts;
  stats.builds = chain->builds ();
  stats.builds += earlier_builds;
  stats.timer = chain->timer;
  for (const auto &each : sources)
    stats.builds += each->reader.kernels.builds;
  stats.gl = gl_counts ();
  stats.others = link_counts ();
  stats.staged_frames = staged_frames;
  for (const auto &stage : chain->all ())
    stats.regions += stage->regions.count;
  stats.allocations = count_allocations () - allocations_at_first.value_or (0);
  return stats;
}

StreamStats
Stream::stats_of (size_t i) const
{
  const Stage &stage = *chain->all ()[i];
  StreamStats stats;
  stats.device = Context::of (context.get ()).device.name;
  stats.path = path ();
  stats.algorithm = stage.algorithm ();
  stats.frames = frames;
  stats.builds = stage.runner.kernels.builds;
  stats.regions = stage.regions.count;
  stats.timer = stage.runner.commands.timer;
  return stats;
}

}  // namespace gst::cl
