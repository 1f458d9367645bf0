/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "filter/port.hpp"

#include "interop/caps.hpp"

#include <gst/cl/gstclbufferpool.h>

#include <algorithm>

namespace gst::cl {

namespace {

/* For caps that passed negotiation but are not video, or whose size overflows GStreamer's types. */
Failure
refusal_of (GstCaps *caps)
{
  const GstStructure *structure = gst_caps_get_structure (caps, 0);
  g_autofree gchar *text = gst_caps_to_string (caps);
  const gchar *format = gst_structure_get_string (structure, "format");
  int width = 0, height = 0;
  if (const gchar *mode = gst_structure_get_string (structure, "interlace-mode"); mode && g_str_equal (mode, "alternate"))
    if (!has_single_fields (caps))
      return Failure (GST_CORE_ERROR, GST_CORE_ERROR_NEGOTIATION,
          "Caps with interlace-mode=alternate lack the feature " GST_CAPS_FEATURE_FORMAT_INTERLACED ".", text);
  if (!format || !gst_structure_get_int (structure, "width", &width) || !gst_structure_get_int (structure, "height", &height))
    return Failure (GST_CORE_ERROR, GST_CORE_ERROR_NEGOTIATION, "The caps do not describe video.", text);
  return Failure (GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
      "Video frames of " + std::to_string (width) + "x" + std::to_string (height) + " " + format
          + " are too large for GStreamer.",
      text);
}

}  // namespace

GstVideoInfo
parse_caps (GstCaps *caps)
{
  GstVideoInfo info;
  if (!video_info_from_caps (info, caps))
    throw refusal_of (caps);
  /* GStreamer replaces this field by its default in caps without a colorimetry */
  if (const gchar *site = gst_structure_get_string (gst_caps_get_structure (caps, 0), "chroma-site"))
    info.chroma_site = gst_video_chroma_site_from_string (site);
  return info;
}

Port::Port (const ContextRef &context, const MemoryLinks &all, const GstVideoInfo &info, MemoryKind kind_, bool writes_)
    : FrameMapper (context, info, writes_ || kind_ == MemoryKind::system || kind_ == MemoryKind::opencl, all), kind (kind_),
      gl (static_cast<GlLink *> (find_link (links, MemoryKind::gl))), link (find_link (links, kind)), writes (writes_)
{
}

bool
Port::reaches_texture (GstBuffer *buffer) const
{
  return kind == MemoryKind::gl && gl->reaches (buffer, writes);
}

void
Port::map (PortFrame &of, cl_command_queue queue)
{
  if (writes)
    of.frame.emplace (of.texture ? gl->write (of.buffer) : write (of.buffer, queue));
  else
    of.frame.emplace (of.texture ? gl->read (of.buffer) : read (of.buffer, queue));
  if (writes)
    return;
  const bool by_host = g_str_equal (of.frame->path, "upload") || g_str_equal (of.frame->path, "host-shared");
  of.staged = kind == MemoryKind::gl ? !of.texture : is_foreign (kind) && by_host;
}

void
Port::for_each_link (std::span<PortFrame *const> textures, const std::function<void (GlLink &, std::span<Frame *const>)> &work)
{
  while (!textures.empty ()) {
    GlLink *const link = textures.front ()->port->gl;
    std::vector<Frame *> frames;
    for (; !textures.empty () && textures.front ()->port->gl == link; textures = textures.subspan (1))
      frames.push_back (&*textures.front ()->frame);
    work (*link, frames);
  }
}

void
Port::acquire (std::span<PortFrame *const> textures, cl_command_queue queue, std::vector<::cl::Event> &wait, bool &acquired)
{
  for_each_link (textures, [&] (GlLink &link, std::span<Frame *const> frames) {
    link.acquire (frames, queue, wait);
    acquired = true;
  });
}

::cl::Event
Port::release (std::span<PortFrame *const> textures, cl_command_queue queue)
{
  ::cl::Event released;
  for_each_link (textures, [&] (GlLink &link, std::span<Frame *const> frames) { released = link.release (frames, queue); });
  return released;
}

void
Port::visit (std::span<PortFrame *const> textures, const std::function<void ()> &work)
{
  const PortFrame &result = *textures.back ();
  (result.port->writes ? result : *textures.front ()).port->gl->visit (work);
}

void
Port::require_moved (const Port *before) const
{
  if (gl && !gl->has_textures () && !(before && before->gl == gl))
    gl->require_moved ();
}

void
Port::forget_links ()
{
  gl = nullptr;
  link = nullptr;
  links.clear ();
}

void
Port::count (LinkCounts &sum, const Port *other) const
{
  for (const auto &each : links)
    if (!other || std::ranges::find (other->links, each) == other->links.end ())
      sum += each->counts;
}

OutputPort::OutputPort (
    const ContextRef &context, const MemoryLinks &all, const GstVideoInfo &info, MemoryKind kind, GstCaps *caps)
    : Port (context, all, info, kind, true)
{
  if (!caps)
    return;
  pool = link ? link->create_pool (caps, most_frames_under_way) : create_pool (context, caps, most_frames_under_way);
  if (!is_foreign (kind))
    return;
  g_autoptr (GstCaps) staging = with_memory (caps, {MemoryKind::opencl});
  staging_pool = create_pool (context, staging, kind != MemoryKind::gl || has_textures () ? 0 : most_frames_under_way);
}

OutputPort::~OutputPort ()
{
  next = {};
  for (const PoolRef &each : {pool, staging_pool})
    if (each)
      gst_buffer_pool_set_active (each.get (), FALSE);
}

PortFrame
OutputPort::open (GstBuffer *result)
{
  PortFrame frame{.port = this, .buffer = nullptr, .texture = reaches_texture (result)};
  frame.kept = link ? link->reach_result (result) : BufferRef::retain (result);
  frame.staged = !frame.texture && (!frame.kept || !is_on_device (frame.kept.get ()));
  if (frame.staged)
    frame.kept = acquire_buffer (staging_pool.get ());
  frame.buffer = frame.kept.get ();
  return frame;
}

gsize
OutputPort::close (const PortFrame &frame, GstBuffer *result)
{
  if (!copy_buffer (frame.buffer, result, info)) {
    frame_buffer_of (frame.buffer)->context ().require_alive ();
    throw Failure (GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_WRITE,
        "A result could not be copied to another interface's memory. Start the pipeline again; if that fails, too, put a "
        "capsfilter with video/x-raw behind the element, so that results stay in system memory.",
        "gst_video_frame_map failed");
  }
  return GST_VIDEO_INFO_SIZE (&info);
}

guint64
OutputPort::all_allocations () const
{
  guint64 count = allocations ();
  for (const PoolRef &each : {pool, staging_pool})
    if (each && GST_IS_CL_BUFFER_POOL (each.get ()))
      count += pool_allocations (each.get ());
  return count;
}

OwnSource::OwnSource (const ContextRef &context, const MemoryLinks &all, const GstVideoInfo &info_, MemoryKind kind_)
    : Port (context, all, info_, kind_), reader (context, format.seen_by_filters (),
                                             has_textures () ? Backend::image : Context::of (context.get ()).device.backend),
      entrance (format, info)
{
}

bool
OwnSource::suits (const GstVideoInfo &other, MemoryKind other_kind) const
{
  return other_kind == kind && gst_video_info_is_equal (&other, &info);
}

guint64
OwnSource::new_allocations ()
{
  const guint64 count = allocations () + reader.memory.allocations;
  if (!allocations_at_first)
    allocations_at_first = count;
  return count - *allocations_at_first;
}

}  // namespace gst::cl
