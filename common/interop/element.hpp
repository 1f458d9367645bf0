/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Memory of other interfaces (GL, CUDA, DMABuf) for an element. */
#pragma once

#include "memory/link.hpp"

#include <atomic>
#include <type_traits>
#include <utility>

namespace gst::cl {

/** Values of the property interop. sharing and external force a path for GL memory, cuda for CUDA memory, dmabuf for dma-bufs;
 *  other memory is treated as with automatic. */
enum class Interop { automatic, sharing, external, staged, require, cuda, dmabuf };
GST_CL_API GType interop_get_type ();
/** $GST_CL_INTEROP, or the older $GST_CL_GL_INTEROP, replaces the default in a process. */
Interop default_interop ();

/** Whether GStreamer 1.22 and later have CUDA memory for a format. For other formats GStreamer's allocator aborts the
 *  process. */
GST_CL_API bool is_cuda_format (GstVideoFormat format);

/** The failure for frames that cannot take the path that interop demands. problem is a sentence without its full stop; reason
 *  explains it to a user. */
Failure refusal (MemoryKind kind, const std::string &problem, const std::string &reason);

/** One kind of memory for one element, which calls these functions from its vfuncs of the same names. Thread-safe unless a
 *  function says otherwise. */
class GST_CL_API MemoryElement {
public:
  /** element owns this object. */
  MemoryElement (MemoryKind kind_, GstElement *element_) : kind (kind_), element (element_) {}
  virtual ~MemoryElement () = default;

  void set_interop (Interop interop)
  {
    if (wanted.exchange (interop) != interop)
      stale = true;
  }
  /** Whether a path has been chosen, and whether that path avoids copies through the host. */
  bool knows_way () const { return known; }
  bool is_direct () const { return direct; }

  /** Returns whether the stream needs new links. */
  virtual bool set_context (GstContext *) { return false; }
  virtual bool query_context (GstQuery *) { return false; }

  /** A link for frames of info between this memory and a context, or one that replaces it. If frames are staged, posts one
   *  warning message with the reason. Streaming thread. Throws Failure. */
  virtual std::shared_ptr<MemoryLink> link (const ContextRef &, const GstVideoInfo &) = 0;
  /** The same for frames in this memory whose caps name system memory; null if that has no use. */
  virtual std::shared_ptr<MemoryLink> link_unnamed (const ContextRef &, const GstVideoInfo &) { return nullptr; }

  /** Finds out, if unknown, whether this memory is faster than system memory. Streaming thread. */
  void explore (const ContextRef &context, const GstVideoInfo &info) noexcept;

  /** Whether the last link must be replaced before buffer is used. Streaming thread. */
  virtual bool is_stale (GstBuffer *) { return stale.exchange (false); }

  /** Answers an allocation query of upstream with a pool and metas for this memory. Streaming thread. */
  virtual void propose (const ContextRef &, GstCaps *, bool /* need_pool */, GstQuery *) {}

  /** Makes no more links with this context. */
  virtual void forget (const ContextRef &) {}

  /** Returns to the initial state. */
  virtual void reset () { known = direct = warned = false; }

  const MemoryKind kind;

protected:
  /** Sets known and direct, unless they cannot be known yet. May throw. */
  virtual void find_out (const ContextRef &, const GstVideoInfo &) = 0;

  /** Posts one warning message that frames are staged. why is for its text, reason for its details. */
  void warn_of_staging (const std::string &why, const std::string &reason);

  /** Read and replace a pointer of this object that GStreamer's helpers change under the element's object lock. */
  template <typename Type> Ref<Type> current (Type *const &pointer) const
  {
    const ObjectLock lock (element);
    return Ref<Type>::retain (pointer);
  }
  template <typename Type> void replace (Type *&pointer, std::type_identity_t<Type> *by) const
  {
    auto other = Ref<Type>::retain (by);
    const ObjectLock lock (element);
    other = Ref<Type> (std::exchange (pointer, other.release ()));
  }

  GstElement *const element;
  std::atomic<Interop> wanted = default_interop ();
  std::atomic<bool> stale = false, known = false, direct = false;

private:
  std::atomic<bool> warned = false;
};

/** Create an element's objects of one kind. Those for GL and CUDA exchange contexts like GStreamer's elements. */
std::unique_ptr<MemoryElement> make_gl_element (GstElement *element);
std::unique_ptr<MemoryElement> make_cuda_element (GstElement *element);
std::unique_ptr<MemoryElement> make_dmabuf_element (GstElement *element);

}  // namespace gst::cl
