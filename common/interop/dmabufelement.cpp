/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "interop/element.hpp"

#include "core/debug.hpp"
#include "interop/dmabuf.hpp"
#include "memory/frame.hpp"

#include <gst/allocators/gstdmabuf.h>

#include <functional>

#undef GST_CAT_DEFAULT
#define GST_CAT_DEFAULT (gst::cl::debug_category<"cldmabufelement", "DMABuf memory between elements">)

namespace gst::cl {

namespace {

/* Called with the reason if a frame cannot be used in place. May throw. */
using DmaBufRefusal = std::function<void (const std::string &reason)>;

class DmaBufLink : public MemoryLink {
public:
  /* driver is null if frames must be copied; why_not then has the reason, if it should be reported */
  DmaBufLink (const ContextRef &context_, const GstVideoInfo &info, std::shared_ptr<const DmaBufDriver> driver,
      std::string why_not, DmaBufRefusal refused)
      : MemoryLink (MemoryKind::dmabuf, context_), info (info), driver (std::move (driver)), why_not (std::move (why_not)),
        refused (std::move (refused))
  {
  }

  const char *path () const override { return reads == Way::staged || writes == Way::staged ? "dmabuf-staged" : "dmabuf"; }

  /* The writer of the frame may not have finished, which only the dma-buf's fences show. */
  BufferRef reach (GstBuffer *buffer) override
  {
    const auto whole = whole_of (buffer, false);
    if (whole || (gst_buffer_n_memory (buffer) > 0 && gst_is_dmabuf_memory (gst_buffer_peek_memory (buffer, 0))))
      reads = whole ? Way::direct : Way::staged;
    if (!whole)
      return {};
    whole->file.wait (false);
    return view (buffer, *whole);
  }

  /* Devices may still read a buffer after its return to the pool. */
  BufferRef reach_result (GstBuffer *buffer) override
  {
    const auto whole = whole_of (buffer, true);
    writes = whole ? Way::direct : Way::staged;
    if (!whole)
      return {};
    whole->file.wait (true);
    return view (buffer, *whole);
  }

  PoolRef create_pool (GstCaps *, guint min_buffers) override { return create_dmabuf_pool (info, min_buffers); }

private:
  /* The import of the dma-buf that holds all memories of a frame; null if there are several. */
  std::shared_ptr<ImportedDmaBuf> whole_of (GstBuffer *buffer, bool writes)
  {
    std::shared_ptr<ImportedDmaBuf> whole;
    std::string reason = why_not;
    for (guint i = 0; i < gst_buffer_n_memory (buffer); i++) {
      GstMemory *memory = gst_buffer_peek_memory (buffer, i);
      if (!gst_is_dmabuf_memory (memory))
        return nullptr;
      std::shared_ptr<ImportedDmaBuf> part;
      if (driver)
        part = find_dmabuf (context, driver, memory, writes, counts.imports, reason);
      if (part && whole && part != whole) {
        reason = "the planes of a frame are in several dma-bufs";
        part.reset ();
      }
      if (!part) {
        if (!reason.empty ())
          refused (reason);
        return nullptr;
      }
      whole = std::move (part);
    }
    return whole;
  }

  /* A view of the frame within the whole dma-buf. It keeps the buffer. */
  BufferRef view (GstBuffer *buffer, const ImportedDmaBuf &whole) const
  {
    GstVideoInfo layout = info;
    for (guint i = 0; i < GST_VIDEO_INFO_N_PLANES (&info); i++) {
      const Placement at = placement_of (buffer, info, int (i));
      guint index, length;
      gsize skip;
      if (!gst_buffer_find_memory (buffer, at.offset, 1, &index, &length, &skip))
        return {};
      layout.offset[i] = gst_buffer_peek_memory (buffer, index)->offset + skip;
      layout.stride[i] = at.stride;
    }
    BufferRef seen (gst_buffer_new ());
    gst_buffer_append_memory (seen.get (), gst_memory_ref (whole.memory.get ()));
    add_video_meta (seen.get (), layout);
    gst_buffer_add_parent_buffer_meta (seen.get (), buffer);
    return seen;
  }

  const GstVideoInfo info;
  const std::shared_ptr<const DmaBufDriver> driver;
  const std::string why_not;
  const DmaBufRefusal refused;
  /* the path of the last frame in such memory, and of the last result */
  enum class Way { unknown, direct, staged } reads = Way::unknown, writes = Way::unknown;
};

class ElementOfDmaBuf : public MemoryElement {
public:
  explicit ElementOfDmaBuf (GstElement *element) : MemoryElement (MemoryKind::dmabuf, element) {}

  std::shared_ptr<MemoryLink> link (const ContextRef &context, const GstVideoInfo &info) override
  {
    const Device &device = Context::of (context.get ()).device;
    const bool copies = device.host_memory != HostMemory::shared;
    std::shared_ptr<const DmaBufDriver> driver;
    std::string why_not;
    if (wanted != Interop::staged) {
      driver = DmaBufDriver::create (device, why_not);
      if (!driver)
        refuse (why_not, copies);
    }
    return std::make_shared<DmaBufLink> (context, info, std::move (driver), std::move (why_not),
        [this, copies] (const std::string &reason) { refuse (reason, copies); });
  }

  /* The caps promise no such memory, so copies are not reported. */
  std::shared_ptr<MemoryLink> link_unnamed (const ContextRef &context, const GstVideoInfo &info) override
  {
    std::string why_not;
    auto driver = wanted == Interop::staged ? nullptr : DmaBufDriver::create (Context::of (context.get ()).device, why_not);
    if (!driver)
      return nullptr;
    return std::make_shared<DmaBufLink> (context, info, std::move (driver), std::string (), [this] (const std::string &reason) {
      GST_LOG_OBJECT (element, "a frame in a dma-buf is copied: %s", reason.c_str ());
    });
  }

private:
  /* Tests whether results can be in such memory as well, which needs a heap of Linux. */
  void find_out (const ContextRef &context, const GstVideoInfo &) override
  {
    known = true;
    direct = wanted != Interop::staged && probe_dmabuf (context, true).works;
  }

  /* On a CPU, kernels read the mapped pages without a copy. */
  void refuse (const std::string &reason, bool copies)
  {
    if (wanted == Interop::dmabuf || (wanted == Interop::require && copies))
      throw refusal (kind, "OpenCL cannot use frames in DMABuf memory in place", reason);
    if (copies)
      warn_of_staging ("OpenCL cannot use them in place", reason);
  }
};

}  // namespace

std::unique_ptr<MemoryElement>
make_dmabuf_element (GstElement *element)
{
  return std::make_unique<ElementOfDmaBuf> (element);
}

}  // namespace gst::cl
