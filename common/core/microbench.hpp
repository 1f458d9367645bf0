/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a device can do at best, measured: how fast it copies, launches and transfers. */
#pragma once

#include "core/context.hpp"

#include <optional>

namespace gst::cl {

/** The best of a few runs each. A GB is 1e9 bytes; copies count the bytes read and the bytes written, transfers and
 *  reads each byte once. 0 where the device cannot do it. */
struct DeviceFigures {
  /** When it was measured, in seconds since 1970. */
  gint64 measured = 0;
  /** From buffer to buffer, beyond the caches, by items of 16, 8, 4 and 1 bytes. */
  double copy_gb_s = 0, copy_by_8_gb_s = 0, copy_by_4_gb_s = 0, copy_by_1_gb_s = 0;
  /** The same by items of 4 bytes where neighbours in a group are 64 bytes apart; by way of local memory, which
   *  async_work_group_copy fills and empties; and with a prefetch of what is read next. */
  double strided_copy_gb_s = 0, async_copy_gb_s = 0, prefetch_copy_gb_s = 0;
  /** From image to image, RGBA of 8 bits, one, two and four pixels an item. */
  double image_copy_gb_s = 0, image_copy_by_2_gb_s = 0, image_copy_by_4_gb_s = 0;
  /** Reads of 8 KiB a work group, again and again: by the nearest cache, and from local memory. */
  double cached_read_gb_s = 0, local_read_gb_s = 0;
  /** Exponentials in thousand millions a second: exp2, native_exp2, and exp2 with -cl-fast-relaxed-math. */
  double exp_g_s = 0, native_exp_g_s = 0, relaxed_exp_g_s = 0;
  /** Multiply-adds of a loop as it is, and eight times unrolled. */
  double loop_gflop_s = 0, unrolled_gflop_s = 0;
  /** How many times faster two small kernels are on two queues than on one. */
  double concurrent_speedup = 0;
  /** A kernel that does nothing on an in-order queue: one of many behind each other; the same with an event and a flush
   *  each; one that is waited for. */
  double launch_us = 0, launch_flush_us = 0, launch_wait_us = 0;
  /** One way at a time, between the device's memory and the host's: pages that OpenCL allocated, and ordinary ones. */
  double upload_pinned_gb_s = 0, download_pinned_gb_s = 0;
  double upload_pageable_gb_s = 0, download_pageable_gb_s = 0;
};

/** A figure by its name, as it is stored and shown. */
struct FigureField {
  const char *name;
  /** "GB/s", "G/s", "Gflop/s", "us" or "times" */
  const char *unit;
  /** What it is, in a few words. */
  const char *text;
  double DeviceFigures::*value;
  /** Whether 0, that is none, is a result. */
  bool optional;
};

GST_CL_API const std::vector<FigureField> &figure_fields ();

/** Measures for less than a second on a GPU, two on a CPU; other work on the device at the same time makes the figures
 *  worse. Throws Failure or cl::Error. */
GST_CL_API DeviceFigures measure_device (Context &context);

/** What store_figures() kept for this platform, device and driver; nothing where there is none or the file is damaged.
 *  Never throws for I/O. */
GST_CL_API std::optional<DeviceFigures> stored_figures (const Device &device);

/** Keeps figures in the folder of the program cache; false where it cannot be written. */
GST_CL_API bool store_figures (const Device &device, const DeviceFigures &figures);

/** The stored ones, or else measured now and stored. */
GST_CL_API DeviceFigures ensure_figures (Context &context);

}  // namespace gst::cl
