/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What `stats` shows of a stream. */
#include "filter/stream.hpp"

#include <algorithm>

namespace gst::cl {

void
Stream::count (Trip &trip)
{
  frames += trip.frame.times.is_result;
  gsize staged = 0;
  for (const PortFrame &each : trip.inputs)
    if (each.staged)
      staged += GST_VIDEO_INFO_SIZE (&each.port->info);
  input.counts.downloaded += staged;
  const bool out_staged = trip.out && trip.out->staged;
  staged_frames += staged || out_staged;
  if (trip.out && (output.kind == MemoryKind::system || out_staged))
    input.counts.downloaded += trip.out->frame->prefetch ();
  for (const auto &each : sources) { /* keeps the counts of inputs that are released */
    input.counts.uploaded += std::exchange (each->counts.uploaded, 0);
    input.counts.downloaded += std::exchange (each->counts.downloaded, 0);
    each->new_allocations ();
  }
  if (!allocations_at_first)
    allocations_at_first = allocations ();
}

guint64
Stream::allocations () const
{
  guint64 count = input.allocations () + output.all_allocations () + executor.chain ().allocations ();
  for (const auto &each : sources)
    count += each->new_allocations ();
  const LinkCounts made = links ();
  return count + made.image_misses + made.imports;
}

LinkCounts
Stream::links () const
{
  LinkCounts sum;
  input.count (sum);
  output.count (sum, &input);
  for (const auto &each : sources)
    each->count (sum);
  return sum;
}

std::string
Stream::path () const
{
  if (const char *path = output.link_path ())
    return path;
  for (const auto &each : input.links)
    if (each->kind == input.kind || g_str_equal (input_path, each->path ()))
      return each->path ();
  const char *gl = input.gl_path ();
  for (const auto &each : sources)
    gl = gl ? gl : each->gl_path ();
  if (gl)
    return gl;
  const auto is_opencl = [] (const auto &each) { return each->kind == MemoryKind::opencl; };
  if ((sources.empty () ? input.kind == MemoryKind::opencl : std::ranges::all_of (sources, is_opencl))
      && output.kind == MemoryKind::opencl)
    return "opencl";
  const bool shared = Context::of (context.get ()).device.host_memory != HostMemory::staged;
  return shared && std::string (input_path) != "upload" ? "host-shared" : "upload";
}

StreamStats
Stream::stats () const
{
  const Chain &chain = executor.chain ();
  StreamStats stats;
  stats.device = Context::of (context.get ()).device.name;
  stats.path = path ();
  stats.algorithm = chain.algorithm ();
  stats.frames = frames;
  stats.frame_counts = input.counts;
  stats.builds = executor.builds ();
  stats.timer = chain.timer;
  for (const auto &each : sources)
    stats.builds += each->reader.kernels.builds;
  stats.links = links ();
  stats.staged_frames = staged_frames;
  for (const auto &stage : chain.all ())
    stats.regions += stage->regions.count;
  stats.allocations = allocations () - allocations_at_first.value_or (0);
  return stats;
}

StreamStats
Stream::stats_of (size_t i) const
{
  const Stage &stage = *executor.chain ().all ()[i];
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
