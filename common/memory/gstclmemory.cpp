/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "memory/memory.hpp"

#include "core/debug.hpp"

using gst::cl::ContextRef;
using gst::cl::FrameBuffer;

#undef GST_CAT_DEFAULT
#define GST_CAT_DEFAULT (gst::cl::debug_category<"clmemory", "frames in OpenCL buffers">)

struct _GstClMemory {
  GstMemory parent;
  FrameBuffer *frame;
  /* The number of its parts, and their common mapping. Under parts_mutex. */
  guint parts;
  GstMapInfo parts_map;
  GMutex parts_mutex;
};

typedef struct {
  GstAllocator parent;
} GstClAllocator;

typedef struct {
  GstAllocatorClass parent_class;
} GstClAllocatorClass;

static GType gst_cl_allocator_get_type (void);
G_DEFINE_TYPE (GstClAllocator, gst_cl_allocator, GST_TYPE_ALLOCATOR);

/* On a context: the failure of the last map of one of its frames. */
static GQuark
gst_cl_unread_quark (void)
{
  return g_quark_from_static_string ("gst-cl-unread-frame");
}

static gpointer
gst_cl_memory_map (GstMemory *memory, GstMapInfo *info, gsize)
{
  FrameBuffer &frame = *reinterpret_cast<GstClMemory *> (memory)->frame;
  gpointer data = nullptr;
  std::optional<gst::cl::Failure> failure;
  try {
    failure = gst::cl::failure_of (frame.context ().device.name, [&] {
      if (info->flags & GST_MAP_CL) {
        frame.begin_device_access (info->flags);
        data = reinterpret_cast<guint8 *> (frame.handle () ()) - memory->offset; /* gst_memory_map() adds the offset */
      } else {
        data = frame.map (info->flags);
      }
    });
  } catch (const gst::cl::Overdue &overdue) {
    GST_WARNING ("a frame cannot be mapped: %s", overdue.what ());
  }
  if (failure) {
    GST_WARNING ("a frame cannot be mapped: %s (%s)", failure->what (), failure->debug.c_str ());
    frame.context ().failed = true;
    g_object_set_qdata_full (G_OBJECT (frame.context_object ()), gst_cl_unread_quark (), new gst::cl::Failure (*failure),
        [] (gpointer old) { delete static_cast<gst::cl::Failure *> (old); });
  }
  return data;
}

static void
gst_cl_memory_unmap (GstMemory *memory, GstMapInfo *info)
{
  FrameBuffer &frame = *reinterpret_cast<GstClMemory *> (memory)->frame;
  g_autoptr (GError) error = nullptr;
  gst::cl::run_guarded (&error, [&] {
    if (info->flags & GST_MAP_CL)
      frame.end_device_access (info->flags);
    else
      frame.unmap (info->flags);
  });
  if (error)
    GST_WARNING ("a frame cannot be unmapped: %s", error->message);
}

/* A part's notification: the last one releases the frame. */
static void
gst_cl_memory_release_part (gpointer data)
{
  auto *self = static_cast<GstClMemory *> (data);
  {
    g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->parts_mutex);
    if (--self->parts == 0) {
      gst_memory_unmap (GST_MEMORY_CAST (self), &self->parts_map);
      gst_memory_unlock (GST_MEMORY_CAST (self), GST_LOCK_FLAG_EXCLUSIVE);
    }
  }
  gst_memory_unref (GST_MEMORY_CAST (self));
}

/* For elements that cut buffers, such as payloaders: read-only system memory. The frame is mapped once, since a memory takes at
 * most 255 locks for reading, and nothing writes it as long as parts exist. */
static GstMemory *
gst_cl_memory_share (GstMemory *memory, gssize offset, gssize size)
{
  auto *self = reinterpret_cast<GstClMemory *> (memory);
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->parts_mutex);
  if (self->parts == 0) {
    if (!gst_memory_map (memory, &self->parts_map, GST_MAP_READ))
      return nullptr;
    gst_memory_lock (memory, GST_LOCK_FLAG_EXCLUSIVE);
  }
  self->parts++;
  const gsize whole = self->parts_map.size;
  return gst_memory_new_wrapped (GST_MEMORY_FLAG_READONLY, self->parts_map.data, whole, offset,
      size < 0 ? whole - offset : size, gst_memory_ref (memory), gst_cl_memory_release_part);
}

static void
gst_cl_allocator_class_init (GstClAllocatorClass *klass)
{
  GST_ALLOCATOR_CLASS (klass)->alloc = [] (GstAllocator *, gsize, GstAllocationParams *) -> GstMemory * {
    g_return_val_if_reached (nullptr); /* needs a context and a format: gst_cl_memory_new() */
  };
  GST_ALLOCATOR_CLASS (klass)->free = [] (GstAllocator *, GstMemory *memory) {
    auto *self = reinterpret_cast<GstClMemory *> (memory);
    delete self->frame;
    g_mutex_clear (&self->parts_mutex);
    g_free (self);
  };
}

static void
gst_cl_allocator_init (GstClAllocator *self)
{
  GstAllocator *allocator = GST_ALLOCATOR (self);
  allocator->mem_type = GST_CL_MEMORY_TYPE;
  allocator->mem_map_full = gst_cl_memory_map;
  allocator->mem_unmap_full = gst_cl_memory_unmap;
  allocator->mem_share = gst_cl_memory_share;
  GST_OBJECT_FLAG_SET (self, GST_ALLOCATOR_FLAG_CUSTOM_ALLOC);
}

/* One allocator serves all contexts, because each memory knows its own. */
static GstAllocator *
gst_cl_allocator_get (void)
{
  static GstAllocator *const allocator = [] {
    gpointer created = gst_object_ref_sink (g_object_new (gst_cl_allocator_get_type (), nullptr));
    GST_OBJECT_FLAG_SET (created, GST_OBJECT_FLAG_MAY_BE_LEAKED);
    return GST_ALLOCATOR (created);
  }();
  return allocator;
}

namespace gst::cl {

static GQuark
import_quark ()
{
  static const GQuark quark = g_quark_from_static_string ("gst-cl-import");
  return quark;
}

FrameBuffer *
frame_buffer_of (GstMemory *memory)
{
  if (gst_is_cl_memory (memory))
    return reinterpret_cast<GstClMemory *> (memory)->frame;
  return memory ? static_cast<FrameBuffer *> (gst_mini_object_get_qdata (GST_MINI_OBJECT_CAST (memory), import_quark ()))
                : nullptr;
}

void
attach_frame_buffer (GstMemory *memory, std::unique_ptr<FrameBuffer> import)
{
  gst_mini_object_set_qdata (GST_MINI_OBJECT_CAST (memory), import_quark (), import.release (),
      [] (gpointer data) { delete static_cast<FrameBuffer *> (data); });
}

void
throw_unread (GstClContext *context)
{
  const std::unique_ptr<Failure> unread (
      static_cast<Failure *> (g_object_steal_qdata (G_OBJECT (context), gst_cl_unread_quark ())));
  if (unread)
    throw *unread;
}

GstMemory *
allocate_memory (const ContextRef &context, const GstVideoInfo &info)
{
  auto frame = std::make_unique<FrameBuffer> (context, GST_VIDEO_INFO_SIZE (&info));
  auto *self = g_new0 (GstClMemory, 1);
  gst_memory_init (GST_MEMORY_CAST (self), GstMemoryFlags (0), gst_cl_allocator_get (), nullptr, GST_VIDEO_INFO_SIZE (&info), 0,
      0, GST_VIDEO_INFO_SIZE (&info));
  self->frame = frame.release ();
  g_mutex_init (&self->parts_mutex);
  return GST_MEMORY_CAST (self);
}

}  // namespace gst::cl

gboolean
gst_is_cl_memory (GstMemory *memory)
{
  return memory != nullptr && memory->allocator == gst_cl_allocator_get ();
}

GstMemory *
gst_cl_memory_new (GstClContext *context, const GstVideoInfo *info, GError **error)
{
  g_return_val_if_fail (GST_IS_CL_CONTEXT (context) && info != nullptr, nullptr);
  GstMemory *memory = nullptr;
  gst::cl::run_guarded (error, [&] { memory = gst::cl::allocate_memory (ContextRef::retain (context), *info); });
  return memory;
}

GstClContext *
gst_cl_memory_get_context (GstClMemory *memory)
{
  g_return_val_if_fail (gst_is_cl_memory (GST_MEMORY_CAST (memory)), nullptr);
  return memory->frame->context_object ();
}

/* Starts the upload of the host's changes before the handle or the event is given out. */
static void
gst_cl_memory_upload (GstClMemory *memory)
{
  g_autoptr (GError) error = nullptr;
  if (!gst::cl::run_guarded (&error, [memory] { memory->frame->upload (); }))
    GST_WARNING ("a frame cannot be uploaded: %s", error->message);
}

gpointer
gst_cl_memory_get_handle (GstClMemory *memory)
{
  g_return_val_if_fail (gst_is_cl_memory (GST_MEMORY_CAST (memory)), nullptr);
  gst_cl_memory_upload (memory);
  return memory->frame->handle () ();
}

gpointer
gst_cl_memory_get_event (GstClMemory *memory)
{
  g_return_val_if_fail (gst_is_cl_memory (GST_MEMORY_CAST (memory)), nullptr);
  gst_cl_memory_upload (memory);
  cl_event event = memory->frame->last_write () ();
  if (event)
    clRetainEvent (event);
  return event;
}

void
gst_cl_memory_set_event (GstClMemory *memory, gpointer event)
{
  g_return_if_fail (gst_is_cl_memory (GST_MEMORY_CAST (memory)) && event != nullptr);
  memory->frame->end_write ({cl::Event (static_cast<cl_event> (event), true), nullptr});
}
