/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The inside of a GstClContext: one device, its queues, its programs. */
#pragma once

#include "core/opendevice.hpp"
#include "core/reaper.hpp"

#include <gst/cl/gstclcontext.h>

#include <utility>

namespace gst::cl {

/** Owns a reference to a GObject or GstMiniObject, by the two functions of its type. */
template <typename T, void *(*ref) (void *), void (*unref) (void *)> class Ref {
public:
  Ref () = default;
  explicit Ref (T *owned) : pointer (owned) {}
  Ref (const Ref &other) : pointer (other.pointer ? static_cast<T *> (ref (other.pointer)) : nullptr) {}
  Ref (Ref &&other) noexcept : pointer (std::exchange (other.pointer, nullptr)) {}
  Ref &operator= (Ref other) noexcept
  {
    std::swap (pointer, other.pointer);
    return *this;
  }
  ~Ref ()
  {
    if (pointer)
      unref (pointer);
  }

  static Ref retain (T *borrowed) { return Ref (borrowed ? static_cast<T *> (ref (borrowed)) : nullptr); }
  T *get () const { return pointer; }
  T *release () { return std::exchange (pointer, nullptr); }
  explicit operator bool () const { return pointer != nullptr; }

private:
  T *pointer = nullptr;
};

using ContextRef = Ref<GstClContext, gst_object_ref, gst_object_unref>;

/** A GstObject's lock, held for a scope. */
class ObjectLock {
public:
  explicit ObjectLock (gpointer object_) : object (GST_OBJECT (object_)) { GST_OBJECT_LOCK (object); }
  ~ObjectLock () { GST_OBJECT_UNLOCK (object); }
  ObjectLock (const ObjectLock &) = delete;
  ObjectLock &operator= (const ObjectLock &) = delete;

private:
  GstObject *const object;
};

/** Knows a context for as long as somebody else keeps it. */
class WeakContext {
public:
  WeakContext () { g_weak_ref_init (&reference, nullptr); }
  ~WeakContext () { g_weak_ref_clear (&reference); }
  WeakContext (const WeakContext &) = delete;
  WeakContext &operator= (const WeakContext &) = delete;

  /** Null where it is gone. The last to let go of one may wait for its device, so not with a lock held. */
  ContextRef get () const { return ContextRef (static_cast<GstClContext *> (g_weak_ref_get (&reference))); }
  void set (const ContextRef &context) { g_weak_ref_set (&reference, context.get ()); }

private:
  mutable GWeakRef reference;
};

/** A command's event with the queue it runs on, so that later commands of the same in-order queue need not wait. */
struct Fence {
  ::cl::Event event;
  cl_command_queue queue = nullptr;
  /** After how many milliseconds nobody waits for it any longer; 0: never. */
  unsigned patience = 0;

  explicit operator bool () const { return event () != nullptr; }
};

/** Something that is kept elsewhere and holds an object of a context, which it must let go of before the context does. */
class Dependent {
public:
  virtual ~Dependent () = default;
  /** Called once the context's commands are done. Any thread. */
  virtual void release () noexcept = 0;
};

class GST_CL_API Context {
public:
  /** Throws Failure (LIBRARY, INIT). */
  explicit Context (std::shared_ptr<OpenDevice> open);
  /** Waits for the device, then releases in order. */
  ~Context ();

  static Context &of (GstClContext *object);
  /** The element works on this context's device from now on: see note_device(). */
  void note_in (GstElement *element) const;

  void add_dependent (std::weak_ptr<Dependent> dependent);

  /** Shared with other contexts on the device; released last. */
  const std::shared_ptr<OpenDevice> open;
  const Device &device;
  const ::cl::Context &handle;
  ProgramCache &programs;
  std::atomic<bool> &failed;
  /** In-order; kernels. profiled runs them with time stamps, for elements with profile=true. */
  ::cl::CommandQueue compute, profiled;
  /** In-order; transfers that overlap the kernels. */
  ::cl::CommandQueue upload, download;
  Reaper reaper;
  /** Set when a command did not end in time: nobody needs to wait for one any longer. */
  std::atomic<bool> hung = false;

private:
  std::mutex dependents_mutex;
  std::vector<std::weak_ptr<Dependent>> dependents;
};

/** A new context on the device that wanted names. Throws Failure. */
GST_CL_API ContextRef create_context (const std::string &wanted);
/** The process's context on a device with memory of its own: pipelines that have one each take turns on the device, and pay the
 *  driver's start each. On others that of one pipeline, since in-order queues of processors gain nothing from company.
 *  Elements that ask at the same time get the same. Throws Failure. */
GST_CL_API ContextRef find_or_create_context (const std::string &wanted, gconstpointer pipeline);
/** See OpenDevice's constructor. Throws Failure. */
GST_CL_API ContextRef wrap_context (const Device &device, const ::cl::Context &handle, std::shared_ptr<void> companion);

/** See gst_cl_ensure_element_context(). Throws Failure. */
GST_CL_API void ensure_element_context (GstElement *element, const gchar *device, GstClContext **context);

}  // namespace gst::cl
