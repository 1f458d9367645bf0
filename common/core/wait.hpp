/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Waits for commands, and notices when the device does not finish a frame. */
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

/** Thrown by waits after a watchdog has reported the device. */
struct Overdue : Reported {
  Overdue () : Reported ("The device does not finish a frame.") {}
};

class Context;

/** A thread that checks each frame once, after its deadline. While it exists, the context's waits are polls. Thread-safe. */
class GST_CL_API Watchdog {
public:
  explicit Watchdog (Context &context);
  ~Watchdog ();
  Watchdog (const Watchdog &) = delete;
  Watchdog &operator= (const Watchdog &) = delete;

  /** Watches a frame's last command. The watchdog's thread calls overdue and then Context::set_hung() if the command is not
   *  complete in time, counted from the completion of the frame before. Calls them for the first such frame only. */
  void watch (::cl::Event event, unsigned milliseconds, std::function<void ()> overdue);

private:
  struct Watched {
    ::cl::Event event;
    gint64 deadline_us, patience_us;
    std::function<void ()> overdue;
  };

  void run ();

  Context &context;
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<Watched> frames;
  bool stopping = false;
  std::thread thread;
};

}  // namespace gst::cl
