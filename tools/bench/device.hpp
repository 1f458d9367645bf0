/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* OpenCL devices, and the limits of any filter on them. */
#pragma once

#include <algorithm>

#include "bench.hpp"

#include <gst/cl/cl.h>

namespace bench {

struct Device {
  /** "P:D", a value of the elements' property `device`. */
  std::string index;
  std::string name, platform, driver, version;
  bool is_cpu;
  /** Whether the device has its own memory behind a bus. */
  bool is_discrete;
};

/** All devices, or those that match the elements' property `device`. */
std::vector<Device> list_devices (const std::string &wanted);

/** Times of one frame in µs. */
struct Limits {
  Samples copy_kernel, copy_command;
  /** link: both directions at once between pinned pages and the device. host_copy: from ordinary to pinned pages in one thread.
   *  Only for discrete devices. */
  std::optional<Samples> link, host_copy;

  /** The faster copy. */
  double copy_us () const { return std::min (copy_kernel.typical (), copy_command.typical ()); }
};

/** The faster copy of this many bytes, as a contender: the limit for every filter that reads and writes them. */
Contender copy_contender (GstClContext *context, size_t bytes);

Limits measure_limits (GstClContext *context, const Device &device, Size size, int runs);

}  // namespace bench
