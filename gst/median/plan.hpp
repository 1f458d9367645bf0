/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Chooses clmedian's kernels from its window and rank. */
#pragma once

#include "filter/runner.hpp"

namespace gst::cl {

/** A window of (2 radius_x + 1) x (2 radius_y + 1) samples, and the rank of the result among them, counted from 0. */
struct MedianWindow {
  MedianWindow () = default;
  /** The rank is floor (percentile * (samples - 1) + 0.5). */
  MedianWindow (int radius_x, int radius_y, double percentile);

  int radius_x = 1, radius_y = 1;
  int rank = 4;

  int samples () const { return (2 * radius_x + 1) * (2 * radius_y + 1); }
  bool middle () const { return rank == samples () / 2; }
};

struct MedianTarget {
  bool gpu = false;
  /** Depth of a sample: 8, 10 or 16 bits. */
  int depth = 8;
  int samples_per_pixel = 1;
  /** The size of the result in pixels. */
  int width = 1, height = 1;
  int compute_units = 1;
  /** Local memory of a work-group, in bytes. */
  std::size_t local_bytes = 32768;
  /** The compiler accepts min.u16x2 and max.u16x2 in inline PTX: NVIDIA, compute capability 9.0 and later. */
  bool ptx_lanes = false;
  /** Planes share words. */
  bool in_words = false;
  /** To filter both planes in shared words together, if median_takes_words() holds: the chroma sample for BORDER_CONSTANT. -1
   *  for a single plane. */
  int beside_border = -1;
  /** gpu: the method to use, 0 for the default one. */
  int method = 0;

  static MedianTarget of (const Runner &runner, const PlaneLayout &layout, const Rect &region);
  /** With a method for this window, which the tuner may choose. */
  static MedianTarget of (const Runner &runner, const PlaneTask &task, const MedianWindow &window);
  bool has_both_parts () const { return beside_border >= 0; }

  auto operator<=> (const MedianTarget &) const = default;
};

/** Whether a network filters planes in shared words; both together if limit is 0. */
bool median_takes_words (const MedianWindow &window, int limit, const MedianTarget &target);

/** limit: a sample is replaced if it differs from the result by more than this. */
Plan plan_median (const MedianWindow &window, int limit, const MedianTarget &target);

}  // namespace gst::cl
