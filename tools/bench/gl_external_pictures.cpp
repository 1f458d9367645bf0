/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gl_external.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <random>

namespace external_bench {

namespace {

constexpr TextureFormat formats[] = {rgba8, {"R8", GST_GL_R8, GL_RED, GL_UNSIGNED_BYTE, 1, 8},
    {"RG8", GST_GL_RG8, GL_RG, GL_UNSIGNED_BYTE, 2, 8}, {"R16", GST_GL_R16, GL_RED, GL_UNSIGNED_SHORT, 1, 16},
    {"RG16", GST_GL_RG16, GL_RG, GL_UNSIGNED_SHORT, 2, 16}, {"RGBA16", GST_GL_RGBA16, GL_RGBA, GL_UNSIGNED_SHORT, 4, 16}};

}  // namespace

void
Bench::run_kernel (const ExternalImage &in, const ExternalImage &out)
{
  invert.setArg (0, in.image ());
  invert.setArg (1, out.image ());
  queue.enqueueNDRangeKernel (invert, ::cl::NullRange, ::cl::NDRange (in.width, in.height));
}

void
Bench::convert (const ExternalImage &in, const ExternalImage &out)
{
  const cl_mem both[] = {in.image () (), out.image () ()};
  memory->importer ().acquire (queue (), both, {});
  run_kernel (in, out);
  memory->importer ().release (queue (), both, {});
}

void
upload (const GstGLFuncs *gl, guint texture, const TextureFormat &format, Size size, const void *data)
{
  gl->BindTexture (GL_TEXTURE_2D, texture);
  gl->PixelStorei (GL_UNPACK_ALIGNMENT, 1);
  gl->TexSubImage2D (GL_TEXTURE_2D, 0, 0, 0, size.width, size.height, format.layout, format.type, data);
  gl->PixelStorei (GL_UNPACK_ALIGNMENT, 4);
  gl->BindTexture (GL_TEXTURE_2D, 0);
}

void
attach (const GstGLFuncs *gl, guint framebuffer, guint texture)
{
  gl->BindFramebuffer (GL_FRAMEBUFFER, framebuffer);
  gl->FramebufferTexture2D (GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, 0);
}

void
download (const GstGLFuncs *gl, guint texture, const TextureFormat &format, Size size, void *data)
{
  /* GStreamer relies on GL's initial alignment, so it is restored */
  guint framebuffer;
  gl->GenFramebuffers (1, &framebuffer);
  attach (gl, framebuffer, texture);
  gl->PixelStorei (GL_PACK_ALIGNMENT, 1);
  gl->ReadPixels (0, 0, size.width, size.height, format.layout, format.type, data);
  gl->PixelStorei (GL_PACK_ALIGNMENT, 4);
  gl->BindFramebuffer (GL_FRAMEBUFFER, 0);
  gl->DeleteFramebuffers (1, &framebuffer);
}

std::vector<uint8_t>
random_bytes (size_t n)
{
  static std::mt19937_64 generator (1);
  std::vector<uint8_t> bytes (n);
  for (size_t at = 0; at < n; at += sizeof (uint64_t)) {
    const uint64_t value = generator ();
    std::memcpy (&bytes[at], &value, std::min (sizeof value, n - at));
  }
  return bytes;
}

guint
make_foreign_texture (const GstGLFuncs *gl, const TextureFormat &format, Size size, const void *data)
{
  guint texture;
  gl->GenTextures (1, &texture);
  gl->BindTexture (GL_TEXTURE_2D, texture);
  gl->PixelStorei (GL_UNPACK_ALIGNMENT, 1);
  gl->TexImage2D (GL_TEXTURE_2D, 0, format.format, size.width, size.height, 0, format.layout, format.type, data);
  gl->PixelStorei (GL_UNPACK_ALIGNMENT, 4);
  gl->TexParameteri (GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
  gl->BindTexture (GL_TEXTURE_2D, 0);
  return texture;
}

/* GL writes, OpenCL inverts, GL reads, with a wait on the host on both sides; the input is written in place, or copied from a
 * foreign texture. */
void
check_picture (Bench &bench, const TextureFormat &format, Size size, bool copy)
{
  const auto in = bench.memory->create_image (format.format, size.width, size.height);
  const auto out = bench.memory->create_image (format.format, size.width, size.height);
  const std::vector<uint8_t> sent = random_bytes (size_t (size.width) * size.height * format.samples * format.bits / 8);
  std::vector<uint8_t> received (sent.size (), 0x5a);
  upload (bench.gl, out->texture (), format, size, random_bytes (sent.size ()).data ());
  if (copy) {
    const guint foreign = make_foreign_texture (bench.gl, format, size, sent.data ());
    copy_texture (foreign, GL_TEXTURE_2D, *in);
    bench.gl->DeleteTextures (1, &foreign);
  } else {
    upload (bench.gl, in->texture (), format, size, sent.data ());
  }
  bench.gl->Finish ();
  bench.convert (*in, *out);
  bench.queue.finish ();
  download (bench.gl, out->texture (), format, size, received.data ());
  size_t wrong = 0;
  for (size_t at = 0; at < sent.size (); at++)
    wrong += received[at] != uint8_t (~sent[at]);
  if (wrong) {
    bench.failures++;
    std::printf ("%s %dx%d%s: %zu of %zu bytes are wrong\n", format.name, size.width, size.height, copy ? ", copied" : "",
        wrong, sent.size ());
  }
}

void
try_picture (Bench &bench, const TextureFormat &format, Size size, bool copy)
{
  GError *error = nullptr;
  if (run_guarded (&error, [&] { check_picture (bench, format, size, copy); }))
    return;
  bench.failures++;
  std::printf ("%s %dx%d: %s\n", format.name, size.width, size.height, error->message);
  g_clear_error (&error);
}

void
check_pictures (Bench &bench)
{
  int checked = 0;
  for (const TextureFormat &format : formats)
    for (const Size size : {sizes[0], sizes[1], sizes[2], Size{1, 1}, Size{37, 5}, Size{641, 479}})
      for (const bool copy : {false, true}) {
        try_picture (bench, format, size, copy);
        checked++;
      }
  std::printf ("pictures: %d checked, %d wrong\n", checked, bench.failures);
}

void
fill_frame (GstVideoFrame *frame, std::vector<std::vector<uint8_t>> *rows, bool check, int *wrong)
{
  size_t row = 0;
  for (guint plane = 0; plane < GST_VIDEO_FRAME_N_PLANES (frame); plane++) {
    gint components[GST_VIDEO_MAX_COMPONENTS];
    gst_video_format_info_component (frame->info.finfo, plane, components);
    const size_t bytes =
        size_t (GST_VIDEO_FRAME_COMP_WIDTH (frame, components[0])) * GST_VIDEO_FRAME_COMP_PSTRIDE (frame, components[0]);
    for (int y = 0; y < GST_VIDEO_FRAME_COMP_HEIGHT (frame, components[0]); y++, row++) {
      auto *line = static_cast<uint8_t *> (GST_VIDEO_FRAME_PLANE_DATA (frame, plane))
                   + ptrdiff_t (y) * GST_VIDEO_FRAME_PLANE_STRIDE (frame, plane);
      if (!check) {
        rows->push_back (random_bytes (bytes));
        std::memcpy (line, rows->back ().data (), bytes);
      } else {
        for (size_t at = 0; at < bytes; at++)
          *wrong += line[at] != uint8_t (~(*rows)[row][at]);
      }
    }
  }
}

void
check_pool (Bench &bench, const char *format)
{
  const std::string text = std::string ("video/x-raw(memory:GLMemory),texture-target=2D,framerate=30/1,width=322,"
                                        "height=242,format=")
                           + format;
  GstCaps *caps = gst_caps_from_string (text.c_str ());
  GstVideoInfo info;
  gst_video_info_from_caps (&info, caps);
  GstBufferPool *pool = external_pool_new (bench.memory);
  GstStructure *config = gst_buffer_pool_get_config (pool);
  gst_buffer_pool_config_set_params (config, caps, GST_VIDEO_INFO_SIZE (&info), 2, 0);
  gst_buffer_pool_config_add_option (config, GST_BUFFER_POOL_OPTION_VIDEO_META);
  gst_buffer_pool_config_add_option (config, GST_BUFFER_POOL_OPTION_GL_SYNC_META);
  GstBuffer *in = nullptr, *out = nullptr;
  int wrong = -1;
  if (gst_buffer_pool_set_config (pool, config) && gst_buffer_pool_set_active (pool, TRUE)
      && gst_buffer_pool_acquire_buffer (pool, &in, nullptr) == GST_FLOW_OK
      && gst_buffer_pool_acquire_buffer (pool, &out, nullptr) == GST_FLOW_OK) {
    std::vector<std::vector<uint8_t>> rows;
    GstVideoFrame frame, gl_in, gl_out;
    wrong = 0;
    gst_video_frame_map (&frame, &info, in, GST_MAP_WRITE);
    fill_frame (&frame, &rows, false, nullptr);
    gst_video_frame_unmap (&frame);
    gst_video_frame_map (&gl_in, &info, in, GstMapFlags (GST_MAP_READ | GST_MAP_GL));
    gst_video_frame_map (&gl_out, &info, out, GstMapFlags (GST_MAP_WRITE | GST_MAP_GL));
    bench.gl->Finish ();
    for (guint plane = 0; plane < GST_VIDEO_INFO_N_PLANES (&info); plane++)
      bench.convert (
          *external_image_of (gst_buffer_peek_memory (in, plane)), *external_image_of (gst_buffer_peek_memory (out, plane)));
    bench.queue.finish ();
    gst_video_frame_unmap (&gl_out);
    gst_video_frame_unmap (&gl_in);
    gst_video_frame_map (&frame, &info, out, GST_MAP_READ);
    fill_frame (&frame, &rows, true, &wrong);
    gst_video_frame_unmap (&frame);
  }
  gst_clear_buffer (&in);
  gst_clear_buffer (&out);
  gst_buffer_pool_set_active (pool, FALSE);
  gst_object_unref (pool);
  gst_caps_unref (caps);
  bench.failures += wrong != 0;
  if (wrong > 0)
    std::printf ("pool of %s: %d bytes are WRONG\n", format, wrong);
  else
    std::printf ("pool of %s: %s\n", format, wrong ? "FAILED" : "exact");
}

}  // namespace external_bench
