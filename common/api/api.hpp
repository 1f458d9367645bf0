/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The functions of the C API. Applications link libgstcl-1.0, which exports only these functions, and calls the library with the
 * code; elements and programs use the classes of that library. So a process has one copy of the code and its state, whichever
 * library is loaded first. */
#pragma once

#include <gst/cl/cl.h>

/* clang-format off */
/* result, name, parameters, arguments */
#define GST_CL_FUNCTIONS(X)                                                                                            \
  X (GType, gst_cl_context_get_type, (), ())                                                                           \
  X (GstClContext *, gst_cl_context_new, (const gchar *device, GError **error), (device, error))                       \
  X (GstClContext *, gst_cl_context_new_wrapped, (gpointer context, gpointer device, GError **error),                  \
      (context, device, error))                                                                                        \
  X (gpointer, gst_cl_context_get_handle, (GstClContext * self), (self))                                               \
  X (gpointer, gst_cl_context_get_device, (GstClContext * self), (self))                                               \
  X (const gchar *, gst_cl_context_get_device_name, (GstClContext * self), (self))                                     \
  X (gpointer, gst_cl_context_get_queue, (GstClContext * self), (self))                                                \
  X (GstContext *, gst_cl_context_to_gst_context, (GstClContext * self), (self))                                       \
  X (GstClContext *, gst_cl_context_from_gst_context, (GstContext * context), (context))                               \
  X (gboolean, gst_cl_ensure_element_context,                                                                          \
      (GstElement * element, const gchar *device, GstClContext **context, GError **error),                             \
      (element, device, context, error))                                                                               \
  X (gboolean, gst_cl_handle_set_context,                                                                              \
      (GstElement * element, const gchar *device, GstContext *context, GstClContext **cl_context),                     \
      (element, device, context, cl_context))                                                                          \
  X (gboolean, gst_cl_handle_context_query, (GstElement * element, GstQuery *query, GstClContext *cl_context),         \
      (element, query, cl_context))                                                                                    \
  X (gboolean, gst_is_cl_memory, (GstMemory * memory), (memory))                                                       \
  X (GstMemory *, gst_cl_memory_new, (GstClContext * context, const GstVideoInfo *info, GError **error),               \
      (context, info, error))                                                                                          \
  X (GstClContext *, gst_cl_memory_get_context, (GstClMemory * memory), (memory))                                      \
  X (gpointer, gst_cl_memory_get_handle, (GstClMemory * memory), (memory))                                             \
  X (gpointer, gst_cl_memory_get_event, (GstClMemory * memory), (memory))                                              \
  X (void, gst_cl_memory_set_event, (GstClMemory * memory, gpointer event), (memory, event))                           \
  X (GType, gst_cl_motion_meta_api_get_type, (), ())                                                                   \
  X (const GstMetaInfo *, gst_cl_motion_meta_get_info, (), ())                                                         \
  X (GstClMotionMeta *, gst_cl_motion_meta_add, (GstBuffer * buffer, const GstClMotionMeta *description),              \
      (buffer, description))                                                                                           \
  X (GstClMotionMeta *, gst_cl_motion_meta_get, (GstBuffer * buffer, gint distance), (buffer, distance))               \
  X (GType, gst_cl_buffer_pool_get_type, (), ())                                                                       \
  X (GstBufferPool *, gst_cl_buffer_pool_new, (GstClContext * context), (context))
/* clang-format on */

namespace gst::cl {

struct ApiTable {
#define GST_CL_POINTER(result, name, parameters, arguments) result (*name) parameters;
  GST_CL_FUNCTIONS (GST_CL_POINTER)
#undef GST_CL_POINTER
};

GST_CL_API extern const ApiTable api_table;

}  // namespace gst::cl
