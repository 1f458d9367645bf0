/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gl/textures.hpp"
#include "gl/interop.hpp"

namespace gst::cl {

GstGLFormat
sized_format (GstGLContext *gl, GstGLFormat format)
{
  GstGLFormat unsized;
  guint type;
  gst_gl_format_type_from_sized_gl_format (format, &unsized, &type);
  return GstGLFormat (gst_gl_sized_gl_format_from_gl_format_type (gl, unsized, type));
}

/* GStreamer's textures of packed 4:2:2 have a pixel of two samples for each luma sample. Of an odd width they lack the last
 * chroma sample. */
static bool
is_in_pairs (const Format &format)
{
  return format.model == ColorModel::yuv && format.n_planes == 1 && format.planes[0].subsample_x > 0;
}

static const PlaneLayout &
texture_layout (const Format &format, int plane)
{
  static constexpr PlaneLayout pixels{2, {first, second, padding, padding}, 0, 0};
  return is_in_pairs (format) ? pixels : format.planes[plane];
}

TextureFrames::TextureFrames (GlPath way_, ContextRef context_, GlContextRef gl_, const GstVideoInfo &info_)
    : GlLink (way_, std::move (context_)), gl (std::move (gl_)), info (info_),
      format (*find_format (GST_VIDEO_INFO_FORMAT (&info)))
{
}

/* Of GStreamer's textures, with sync points for readers in other GL contexts. */
PoolRef
TextureFrames::create_pool (GstCaps *caps, guint min_buffers)
{
  PoolRef pool = propose_gl_pool (way, context, gl.get ());
  GstStructure *config = gst_buffer_pool_get_config (pool.get ());
  gst_buffer_pool_config_add_option (config, GST_BUFFER_POOL_OPTION_GL_SYNC_META);
  return start_pool (std::move (pool), caps, min_buffers, "GL memory", config);
}

void
TextureFrames::require_moved () const
{
  visit ([this] { require_sound_gl (gl.get ()); });
}

bool
TextureFrames::reaches (GstBuffer *buffer, bool) const
{
  if (!has_textures () || int (gst_buffer_n_memory (buffer)) != format.n_planes
      || (is_in_pairs (format) && GST_VIDEO_INFO_WIDTH (&info) % 2))
    return false;
  for (int i = 0; i < format.n_planes; i++) {
    GstMemory *memory = gst_buffer_peek_memory (buffer, i);
    if (!gst_is_gl_memory (memory))
      return false;
    auto *texture = reinterpret_cast<GstGLMemory *> (memory);
    const PlaneLayout &layout = texture_layout (format, i);
    if (texture->tex_target != GST_GL_TEXTURE_TARGET_2D || !gst_gl_context_can_share (texture->mem.context, gl.get ())
        || gst_gl_memory_get_texture_width (texture) != plane_width (layout, GST_VIDEO_INFO_WIDTH (&info))
        || gst_gl_memory_get_texture_height (texture) != plane_height (layout, GST_VIDEO_INFO_HEIGHT (&info)))
      return false;
  }
  return true;
}

/* A GL map uploads the host's changes, and records which side is current. The texture need not stay mapped, because the frame
 * keeps the buffer. */
static void
touch_texture (GstMemory *memory, GstMapFlags access)
{
  GstMapInfo map = {};
  const auto flags = static_cast<GstMapFlags> (int (access) | int (GST_MAP_GL));
  if (!gst_memory_map (memory, &map, flags))
    throw Failure (GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_READ,
        "A video frame in GL memory could not be mapped. Start the pipeline again; if it fails again, end other programs that "
        "use "
        "the GPU.",
        "gst_memory_map with GST_MAP_GL failed");
  gst_memory_unmap (memory, &map);
}

Frame
TextureFrames::view (GstBuffer *buffer, GstMapFlags access)
{
  Frame frame = Frame::of_images (context, buffer);
  frame.n_planes = format.n_planes;
  for (int i = 0; i < format.n_planes; i++) {
    GstMemory *memory = gst_buffer_peek_memory (buffer, i);
    touch_texture (memory, access);
    const PlaneLayout &layout = texture_layout (format, i);
    auto *texture = reinterpret_cast<GstGLMemory *> (memory);
    const bool split = format.sample_bits == 16 && sized_format (gl.get (), texture->tex_format) == GST_GL_RG8;
    frame.planes[i] = {.memory = image_of (texture, access & GST_MAP_WRITE),
        .offset = 0,
        .stride = 1,
        .width = plane_width (layout, GST_VIDEO_INFO_WIDTH (&info)),
        .height = plane_height (layout, GST_VIDEO_INFO_HEIGHT (&info)),
        .layout = &layout,
        .image = true,
        .split = split};
  }
  return frame;
}

/* Another GL context may have written the buffer, even one of this context's pool. Its sync point orders its commands before
 * this context's. */
Frame
TextureFrames::read (GstBuffer *buffer)
{
  GstGLContext *writer = reinterpret_cast<GstGLMemory *> (gst_buffer_peek_memory (buffer, 0))->mem.context;
  GstGLSyncMeta *sync = gst_buffer_get_gl_sync_meta (buffer);
  if (sync && waits_on_host ())
    gst_gl_sync_meta_wait_cpu (sync, gl.get ());
  else if (sync)
    gst_gl_sync_meta_wait (sync, gl.get ());
  else if (writer != gl.get ())
    run_in_gl_thread (writer, [writer] { finish_gl (writer); });
  return view (buffer, GST_MAP_READ);
}

}  // namespace gst::cl
