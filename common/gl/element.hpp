/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An element's side of GL memory: which GL context, which way to OpenCL. No GL header is needed to use this. */
#pragma once

#include "gl/link.hpp"
#include "interop/element.hpp"

namespace gst::cl {

/** What stands here is all that a build without GL has. */
class GlElement : public InteropElement {
public:
  explicit GlElement (GstElement *element) : InteropElement (MemoryKind::gl, element) {}

  /** A link for frames of info between GL and a context, the element's or one to be used in its place. Says in one
   *  warning message why frames are staged. Streaming thread. Throws Failure. */
  virtual std::shared_ptr<GlLink> link (const ContextRef &, const GstVideoInfo &) { return nullptr; }
};

/** With GL where the build has it. */
std::unique_ptr<GlElement> make_gl_element (GstElement *element);

}  // namespace gst::cl
