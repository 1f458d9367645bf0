/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pools of frames in dma-bufs from a heap of Linux. */
#include "interop/dmabuf.hpp"
#include "memory/frame.hpp"

#include <gst/allocators/gstdmabuf.h>

typedef struct {
  GstDmaBufAllocator parent;
} GstClDmaBufAllocator;

typedef struct {
  GstDmaBufAllocatorClass parent_class;
} GstClDmaBufAllocatorClass;

static GType gst_cl_dmabuf_allocator_get_type (void);
G_DEFINE_TYPE (GstClDmaBufAllocator, gst_cl_dmabuf_allocator, GST_TYPE_DMABUF_ALLOCATOR);

static GstMemory *
gst_cl_dmabuf_allocator_alloc (GstAllocator *allocator, gsize size, GstAllocationParams *params)
{
  GstMemory *memory = nullptr;
  g_autoptr (GError) error = nullptr;
  gst::cl::run_guarded (&error, [&] {
    const gsize whole = size + params->prefix + params->padding;
    memory = gst_dmabuf_allocator_alloc (allocator, gst::cl::allocate_dmabuf (whole), whole);
    if (memory)
      gst_memory_resize (memory, gssize (params->prefix), size);
  });
  if (error)
    GST_ERROR_OBJECT (allocator, "%s", error->message);
  return memory;
}

static void
gst_cl_dmabuf_allocator_class_init (GstClDmaBufAllocatorClass *klass)
{
  GST_ALLOCATOR_CLASS (klass)->alloc = gst_cl_dmabuf_allocator_alloc;
}

static void
gst_cl_dmabuf_allocator_init (GstClDmaBufAllocator *self)
{
  GST_OBJECT_FLAG_UNSET (self, GST_ALLOCATOR_FLAG_CUSTOM_ALLOC);
}

/* Allocations are tried before, because a pool does not tell why it fails. The pool itself allocates when frames are needed:
 * GStreamer 1.22 never frees the first buffers of a pool that cannot allocate all. */
gst::cl::PoolRef
gst::cl::create_dmabuf_pool (const GstVideoInfo &info, guint min_buffers)
{
  std::vector<Descriptor> tried;
  while (tried.size () < min_buffers)
    tried.emplace_back (allocate_dmabuf (GST_VIDEO_INFO_SIZE (&info)));
  const Ref<GstAllocator> allocator (
      GST_ALLOCATOR (gst_object_ref_sink (g_object_new (gst_cl_dmabuf_allocator_get_type (), nullptr))));
  g_autoptr (GstCaps) caps = gst_video_info_to_caps (&info);
  PoolRef pool (GST_BUFFER_POOL (gst_video_buffer_pool_new ()));
  GstStructure *config = gst_buffer_pool_get_config (pool.get ());
  gst_buffer_pool_config_set_allocator (config, allocator.get (), nullptr);
  return start_pool (std::move (pool), caps, 0, "dma-bufs", config);
}
