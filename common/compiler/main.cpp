/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* gst-cl-compiler: compiles the kernels of a request on standard input, so that the driver caches them on disk. Only the
 * library starts it, see core/compiler.hpp. */
#include "core/compiler.hpp"

#include <iostream>
#include <iterator>
#include <sys/resource.h>
#include <unistd.h>

int
main ()
{
  constexpr int lower = 10;        /* the stream plays meanwhile and needs the processor */
  constexpr unsigned most_s = 120; /* a user's kernel may loop for ever */
  setpriority (PRIO_PROCESS, 0, lower);
  alarm (most_s);
  const std::string request{std::istreambuf_iterator<char> (std::cin), std::istreambuf_iterator<char> ()};
  const int status = gst::cl::serve_request (request);
  std::_Exit (status); /* without exit handlers, which take drivers long */
}
