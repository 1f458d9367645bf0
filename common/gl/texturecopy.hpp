/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copies of textures on the GPU. */
#pragma once

#include "gl/thread.hpp"

namespace gst::cl {

/** Copies by the fastest means of a GL context: a compute shader, else glCopyImageSubData, else a blit. On GPUs for data
 *  centres, which have few units that draw, the latter two are up to 14 times slower. For the GL thread. */
class TextureCopier {
public:
  explicit TextureCopier (GstGLContext *context);
  ~TextureCopier ();
  TextureCopier (const TextureCopier &) = delete;
  TextureCopier &operator= (const TextureCopier &) = delete;

  struct Target {
    guint texture;
    /** A sized format. */
    unsigned format;
    int width, height;
    /** Whether shaders can store into the texture. */
    bool is_storable;
  };

  /** Copies texture `from`, which has the same format and at least the same size. Its target is GL_TEXTURE_2D or
   *  GL_TEXTURE_RECTANGLE. Throws Failure. */
  void copy (guint from, unsigned from_target, const Target &to);

private:
  struct Functions;
  void make_program ();
  bool try_shader (guint from, const Target &to);
  bool try_copy_image (guint from, unsigned from_target, const Target &to);
  void blit (guint from, unsigned from_target, const Target &to);

  GstGLContext *const context;
  std::unique_ptr<Functions> functions;
  guint program = 0;
};

/** Discards the GL errors of earlier calls. Stops after some: a lost context reports errors without end. */
void clear_gl_errors (const GstGLFuncs *gl);

}  // namespace gst::cl
