/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An element's part in the exchange of GL displays and contexts. */
#pragma once

#include "memory/glthread.hpp"

namespace gst::cl {

/** Belongs to one element, which calls it from its own functions of the same names. Thread-safe. */
class GlElement {
public:
  explicit GlElement (GstElement *element) : element (element) {}
  ~GlElement ();

  /** True where the display or the application's context is now another one. */
  bool set_context (GstContext *context);
  bool query_context (GstQuery *query);

  /** The context that the neighbours use, else one of this element's display. Posts and asks as GStreamer's GL elements
   *  do. Throws Failure (RESOURCE, NOT_FOUND). */
  GlContextRef ensure ();
  GlContextRef current ();
  /** Takes the context that buffers come from. */
  void use (GstGLContext *gl);
  /** Drops everything. */
  void reset ();

private:
  GlContextRef find_or_create ();

  GstElement *const element;
  /* all under the element's object lock, as GStreamer's helpers want it */
  GstGLDisplay *display = nullptr;
  GstGLContext *other = nullptr, *context = nullptr;
};

}  // namespace gst::cl
