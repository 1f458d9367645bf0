/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/context.hpp"

#include "core/debug.hpp"

#include <algorithm>
#include <map>
#include <mutex>

#undef GST_CAT_DEFAULT
#define GST_CAT_DEFAULT (gst::cl::debug_category<"clcontext", "OpenCL contexts and their sharing">)

struct _GstClContext {
  GstObject parent;
  gst::cl::Context *inner;
};

/* Abstract, because g_object_new () would make a context without a device. gst_cl_context_make () makes objects of a private subtype. */
G_DEFINE_ABSTRACT_TYPE (GstClContext, gst_cl_context, GST_TYPE_OBJECT);

using gst::cl::Context;
using gst::cl::ContextRef;

namespace gst::cl {

namespace {

std::shared_ptr<std::atomic<bool>>
flag_of (const std::shared_ptr<OpenDevice> &open)
{
  return {open, &open->failed};
}

::cl::CommandQueue
create_queue (OpenDevice &open, cl_command_queue_properties properties)
{
  const Device &device = open.device;
  try {
    return ::cl::CommandQueue (open.handle, device.handle, properties);
  } catch (const ::cl::Error &error) {
    open.failed = true;
    throw Failure (GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_INIT,
        "OpenCL could not be started on " + device.name + ". " + advice_at_start,
        std::string ("clCreateCommandQueue: ") + error_name (error.err ()) + ", driver " + device.driver_version);
  }
}

}  // namespace

Context::Context (std::shared_ptr<OpenDevice> open_)
    : open (std::move (open_)), device (open->device), handle (open->handle), programs (open->programs), failed (open->failed),
      compute (create_queue (*open, 0)), profiled (create_queue (*open, CL_QUEUE_PROFILING_ENABLE)),
      upload (create_queue (*open, 0)), download (create_queue (*open, 0)), reaper (flag_of (open), open->hung)
{
}

Context::~Context ()
{
  try {
    for (const ::cl::CommandQueue &queue : {upload, compute, profiled, download})
      finish (queue);
  } catch (const Overdue &) {
    return;
  } catch (const ::cl::Error &error) {
    GST_WARNING ("waiting for the device failed: %s", error_name (error.err ()).c_str ());
    failed = true;
  }
  for (const std::weak_ptr<Dependent> &each : dependents)
    if (const auto dependent = each.lock ())
      dependent->release ();
}

void
Context::add_dependent (std::weak_ptr<Dependent> dependent)
{
  const std::lock_guard lock (dependents_mutex);
  std::erase_if (dependents, [] (const auto &each) { return each.expired (); });
  dependents.push_back (std::move (dependent));
}

void
Context::note_in (GstElement *element) const
{
  note_device (element, device.name, flag_of (open));
}

void
Context::wait_for (const ::cl::Event &event) const
{
  if (open->watchdogs || open->hung)
    poll_while (event, [this] {
      require_alive ();
      return open->watchdogs > 0;
    });
  gst::cl::wait_for (event);
}

void
Context::finish (const ::cl::CommandQueue &queue) const
{
  if (!open->watchdogs && !open->hung)
    return void (queue.finish ());
  ::cl::Event last;
  queue.enqueueMarkerWithWaitList (nullptr, &last);
  wait_for (last);
}

Context &
Context::of (GstClContext *object)
{
  return *object->inner;
}

}  // namespace gst::cl

static void
gst_cl_context_class_init (GstClContextClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = [] (GObject *object) {
    delete GST_CL_CONTEXT (object)->inner;
    G_OBJECT_CLASS (gst_cl_context_parent_class)->finalize (object);
  };
}

static void
gst_cl_context_init (GstClContext *)
{
}

static GstClContext *
gst_cl_context_make (std::shared_ptr<gst::cl::OpenDevice> open)
{
  auto inner = std::make_unique<gst::cl::Context> (std::move (open));
  static const GType type = g_type_register_static_simple (GST_TYPE_CL_CONTEXT, "GstClDeviceContext",
      sizeof (GstClContextClass), nullptr, sizeof (GstClContext), nullptr, GTypeFlags (0));
  auto *self = static_cast<GstClContext *> (g_object_new (type, nullptr));
  gst_object_ref_sink (self);
  self->inner = inner.release ();
  GST_INFO_OBJECT (self, "on %s", self->inner->device.describe ().c_str ());
  return self;
}

/* A device may have been lost since its last use, so that it refuses a new context's queues; it is then opened anew. */
static GstClContext *
gst_cl_context_make_on (const gst::cl::Device &device)
{
  const std::shared_ptr<gst::cl::OpenDevice> open = gst::cl::OpenDevice::get (device);
  try {
    return gst_cl_context_make (open);
  } catch (const gst::cl::Failure &) {
    return gst_cl_context_make (gst::cl::OpenDevice::get (device));
  }
}

namespace gst::cl {

ContextRef
create_context (const std::string &wanted)
{
  return ContextRef (gst_cl_context_make_on (choose_device (wanted)));
}

ContextRef
find_or_create_context (const std::string &wanted, gconstpointer pipeline)
{
  static std::mutex mutex;
  static std::map<std::pair<cl_device_id, gconstpointer>, WeakRef<GstClContext>> contexts;
  std::vector<ContextRef> seen; /* released after the lock */
  const Device device = choose_device (wanted);
  const std::lock_guard lock (mutex);
  std::erase_if (contexts, [&] (const auto &each) { return !seen.emplace_back (each.second.get ()); });
  WeakRef<GstClContext> &known = contexts[{device.handle (), device.host_memory == HostMemory::shared ? pipeline : nullptr}];
  ContextRef context = known.get ();
  if (!context || Context::of (context.get ()).failed) {
    seen.push_back (std::move (context));
    context = ContextRef (gst_cl_context_make_on (device));
    known.set (context);
  }
  return context;
}

ContextRef
wrap_context (const Device &device, const ::cl::Context &handle, std::shared_ptr<void> companion)
{
  return ContextRef (gst_cl_context_make (std::make_shared<OpenDevice> (device, handle, std::move (companion))));
}

}  // namespace gst::cl

GstClContext *
gst_cl_context_new (const gchar *device, GError **error)
{
  GstClContext *created = nullptr;
  gst::cl::run_guarded (error, [&] { created = gst::cl::create_context (device ? device : "").release (); });
  return created;
}

GstClContext *
gst_cl_context_new_wrapped (gpointer cl_context, gpointer cl_device_id, GError **error)
{
  g_return_val_if_fail (cl_context != nullptr && cl_device_id != nullptr, nullptr);
  GstClContext *created = nullptr;
  gst::cl::run_guarded (error, [&] {
    const cl::Context handle (static_cast<::cl_context> (cl_context), true);
    const cl::Device device (static_cast<::cl_device_id> (cl_device_id), true);
    const std::vector<gst::cl::Device> known = gst::cl::list_devices ();
    const auto found = std::ranges::find (known, device (), [] (const gst::cl::Device &each) { return each.handle (); });
    created = gst::cl::wrap_context (found == known.end () ? gst::cl::Device (device) : *found, handle, nullptr).release ();
  });
  return created;
}

gpointer
gst_cl_context_get_handle (GstClContext *self)
{
  g_return_val_if_fail (GST_IS_CL_CONTEXT (self), nullptr);
  return self->inner->handle ();
}

gpointer
gst_cl_context_get_device (GstClContext *self)
{
  g_return_val_if_fail (GST_IS_CL_CONTEXT (self), nullptr);
  return self->inner->device.handle ();
}

const gchar *
gst_cl_context_get_device_name (GstClContext *self)
{
  g_return_val_if_fail (GST_IS_CL_CONTEXT (self), nullptr);
  return self->inner->device.name.c_str ();
}

gpointer
gst_cl_context_get_queue (GstClContext *self)
{
  g_return_val_if_fail (GST_IS_CL_CONTEXT (self), nullptr);
  return self->inner->compute ();
}

/* Exchanges a GstClContext between elements and with the application. */

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
  if (!context || !gst_context_has_context_type (context, GST_CL_CONTEXT_TYPE))
    return nullptr;
  const GValue *value = gst_structure_get_value (gst_context_get_structure (context), "context");
  return value && G_VALUE_HOLDS (value, GST_TYPE_CL_CONTEXT) ? static_cast<GstClContext *> (g_value_dup_object (value))
                                                             : nullptr;
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
  g_return_val_if_fail (GST_IS_ELEMENT (element) && cl_context != nullptr, FALSE);
  ContextRef offered (gst_cl_context_from_gst_context (context));
  if (!fits (offered.get (), device) || offered.get () == current_context (element, cl_context).get ())
    return FALSE;
  gst::cl::replace_context (element, cl_context, std::move (offered));
  return TRUE;
}

gboolean
gst_cl_handle_context_query (GstElement *, GstQuery *query, GstClContext *cl_context)
{
  g_return_val_if_fail (GST_IS_QUERY (query), FALSE);
  const gchar *type = nullptr;
  if (GST_QUERY_TYPE (query) != GST_QUERY_CONTEXT || !gst_query_parse_context_type (query, &type)
      || g_strcmp0 (type, GST_CL_CONTEXT_TYPE) != 0 || !cl_context || Context::of (cl_context).failed)
    return FALSE;
  g_autoptr (GstContext) context = gst_cl_context_to_gst_context (cl_context);
  gst_query_set_context (query, context);
  return TRUE;
}
