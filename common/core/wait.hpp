/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Waits for commands that may never end, and notices when the device does not finish a frame. */
#pragma once

#include "core/error.hpp"

#include <atomic>
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

/** Waits until a command is complete. Calls give_up at least every millisecond or so, and returns false when it returns true.
 *  Throws ::cl::Error if the command failed. */
GST_CL_API bool wait_unless (const ::cl::Event &event, const std::function<bool ()> &give_up);

/** Thrown by waits after the watchdog has reported the device. */
struct Overdue : Reported {
  Overdue () : Reported ("The device does not finish a frame.") {}
};

/** A thread that checks each frame once, after its deadline. Thread-safe. */
class GST_CL_API Watchdog {
public:
  Watchdog ();
  ~Watchdog ();
  Watchdog (const Watchdog &) = delete;
  Watchdog &operator= (const Watchdog &) = delete;

  /** Watches a frame's last command. The watchdog's thread calls overdue if the command is not complete in time, counted from
   *  the completion of the frame before. Calls it for the first such frame only. */
  void watch (::cl::Event event, unsigned milliseconds, std::function<void ()> overdue);
  bool has_fired () const { return fired; }
  /** Waits for a command that was enqueued no later than the watched ones. Throws Overdue if one of these is overdue. */
  void wait (const ::cl::Event &event) const;

private:
  struct Watched {
    ::cl::Event event;
    gint64 deadline_us, patience_us;
    std::function<void ()> overdue;
  };

  void run ();

  std::mutex mutex;
  std::condition_variable changed;
  std::deque<Watched> frames;
  bool stopping = false;
  std::atomic<bool> fired = false;
  std::thread thread;
};

}  // namespace gst::cl
