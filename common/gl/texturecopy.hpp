/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copies of textures on the GPU. */
#pragma once

#include "gl/thread.hpp"

namespace gst::cl {

/** The fastest ways that a GL context offers: a compute shader (GPUs for data centres have few units that draw, so that
 *  the other ways are up to 14 times slower there), glCopyImageSubData, a blit. For use in the GL thread only. */
class TextureCopier {
public:
  explicit TextureCopier (GstGLContext *context);
  ~TextureCopier ();
  TextureCopier (const TextureCopier &) = delete;
  TextureCopier &operator= (const TextureCopier &) = delete;

  struct Target {
    guint texture;
    /** Sized. */
    unsigned format;
    int width, height;
    /** Whether shaders can store into it. */
    bool is_storable;
  };

  /** Copies texture `from` of the same format and at least the same size; its target is GL_TEXTURE_2D or
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

/** GL may have errors in store from anybody; a context that was lost never runs out of them. */
void clear_gl_errors (const GstGLFuncs *gl);

}  // namespace gst::cl
