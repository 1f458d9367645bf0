/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/cl/gstclcontext.h>
#include <gst/video/video.h>

G_BEGIN_DECLS

/**
 * SECTION:gstclmemory
 * @title: GstClMemory
 * @short_description: a frame of video in an OpenCL buffer
 *
 * One memory holds a whole frame in the default layout of its #GstVideoInfo. Mapping it gives host memory: the frame's
 * own pages if the device is the CPU, else a pinned copy that is updated when needed. Mapping waits only for kernels that
 * write the frame and, if it is mapped for writing, for kernels that read it.
 *
 * gst_memory_map() with %GST_MAP_CL waits in the same way, and gives the `cl_mem` in #GstMapInfo.data instead.
 *
 * gst_memory_copy() and gst_memory_share() give system memory; a shared part is read-only, and the frame stays mapped for
 * reading as long as the part exists.
 */

/**
 * GST_CAPS_FEATURE_MEMORY_CL:
 *
 * The caps feature of buffers that hold one #GstClMemory.
 *
 * Since: 0.1
 */
#define GST_CAPS_FEATURE_MEMORY_CL "memory:OpenCLMemory"

/**
 * GST_CL_MEMORY_TYPE:
 *
 * #GstAllocator.mem_type of the memories' allocator.
 *
 * Since: 0.1
 */
#define GST_CL_MEMORY_TYPE "OpenCLMemory"

/**
 * GST_MAP_CL:
 *
 * Map flag that asks for the `cl_mem`.
 *
 * Since: 0.1
 */
#define GST_MAP_CL ((GstMapFlags) (GST_MAP_FLAG_LAST << 1))

/**
 * GstClMemory:
 *
 * A #GstMemory for which gst_is_cl_memory() holds. In language bindings the functions take a Gst.Memory.
 *
 * Since: 0.1
 */
typedef struct _GstClMemory GstClMemory;

/**
 * GST_CL_MEMORY_CAST:
 *
 * Casts a #GstMemory for which gst_is_cl_memory() holds.
 *
 * Since: 0.1
 */
#define GST_CL_MEMORY_CAST(memory) ((GstClMemory *) (memory))

/**
 * gst_is_cl_memory:
 * @memory: (nullable): any memory
 *
 * Returns: whether @memory is a #GstClMemory
 *
 * Since: 0.1
 */
GST_CL_API
gboolean gst_is_cl_memory (GstMemory *memory);

/**
 * gst_cl_memory_new:
 * @context: the device to allocate on
 * @info: format and size of the frame
 * @error: return location for an error (RESOURCE, NO_SPACE_LEFT if the device is out of memory)
 *
 * Returns: (transfer full) (nullable): a memory for one frame, contents undefined, or %NULL with @error set
 *
 * Since: 0.1
 */
GST_CL_API
GstMemory *gst_cl_memory_new (GstClContext *context, const GstVideoInfo *info, GError **error);

/**
 * gst_cl_memory_get_context:
 * @memory: (type Gst.Memory): an OpenCL memory
 *
 * Returns: (transfer none): the context of @memory
 *
 * Since: 0.1
 */
GST_CL_API
GstClContext *gst_cl_memory_get_context (GstClMemory *memory);

/**
 * gst_cl_memory_get_handle:
 * @memory: (type Gst.Memory): an OpenCL memory
 *
 * Returns: (transfer none): the `cl_mem` of @memory, without waiting; see gst_cl_memory_get_event()
 *
 * Since: 0.1
 */
GST_CL_API
gpointer gst_cl_memory_get_handle (GstClMemory *memory);

/**
 * gst_cl_memory_get_event:
 * @memory: (type Gst.Memory): an OpenCL memory
 *
 * Returns: (transfer full) (nullable): the `cl_event` of the last command that writes @memory, to be released with
 *     clReleaseEvent(), or %NULL if no command is pending
 *
 * Since: 0.1
 */
GST_CL_API
gpointer gst_cl_memory_get_event (GstClMemory *memory);

/**
 * gst_cl_memory_set_event:
 * @memory: (type Gst.Memory): an OpenCL memory
 * @event: the `cl_event` of your command that writes @memory, which takes its own reference
 *
 * Makes every later user of @memory wait for @event.
 *
 * Since: 0.1
 */
GST_CL_API
void gst_cl_memory_set_event (GstClMemory *memory, gpointer event);

/* g_autoptr (GstClMemory) */
static inline void
_gst_cl_memory_unref (GstClMemory *memory)
{
  gst_memory_unref ((GstMemory *) memory);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstClMemory, _gst_cl_memory_unref)

G_END_DECLS
