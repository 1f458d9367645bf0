/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Releases objects when the device has finished with them, so that the streaming thread does not wait. */
#pragma once

#include "core/opencl.hpp"

#include <gst/cl/gstcl-prelude.h>

#include <atomic>
#include <functional>
#include <memory>

namespace gst::cl {

/** A thread that waits for events in order, and calls a function after each. Thread-safe. */
class GST_CL_API Reaper {
public:
  /** Sets *failed if a wait fails. All waits end when hung is true. */
  Reaper (std::weak_ptr<std::atomic<bool>> failed, const std::atomic<bool> &hung);
  /** Waits for all events that were left. May run on the reaper's own thread. */
  ~Reaper ();
  Reaper (const Reaper &) = delete;
  Reaper &operator= (const Reaper &) = delete;

  /** Calls release on the reaper's thread when event is complete or has failed. */
  void leave (::cl::Event event, std::function<void ()> release);

  /** The number of calls of leave() so far. */
  guint64 left () const;
  /** Waits until the functions of the first n calls of leave() have returned, which limits the objects that wait. Not for the
   *  reaper's own thread. */
  void wait_for (guint64 n);

private:
  struct State;
  std::shared_ptr<State> state;
  const std::atomic<bool> &hung;
};

}  // namespace gst::cl
