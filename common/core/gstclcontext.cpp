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

G_DEFINE_TYPE (GstClContext, gst_cl_context, GST_TYPE_OBJECT);

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
      upload (create_queue (*open, 0)), download (create_queue (*open, 0)), reaper (flag_of (open))
{
}

Context::~Context ()
{
  try {
    for (const ::cl::CommandQueue &queue : {upload, compute, profiled, download})
      queue.finish ();
  } catch (const ::cl::Error &error) {
    GST_WARNING ("waiting for the device failed: %s", error_name (error.err ()).c_str ());
    failed = true;
  }
  for (const std::weak_ptr<Dependent> &each : dependents)
    if (const auto dependent = each.lock ())
      dependent->release ();
  OpenDevice::close_soon ();
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
  auto *self = static_cast<GstClContext *> (g_object_new (GST_TYPE_CL_CONTEXT, nullptr));
  gst_object_ref_sink (self);
  self->inner = inner.release ();
  GST_INFO_OBJECT (self, "on %s", self->inner->device.describe ().c_str ());
  return self;
}

namespace gst::cl {

ContextRef
create_context (const std::string &wanted)
{
  return ContextRef (gst_cl_context_make (OpenDevice::get (choose_device (wanted))));
}

ContextRef
find_or_create_context (const std::string &wanted, gconstpointer pipeline)
{
  static std::mutex mutex;
  static std::map<std::pair<cl_device_id, gconstpointer>, WeakRef<GstClContext>> contexts;
  std::vector<ContextRef> seen; /* released after the lock */
  const std::lock_guard lock (mutex);
  /* with the lock held: the loader and drivers (PoCL 3.1) crash if the first calls come from two threads at once */
  const Device device = choose_device (wanted);
  std::erase_if (contexts, [&] (const auto &each) { return !seen.emplace_back (each.second.get ()); });
  WeakRef<GstClContext> &known = contexts[{device.handle (), device.host_memory == HostMemory::shared ? pipeline : nullptr}];
  ContextRef context = known.get ();
  if (!context || Context::of (context.get ()).failed) {
    seen.push_back (std::move (context));
    context = ContextRef (gst_cl_context_make (OpenDevice::get (device)));
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
