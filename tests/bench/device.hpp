/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* OpenCL devices and the limits that no filter on them can pass. */
#pragma once

#include <algorithm>

#include "bench.hpp"

#include <gst/cl/cl.h>

namespace bench {

struct Device {
  /** "P:D", as the elements' property `device` takes it. */
  std::string index;
  std::string name, platform, driver, version;
  bool is_cpu;
  /** Has memory of its own, behind a link. */
  bool is_discrete;
};

/** Every device, or those that the elements' property `device` would accept for wanted. */
std::vector<Device> list_devices (const std::string &wanted);

/** Microseconds that one frame takes. */
struct Limits {
  Samples copy_kernel, copy_command;
  /** Both ways at once between pinned pages and the device, and a frame's way from pages of its own to pinned ones by
   *  one thread; only discrete devices. */
  std::optional<Samples> link, host_copy;

  /** The faster copy. */
  double copy_us () const { return std::min (copy_kernel.typical (), copy_command.typical ()); }
};

/** The faster copy of so many bytes, as a contender: what no filter that reads and writes them can pass. */
Contender copy_contender (GstClContext *context, size_t bytes);

Limits measure_limits (GstClContext *context, const Device &device, Size size, int runs);

}  // namespace bench
