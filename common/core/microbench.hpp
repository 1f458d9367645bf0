/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Measures a device's limits: speed of copies, launches and transfers. */
#pragma once

#include "core/context.hpp"

#include <optional>

namespace gst::cl {

/** Each figure is the best of a few runs. A GB is 1e9 bytes. Copies count the bytes read plus the bytes written; transfers and
 *  reads count each byte once. 0 means that the device cannot do it. */
struct DeviceFigures {
  /** Time of the measurement, in seconds since 1970. */
  gint64 measured = 0;
  /** Copies between buffers that are larger than the caches; each work item copies 16, 8, 4 or 1 bytes. */
  double copy_gb_s = 0, copy_by_8_gb_s = 0, copy_by_4_gb_s = 0, copy_by_1_gb_s = 0;
  /** Variants of that copy: 4 bytes an item with neighbouring items 64 bytes apart; through local memory by
   *  async_work_group_copy; with a prefetch of the next bytes. */
  double strided_copy_gb_s = 0, async_copy_gb_s = 0, prefetch_copy_gb_s = 0;
  /** Copies between images, RGBA of 8 bits; one, two or four pixels an item. */
  double image_copy_gb_s = 0, image_copy_by_2_gb_s = 0, image_copy_by_4_gb_s = 0;
  /** Repeated reads of the same 8 KiB in each work group: from the nearest cache, from local memory. */
  double cached_read_gb_s = 0, local_read_gb_s = 0;
  /** 1e9 exponentials a second: exp2, native_exp2, and exp2 with -cl-fast-relaxed-math. */
  double exp_g_s = 0, native_exp_g_s = 0, relaxed_exp_g_s = 0;
  /** Multiply-adds in a plain loop, and in one that is unrolled eight times. */
  double loop_gflop_s = 0, unrolled_gflop_s = 0;
  /** Time of two small kernels on one queue, divided by their time on two. */
  double concurrent_speedup = 0;
  /** Time of an empty kernel on an in-order queue, in µs: one of many in a row; the same with an event and a flush each; alone,
   *  with a wait. */
  double launch_us = 0, launch_flush_us = 0, launch_wait_us = 0;
  /** Transfers in one direction, from and to pages that OpenCL allocated (pinned) and ordinary pages. */
  double upload_pinned_gb_s = 0, download_pinned_gb_s = 0;
  double upload_pageable_gb_s = 0, download_pageable_gb_s = 0;
};

/** Describes one member of DeviceFigures. */
struct FigureField {
  const char *name;
  /** "GB/s", "G/s", "Gflop/s", "us" or "times" */
  const char *unit;
  /** A short description. */
  const char *text;
  double DeviceFigures::*value;
  /** Whether 0 (the device cannot do it) is a valid result. */
  bool optional;
};

GST_CL_API const std::vector<FigureField> &figure_fields ();

/** Measures a device, for less than a second on a GPU and two on a CPU. Other work on the device makes the figures worse.
 *  Throws Failure or cl::Error. */
GST_CL_API DeviceFigures measure_device (Context &context);

/** The figures that store_figures() saved for this platform, device and driver; nothing if there is no file or it is damaged.
 *  Does not throw for I/O. */
GST_CL_API std::optional<DeviceFigures> stored_figures (const Device &device);

/** Saves figures in the folder of the program cache; false if it cannot be written. */
GST_CL_API bool store_figures (const Device &device, const DeviceFigures &figures);

/** The saved figures; if there are none, measures and saves them. */
GST_CL_API DeviceFigures ensure_figures (Context &context);

}  // namespace gst::cl
