/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Exchanges a GstClContext between elements and with the application. */
#include "core/context.hpp"

using gst::cl::Context;
using gst::cl::ContextRef;

GstContext *
gst_cl_context_to_gst_context (GstClContext *self)
{
  g_return_val_if_fail (GST_IS_CL_CONTEXT (self), nullptr);
  GstContext *context = gst_context_new (GST_CL_CONTEXT_TYPE, TRUE);
  gst_structure_set (gst_context_writable_structure (context), "context", GST_TYPE_CL_CONTEXT, self, nullptr);
  return context;
}

GstClContext *
gst_cl_context_from_gst_context (GstContext *context)
{
  GstClContext *found = nullptr;
  if (context && gst_context_has_context_type (context, GST_CL_CONTEXT_TYPE))
    gst_structure_get (gst_context_get_structure (context), "context", GST_TYPE_CL_CONTEXT, &found, nullptr);
  return found;
}

namespace {

/* Rejects contexts whose device has failed. Bins keep a context that they were given, and answer with it for the
 * application. */
bool
fits (GstClContext *context, const gchar *device)
{
  return context && !Context::of (context).failed
         && Context::of (context).device.matches (gst::cl::effective_device (device ? device : ""));
}

/* An element's context is read and replaced under the element's object lock. */
ContextRef
current_context (GstElement *element, GstClContext **slot)
{
  const gst::cl::ObjectLock lock (element);
  return ContextRef::retain (*slot);
}

/* Asks the neighbours on one side, and sets their context if they have one. */
void
ask_side (GstElement *element, GstPadDirection side)
{
  g_autoptr (GstQuery) query = gst_query_new_context (GST_CL_CONTEXT_TYPE);
  GstContext *context = nullptr;
  for (const auto &pad : gst::cl::pads_of (element, side))
    if (gst_pad_peer_query (pad.get (), query)) {
      gst_query_parse_context (query, &context);
      break;
    }
  if (context)
    gst_element_set_context (element, context);
}

/* Asks downstream, upstream, and then the bins and the application, until one has a context that fits. They answer by
 * gst_element_set_context() on this element, or in the query. */
bool
ask_for_context (GstElement *element, const gchar *device, GstClContext **slot)
{
  const auto found = [=] { return fits (current_context (element, slot).get (), device); };
  g_autoptr (GstContext) kept = gst_element_get_context (element, GST_CL_CONTEXT_TYPE); /* set in the state NULL */
  gst_cl_handle_set_context (element, device, kept, slot);
  if (found ())
    return true;
  for (GstPadDirection direction : {GST_PAD_SRC, GST_PAD_SINK}) {
    ask_side (element, direction);
    if (found ())
      return true;
  }
  gst_element_post_message (element, gst_message_new_need_context (GST_OBJECT (element), GST_CL_CONTEXT_TYPE));
  return found ();
}

/* The pipeline or outermost bin of the element. No reference: the pointer is for comparisons only. */
gconstpointer
outermost (GstElement *element)
{
  auto *around = static_cast<GstObject *> (gst_object_ref (element));
  while (GstObject *parent = gst_object_get_parent (around)) {
    gst_object_unref (around);
    around = parent;
  }
  gst_object_unref (around);
  return around;
}

}  // namespace

namespace gst::cl {

void
replace_context (GstElement *element, GstClContext **slot, ContextRef context)
{
  if (context)
    Context::of (context.get ()).note_in (element);
  ContextRef old; /* released after the lock */
  const ObjectLock lock (element);
  old = ContextRef (std::exchange (*slot, context.release ()));
}

std::vector<Ref<GstPad>>
pads_of (GstElement *element, GstPadDirection side)
{
  std::vector<Ref<GstPad>> pads;
  const ObjectLock lock (element);
  for (GList *at = side == GST_PAD_SINK ? element->sinkpads : element->srcpads; at; at = at->next)
    pads.push_back (Ref<GstPad>::retain (GST_PAD (at->data)));
  return pads;
}

/* No lock is held, because neighbours, bins and applications run their own code before they answer. */
void
ensure_element_context (GstElement *element, const gchar *device, GstClContext **context)
{
  if (const ContextRef current = current_context (element, context); fits (current.get (), device)) {
    Context::of (current.get ()).note_in (element);
    return;
  }
  replace_context (element, context, {});
  if (ask_for_context (element, device, context))
    return;
  const ContextRef created = find_or_create_context (device ? device : "", outermost (element));
  replace_context (element, context, created);
  GstContext *offered = gst_cl_context_to_gst_context (created.get ());
  gst_element_set_context (element, offered);
  gst_element_post_message (element, gst_message_new_have_context (GST_OBJECT (element), offered));
}

}  // namespace gst::cl

gboolean
gst_cl_ensure_element_context (GstElement *element, const gchar *device, GstClContext **context, GError **error)
{
  g_return_val_if_fail (GST_IS_ELEMENT (element) && context != nullptr, FALSE);
  return gst::cl::run_guarded (error, [&] { gst::cl::ensure_element_context (element, device, context); });
}

gboolean
gst_cl_handle_set_context (GstElement *element, const gchar *device, GstContext *context, GstClContext **cl_context)
{
  ContextRef offered (gst_cl_context_from_gst_context (context));
  if (!fits (offered.get (), device) || offered.get () == current_context (element, cl_context).get ())
    return FALSE;
  gst::cl::replace_context (element, cl_context, std::move (offered));
  return TRUE;
}

gboolean
gst_cl_handle_context_query (GstElement *, GstQuery *query, GstClContext *cl_context)
{
  const gchar *type = nullptr;
  if (GST_QUERY_TYPE (query) != GST_QUERY_CONTEXT || !gst_query_parse_context_type (query, &type)
      || g_strcmp0 (type, GST_CL_CONTEXT_TYPE) != 0 || !cl_context || Context::of (cl_context).failed)
    return FALSE;
  g_autoptr (GstContext) context = gst_cl_context_to_gst_context (cl_context);
  gst_query_set_context (query, context);
  return TRUE;
}
