/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "filter/stream.hpp"

#include "filter/caps.hpp"
#include "filter/roi.hpp"

#include <algorithm>
#include <cmath>

namespace gst::cl {

namespace {

/* Enough to keep a device busy while frames come and go; more would only add latency. */
constexpr size_t most_frames_under_way = 3;
constexpr guint pool_buffers = most_frames_under_way;

GstVideoInfo
parse_caps (GstCaps *caps)
{
  GstVideoInfo info;
  if (!gst_video_info_from_caps (&info, caps))
    throw Failure (GST_CORE_ERROR, GST_CORE_ERROR_NEGOTIATION, "Caps that are no video.", "");
  return info;
}

unsigned
components_of (const PlaneLayout &layout)
{
  unsigned components = 0;
  for (int component : layout.components)
    if (component != padding)
      components |= 1u << component;
  return components;
}

/* A view of every second row, from row field on. */
PlaneView
field_of (PlaneView view, int field)
{
  view.offset += field * view.stride;
  view.stride *= 2;
  view.height = (view.height + 1 - field) / 2;
  return view;
}

}  // namespace

Stream::Stream (ContextRef context_, const FilterDescription &description_, GstCaps *in_caps, GstCaps *out_caps)
    : context (std::move (context_)), description (description_), info (parse_caps (in_caps)),
      format (*find_format (GST_VIDEO_INFO_FORMAT (&info))), in_opencl (has_opencl_memory (in_caps)),
      out_opencl (has_opencl_memory (out_caps)), mapper (context, info),
      pool (create_pool (context, out_caps, pool_buffers)), runner (context, format), operation (description.create ())
{
}

Stream::~Stream ()
{
  gst_buffer_pool_set_active (pool.get (), FALSE);
}

bool
Stream::is_neutral (const Settings &settings, GstBuffer *buffer)
{
  if (!known_neutral || known_neutral->first != settings.own)
    known_neutral.emplace (settings.own, description.neutral (settings.own));
  unsigned components = 0;
  for (int i = 0; i < format.n_planes; i++)
    components |= components_of (format.planes[i]);
  return settings.mix () == 0 || !(settings.planes () & components) || known_neutral->second
         || find_regions (settings, info, buffer).empty ();
}

/* Everything about a plane but the region to write. */
std::vector<PlaneTask>
Stream::make_tasks (const Frame &in, const Frame &out, const Settings &settings, int field, int n_fields)
{
  std::array<PlaneView, 3> &views = field_views[field];
  const auto view = [&] (const PlaneView &plane) { return n_fields == 2 ? field_of (plane, field) : plane; };
  for (int i = 0; i < in.n_planes; i++)
    views[i] = view (in.planes[i]);
  std::vector<PlaneTask> tasks;
  for (int i = 0; i < in.n_planes; i++) {
    PlaneTask task{.src = views[i],
      .dst = view (out.planes[i]),
      .plane = i,
      .region = {},
      .components = settings.planes () & components_of (format.planes[i]),
      .border = Border::replicate,
      .border_sample = 0,
      .frame = std::span (views).first (in.n_planes)};
    if (description.windowed) {
      task.border = Border (settings.common.integer (COMMON_BORDER));
      task.border_sample = int (std::nearbyint (settings.common.real (COMMON_BORDER_VALUE) * format.max_value ()));
    }
    if (task.src.height > 0)
      tasks.push_back (task);
  }
  return tasks;
}

void
Stream::run_task (const PlaneTask &task, const Settings &settings)
{
  operation->run (runner, task);
  if (settings.mix () < 1)
    runner.mix (task, settings.mix ());
}

/* One rectangle: what is around it is copied. Several: everything is, and they are filtered over it. */
void
Stream::run_plane (PlaneTask task, const Settings &settings, const std::vector<Rect> &regions, int field,
    int n_fields)
{
  const Rect whole{0, 0, task.src.width, task.src.height};
  std::vector<Rect> rects;
  for (const Rect &region : regions) {
    /* subsampling is that of the plane, whose rows are those of both fields */
    PlaneView plane = task.src;
    plane.height = plane_height (*task.src.layout, GST_VIDEO_INFO_HEIGHT (&info));
    const Rect rect = region_on_plane (region, plane);
    rects.push_back (n_fields == 2 ? region_on_field (rect, field) : rect);
  }
  std::erase_if (rects, [] (const Rect &rect) { return rect.empty (); });

  if (rects.size () != 1 || !task.components) {
    runner.copy (task, whole);
  } else {
    const Rect &r = rects.front ();
    runner.copy (task, {0, 0, whole.width, r.y});
    runner.copy (task, {0, r.y + r.height, whole.width, whole.height - r.y - r.height});
    runner.copy (task, {0, r.y, r.x, r.height});
    runner.copy (task, {r.x + r.width, r.y, whole.width - r.x - r.width, r.height});
  }
  if (!task.components)
    return;
  for (const Rect &rect : rects) {
    task.region = rect;
    run_task (task, settings);
  }
}

void
Stream::run_frame (const Frame &in, const Frame &out, const Settings &settings, GstBuffer *buffer)
{
  const std::vector<Rect> regions =
      is_neutral (settings, buffer) ? std::vector<Rect>{} : find_regions (settings, info, buffer);
  const GstVideoInterlaceMode mode = GST_VIDEO_INFO_INTERLACE_MODE (&info);
  const bool interlaced =
      mode == GST_VIDEO_INTERLACE_MODE_INTERLEAVED
      || (mode == GST_VIDEO_INTERLACE_MODE_MIXED && GST_BUFFER_FLAG_IS_SET (buffer, GST_VIDEO_BUFFER_FLAG_INTERLACED));
  const int n_fields = interlaced && description.windowed ? 2 : 1;
  for (int field = 0; field < n_fields; field++)
    for (const PlaneTask &task : make_tasks (in, out, settings, field, n_fields))
      run_plane (task, settings, regions, field, n_fields);
}

void
Stream::limit_frames_under_way (const Fence &fence)
{
  under_way.push_back (fence.event);
  while (under_way.size () > most_frames_under_way) {
    const ::cl::Event oldest = std::move (under_way.front ());
    under_way.pop_front ();
    oldest.wait ();
  }
}

void
Stream::filter (GstBuffer *in_buffer, GstBuffer *out_buffer, const Settings &settings)
{
  if (operation_values != settings.own) {
    operation->update (settings.own);
    operation_values = settings.own;
  }
  runner.select_queue (settings.profile ());
  Frame in = mapper.read (in_buffer, runner.queue ());
  Frame out = mapper.write (out_buffer, runner.queue ());
  std::vector<::cl::Event> wait = in.wait;
  wait.insert (wait.end (), out.wait.begin (), out.wait.end ());
  runner.begin_frame (std::move (wait), settings.profile ());
  try {
    run_frame (in, out, settings, in_buffer);
    const Fence fence = runner.end_frame ();
    out.complete_write (fence);
    in.complete_read (fence);
    count_frame (in, out);
    limit_frames_under_way (fence);
  } catch (...) {
    runner.finish (); /* what was enqueued reads and writes the buffers, which go when this leaves */
    throw;
  }
}

void
Stream::count_frame (const Frame &in, Frame &out)
{
  input_path = in.path;
  frames++;
  if (!out_opencl)
    mapper.counts.downloaded += out.prefetch ();
  if (!allocations_at_first)
    allocations_at_first = count_allocations ();
}

guint64
Stream::count_allocations () const
{
  return mapper.allocations () + runner.allocations + pool_allocations (pool.get ());
}

StreamStats
Stream::stats () const
{
  StreamStats stats;
  stats.device = Context::of (context.get ()).device.name;
  const bool shared = Context::of (context.get ()).device.host_memory != HostMemory::staged;
  if (in_opencl && out_opencl)
    stats.path = "opencl";
  else
    stats.path = shared && std::string (input_path) != "upload" ? "host-shared" : "upload";
  stats.algorithm = operation_values ? operation->algorithm () : "";
  stats.frames = frames;
  stats.frame_counts = mapper.counts;
  stats.builds = runner.builds;
  stats.times = runner.times;
  stats.allocations = count_allocations () - allocations_at_first.value_or (0);
  return stats;
}

}  // namespace gst::cl
