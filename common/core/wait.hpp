/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Waits for commands, and notices when the device does not finish a frame. */
#pragma once

#include "core/error.hpp"

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace gst::cl {

/** Whether a command is complete or has failed. */
GST_CL_API bool is_done (const ::cl::Event &event);

/** Waits until a command is complete. Throws ::cl::Error if it failed, which NVIDIA's clWaitForEvents() does not report. */
GST_CL_API void wait_for (const ::cl::Event &event);

/** Flushes the command's queue and polls, at least once in a millisecond or so, until the command is complete or goes_on returns
 *  false. OpenCL has no wait that another thread can end. */
GST_CL_API void poll_while (const ::cl::Event &event, const std::function<bool ()> &goes_on);

/** Thrown by waits after a watchdog has reported the device. */
struct Overdue : Reported {
  Overdue () : Reported ("The device does not finish a frame.") {}
};

struct OpenDevice;

/** A thread that checks each frame of a device once, after its deadline. While it exists, waits for the device are polls.
 *  Thread-safe. */
class GST_CL_API Watchdog {
public:
  explicit Watchdog (OpenDevice &device);
  ~Watchdog ();
  Watchdog (const Watchdog &) = delete;
  Watchdog &operator= (const Watchdog &) = delete;

  /** Watches a frame's last command. If it is not complete in time, counted from the completion of the frame before, the
   *  watchdog's thread calls overdue and then marks the device as hung. It does so for the first such frame only, because
   *  later ones wait for it. */
  void watch (::cl::Event event, unsigned milliseconds, const void *owner, std::function<void ()> overdue);
  /** Drops the owner's functions. When it returns, none is running. */
  void forget (const void *owner);

private:
  struct Watched {
    ::cl::Event event;
    gint64 deadline_us, patience_us;
    const void *owner;
    std::function<void ()> overdue;
  };

  void run ();

  OpenDevice &device;
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<Watched> frames;
  bool stopping = false;
  std::thread thread;
};

}  // namespace gst::cl
