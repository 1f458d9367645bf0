/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/wait.hpp"

#include <glib.h>

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

/* OpenCL has no wait with a time limit. Sleeps are short compared with the time that has passed. */
bool
wait_unless (const ::cl::Event &event, const std::function<bool ()> &give_up)
{
  constexpr gint64 shortest_us = 20, longest_us = 1000;
  for (const gint64 begin = g_get_monotonic_time (); !is_done (event);) {
    if (give_up ())
      return false;
    g_usleep (gulong (std::clamp ((g_get_monotonic_time () - begin) / 16, shortest_us, longest_us)));
  }
  wait_for (event);
  return true;
}

Watchdog::Watchdog () : thread ([this] { run (); }) {}

Watchdog::~Watchdog ()
{
  {
    const std::lock_guard lock (mutex);
    stopping = true;
  }
  changed.notify_one ();
  thread.join ();
}

void
Watchdog::watch (::cl::Event event, unsigned milliseconds, std::function<void ()> overdue)
{
  const std::lock_guard lock (mutex);
  const gint64 patience_us = gint64 (milliseconds) * 1000;
  frames.push_back ({std::move (event), g_get_monotonic_time () + patience_us, patience_us, std::move (overdue)});
  if (frames.size () == 1)
    changed.notify_one ();
}

void
Watchdog::wait (const ::cl::Event &event) const
{
  if (!wait_unless (event, [this] { return has_fired (); }))
    throw Overdue{};
}

void
Watchdog::run ()
{
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
      changed.wait_for (lock, std::chrono::microseconds (left_us));
      continue;
    }
    const Watched late = std::move (frames.front ());
    frames.clear ();
    lock.unlock ();
    /* called first, because waits end with Overdue as soon as `fired` is set, and report nothing themselves */
    if (!fired)
      late.overdue ();
    fired = true;
    lock.lock ();
  }
}

}  // namespace gst::cl
