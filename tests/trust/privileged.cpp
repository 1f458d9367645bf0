/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Prints GST_CL_DEVICE as a process sees it, and whether it has a cache; test-privileged.py makes it setuid. */
#include "core/environment.hpp"

#include <cstdio>

int
main ()
{
  const char *device = gst::cl::environment ("GST_CL_DEVICE");
  std::printf ("%s %s\n", device ? device : "nothing", gst::cl::is_privileged () ? "privileged" : "plain");
  return 0;
}
