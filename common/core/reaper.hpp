/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Keeps things alive until the device is done with them, without anybody waiting on the streaming path. */
#pragma once

#include "core/opencl.hpp"

#include <gst/cl/gstcl-prelude.h>

#include <atomic>
#include <functional>
#include <memory>

namespace gst::cl {

/** A thread that waits for events in order and then runs what was left with them. */
class GST_CL_API Reaper {
public:
  /** failed becomes true where a wait fails. */
  explicit Reaper (std::weak_ptr<std::atomic<bool>> failed);
  /** Waits for everything left; safe on the reaper's own thread. */
  ~Reaper ();
  Reaper (const Reaper &) = delete;
  Reaper &operator= (const Reaper &) = delete;

  /** Runs release on the reaper's thread once event is complete (or has failed). */
  void leave (::cl::Event event, std::function<void ()> release);

  /** How much has been left so far. */
  guint64 left () const;
  /** Waits until the first n that were left are gone, so that what is kept cannot grow faster than it is let go. Not on
   *  the reaper's own thread. */
  void wait_for (guint64 n);

private:
  struct State;
  std::shared_ptr<State> state;
};

}  // namespace gst::cl
