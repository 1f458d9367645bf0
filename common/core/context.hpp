/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The C++ side of a GstClContext: one device with its queues and programs. */
#pragma once

#include "core/opendevice.hpp"
#include "core/reaper.hpp"
#include "core/ref.hpp"
#include "core/wait.hpp"

#include <gst/cl/gstclcontext.h>

namespace gst::cl {

using ContextRef = Ref<GstClContext>;

/** Holds a GstObject's lock for a scope. */
class ObjectLock {
public:
  explicit ObjectLock (gpointer object_) : object (GST_OBJECT (object_)) { GST_OBJECT_LOCK (object); }
  ~ObjectLock () { GST_OBJECT_UNLOCK (object); }
  ObjectLock (const ObjectLock &) = delete;
  ObjectLock &operator= (const ObjectLock &) = delete;

private:
  GstObject *const object;
};

/** An element's pads on one side at this moment. */
GST_CL_API std::vector<Ref<GstPad>> pads_of (GstElement *element, GstPadDirection side);
inline std::vector<Ref<GstPad>>
sink_pads_of (GstElement *element)
{
  return pads_of (element, GST_PAD_SINK);
}

/** A weak reference to an object. */
template <typename T> class WeakRef {
public:
  WeakRef () { g_weak_ref_init (&reference, nullptr); }
  ~WeakRef () { g_weak_ref_clear (&reference); }
  WeakRef (const WeakRef &) = delete;
  WeakRef &operator= (const WeakRef &) = delete;

  /** The object, or null after its end. Do not drop a context while holding a lock: dropping the last reference waits for the
   *  device. */
  Ref<T> get () const { return Ref<T> (static_cast<T *> (g_weak_ref_get (&reference))); }
  void set (const Ref<T> &object) { g_weak_ref_set (&reference, object.get ()); }

private:
  mutable GWeakRef reference;
};

/** A command's event and its queue. Later commands of the same in-order queue do not have to wait for the event. */
struct Fence {
  ::cl::Event event;
  cl_command_queue queue = nullptr;

  explicit operator bool () const { return event () != nullptr; }
};

/** An object outside a context that holds OpenCL objects of that context, and must release them before the context ends. */
class Dependent {
public:
  virtual ~Dependent () = default;
  /** Called when the context's commands are complete, on any thread. */
  virtual void release () noexcept = 0;
};

/** The queues and the reaper of one GstClContext, on a device that several contexts may share. */
class GST_CL_API Context {
public:
  /** Throws Failure (LIBRARY, INIT). */
  explicit Context (std::shared_ptr<OpenDevice> open);
  /** Waits for the device, then releases the members in order. */
  ~Context ();

  static Context &of (GstClContext *object);
  /** Calls note_device() for an element that now works on this context's device. */
  void note_in (GstElement *element) const;

  void add_dependent (std::weak_ptr<Dependent> dependent);

  /** Waits until a command of this context is complete. Throws ::cl::Error if it failed, and Overdue if the device is hung. */
  void wait_for (const ::cl::Event &event) const;
  /** Waits until all commands of a queue of this context are complete. Throws like wait_for(). */
  void finish (const ::cl::CommandQueue &queue) const;
  /** Whether the device does not finish a command. Memory that commands may still use then stays allocated. */
  bool is_hung () const { return open->hung; }
  void require_alive () const
  {
    if (is_hung ())
      throw Overdue{};
  }

  /** The open device. Other contexts share it. Released last. */
  const std::shared_ptr<OpenDevice> open;
  const Device &device;
  const ::cl::Context &handle;
  ProgramCache &programs;
  std::atomic<bool> &failed;
  /** In-order queues for kernels. profiled takes time stamps, for elements with profile=true. */
  ::cl::CommandQueue compute, profiled;
  /** In-order queues for transfers, which overlap the kernels. */
  ::cl::CommandQueue upload, download;
  Reaper reaper;

private:
  std::mutex dependents_mutex;
  std::vector<std::weak_ptr<Dependent>> dependents;
};

/** Creates a context on the device that wanted names, see choose_device(). Throws Failure. */
GST_CL_API ContextRef create_context (const std::string &wanted);
/** The context for an element of the pipeline. GPUs have one context for the process, because several would take turns on the
 *  device, and each costs the driver's start. Where the device computes in host pages, each pipeline has its own: sharing
 *  in-order queues gains nothing on a CPU. Elements that ask at the same time get the same context. Throws Failure. */
GST_CL_API ContextRef find_or_create_context (const std::string &wanted, gconstpointer pipeline);
/** See OpenDevice's constructor. Throws Failure. */
GST_CL_API ContextRef wrap_context (const Device &device, const ::cl::Context &handle, std::shared_ptr<void> companion);

/** Replaces the context in an element's slot, under its object lock. */
void replace_context (GstElement *element, GstClContext **slot, ContextRef context);
/** See gst_cl_ensure_element_context(). Throws Failure. */
GST_CL_API void ensure_element_context (GstElement *element, const gchar *device, GstClContext **context);

}  // namespace gst::cl
