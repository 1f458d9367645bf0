/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/wait.hpp"

#include "core/opendevice.hpp"

#include <algorithm>

namespace gst::cl {

namespace {

cl_int
query_status (const ::cl::Event &event, cl_int *status)
{
  return clGetEventInfo (event (), CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof *status, status, nullptr);
}

}  // namespace

bool
is_done (const ::cl::Event &event)
{
  cl_int status = CL_COMPLETE;
  return query_status (event, &status) != CL_SUCCESS || status <= CL_COMPLETE;
}

void
wait_for (const ::cl::Event &event)
{
  /* waiting for a complete command takes drivers longer; a query that fails leaves the command running */
  cl_int status = CL_QUEUED;
  if (query_status (event, &status) == CL_SUCCESS && status == CL_COMPLETE)
    return;
  event.wait ();
  if (event.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS> () < CL_COMPLETE)
    throw ::cl::Error (CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, "clWaitForEvents");
}

/* Sleeps are short compared with the time that has passed. */
void
poll_while (const ::cl::Event &event, const std::function<bool ()> &goes_on)
{
  constexpr gint64 shortest_us = 20, longest_us = 1000;
  if (is_done (event))
    return;
  cl_command_queue queue = nullptr; /* none of a user event */
  if (clGetEventInfo (event (), CL_EVENT_COMMAND_QUEUE, sizeof queue, &queue, nullptr) == CL_SUCCESS && queue)
    clFlush (queue);
  for (const gint64 begin = g_get_monotonic_time (); !is_done (event) && goes_on ();)
    g_usleep (gulong (std::clamp ((g_get_monotonic_time () - begin) / 16, shortest_us, longest_us)));
}

Watchdog::Watchdog (OpenDevice &device_) : device (device_), thread ([this] { run (); })
{
  device.watchdogs++;
}

Watchdog::~Watchdog ()
{
  {
    const std::lock_guard lock (mutex);
    stopping = true;
  }
  changed.notify_one ();
  thread.join ();
  device.watchdogs--;
}

void
Watchdog::watch (::cl::Event event, unsigned milliseconds, const void *owner, std::function<void ()> overdue)
{
  const std::lock_guard lock (mutex);
  const gint64 patience_us = gint64 (milliseconds) * 1000;
  frames.push_back ({std::move (event), g_get_monotonic_time () + patience_us, patience_us, owner, std::move (overdue)});
  if (frames.size () == 1)
    changed.notify_one ();
}

void
Watchdog::forget (const void *owner)
{
  const std::lock_guard lock (mutex); /* a call may be under way */
  for (Watched &each : frames)
    if (each.owner == owner)
      each.overdue = [] {};
}

void
Watchdog::run ()
{
  constexpr gint64 longest_us = 100'000; /* the next frame may be less patient */
  std::unique_lock lock (mutex);
  while (!stopping) {
    /* a completed frame needs no deadline */
    bool moved = false;
    for (; !frames.empty () && is_done (frames.front ().event); moved = true)
      frames.pop_front ();
    if (moved && !frames.empty ())
      frames.front ().deadline_us = g_get_monotonic_time () + frames.front ().patience_us;
    if (frames.empty ()) {
      changed.wait (lock);
      continue;
    }
    const gint64 left_us = frames.front ().deadline_us - g_get_monotonic_time ();
    if (left_us > 0) {
      changed.wait_for (lock, std::chrono::microseconds (std::min (left_us, longest_us)));
      continue;
    }
    frames.front ().overdue (); /* first, because waits that end report nothing themselves */
    frames.clear ();
    device.failed = true;
    device.hung = true;
    return;
  }
}

}  // namespace gst::cl
