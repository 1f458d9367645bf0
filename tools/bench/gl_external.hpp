/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gl/external.hpp"

#include <gst/gl/gstglfuncs.h>

namespace external_bench {

using namespace gst::cl;

struct Size {
  int width, height;
};
constexpr Size sizes[] = {{1280, 720}, {1920, 1080}, {3840, 2160}};

struct TextureFormat {
  const char *name;
  GstGLFormat format;
  GLenum layout, type;
  int samples, bits;
};
constexpr TextureFormat rgba8 = {"RGBA8", GST_GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE, 4, 8};

/** Everything that lives as long as the program; used only in the GL thread. */
struct Bench {
  GstGLContext *gl_context;
  const GstGLFuncs *gl;
  ContextRef context;
  std::shared_ptr<ExternalMemory> memory;
  ::cl::Kernel invert;
  ::cl::CommandQueue queue;
  int failures = 0;

  void run_kernel (const ExternalImage &in, const ExternalImage &out);
  void convert (const ExternalImage &in, const ExternalImage &out);
};

void attach (const GstGLFuncs *gl, guint framebuffer, guint texture);
void download (const GstGLFuncs *gl, guint texture, const TextureFormat &format, Size size, void *data);
/** Makes a texture as other elements do. */
guint make_foreign_texture (const GstGLFuncs *gl, const TextureFormat &format, Size size, const void *data);

/** Tests every format and many sizes through GL, OpenCL and GL, byte by byte. Counts failures. */
void check_pictures (Bench &bench);
/** Tests the pool's buffers as elements use them: the host writes one, OpenCL inverts it into another, the host reads that
 *  one. */
void check_pool (Bench &bench, const char *format);

}  // namespace external_bench
