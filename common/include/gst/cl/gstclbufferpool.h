/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/cl/gstclmemory.h>

G_BEGIN_DECLS

#define GST_TYPE_CL_BUFFER_POOL (gst_cl_buffer_pool_get_type ())
GST_CL_API
G_DECLARE_FINAL_TYPE (GstClBufferPool, gst_cl_buffer_pool, GST, CL_BUFFER_POOL, GstBufferPool)

/**
 * gst_cl_buffer_pool_new:
 * @context: the device to allocate on
 *
 * Returns: (transfer full): a pool of buffers that hold one #GstClMemory and a #GstVideoMeta each. The caps of its
 *     configuration may carry the feature %GST_CAPS_FEATURE_MEMORY_CL or none.
 *
 * Since: 0.1
 */
GST_CL_API
GstBufferPool *gst_cl_buffer_pool_new (GstClContext *context);

G_END_DECLS
