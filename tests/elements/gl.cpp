/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gl.hpp"

#include <map>

#include "cuda.hpp"
#include "gl_context.hpp"

namespace test {

void
prefer_headless_gl ()
{
  /* GStreamer 1.26 prefers OpenGL ES, with which it cannot read textures of two components of 16 bits */
  if (!g_getenv ("GST_GL_API"))
    g_setenv ("GST_GL_API", "opengl3", TRUE);
  if (g_getenv ("GST_GL_PLATFORM") || g_getenv ("GST_GL_WINDOW") || g_getenv ("DISPLAY") || g_getenv ("WAYLAND_DISPLAY"))
    return;
  g_setenv ("GST_GL_PLATFORM", "egl", TRUE);
  g_setenv ("GST_GL_WINDOW", "egl-device", TRUE);
}

GlContext::GlContext (GstGLDisplay *of_display, GstGLContext *share_with) : display (of_display)
{
  if (display)
    gst_object_ref (display);
  else
    display = gst_gl_display_new ();
  GST_OBJECT_LOCK (display);
  if (gst_gl_display_create_context (display, share_with, &context, nullptr) && !of_display)
    gst_gl_display_add_context (display, context);
  GST_OBJECT_UNLOCK (display);
}

GlContext::~GlContext ()
{
  gst_clear_object (&context);
  gst_object_unref (display);
}

GlContext &
own_gl ()
{
  /* never freed, because textures, and OpenCL's objects for them, may live as long */
  static GlContext &own = *new GlContext;
  test_check (own.context, "no GL context can be made");
  return own;
}

/* In a child, because drivers' threads do not survive the fork that libcheck makes for each test. */
bool
gl_present ()
{
  const auto any_context = [] {
    gst_init (nullptr, nullptr);
    if (tests_cuda ())
      return cuda_present ();
    return GlContext ().context != nullptr;
  };
  return is_true_elsewhere (any_context);
}

bool
fits_texture (GstVideoFormat format)
{
  if (tests_cuda ())
    return fits_cuda (format);
  /* OpenCL has no images for them */
  if (format == GST_VIDEO_FORMAT_RGB || format == GST_VIDEO_FORMAT_BGR)
    return false;
  /* newer releases of GStreamer support more */
  static const GstCaps *textures = gst_caps_from_string ("video/x-raw,format=" GST_GL_MEMORY_VIDEO_FORMATS_STR);
  const Own caps = gst_caps_new_simple ("video/x-raw", "format", G_TYPE_STRING, gst_video_format_to_string (format), nullptr);
  return gst_caps_can_intersect (caps, textures);
}

std::string
with_gl (const std::string &caps)
{
  if (tests_cuda ())
    return with_cuda (caps);
  std::string text = caps;
  text.insert (text.find (','), "(memory:GLMemory)");
  return text + ",texture-target=2D";
}

void
share_gl (GstElement *element)
{
  if (tests_cuda ())
    return share_cuda (element);
  const Own context = gst_context_new (GST_GL_DISPLAY_CONTEXT_TYPE, TRUE);
  gst_context_set_gl_display (context, own_gl ().display);
  gst_element_set_context (element, context);
}

static Own<GstCaps>
in_textures (const GstCaps *caps)
{
  GstCaps *gl_caps = gst_caps_copy (caps);
  gst_caps_set_features (gl_caps, 0, gst_caps_features_new (GST_CAPS_FEATURE_MEMORY_GL_MEMORY, nullptr));
  return gl_caps;
}

GlPool::GlPool (GstGLContext *context, const GstCaps *caps, bool with_sync)
    : Pool (gst_gl_buffer_pool_new (context), in_textures (caps), info_of (caps).size, 0, 0,
        {GST_BUFFER_POOL_OPTION_VIDEO_META,
            with_sync ? GST_BUFFER_POOL_OPTION_GL_SYNC_META : GST_BUFFER_POOL_OPTION_VIDEO_META})
{
}

/* In the GL thread: mapping with GST_MAP_GL enqueues the upload. */
static void
upload (GstGLContext *context, gpointer data)
{
  GstBuffer *buffer = (GstBuffer *) data;
  for (guint i = 0; i < gst_buffer_n_memory (buffer); i++) {
    GstMapInfo map;
    GstMemory *memory = gst_buffer_peek_memory (buffer, i);
    if (gst_memory_map (memory, &map, (GstMapFlags) ((int) GST_MAP_READ | (int) GST_MAP_GL)))
      gst_memory_unmap (memory, &map);
  }
  if (GstGLSyncMeta *sync = gst_buffer_get_gl_sync_meta (buffer))
    gst_gl_sync_meta_set_sync_point (sync, context);
}

void
fill_textures (GstBuffer *buffer, const ref::Picture &picture, Storage storage, const GstCaps *caps)
{
  write_picture (buffer, picture, caps);
  if (storage != Storage::Tight)
    gst_gl_context_thread_add (((GstGLMemory *) gst_buffer_peek_memory (buffer, 0))->mem.context, upload, buffer);
}

GstBuffer *
to_textures (const ref::Picture &picture, Storage storage, const GstCaps *caps)
{
  if (tests_cuda ())
    return to_cuda (picture, storage, caps);
  static std::map<std::string, GlPool> &pools = *new std::map<std::string, GlPool>;
  GstBuffer *buffer = pools.try_emplace (text_of (gst_caps_to_string (caps)), own_gl ().context, caps).first->second.acquire ();
  fill_textures (buffer, picture, storage, caps);
  return buffer;
}

namespace {
struct Download {
  GstBuffer *textures;
  guint8 *planes[GST_VIDEO_MAX_PLANES];
  bool done = true;
};
}  // namespace

/* In the GL thread: mapping uploads data that is still on the host. */
static void
download (GstGLContext *, gpointer data)
{
  Download *request = (Download *) data;
  for (guint i = 0; i < gst_buffer_n_memory (request->textures); i++) {
    GstMapInfo map;
    GstMemory *memory = gst_buffer_peek_memory (request->textures, i);
    if (!gst_memory_map (memory, &map, (GstMapFlags) ((int) GST_MAP_READ | (int) GST_MAP_GL))) {
      request->done = false;
      return;
    }
    request->done = gst_gl_memory_read_pixels ((GstGLMemory *) memory, request->planes[i]) && request->done;
    gst_memory_unmap (memory, &map);
  }
}

ref::Picture
from_textures (GstBuffer *buffer, const GstCaps *caps)
{
  if (tests_cuda ())
    return from_cuda (buffer, caps);
  const GstVideoInfo info = info_of (caps);
  test_check (has_textures (buffer) && gst_buffer_n_memory (buffer) == GST_VIDEO_INFO_N_PLANES (&info),
      "a buffer of %u memories is not one texture for each plane", gst_buffer_n_memory (buffer));
  GstGLContext *reader = ((GstGLMemory *) gst_buffer_peek_memory (buffer, 0))->mem.context;
  if (GstGLSyncMeta *sync = gst_buffer_get_gl_sync_meta (buffer))
    gst_gl_sync_meta_wait (sync, reader);

  const Own copy = gst_buffer_new_allocate (nullptr, GST_VIDEO_INFO_SIZE (&info), nullptr);
  GstMapInfo map;
  gst_buffer_map (copy, &map, GST_MAP_WRITE);
  Download request{.textures = buffer, .planes = {}};
  for (guint i = 0; i < GST_VIDEO_INFO_N_PLANES (&info); i++)
    request.planes[i] = map.data + GST_VIDEO_INFO_PLANE_OFFSET (&info, i);
  gst_gl_context_thread_add (reader, download, &request);
  gst_buffer_unmap (copy, &map);
  test_check (request.done, "a texture cannot be read");
  return from_buffer (copy, caps);
}

bool
has_textures (GstBuffer *buffer)
{
  if (tests_cuda ())
    return is_in_cuda (buffer);
  for (guint i = 0; i < gst_buffer_n_memory (buffer); i++)
    if (!gst_is_gl_memory (gst_buffer_peek_memory (buffer, i)))
      return false;
  return gst_buffer_n_memory (buffer) > 0;
}

}  // namespace test
