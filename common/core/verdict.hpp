/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <string>

namespace gst::cl {

/** What a trial of a way between OpenCL and another interface showed. */
struct Verdict {
  bool works = false;
  /** What is missing, in words for a user; empty where it works. */
  std::string reason;
  /** The mean time of a small frame: acquire, kernel, release, and the wait for them. */
  double microseconds = 0;
};

}  // namespace gst::cl
