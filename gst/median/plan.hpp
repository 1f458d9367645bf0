/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Chooses clmedian's kernels from its window and rank. */
#pragma once

#include "filter/runner.hpp"

namespace gst::cl {

struct MedianSettings {
  int radius = 1, radius_y = -1;
  double percentile = 0.5, threshold = 0;
};

struct MedianTarget;

/** A window of (2 radius_x + 1) x (2 radius_y + 1) samples. */
struct MedianWindow {
  MedianWindow (const MedianSettings &settings, const Format &format);

  int radius_x, radius_y;
  /** The rank of the result among the samples, counted from 0. */
  int rank;
  /** A sample is replaced if it differs from the result by more than this. */
  int limit;

  int samples () const { return (2 * radius_x + 1) * (2 * radius_y + 1); }
  bool middle () const { return rank == samples () / 2; }
  /** Whether a network filters planes in shared words; both together if limit is 0. */
  bool takes_words (const MedianTarget &target) const;
};

struct MedianTarget {
  bool gpu = false;
  /** Depth of a sample: 8, 10 or 16 bits. */
  int depth = 8;
  int samples_per_pixel = 1;
  /** The size of the result in pixels; by default one for which every network has tiles. */
  int width = 1024, height = 1024;
  int compute_units = 1;
  /** Local memory of a work-group, in bytes. */
  std::size_t local_bytes = 32768;
  /** The compiler accepts min.u16x2 and max.u16x2 in inline PTX: NVIDIA, compute capability 9.0 and later. */
  bool ptx_lanes = false;
  /** Planes share words. */
  bool in_words = false;
  /** To filter both planes in shared words together, if MedianWindow::takes_words() holds: the chroma sample for BORDER_CONSTANT. -1
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

Plan plan_median (const MedianWindow &window, const MedianTarget &target);

}  // namespace gst::cl
