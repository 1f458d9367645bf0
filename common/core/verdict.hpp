/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <chrono>
#include <string>

namespace gst::cl {

/** The result of a test frame that passed between OpenCL and another interface. */
struct Verdict {
  bool works = false;
  /** Why it does not work, for a user; empty if it works. */
  std::string reason;
  /** Mean time of a small frame in µs: acquire, kernel, release and the wait for them. */
  double microseconds = 0;
  /** The same for a frame that is copied within the GPU first; 0 for ways without such frames. */
  double microseconds_copied = 0;
};

/** Calls run ten times. Returns the mean time of a call in µs. */
template <typename Run>
double
mean_microseconds (Run run)
{
  constexpr int times = 10;
  const auto start = std::chrono::steady_clock::now ();
  for (int i = 0; i < times; i++)
    run ();
  const std::chrono::duration<double, std::micro> elapsed = std::chrono::steady_clock::now () - start;
  return elapsed.count () / times;
}

}  // namespace gst::cl
