/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Kernels in launch lines, and flat pictures. */
#pragma once

#include "../../elements/inputs.hpp"

namespace test {

constexpr GstVideoFormat gray = GST_VIDEO_FORMAT_GRAY8;
constexpr GstClockTime frame_time = GST_SECOND / 30;

/* Compilers are slow while many tests run. */
inline std::string
program (const std::string &kernel, const std::string &more = "")
{
  return "clprogram timeout=60000 " + more + " source=\"" + kernel + "\"";
}

inline void
expect_flat (const ref::Picture &picture, int value, const char *what)
{
  for (const ref::Component &component : picture.components)
    for (const int is : component.value)
      test_check (is == value, "%s: %d, expected %d", what, is, value);
}

}  // namespace test
