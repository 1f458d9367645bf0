/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/cl/gstcl-prelude.h>

G_BEGIN_DECLS

/**
 * SECTION:gstclcontext
 * @title: GstClContext
 * @short_description: one OpenCL device with its context, queues and programs
 *
 * Elements of one pipeline share a #GstClContext through the usual #GstContext exchange under the type
 * %GST_CL_CONTEXT_TYPE, so that their frames stay on the device. An application that has an OpenCL context of its own
 * wraps it with gst_cl_context_new_wrapped() and answers the elements' need-context messages, or calls
 * gst_element_set_context() on the pipeline before it leaves the NULL state.
 *
 * All functions may be called from any thread.
 */

#define GST_TYPE_CL_CONTEXT (gst_cl_context_get_type ())
GST_CL_API
G_DECLARE_FINAL_TYPE (GstClContext, gst_cl_context, GST, CL_CONTEXT, GstObject)

/**
 * GST_CL_CONTEXT_TYPE:
 *
 * The type of the #GstContext that carries a #GstClContext, in the field "context" of its structure.
 *
 * Since: 0.1
 */
#define GST_CL_CONTEXT_TYPE "gst.cl.context"

/**
 * gst_cl_context_new:
 * @device: (nullable): the device, as in the elements' property `device`: %NULL or "" for `$GST_CL_DEVICE` or else the
 *     best one, "gpu", "cpu", "accelerator", "P:D" indices, or part of a platform's or device's name
 * @error: return location for an error in the domain #GST_RESOURCE_ERROR or #GST_LIBRARY_ERROR
 *
 * Returns: (transfer full) (nullable): a new context on that device, or %NULL with @error set
 *
 * Since: 0.1
 */
GST_CL_API
GstClContext *gst_cl_context_new (const gchar *device, GError **error);

/**
 * gst_cl_context_new_wrapped:
 * @cl_context: a `cl_context`, of which the new context takes its own reference
 * @cl_device_id: the `cl_device_id` to use, one of the context's devices
 * @error: return location for an error in the domain #GST_LIBRARY_ERROR
 *
 * Returns: (transfer full) (nullable): a context with queues of its own on the application's OpenCL context, or %NULL with
 *     @error set
 *
 * Since: 0.1
 */
GST_CL_API
GstClContext *gst_cl_context_new_wrapped (gpointer cl_context, gpointer cl_device_id, GError **error);

/**
 * gst_cl_context_get_handle:
 * @self: a context
 *
 * Returns: (transfer none): the `cl_context`, valid as long as @self
 *
 * Since: 0.1
 */
GST_CL_API
gpointer gst_cl_context_get_handle (GstClContext *self);

/**
 * gst_cl_context_get_device:
 * @self: a context
 *
 * Returns: (transfer none): the `cl_device_id`
 *
 * Since: 0.1
 */
GST_CL_API
gpointer gst_cl_context_get_device (GstClContext *self);

/**
 * gst_cl_context_get_device_name:
 * @self: a context
 *
 * Returns: (transfer none): the device's name as its driver gives it
 *
 * Since: 0.1
 */
GST_CL_API
const gchar *gst_cl_context_get_device_name (GstClContext *self);

/**
 * gst_cl_context_get_queue:
 * @self: a context
 *
 * Returns: (transfer none): the in-order `cl_command_queue` on which the elements run their kernels
 *
 * Since: 0.1
 */
GST_CL_API
gpointer gst_cl_context_get_queue (GstClContext *self);

/**
 * gst_cl_context_to_gst_context:
 * @self: a context
 *
 * Returns: (transfer full): a #GstContext that carries @self, for gst_element_set_context()
 *
 * Since: 0.1
 */
GST_CL_API
GstContext *gst_cl_context_to_gst_context (GstClContext *self);

/**
 * gst_cl_context_from_gst_context: (constructor)
 * @context: (nullable): a context from an element or a message
 *
 * Returns: (transfer full) (nullable): the #GstClContext in @context, or %NULL if it carries none
 *
 * Since: 0.1
 */
GST_CL_API
GstClContext *gst_cl_context_from_gst_context (GstContext *context);

/**
 * gst_cl_ensure_element_context:
 * @element: the element that needs a context
 * @device: (nullable): the value of its `device` property
 * @context: (inout) (nullable) (transfer full): the element's context; kept if it fits @device
 * @error: return location for an error
 *
 * Finds a #GstClContext for @element: the one it has, a neighbour's, the application's, or a new one that is then
 * offered to the rest of the pipeline. Call it when the state changes from NULL to READY.
 *
 * Returns: whether *@context is set
 *
 * Since: 0.1
 */
GST_CL_API
gboolean gst_cl_ensure_element_context (GstElement *element, const gchar *device, GstClContext **context, GError **error);

/**
 * gst_cl_handle_set_context:
 * @element: the element whose set_context() was called
 * @device: (nullable): the value of its `device` property
 * @context: (nullable): the context that was set
 * @cl_context: (inout) (nullable) (transfer full): the element's context, replaced if @context carries one on a device that fits
 *
 * Returns: whether *@cl_context was replaced
 *
 * Since: 0.1
 */
GST_CL_API
gboolean gst_cl_handle_set_context (GstElement *element, const gchar *device, GstContext *context, GstClContext **cl_context);

/**
 * gst_cl_handle_context_query:
 * @element: the element whose query() was called
 * @query: the query
 * @cl_context: (nullable): the element's context
 *
 * Returns: whether @query asked for a #GstClContext and was answered with @cl_context
 *
 * Since: 0.1
 */
GST_CL_API
gboolean gst_cl_handle_context_query (GstElement *element, GstQuery *query, GstClContext *cl_context);

G_END_DECLS
