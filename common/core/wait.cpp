/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/wait.hpp"

#include <glib.h>

#include <algorithm>

namespace gst::cl {

bool
is_done (const ::cl::Event &event)
{
  cl_int status = CL_COMPLETE;
  return clGetEventInfo (event (), CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr) != CL_SUCCESS
         || status <= CL_COMPLETE;
}

void
wait_for (const ::cl::Event &event)
{
  const auto status = [&] { return event.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS> (); };
  if (status () == CL_COMPLETE)
    return; /* waiting for a complete command takes drivers longer */
  event.wait ();
  if (status () < CL_COMPLETE)
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

}  // namespace gst::cl
