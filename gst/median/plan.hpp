/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Chooses clmedian's kernels from its window and rank. */
#pragma once

#include "filter/kernelspec.hpp"

namespace gst::cl {

/** A window of (2 radius_x + 1) x (2 radius_y + 1) samples, and which of them in order is the result, from 0. */
struct MedianWindow {
  int radius_x = 1, radius_y = 1;
  int rank = 4;

  int samples () const { return (2 * radius_x + 1) * (2 * radius_y + 1); }
  bool middle () const { return rank == samples () / 2; }
};

/** floor (percentile * (samples - 1) + 0.5). */
int median_rank (double percentile, int samples);

struct MedianTarget {
  bool gpu = false;
  /** Bits of a sample's value: 8, 10 or 16. */
  int depth = 8;
  int samples_per_pixel = 1;
  /** What is written, in pixels. */
  int width = 1, height = 1;
  int compute_units = 1;
  /** Bytes of local memory that a work-group may have. */
  std::size_t local_bytes = 32768;
  /** The device's compiler takes min.u16x2 and max.u16x2 in inline PTX: NVIDIA, compute capability 9.0 and later. */
  bool ptx_lanes = false;
  /** Samples are parts of words. */
  bool in_words = false;
  /** Both parts of words at once, where median_takes_words(): the chroma that BORDER_CONSTANT stands for. -1: one part. */
  int beside_border = -1;
  /** gpu: which of the possible methods is used, 0 for the usual one. */
  int method = 0;

  bool has_both_parts () const { return beside_border >= 0; }

  auto operator<=> (const MedianTarget &) const = default;
};

/** Of the gpu back end, all with the same result. */
enum MedianMethod { median_by_network = 1, median_by_descent, median_by_march };

/** The usual one of them; 0 if there is no choice: on the cpu back end, and for windows of few samples. */
int median_method (const MedianWindow &window, const MedianTarget &target);

/** Whether a network filters samples that are parts of words; both parts at once if limit is 0. */
bool median_takes_words (const MedianWindow &window, int limit, const MedianTarget &target);

/** limit: difference from the result above which a sample is replaced. */
Plan plan_median (const MedianWindow &window, int limit, const MedianTarget &target);

}  // namespace gst::cl
