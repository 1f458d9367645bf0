/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An element's side of a kind of memory that is neither the host's nor OpenCL's. */
#pragma once

#include "memory/link.hpp"

#include <atomic>
#include <type_traits>
#include <utility>

namespace gst::cl {

/** What the property interop asks for. A single way is demanded of frames in the memory that it is for, GL's sharing and external,
 *  CUDA's cuda and DMABuf's dmabuf; others pass as with automatic. */
enum class Interop { automatic, sharing, external, staged, require, cuda, dmabuf };
GST_CL_API GType interop_get_type ();

/** Whether GStreamer 1.22 and later have CUDA memory of a format; its own allocator ends the process at others. */
GST_CL_API bool is_cuda_format (GstVideoFormat format);

template <typename Type> using ObjectRef = Ref<Type, gst_object_ref, gst_object_unref>;

/** That frames in memory of kind cannot pass as interop demands. problem: a sentence without its full stop; reason: why, in words for a
 *  user. */
Failure refusal (MemoryKind kind, const std::string &problem, const std::string &reason);

/** Belongs to one element, which calls it from its own functions of these names. Thread-safe where not said otherwise. */
class GST_CL_API InteropElement {
public:
  /** element: the one that it belongs to. */
  InteropElement (MemoryKind kind, GstElement *element);
  virtual ~InteropElement () = default;

  Interop interop () const { return wanted; }
  void set_interop (Interop interop)
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

  /** Finds out whether this memory is better than system memory here, where that is not known yet. Streaming thread. */
  virtual void explore (const ContextRef &, const GstVideoInfo &) noexcept {}

  /** Whether the last link is to be replaced before buffer. Streaming thread. */
  virtual bool is_stale (GstBuffer *) { return stale.exchange (false); }

  /** The pool and metas for an upstream element that writes such memory. Streaming thread. */
  virtual void propose (const ContextRef &, GstCaps *, bool /* need_pool */, GstQuery *) {}

  /** No link is to be made with this context any more. */
  virtual void forget (const ContextRef &) {}

  /** Drops everything. */
  virtual void reset () { known = direct = warned = false; }

  const MemoryKind kind;

protected:
  /** One warning message that frames are staged. why: for its text; reason: what an expert wants to know. */
  void warn_of_staging (const std::string &why, const std::string &reason);

  /** What GStreamer's helpers keep in pointers of this, which they change under the element's object lock. */
  template <typename Type> ObjectRef<Type> current (Type *const &pointer) const
  {
    const ObjectLock lock (element);
    return ObjectRef<Type>::retain (pointer);
  }
  template <typename Type> void replace (Type *&pointer, std::type_identity_t<Type> *by) const
  {
    auto other = ObjectRef<Type>::retain (by);
    const ObjectLock lock (element);
    other = ObjectRef<Type> (std::exchange (pointer, other.release ()));
  }

  GstElement *const element;
  std::atomic<Interop> wanted;
  std::atomic<bool> stale = false, known = false, direct = false;

private:
  std::atomic<bool> warned = false;
};

/** Of any kind but GL's. */
class MemoryElement : public InteropElement {
public:
  using InteropElement::InteropElement;

  /** A link for frames of info between this memory and a context. Says in one warning message why frames are staged. Streaming
   *  thread. Throws Failure. */
  virtual std::shared_ptr<MemoryLink> link (const ContextRef &, const GstVideoInfo &) = 0;
  /** The same for frames in caps of system memory that may be in this memory all the same; null where that is of no use. */
  virtual std::shared_ptr<MemoryLink> link_unnamed (const ContextRef &, const GstVideoInfo &) { return nullptr; }
};

/** An element's side of CUDA memory, which exchanges CUDA contexts as GStreamer's CUDA elements do, and of DMABuf memory. */
std::unique_ptr<MemoryElement> make_cuda_element (GstElement *element);
std::unique_ptr<MemoryElement> make_dmabuf_element (GstElement *element);
/** One of each kind that this build knows. */
std::vector<std::unique_ptr<MemoryElement>> make_memory_elements (GstElement *element);

}  // namespace gst::cl
