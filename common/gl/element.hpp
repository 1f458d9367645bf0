/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An element's side of GL memory: which GL context, which way to OpenCL. No GL header is needed to use this. */
#pragma once

#include "gl/link.hpp"

#include <atomic>

namespace gst::cl {

/** Belongs to one element, which calls it from its own functions of these names. What stands here is all that a build
 *  without GL has. Thread-safe where not said otherwise. */
class GlElement {
public:
  GlElement ();
  virtual ~GlElement () = default;

  GlInterop interop () const { return wanted; }
  void set_interop (GlInterop interop)
  {
    if (wanted.exchange (interop) != interop)
      stale = true;
  }
  /** Whether a way has been chosen, and whether it is one without copies through the host. */
  bool knows_way () const { return known; }
  bool is_direct () const { return direct; }

  /** True where the stream has to be linked anew. */
  virtual bool set_context (GstContext *) { return false; }
  virtual bool query_context (GstQuery *) { return false; }

  /** Finds out whether GL memory is better than system memory here, where that is not known yet. Streaming thread. */
  virtual void explore (const ContextRef &, const GstVideoInfo &) noexcept {}

  /** A link for frames of info between GL and a context, the element's or one to be used in its place. Says in one
   *  warning message why frames are staged. Streaming thread. Throws Failure. */
  virtual std::shared_ptr<GlLink> link (const ContextRef &, const GstVideoInfo &) { return nullptr; }
  /** Whether the last link is to be replaced before buffer. Streaming thread. */
  virtual bool is_stale (GstBuffer *) { return stale.exchange (false); }

  /** The pool and metas for an upstream element that writes textures. Streaming thread. */
  virtual void propose (const ContextRef &, GstCaps *, bool /* need_pool */, GstQuery *) {}

  /** No link is to be made with this context any more. */
  virtual void forget (const ContextRef &) {}

  /** Drops everything. */
  virtual void reset () {}

protected:
  std::atomic<GlInterop> wanted;
  std::atomic<bool> stale = false, known = false, direct = false;
};

/** With GL where the build has it. */
std::unique_ptr<GlElement> make_gl_element (GstElement *element);

}  // namespace gst::cl
