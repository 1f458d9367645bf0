/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* GL contexts and pools of textures for tests that are about them. */
#pragma once

#include <gst/gl/gl.h>

#include "gl.hpp"

namespace test {

struct GlContext {
  /* In a share group with another, or in one of its own. A display of its own knows the context, so that elements find
   * it there. */
  explicit GlContext (GstGLDisplay *display = nullptr, GstGLContext *share_with = nullptr);
  ~GlContext ();
  GlContext (const GlContext &) = delete;

  GstGLDisplay *display;
  GstGLContext *context = nullptr; /* none where GL fails */
};

/* The one of share_gl() and to_textures(). */
GlContext &own_gl ();

class GlPool {
public:
  /* caps are those of system memory; buffers have a GstGLSyncMeta where that is asked for. */
  GlPool (GstGLContext *context, const GstCaps *caps, bool with_sync = true);
  ~GlPool ();
  GlPool (const GlPool &) = delete;

  GstBuffer *acquire ();

private:
  GstBufferPool *pool;
};

/* Writes a picture into a buffer of a GlPool, see to_textures(). */
void fill_textures (GstBuffer *buffer, const ref::Picture &picture, Storage storage, const GstCaps *caps);

}  // namespace test
