/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <chrono>
#include <string>

namespace gst::cl {

/** What a trial of a way between OpenCL and another interface showed. */
struct Verdict {
  bool works = false;
  /** What is missing, in words for a user; empty where it works. */
  std::string reason;
  /** The mean time of a small frame: acquire, kernel, release, and the wait for them. */
  double microseconds = 0;
  /** The same for a frame that has to be copied within the GPU first; 0 where no way knows such frames. */
  double microseconds_copied = 0;
};

/** The mean time of a call of run, of ten, in microseconds. */
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
