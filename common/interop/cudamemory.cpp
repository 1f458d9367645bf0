/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An allocator and a pool that derive from GStreamer's, so that decoders and encoders accept them. The parents' types are known
 * only at run time. */
#include "interop/cuda.hpp"

#include "core/debug.hpp"
#include "memory/frame.hpp"

#include <cstring>

#undef GST_CAT_DEFAULT
#define GST_CAT_DEFAULT (gst::cl::debug_category<"clcudamemory", "CUDA memory that OpenCL has imported">)

namespace gst::cl::cuda {

namespace {

/* The alignment of rows that textures and encoders need. */
constexpr gsize row_alignment = 512;

/* The contents of a memory of this allocator, for all versions of GStreamer. */
struct Content {
  Content (std::shared_ptr<const Exchange> exchange_, const GstVideoInfo &info)
      : exchange (std::move (exchange_)), allocation (exchange->library, exchange->cuda.get (), GST_VIDEO_INFO_SIZE (&info))
  {
  }

  const std::shared_ptr<const Exchange> exchange;
  const Allocation allocation;
  /** The host's view of the memory, which GStreamer 1.22 does not manage. */
  std::mutex mutex;
  std::unique_ptr<guint8[]> host;
  bool device_is_newer = true;
};

/* GStreamer 1.22 cannot wrap memory, so its structure is filled here. Only functions that are replaced here use its private
 * part. */
struct OwnMemory {
  Memory memory;
  Content *content;
};

/* The parent's map function, if GStreamer wraps memory. */
GstMemoryMapFunction parent_map;

GQuark
content_quark ()
{
  static const GQuark quark = g_quark_from_static_string ("gst-cl-cuda-content");
  return quark;
}

Content &
content_of (GstMemory *memory)
{
  return *static_cast<Content *> (gst_mini_object_get_qdata (GST_MINI_OBJECT_CAST (memory), content_quark ()));
}

void
move (Content &content, bool to_host)
{
  const Library &library = content.exchange->library;
  const Current current (library, content.exchange->cuda.get ());
  Copy2D copy = {};
  copy.from_type = to_host ? on_device_memory : on_host;
  copy.to_type = to_host ? on_host : on_device_memory;
  copy.from_host = copy.to_host = content.host.get ();
  copy.from_device = copy.to_device = content.allocation.pointer ();
  copy.from_pitch = copy.to_pitch = copy.row_bytes = row_alignment;
  copy.rows = content.allocation.size () / row_alignment;
  check (library, library.driver.Memcpy2DAsync (&copy, nullptr), "cuMemcpy2DAsync");
  check (library, library.driver.StreamSynchronize (nullptr), "cuStreamSynchronize");
}

/* The map function for GStreamer 1.22. */
gpointer
map_own (GstMemory *memory, GstMapFlags flags)
{
  Content &content = content_of (memory);
  const std::lock_guard lock (content.mutex);
  if (flags & map_cuda) {
    if (GST_MEMORY_FLAG_IS_SET (memory, needs_upload))
      move (content, false);
    GST_MINI_OBJECT_FLAG_UNSET (memory, needs_upload);
    content.device_is_newer = true;
    return reinterpret_cast<gpointer> (content.allocation.pointer ());
  }
  if (!content.host)
    content.host.reset (new guint8[content.allocation.size ()]);
  if (!GST_MEMORY_FLAG_IS_SET (memory, needs_upload) && std::exchange (content.device_is_newer, false))
    move (content, true);
  if (flags & GST_MAP_WRITE)
    GST_MINI_OBJECT_FLAG_SET (memory, needs_upload);
  return content.host.get ();
}

/* Discards the host's view, because kernels have written the memory. */
void
forget_host (GstMemory *memory)
{
  GST_MINI_OBJECT_FLAG_UNSET (memory, needs_upload);
  GST_MINI_OBJECT_FLAG_SET (memory, needs_download);
  Content &content = content_of (memory);
  const std::lock_guard lock (content.mutex);
  content.device_is_newer = true;
}

/* A map waits only for the kernels that use the memory. */
gpointer
map_memory (GstMemory *memory, gsize size, GstMapFlags flags)
{
  gpointer data = nullptr;
  g_autoptr (GError) error = nullptr;
  run_guarded (&error, [&] {
    if (FrameBuffer *frame = frame_buffer_of (memory)) {
      frame->begin_device_access (flags);
      if (frame->take_written ())
        forget_host (memory);
    }
    data = parent_map ? parent_map (memory, size, flags) : map_own (memory, flags);
  });
  if (error)
    GST_WARNING ("a frame in CUDA memory cannot be mapped: %s", error->message);
  return data;
}

GstMemory *wrap (GstAllocator *allocator, std::unique_ptr<Content> content, const GstVideoInfo &info, gpointer stream);

GstMemory *
copy_own (GstMemory *memory, gssize, gssize)
{
  const Content &from = content_of (memory);
  const GstVideoInfo &info = reinterpret_cast<Memory *> (memory)->info;
  GstMemory *copy = nullptr;
  g_autoptr (GError) error = nullptr;
  GstMapInfo source, target;
  if (run_guarded (
          &error, [&] { copy = wrap (memory->allocator, std::make_unique<Content> (from.exchange, info), info, nullptr); })
      && gst_memory_map (memory, &source, GST_MAP_READ)) {
    if (gst_memory_map (copy, &target, GST_MAP_WRITE)) {
      std::memcpy (target.data, source.data, source.size);
      gst_memory_unmap (copy, &target);
    }
    gst_memory_unmap (memory, &source);
  }
  return copy;
}

const Library *
loaded ()
{
  std::string unused;
  return Library::get (unused);
}

void
init_allocator (GTypeInstance *instance, gpointer)
{
  GstAllocator *allocator = GST_ALLOCATOR (instance);
  if (loaded ()->allocator_alloc_wrapped)
    parent_map = allocator->mem_map;
  allocator->mem_map = map_memory;
  if (parent_map)
    return;
  allocator->mem_unmap_full = [] (GstMemory *, GstMapInfo *) {};
  allocator->mem_copy = copy_own;
}

void
init_allocator_class (gpointer klass, gpointer)
{
  GST_ALLOCATOR_CLASS (klass)->alloc = [] (GstAllocator *, gsize, GstAllocationParams *) -> GstMemory * {
    g_return_val_if_reached (nullptr); /* needs a context and a format */
  };
  if (!loaded ()->allocator_alloc_wrapped)
    GST_ALLOCATOR_CLASS (klass)->free = [] (GstAllocator *, GstMemory *memory) {
      auto *own = reinterpret_cast<OwnMemory *> (memory);
      delete own->content;
      gst_object_unref (own->memory.context);
      g_free (own);
    };
}

GType
derive (GType parent, const char *name, GClassInitFunc init_class, GInstanceInitFunc init)
{
  GTypeQuery query;
  g_type_query (parent, &query);
  const GTypeInfo info = {guint16 (query.class_size), nullptr, nullptr, init_class, nullptr, nullptr,
      guint16 (query.instance_size), 0, init, nullptr};
  return g_type_register_static (parent, name, &info, GTypeFlags (0));
}

/* One allocator serves all contexts, because each memory knows its own. */
GstAllocator *
shared_allocator ()
{
  static GstAllocator *const allocator = [] {
    const GType type = derive (loaded ()->allocator_get_type (), "GstClCudaAllocator", init_allocator_class, init_allocator);
    auto *created = GST_ALLOCATOR (g_object_new (type, nullptr));
    gst_object_ref_sink (created);
    GST_OBJECT_FLAG_SET (created, GST_OBJECT_FLAG_MAY_BE_LEAKED);
    return created;
  }();
  return allocator;
}

/* GStreamer's layout: all planes have one stride and follow each other. */
GstVideoInfo
layout_of (const GstVideoInfo &wanted)
{
  GstVideoInfo info = wanted;
  gsize stride = 0, offset = 0;
  for (guint i = 0; i < GST_VIDEO_INFO_N_PLANES (&info); i++)
    stride = std::max<gsize> (stride, GST_VIDEO_INFO_PLANE_STRIDE (&wanted, i));
  stride = (stride + row_alignment - 1) / row_alignment * row_alignment;
  for (guint i = 0; i < GST_VIDEO_INFO_N_PLANES (&info); i++) {
    gint component[GST_VIDEO_MAX_COMPONENTS];
    gst_video_format_info_component (info.finfo, i, component);
    info.stride[i] = int (stride);
    info.offset[i] = offset;
    offset += stride * GST_VIDEO_INFO_COMP_HEIGHT (&info, component[0]);
  }
  info.size = offset;
  return info;
}

/* For maps of the host GStreamer copies the first plane's width of each row, which is less than a row of chroma if the width is
 * odd. So the layout that it gets describes whole rows of bytes. */
GstVideoInfo
rows_of_bytes (const GstVideoInfo &layout)
{
  GstVideoInfo bytes;
  const gsize stride = GST_VIDEO_INFO_PLANE_STRIDE (&layout, 0);
  gst_video_info_set_format (&bytes, GST_VIDEO_FORMAT_GRAY8, guint (stride), guint (GST_VIDEO_INFO_SIZE (&layout) / stride));
  bytes.stride[0] = int (stride);
  bytes.size = GST_VIDEO_INFO_SIZE (&layout);
  return bytes;
}

GstMemory *
wrap (GstAllocator *allocator, std::unique_ptr<Content> content, const GstVideoInfo &info, gpointer stream)
{
  const Exchange &exchange = *content->exchange;
  const Library &library = exchange.library;
  auto import = std::make_unique<FrameBuffer> (exchange.context,
      exchange.importer->import_buffer (
          Context::of (exchange.context.get ()).handle, content->allocation.export_memory (), content->allocation.size ()),
      content->allocation.size (), exchange.importer);
  Content *const kept = content.get ();
  GstMemory *memory;
  if (library.allocator_alloc_wrapped) {
    const GstVideoInfo bytes = rows_of_bytes (info);
    memory = library.allocator_alloc_wrapped (allocator, exchange.cuda.get (), stream, &bytes, kept->allocation.pointer (),
        kept, [] (gpointer data) { delete static_cast<Content *> (data); });
    reinterpret_cast<Memory *> (memory)->info = info;
  } else {
    auto *own = g_new0 (OwnMemory, 1);
    own->memory.context = GST_OBJECT (gst_object_ref (exchange.cuda.get ()));
    own->memory.info = info;
    own->content = kept;
    memory = GST_MEMORY_CAST (own);
    gst_memory_init (
        memory, GstMemoryFlags (0), allocator, nullptr, GST_VIDEO_INFO_SIZE (&info), 0, 0, GST_VIDEO_INFO_SIZE (&info));
  }
  content.release ();
  gst_mini_object_set_qdata (GST_MINI_OBJECT_CAST (memory), content_quark (), kept, nullptr);
  attach_frame_buffer (memory, std::move (import));
  return memory;
}

/* The state of this pool class, besides the parent's. */
struct PoolState {
  std::shared_ptr<const Exchange> exchange;
  GstVideoInfo info;
  gpointer stream = nullptr;

  ~PoolState () { set_stream (nullptr); }
  void set_stream (gpointer taken)
  {
    if (stream)
      gst_mini_object_unref (static_cast<GstMiniObject *> (stream));
    stream = taken;
  }
};

PoolState &
state_of (GstBufferPool *pool)
{
  return kept_with<PoolState> (pool, "gst-cl-cuda-pool");
}

gpointer plain_pool_class; /* set with the first pool */

gboolean
set_pool_config (GstBufferPool *pool, GstStructure *config)
{
  PoolState &state = state_of (pool);
  GstCaps *caps = nullptr;
  guint min_buffers, max_buffers;
  GstVideoInfo info;
  if (!gst_buffer_pool_config_get_params (config, &caps, nullptr, &min_buffers, &max_buffers) || !caps
      || !gst_video_info_from_caps (&info, caps)) {
    GST_WARNING_OBJECT (pool, "not a configuration for video: %" GST_PTR_FORMAT, config);
    return FALSE;
  }
  state.info = layout_of (info);
  if (state.exchange->library.pool_config_get_stream)
    state.set_stream (state.exchange->library.pool_config_get_stream (config));
  gst_buffer_pool_config_set_params (config, caps, GST_VIDEO_INFO_SIZE (&state.info), min_buffers, max_buffers);
  return GST_BUFFER_POOL_CLASS (plain_pool_class)->set_config (pool, config);
}

GstFlowReturn
alloc_pool_buffer (GstBufferPool *pool, GstBuffer **buffer, GstBufferPoolAcquireParams *)
{
  const PoolState &state = state_of (pool);
  const GstVideoInfo &info = state.info;
  GstMemory *memory = nullptr;
  g_autoptr (GError) error = nullptr;
  run_guarded (&error,
      [&] { memory = wrap (shared_allocator (), std::make_unique<Content> (state.exchange, info), info, state.stream); });
  if (!memory) {
    GST_ERROR_OBJECT (pool, "no frame in CUDA memory: %s", error ? error->message : "no memory");
    return GST_FLOW_ERROR;
  }
  *buffer = gst_buffer_new ();
  gst_buffer_append_memory (*buffer, memory);
  add_video_meta (*buffer, info);
  return GST_FLOW_OK;
}

/* The parent's version is for an allocator of its own. */
void
init_pool_class (gpointer klass, gpointer)
{
  auto *pool_class = static_cast<GstBufferPoolClass *> (klass);
  plain_pool_class = g_type_class_peek (GST_TYPE_BUFFER_POOL);
  pool_class->set_config = set_pool_config;
  pool_class->alloc_buffer = alloc_pool_buffer;
  pool_class->start = start_whole<&plain_pool_class>;
  pool_class->stop = GST_BUFFER_POOL_CLASS (plain_pool_class)->stop;
}

}  // namespace

PoolRef
new_pool (std::shared_ptr<const Exchange> exchange)
{
  static const GType type = derive (exchange->library.buffer_pool_get_type (), "GstClCudaBufferPool", init_pool_class, nullptr);
  auto *pool = GST_BUFFER_POOL (g_object_new (type, nullptr));
  gst_object_ref_sink (pool);
  reinterpret_cast<BufferPool *> (pool)->context = GST_OBJECT (gst_object_ref (exchange->cuda.get ()));
  state_of (pool).exchange = std::move (exchange);
  return PoolRef (pool);
}

}  // namespace gst::cl::cuda
