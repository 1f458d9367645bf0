/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Notices when the device does not come to the end of a frame. */
#pragma once

#include "core/error.hpp"
#include "core/wait.hpp"

#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

namespace gst::cl {

/** What a wait for a frame ends with once the watchdog has reported it. */
struct Overdue : Reported {
  Overdue () : Reported ("The device does not finish a frame.") {}
};

/** A thread that looks at each frame once, when its time is over. Thread-safe. */
class GST_CL_API Watchdog {
public:
  Watchdog ();
  ~Watchdog ();
  Watchdog (const Watchdog &) = delete;
  Watchdog &operator= (const Watchdog &) = delete;

  /** A frame's last command. overdue is called, on the watchdog's thread, where it is not done in that time, which counts from
   *  when the frame before was seen to be done; only for the first such frame of all. */
  void watch (::cl::Event event, unsigned milliseconds, std::function<void ()> overdue);
  bool has_fired () const { return fired; }
  /** Waits for a command that was enqueued before or with what is watched. Throws Overdue once a frame is. */
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
