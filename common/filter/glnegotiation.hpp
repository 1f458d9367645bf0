/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An element's side of GL memory: which GL context, which way to OpenCL, which memory to prefer. In a build without GL
 * there is no GL memory to negotiate, and nothing here does anything. */
#pragma once

#include "filter/caps.hpp"
#include "memory/gllink.hpp"

#include <atomic>

namespace gst::cl {

class GlElement;

/** Belongs to one element. Thread-safe where not said otherwise. */
class GlNegotiation {
public:
  explicit GlNegotiation (GstElement *element);
  ~GlNegotiation ();

  GlInterop interop () const { return wanted; }
  void set_interop (GlInterop interop);

  /** From the element's functions of these names; set_context() is true where the stream has to be linked anew. */
  bool set_context (GstContext *context);
  bool query_context (GstQuery *query);

  /** Memory for the other pad, best first, when a pad has `from`: what needs no copies through the host. */
  std::vector<MemoryKind> preferred (MemoryKind from, const Device &device) const;
  /** Finds out whether GL memory is better than system memory here, where that is not known yet. Streaming thread. */
  void explore (const ContextRef &context, const GstVideoInfo &info) noexcept;

  /** A link for frames of info between GL and a context, the element's or one to be used in its place. Says in one
   *  warning message why frames are staged. Streaming thread. Throws Failure. */
  std::shared_ptr<GlLink> link (const ContextRef &context, const GstVideoInfo &info);
  /** Whether the last link is to be replaced before buffer. Streaming thread. */
  bool is_stale (GstBuffer *buffer);

  /** The pool and metas for an upstream element that writes textures. Streaming thread. */
  void propose (const ContextRef &context, GstCaps *caps, bool need_pool, GstQuery *query);

  /** No link is to be made with this context any more. */
  static void forget (const ContextRef &context);

  void reset ();

private:
  void warn_of_staging (const std::string &reason);

  GstElement *const element;
  std::unique_ptr<GlElement> gl;
  std::atomic<GlInterop> wanted;
  std::atomic<bool> stale = false;
  /** What the last link, or the exploration, showed. */
  std::atomic<bool> known = false, direct = false;

  /* the streaming thread's */
  GlPath path = GlPath::staged;
  bool warned = false;
};

}  // namespace gst::cl
