/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/wait.hpp"

#include "core/context.hpp"

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

Watchdog::Watchdog (Context &context_) : context (context_), thread ([this] { run (); })
{
  context.watchdogs++;
}

Watchdog::~Watchdog ()
{
  {
    const std::lock_guard lock (mutex);
    stopping = true;
  }
  changed.notify_one ();
  thread.join ();
  context.watchdogs--;
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
    late.overdue (); /* first, because waits that end report nothing themselves */
    context.set_hung ();
    return;
  }
}

}  // namespace gst::cl
