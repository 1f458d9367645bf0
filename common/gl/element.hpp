/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* GL memory for an element: chooses the GL context and the path to OpenCL. Needs no GL header. */
#pragma once

#include "gl/link.hpp"
#include "interop/element.hpp"

namespace gst::cl {

/** GL memory of one element. This base class is complete in a build without GL. */
class GlElement : public InteropElement {
public:
  explicit GlElement (GstElement *element) : InteropElement (MemoryKind::gl, element) {}

  /** A link for frames of info between GL and the element's context, or a context that replaces it. If frames are staged, posts
   *  one warning message with the reason. Streaming thread. Throws Failure. */
  virtual std::shared_ptr<GlLink> link (const ContextRef &, const GstVideoInfo &) { return nullptr; }
};

/** Creates the GL memory of an element; without GL in the build, one that makes no links. */
std::unique_ptr<GlElement> make_gl_element (GstElement *element);

}  // namespace gst::cl
