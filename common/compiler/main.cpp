/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* gst-cl-compiler: compiles the kernels that a request on standard input names, so that the driver has them on disk. The
 * library starts it (core/compiler.hpp); people have no use for it. */
#include "core/compiler.hpp"

#include <iostream>
#include <iterator>
#include <sys/resource.h>
#include <unistd.h>

int
main ()
{
  constexpr int lower = 10;        /* the stream that waits for this has to go on meanwhile */
  constexpr unsigned most_s = 120; /* a user's kernel may loop for ever */
  setpriority (PRIO_PROCESS, 0, lower);
  alarm (most_s);
  const std::string request{std::istreambuf_iterator<char> (std::cin), std::istreambuf_iterator<char> ()};
  const int status = gst::cl::serve_request (request);
  std::_Exit (status); /* drivers may take long to say goodbye */
}
