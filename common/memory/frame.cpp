/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "memory/frame.hpp"

#include "memory/hostcopy.hpp"

#include <gst/cl/gstclbufferpool.h>

#include <algorithm>

namespace gst::cl {

namespace {

/* Throws the failure for a frame that could not be mapped. */
[[noreturn]] void
throw_map_failure (GstBuffer *buffer, const GstVideoInfo &info, const Format &format)
{
  require_within (buffer, info, format);
  if (const gsize size = gst_buffer_get_size (buffer); size < info.size && !gst_buffer_get_video_meta (buffer))
    throw Failure (GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
        "A video frame has fewer bytes than its caps require. The element that made it is at fault.",
        std::to_string (size) + " bytes instead of " + std::to_string (info.size));
  const GstMemory *memory = gst_buffer_n_memory (buffer) > 0 ? gst_buffer_peek_memory (buffer, 0) : nullptr;
  if (const FrameBuffer *frame = frame_buffer_of (buffer))
    frame->context ().require_alive ();
  const char *kind = memory && memory->allocator ? memory->allocator->mem_type : nullptr;
  throw Failure (GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_READ,
      std::string ("A video frame could not be mapped (memory of the type ") + (kind ? kind : "unknown")
          + "). Start the pipeline again; if that fails, too, let the element before this one give frames in system memory.",
      "buffer of " + std::to_string (gst_buffer_get_size (buffer)) + " bytes");
}

}  // namespace

/* Maps a buffer, and checks that the planes lie within it. Throws Failure. */
struct Frame::HostMapping {
  GstVideoFrame video = {};

  HostMapping (const GstVideoInfo &info, const Format &format, GstBuffer *buffer)
  {
    require_described (buffer, info);
    if (!gst_video_frame_map (
            &video, &info, buffer, static_cast<GstMapFlags> (int (GST_MAP_READ) | int (GST_VIDEO_FRAME_MAP_FLAG_NO_REF))))
      throw_map_failure (buffer, info, format);
    try {
      require_within (video, info, format);
    } catch (...) {
      gst_video_frame_unmap (&video);
      throw;
    }
  }
  ~HostMapping () { gst_video_frame_unmap (&video); }
  HostMapping (const HostMapping &) = delete;
  HostMapping &operator= (const HostMapping &) = delete;
};

namespace {

/* One is filled, one is transferred, and one is read. */
constexpr guint uploads_under_way = 3;

PlaneView
view_plane (const ::cl::Buffer &buffer, gsize offset, int stride, const Format &format, int plane, const GstVideoInfo &info)
{
  const PlaneLayout &layout = format.planes[plane];
  return {buffer, static_cast<int> (offset / format.sample_size ()), stride / format.sample_size (),
      plane_width (layout, GST_VIDEO_INFO_WIDTH (&info)), plane_height (layout, GST_VIDEO_INFO_HEIGHT (&info)), &layout};
}

}  // namespace

Frame::Frame () = default;
Frame::Frame (Frame &&) noexcept = default;
Frame::~Frame () = default;

Frame
Frame::of_images (const ContextRef &context, GstBuffer *buffer)
{
  Frame frame;
  frame.kept = BufferRef::retain (buffer);
  frame.reaper_context = context;
  frame.path = "images";
  return frame;
}

void
Frame::complete_read (const Fence &fence)
{
  if (frame_buffer)
    frame_buffer->end_read (fence);
  if (reaper_context) {
    /* shared, because std::function copies; the last copy unmaps */
    auto keep = std::make_shared<std::pair<BufferRef, std::unique_ptr<HostMapping>>> (kept, std::move (mapping));
    Context::of (reaper_context.get ()).reaper.leave (fence.event, [keep] () mutable { keep->second.reset (); });
  }
}

void
Frame::complete_write (const Fence &fence)
{
  if (frame_buffer)
    frame_buffer->end_write (fence);
}

FrameMapper::FrameMapper (ContextRef context_, const GstVideoInfo &info_, bool keeps_pages_, MemoryLinks links_)
    : info (info_), format (*find_format (GST_VIDEO_INFO_FORMAT (&info))), links (std::move (links_)),
      context (std::move (context_)), keeps_pages (keeps_pages_)
{
  require_addressable (info, format);
}

FrameMapper::~FrameMapper ()
{
  if (pool)
    gst_buffer_pool_set_active (pool.get (), FALSE);
}

void
FrameMapper::use_frame_buffer (Frame &frame, GstBuffer *buffer)
{
  FrameBuffer *memory = frame_buffer_of (buffer);
  frame.kept = BufferRef::retain (buffer);
  frame.frame_buffer = memory;
  frame.n_planes = format.n_planes;
  for (int i = 0; i < format.n_planes; i++) {
    const Placement at = placement_of (buffer, info, i);
    frame.planes[i] = view_plane (memory->handle (), at.offset, at.stride, format, i, info);
  }
}

/* The reaper releases memory of another interface when the commands are complete. */
bool
FrameMapper::try_link (Frame &frame, GstBuffer *buffer)
{
  for (const auto &link : links) {
    const BufferRef reached = link->reach (buffer);
    if (!reached || !is_on_device (reached.get ()))
      continue;
    use_frame_buffer (frame, reached.get ());
    frame.reaper_context = context;
    frame.path = link->path ();
    return true;
  }
  return false;
}

bool
FrameMapper::try_wrap (Frame &frame, GstBuffer *buffer)
{
  if (!keeps_pages || Context::of (context.get ()).device.host_memory != HostMemory::shared)
    return false;
  auto mapping = std::make_unique<Frame::HostMapping> (info, format, buffer);
  const GstVideoFrame &video = mapping->video;
  for (int i = 0; i < format.n_planes; i++) {
    const auto [map, at] = placement_in (video, info, i);
    if (!map.data || !is_addressable (at, extent_of (format, i, info), format.unit_size (i)))
      return false;
    /* gpu kernels load four words at once, and check only offsets and strides */
    if (Context::of (context.get ()).device.backend != Backend::cpu && reinterpret_cast<guintptr> (map.data) % 16)
      return false;
    frame.planes[i] =
        view_plane (wrap_pages (Context::of (context.get ()), map, counts.allocations), at.offset, at.stride, format, i, info);
  }
  frame.n_planes = format.n_planes;
  frame.kept = BufferRef::retain (buffer);
  frame.reaper_context = context;
  frame.mapping = std::move (mapping);
  return true;
}

BufferRef
FrameMapper::kept_copy (GstBuffer *buffer)
{
  const auto known = std::ranges::find (copies, buffer, [] (const Copy &each) { return each.original.get (); });
  if (known != copies.end ())
    return known->copy;
  copies.push_back ({BufferRef::retain (buffer), upload_copy (buffer)});
  return copies.back ().copy;
}

void
FrameMapper::forget_copies (std::span<GstBuffer *const> still_read)
{
  std::erase_if (copies, [&] (const Copy &each) { return !std::ranges::count (still_read, each.original.get ()); });
}

/* The planes of video and their places in the memory of a buffer; empty if transfer commands cannot move them. */
std::vector<HostRows>
FrameMapper::transfers (const GstVideoFrame &video, GstBuffer *to) const
{
  std::vector<HostRows> planes;
  for (int i = 0; i < format.n_planes; i++) {
    const auto [row_bytes, n_rows] = extent_of (format, i, info);
    const Placement at = placement_of (to, info, i);
    const int stride = stride_in_bytes (info, i, GST_VIDEO_FRAME_PLANE_STRIDE (&video, i));
    const HostRows rows{
        GST_VIDEO_FRAME_PLANE_DATA (&video, i), size_t (stride), at.offset, size_t (at.stride), row_bytes, n_rows};
    if (stride < 0 || !rows.is_transferable ())
      return {};
    planes.push_back (rows);
  }
  return planes;
}

/* Lets the device fetch pages that it has met before. */
bool
FrameMapper::try_fetch (GstBuffer *buffer, GstBuffer *to)
{
  Context &cl = Context::of (context.get ());
  if (!keeps_pages || cl.device.host_memory != HostMemory::staged)
    return false;
  /* shared, because std::function copies */
  auto mapping = std::make_shared<Frame::HostMapping> (info, format, buffer);
  const std::vector<HostRows> planes = transfers (mapping->video, to);
  bool pinned = !planes.empty ();
  for (int i = 0; i < format.n_planes && pinned; i++)
    if (const GstMapInfo &map = mapping->video.map[i]; i == 0 || map.memory)
      pinned = pin_pages (cl, map, counts.allocations);
  if (!pinned)
    return false;
  const ::cl::Event fetched = frame_buffer_of (to)->upload_from (planes);
  counts.uploaded += GST_VIDEO_INFO_SIZE (&info);
  cl.reaper.leave (fetched, [kept = BufferRef::retain (buffer), mapping] () mutable { mapping.reset (); });
  return true;
}

BufferRef
FrameMapper::upload_copy (GstBuffer *buffer)
{
  if (!pool) {
    g_autoptr (GstCaps) caps = gst_video_info_to_caps (&info);
    pool = create_pool (context, caps, uploads_under_way);
  }
  BufferRef copy = acquire_buffer (pool.get ());
  if (try_fetch (buffer, copy.get ()))
    return copy;
  const Frame::HostMapping from (info, format, buffer);
  /* not by GStreamer's map, which replaces memory that it cannot map by system memory */
  FrameBuffer &memory = *frame_buffer_of (copy.get ());
  auto *const data = static_cast<guint8 *> (memory.map (GST_MAP_WRITE));
  GstVideoFrame to = {};
  to.info = info; /* strides are the pool's; the second field's planes may begin elsewhere */
  for (int i = 0; i < format.n_planes; i++)
    to.data[i] = data + placement_of (copy.get (), info, i).offset;
  copy_frame (to, from.video, format);
  memory.unmap (GST_MAP_WRITE);
  return copy;
}

/* Whether every plane lies within size bytes, so that kernels can read it in place. */
bool
FrameMapper::is_readable (GstBuffer *buffer, size_t size) const
{
  for (int i = 0; i < format.n_planes; i++) {
    const Placement at = placement_of (buffer, info, i);
    const PlaneExtent extent = extent_of (format, i, info);
    if (!lies_within (at, extent, size) || !is_addressable (at, extent, format.unit_size (i)))
      return false;
  }
  return true;
}

bool
FrameMapper::is_on_device (GstBuffer *buffer) const
{
  const FrameBuffer *memory = frame_buffer_of (buffer);
  return memory && gst_buffer_n_memory (buffer) == 1 && gst_buffer_peek_memory (buffer, 0)->offset == 0
         && memory->context ().handle () == Context::of (context.get ()).handle () && is_readable (buffer, memory->size ());
}

BufferRef
FrameMapper::on_device (GstBuffer *buffer)
{
  require_described (buffer, info);
  return is_on_device (buffer) ? BufferRef::retain (buffer) : upload_copy (buffer);
}

Frame
FrameMapper::read (GstBuffer *buffer, cl_command_queue queue)
{
  require_described (buffer, info);
  Frame frame;
  if (try_link (frame, buffer)) {
    /* path is set */
  } else if (is_on_device (buffer)) {
    use_frame_buffer (frame, buffer);
    frame.path = "opencl";
  } else if (try_wrap (frame, buffer)) {
    frame.path = "host-shared";
  } else {
    const BufferRef copy = kept_copy (buffer);
    use_frame_buffer (frame, copy.get ());
    frame.path = "upload";
  }
  if (frame.frame_buffer)
    counts.uploaded += frame.frame_buffer->begin_read (queue, frame.wait);
  return frame;
}

Frame
FrameMapper::write (GstBuffer *buffer, cl_command_queue queue)
{
  Frame frame;
  use_frame_buffer (frame, buffer);
  frame.frame_buffer->begin_write (queue, frame.wait);
  frame.path = "opencl";
  return frame;
}

/* The picture of a GstVideoMeta may be larger than the caps'. */
void
copy_frame (GstVideoFrame &to, const GstVideoFrame &from, const Format &format)
{
  const int width = std::min (GST_VIDEO_FRAME_WIDTH (&from), GST_VIDEO_FRAME_WIDTH (&to));
  const int height = std::min (GST_VIDEO_FRAME_HEIGHT (&from), GST_VIDEO_FRAME_HEIGHT (&to));
  std::vector<RowsCopy> copies;
  for (int i = 0; i < format.n_planes; i++) {
    const auto [row_bytes, rows] = extent_of (format, i, width, height);
    copies.push_back ({static_cast<const std::byte *> (GST_VIDEO_FRAME_PLANE_DATA (&from, i)),
        stride_in_bytes (from.info, i, GST_VIDEO_FRAME_PLANE_STRIDE (&from, i)),
        static_cast<std::byte *> (GST_VIDEO_FRAME_PLANE_DATA (&to, i)),
        stride_in_bytes (to.info, i, GST_VIDEO_FRAME_PLANE_STRIDE (&to, i)), row_bytes, rows});
  }
  HostCopier::shared ().copy (copies);
}

bool
map_to_read (GstVideoFrame &frame, const GstVideoInfo &info, GstBuffer *buffer)
{
  frame = {}; /* without GstVideoMeta, GStreamer sets only the first of the maps, and require_within() looks at all */
  if (!gst_video_frame_map (&frame, &info, buffer, GST_MAP_READ))
    return false;
  g_autoptr (GError) outside = nullptr;
  const Format &format = *find_format (GST_VIDEO_INFO_FORMAT (&info));
  const bool is_within = run_guarded (&outside, [&] { require_within (frame, info, format); });
  if (!is_within)
    gst_video_frame_unmap (&frame);
  return is_within;
}

bool
copy_buffer (GstBuffer *buffer, GstBuffer *target, const GstVideoInfo &info)
{
  const Format &format = *find_format (GST_VIDEO_INFO_FORMAT (&info));
  GstVideoFrame from = {}, to = {}; /* initialised, because GStreamer 1.22 leaves fields unset if GL maps no pixel buffer */
  if (!gst_video_frame_map (&from, &info, buffer, GST_MAP_READ))
    return false;
  const std::unique_ptr<GstVideoFrame, void (*) (GstVideoFrame *)> mapped (&from, gst_video_frame_unmap);
  require_within (from, info, format); /* each memory of a buffer is mapped separately */
  if (!gst_video_frame_map (&to, &info, target, GST_MAP_WRITE))
    return false;
  copy_frame (to, from, format); /* GStreamer's copy omits the last chroma of packed 4:2:2 of an odd width */
  gst_video_frame_unmap (&to);
  return true;
}

bool
has_default_layout (GstBuffer *buffer, const GstVideoInfo &info)
{
  const GstVideoMeta *meta = gst_buffer_get_video_meta (buffer);
  if (!meta)
    return true;
  for (guint i = 0; i < meta->n_planes; i++)
    if (meta->offset[i] != info.offset[i] || meta->stride[i] != info.stride[i])
      return false;
  return gst_buffer_get_size (buffer) == info.size;
}

BufferRef
copy_in_default_layout (GstBuffer *buffer, const GstVideoInfo &info)
{
  const Format &format = *find_format (GST_VIDEO_INFO_FORMAT (&info));
  require_described (buffer, info);
  require_within (buffer, info, format);
  /* zeros, so that padding holds no old data */
  BufferRef copy (gst_buffer_new_wrapped (g_malloc0 (GST_VIDEO_INFO_SIZE (&info)), GST_VIDEO_INFO_SIZE (&info)));
  if (!copy_buffer (buffer, copy.get (), info))
    throw_map_failure (buffer, info, format);
  constexpr int what = GST_BUFFER_COPY_FLAGS | GST_BUFFER_COPY_TIMESTAMPS | GST_BUFFER_COPY_META;
  gst_buffer_copy_into (copy.get (), buffer, GstBufferCopyFlags (what), 0, gsize (-1));
  if (GstVideoMeta *meta = gst_buffer_get_video_meta (copy.get ()))
    gst_buffer_remove_meta (copy.get (), &meta->meta);
  return copy;
}

[[noreturn]] static void
throw_pool_failure (GstBufferPool *pool, const std::string &memory, const char *what)
{
  if (const std::optional<Failure> failure = take_pool_failure (pool))
    throw *failure;
  throw Failure (GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT,
      "No " + memory + " for video frames. End other programs, or take smaller frames.", what);
}

BufferRef
acquire_buffer (GstBufferPool *pool)
{
  GstBuffer *buffer = nullptr;
  if (gst_buffer_pool_acquire_buffer (pool, &buffer, nullptr) != GST_FLOW_OK)
    throw_pool_failure (pool, "memory", "gst_buffer_pool_acquire_buffer failed");
  return BufferRef (buffer);
}

PoolRef
start_pool (PoolRef pool, GstCaps *caps, guint min_buffers, const char *memory, GstStructure *config)
{
  GstVideoInfo info;
  const guint size = gst_video_info_from_caps (&info, caps) ? guint (GST_VIDEO_INFO_SIZE (&info)) : 0;
  if (!config)
    config = gst_buffer_pool_get_config (pool.get ());
  gst_buffer_pool_config_set_params (config, caps, size, min_buffers, 0);
  gst_buffer_pool_config_add_option (config, GST_BUFFER_POOL_OPTION_VIDEO_META);
  if (!gst_buffer_pool_set_config (pool.get (), config) || !gst_buffer_pool_set_active (pool.get (), TRUE))
    throw_pool_failure (pool.get (), memory, "the buffer pool could not be started");
  return pool;
}

PoolRef
create_pool (const ContextRef &context, GstCaps *caps, guint min_buffers)
{
  return start_pool (PoolRef (gst_cl_buffer_pool_new (context.get ())), caps, min_buffers, "memory");
}

void
offer_pool (GstQuery *query, GstBufferPool *pool, GstCaps *caps, const char *option)
{
  GstVideoInfo info;
  if (!gst_video_info_from_caps (&info, caps))
    return;
  GstStructure *config = gst_buffer_pool_get_config (pool);
  gst_buffer_pool_config_set_params (config, caps, GST_VIDEO_INFO_SIZE (&info), 0, 0);
  if (option)
    gst_buffer_pool_config_add_option (config, option);
  if (!gst_buffer_pool_set_config (pool, config))
    return;
  guint size = 0;
  g_autoptr (GstStructure) settled = gst_buffer_pool_get_config (pool);
  gst_buffer_pool_config_get_params (settled, nullptr, &size, nullptr, nullptr);
  gst_query_add_allocation_pool (query, pool, size, 0, 0);
}

}  // namespace gst::cl
