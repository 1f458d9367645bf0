/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* GL contexts and pools of textures, for tests of these. */
#pragma once

#include <gst/gl/gl.h>

#include "gl.hpp"

namespace test {

struct GlContext {
  /* In another context's share group, or in a new one. A separate display has the context, so that elements find it there. */
  explicit GlContext (GstGLDisplay *display = nullptr, GstGLContext *share_with = nullptr);
  ~GlContext ();
  GlContext (const GlContext &) = delete;

  GstGLDisplay *display;
  GstGLContext *context = nullptr; /* null if GL fails */
};

/* The context of share_gl() and to_textures(). */
GlContext &own_gl ();

/* caps are those of system memory; buffers have a GstGLSyncMeta if with_sync is set. */
struct GlPool : Pool {
  GlPool (GstGLContext *context, const GstCaps *caps, bool with_sync = true);
};

/* Writes a picture into a buffer of a GlPool; see to_textures(). */
void fill_textures (GstBuffer *buffer, const ref::Picture &picture, Storage storage, const GstCaps *caps);

}  // namespace test
