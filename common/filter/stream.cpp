/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "filter/stream.hpp"

#include "filter/caps.hpp"
#include "filter/roi.hpp"

#include <gst/cl/gstclbufferpool.h>

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

Stream::Stream (ContextRef context_, std::shared_ptr<GlLink> link_, const FilterDescription &description_,
    GstCaps *in_caps, GstCaps *out_caps)
    : context (std::move (context_)), link (std::move (link_)), description (description_), info (parse_caps (in_caps)),
      format (*find_format (GST_VIDEO_INFO_FORMAT (&info))), in_kind (memory_kind (in_caps)),
      out_kind (memory_kind (out_caps)), mapper (context, info, in_kind != MemoryKind::gl), pool (make_pool (out_caps)),
      runner (context, format,
          link && link->textures ? Backend::image : Context::of (context.get ()).device.backend),
      operation (description.create ())
{
  if (out_kind == MemoryKind::gl) {
    GstCaps *caps = with_memory (out_caps, {MemoryKind::opencl});
    staging_pool = create_pool (context, caps, link->textures ? 0 : pool_buffers);
    gst_caps_unref (caps);
  }
}

PoolRef
Stream::make_pool (GstCaps *caps) const
{
  return out_kind == MemoryKind::gl ? link->create_pool (caps, pool_buffers) : create_pool (context, caps, pool_buffers);
}

Stream::~Stream ()
{
  runner.finish ();
  if (link)
    link->textures.reset (); /* gives back what it holds of the buffers */
  next_output = {};
  for (const PoolRef &each : {pool, staging_pool})
    if (each)
      gst_buffer_pool_set_active (each.get (), FALSE);
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
Stream::make_tasks (const Planes &in, const Planes &out, const Settings &settings, int field, int n_fields)
{
  std::array<PlaneView, 3> &views = field_views[field];
  const auto view = [&] (const PlaneView &plane) { return n_fields == 2 ? field_of (plane, field) : plane; };
  for (int i = 0; i < format.n_planes; i++)
    views[i] = view (in[i]);
  std::vector<PlaneTask> tasks;
  for (int i = 0; i < format.n_planes; i++) {
    PlaneTask task{.src = views[i],
      .dst = view (out[i]),
      .plane = i,
      .region = {},
      .components = settings.planes () & components_of (format.planes[i]),
      .border = Border::replicate,
      .border_sample = 0,
      .frame = std::span (views).first (format.n_planes)};
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
  if (!task.components || rects.empty ())
    return;
  /* mix reads what was written */
  PlaneTask inside = operation->takes_images () && settings.mix () == 1 ? task : runner.in_buffers (task);
  for (const Rect &rect : rects) {
    task.region = inside.region = rect;
    run_task (inside, settings);
    runner.copy_back (inside, task);
  }
}

void
Stream::run_planes (const Planes &in, const Planes &out, const Settings &settings, GstBuffer *buffer)
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

/* By way of images where that is forced. */
void
Stream::run_frame (const Frame &in, const Frame &out, const Settings &settings, GstBuffer *buffer)
{
  if (Context::of (context.get ()).device.backend != Backend::image)
    return run_planes (in.planes, out.planes, settings, buffer);
  if (!image_stage) /* between OpenCL memory and another kind, the former is the buffer beside a texture */
    image_stage.emplace (context, info, same_memory () || in_kind != MemoryKind::opencl,
        same_memory () || out_kind != MemoryKind::opencl);
  image_stage->run (runner, in.planes, out.planes,
      [&] (const Planes &from, const Planes &to) { run_planes (from, to, settings, buffer); });
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

/* One frame on its way through the device. */
class Stream::Pass {
public:
  Pass (Stream &stream, GstBuffer *in, GstBuffer *out, const Settings &settings);

  /** What is not in textures; then the three steps, of which the first and the last are for GL's thread where there are
   *  textures. */
  void map_frames ();
  void begin ();
  void work () { stream.run_frame (*in, *out, settings, in_buffer); }
  void end ();
  /** After a failure in any of them. */
  void abandon () noexcept;

  GstBuffer *const in_buffer;
  /** The result itself, or what is copied to it later. */
  BufferRef out_buffer;
  const bool in_texture, out_texture;
  std::optional<Frame> in, out;
  Fence fence;

private:
  std::vector<Frame *> textures ();

  Stream &stream;
  const Settings &settings;
  bool acquired = false;
};

Stream::Pass::Pass (Stream &stream_, GstBuffer *in_, GstBuffer *out_, const Settings &settings_)
    : in_buffer (in_), in_texture (stream_.is_reached (in_, stream_.in_kind, false)),
      out_texture (stream_.is_reached (out_, stream_.out_kind, true)), stream (stream_), settings (settings_)
{
  const bool staged = stream.out_kind == MemoryKind::gl && !out_texture;
  out_buffer = staged ? acquire_buffer (stream.staging_pool.get ()) : BufferRef::retain (out_);
}

void
Stream::Pass::map_frames ()
{
  if (!in_texture)
    in.emplace (stream.mapper.read (in_buffer, stream.runner.queue ()));
  if (!out_texture)
    out.emplace (stream.mapper.write (out_buffer.get (), stream.runner.queue ()));
}

std::vector<Frame *>
Stream::Pass::textures ()
{
  std::vector<Frame *> frames;
  if (in_texture)
    frames.push_back (&*in);
  if (out_texture)
    frames.push_back (&*out);
  return frames;
}

void
Stream::Pass::begin ()
{
  if (in_texture)
    in.emplace (stream.link->textures->read (in_buffer));
  if (out_texture)
    out.emplace (stream.link->textures->write (out_buffer.get ()));
  std::vector<::cl::Event> wait = in->wait;
  wait.insert (wait.end (), out->wait.begin (), out->wait.end ());
  if (const std::vector<Frame *> frames = textures (); !frames.empty ()) {
    stream.link->textures->acquire (frames, stream.runner.queue (), wait);
    acquired = true;
  }
  stream.runner.begin_frame (std::move (wait), settings.profile ());
}

void
Stream::Pass::end ()
{
  ::cl::Event released;
  if (std::exchange (acquired, false))
    released = stream.link->textures->release (textures (), stream.runner.queue ());
  fence = stream.runner.end_frame ();
  if (released ())
    fence.event = released;
  if (out_texture) {
    stream.next_output = acquire_buffer (stream.pool.get ());
    stream.link->textures->expect (stream.next_output.get ());
  }
}

/* What was enqueued reads and writes the buffers, which go when the caller leaves. */
void
Stream::Pass::abandon () noexcept
{
  try {
    if (std::exchange (acquired, false))
      stream.link->textures->visit ([this] { stream.link->textures->release (textures (), stream.runner.queue ()); });
  } catch (const std::exception &) {
    /* the device is gone, and with it every image */
  }
  stream.runner.finish ();
}

bool
Stream::is_reached (GstBuffer *buffer, MemoryKind kind, bool writes) const
{
  return kind == MemoryKind::gl && link->textures && link->textures->reaches (buffer, writes);
}

void
Stream::enqueue (Pass &pass)
{
  pass.map_frames ();
  if (!pass.in_texture && !pass.out_texture) {
    pass.begin ();
    pass.work ();
    pass.end ();
  } else if (frames == 0) {
    /* programs are built now, which would keep everybody else from GL */
    link->textures->visit ([&] { pass.begin (); });
    pass.work ();
    link->textures->visit ([&] { pass.end (); });
  } else {
    link->textures->visit ([&] {
      pass.begin ();
      pass.work ();
      pass.end ();
    });
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
  Pass pass (*this, in_buffer, out_buffer, settings);
  try {
    enqueue (pass);
    pass.out->complete_write (pass.fence);
    pass.in->complete_read (pass.fence);
    count_frame (pass);
    limit_frames_under_way (pass.fence);
    if (pass.out_texture)
      pass.fence.event.wait ();
    else if (pass.out_buffer.get () != out_buffer)
      copy_to_texture (pass.out_buffer.get (), out_buffer);
  } catch (...) {
    pass.abandon ();
    throw;
  }
}

/* By way of the host, where the kernels' result is waited for. */
void
Stream::copy_to_texture (GstBuffer *from, GstBuffer *to)
{
  GstVideoFrame source, target;
  bool copied = false;
  if (gst_video_frame_map (&source, &info, from, GST_MAP_READ)) {
    if (gst_video_frame_map (&target, &info, to, GST_MAP_WRITE)) {
      copied = gst_video_frame_copy (&target, &source);
      gst_video_frame_unmap (&target);
    }
    gst_video_frame_unmap (&source);
  }
  if (!copied)
    throw Failure (GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_WRITE, "A result could not be copied to GL memory.",
        "gst_video_frame_copy failed");
  mapper.counts.uploaded += GST_VIDEO_INFO_SIZE (&info);
}

void
Stream::count_frame (Pass &pass)
{
  input_path = pass.in->path;
  frames++;
  const bool in_staged = in_kind == MemoryKind::gl && !pass.in_texture;
  const bool out_staged = out_kind == MemoryKind::gl && !pass.out_texture;
  if (in_staged)
    mapper.counts.downloaded += GST_VIDEO_INFO_SIZE (&info);
  if (in_staged || out_staged)
    staged_frames++;
  if (out_kind == MemoryKind::system || out_staged)
    mapper.counts.downloaded += pass.out->prefetch ();
  if (!allocations_at_first)
    allocations_at_first = count_allocations ();
}

guint64
Stream::count_allocations () const
{
  guint64 count = mapper.allocations () + runner.allocations;
  for (const PoolRef &each : {pool, staging_pool})
    if (each && GST_IS_CL_BUFFER_POOL (each.get ()))
      count += pool_allocations (each.get ());
  return link && link->textures ? count + link->textures->counts.image_misses : count;
}

StreamStats
Stream::stats () const
{
  StreamStats stats;
  stats.device = Context::of (context.get ()).device.name;
  const bool shared = Context::of (context.get ()).device.host_memory != HostMemory::staged;
  if (link)
    stats.path = name_of (link->path);
  else if (in_kind == MemoryKind::opencl && out_kind == MemoryKind::opencl)
    stats.path = "opencl";
  else
    stats.path = shared && std::string (input_path) != "upload" ? "host-shared" : "upload";
  stats.algorithm = operation_values ? operation->algorithm () : "";
  stats.frames = frames;
  stats.frame_counts = mapper.counts;
  stats.builds = runner.builds;
  stats.times = runner.times;
  if (link && link->textures)
    stats.gl = link->textures->counts;
  stats.staged_frames = staged_frames;
  stats.allocations = count_allocations () - allocations_at_first.value_or (0);
  return stats;
}

}  // namespace gst::cl
