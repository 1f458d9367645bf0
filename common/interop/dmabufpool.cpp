/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pools of frames in dma-bufs from a heap of Linux. */
#include "interop/dmabuf.hpp"
#include "memory/frame.hpp"

#include <gst/allocators/gstdmabuf.h>
#include <gst/video/video.h>

#include <optional>
#include <utility>

typedef struct {
  GstDmaBufAllocator parent;
  /* guarded by the object lock: why the last allocation failed, which a pool cannot return */
  gst::cl::Failure *failure;
} GstClDmaBufAllocator;

typedef struct {
  GstDmaBufAllocatorClass parent_class;
} GstClDmaBufAllocatorClass;

typedef struct {
  GstVideoBufferPool parent;
} GstClDmaBufPool;

typedef struct {
  GstVideoBufferPoolClass parent_class;
} GstClDmaBufPoolClass;

static GType gst_cl_dmabuf_allocator_get_type (void);
static GType gst_cl_dmabuf_pool_get_type (void);
G_DEFINE_TYPE (GstClDmaBufAllocator, gst_cl_dmabuf_allocator, GST_TYPE_DMABUF_ALLOCATOR);
G_DEFINE_TYPE (GstClDmaBufPool, gst_cl_dmabuf_pool, GST_TYPE_VIDEO_BUFFER_POOL);

static GstMemory *
gst_cl_dmabuf_allocator_alloc (GstAllocator *allocator, gsize size, GstAllocationParams *params)
{
  GstMemory *memory = nullptr;
  const auto failure = gst::cl::failure_of ("", [&] {
    const gsize whole = size + params->prefix + params->padding;
    memory = gst_dmabuf_allocator_alloc (allocator, gst::cl::allocate_dmabuf (whole), whole);
    if (memory)
      gst_memory_resize (memory, gssize (params->prefix), size);
  });
  if (failure) {
    const gst::cl::ObjectLock lock (allocator);
    auto *self = reinterpret_cast<GstClDmaBufAllocator *> (allocator);
    delete std::exchange (self->failure, new gst::cl::Failure (*failure));
  }
  return memory;
}

static void
gst_cl_dmabuf_allocator_finalize (GObject *object)
{
  delete reinterpret_cast<GstClDmaBufAllocator *> (object)->failure;
  G_OBJECT_CLASS (gst_cl_dmabuf_allocator_parent_class)->finalize (object);
}

static void
gst_cl_dmabuf_allocator_class_init (GstClDmaBufAllocatorClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = gst_cl_dmabuf_allocator_finalize;
  GST_ALLOCATOR_CLASS (klass)->alloc = gst_cl_dmabuf_allocator_alloc;
}

static void
gst_cl_dmabuf_allocator_init (GstClDmaBufAllocator *self)
{
  GST_OBJECT_FLAG_UNSET (self, GST_ALLOCATOR_FLAG_CUSTOM_ALLOC);
}

/* Waits for the fences of a buffer, because devices may still read it after its return to the pool. */
static GstFlowReturn
gst_cl_dmabuf_pool_acquire_buffer (GstBufferPool *pool, GstBuffer **buffer, GstBufferPoolAcquireParams *params)
{
  const GstFlowReturn flow = GST_BUFFER_POOL_CLASS (gst_cl_dmabuf_pool_parent_class)->acquire_buffer (pool, buffer, params);
  if (flow != GST_FLOW_OK)
    return flow;
  g_autoptr (GError) error = nullptr;
  gst::cl::run_guarded (
      &error, [&] { gst::cl::DmaBuf (gst_dmabuf_memory_get_fd (gst_buffer_peek_memory (*buffer, 0))).wait (true); });
  if (!error)
    return GST_FLOW_OK;
  GST_ERROR_OBJECT (pool, "%s", error->message);
  gst_clear_buffer (buffer);
  return GST_FLOW_ERROR;
}

static void
gst_cl_dmabuf_pool_class_init (GstClDmaBufPoolClass *klass)
{
  GST_BUFFER_POOL_CLASS (klass)->start = gst::cl::start_whole<&gst_cl_dmabuf_pool_parent_class>;
  GST_BUFFER_POOL_CLASS (klass)->acquire_buffer = gst_cl_dmabuf_pool_acquire_buffer;
}

static void
gst_cl_dmabuf_pool_init (GstClDmaBufPool *)
{
}

gst::cl::PoolRef
gst::cl::create_dmabuf_pool (const GstVideoInfo &info, guint min_buffers)
{
  const Ref<GstAllocator> allocator (
      GST_ALLOCATOR (gst_object_ref_sink (g_object_new (gst_cl_dmabuf_allocator_get_type (), nullptr))));
  g_autoptr (GstCaps) caps = gst_video_info_to_caps (&info);
  PoolRef pool (GST_BUFFER_POOL (gst_object_ref_sink (g_object_new (gst_cl_dmabuf_pool_get_type (), nullptr))));
  GstStructure *config = gst_buffer_pool_get_config (pool.get ());
  gst_buffer_pool_config_set_allocator (config, allocator.get (), nullptr);
  try {
    return start_pool (std::move (pool), caps, min_buffers, "dma-bufs", config);
  } catch (const Failure &) {
    GST_OBJECT_LOCK (allocator.get ());
    const auto *known = reinterpret_cast<GstClDmaBufAllocator *> (allocator.get ())->failure;
    const std::optional<Failure> failure = known ? std::optional (*known) : std::nullopt;
    GST_OBJECT_UNLOCK (allocator.get ());
    if (failure)
      throw *failure;
    throw;
  }
}
