/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How the work of a separable window is divided: see blur/separable.clh. */
#pragma once

#include "filter/runner.hpp"

namespace gst::cl {

/** Bands of rows, each a job with scratch memory of its own. */
struct Bands {
  int rows, count;
};

/** Several for each processor, for balance, of a multiple of `unit` rows and `least` rows at least. */
Bands cut_bands (const Runner &runner, const PlaneTask &task, int unit, int least = 1);

/** The task in parts of whole rows, `least` rows at least, for which intermediate results of row_bytes a row stay in a
 *  device's cache, or are at least small. */
std::vector<PlaneTask> cut_parts (const PlaneTask &task, size_t row_bytes, int least);

/** Scratch memory of a job is a multiple of this, so that no two jobs share a cache line. */
constexpr size_t scratch_unit = 128;

/** Samples from row to row of column sums, so that rows are aligned for any load. */
int sums_pitch (const PlaneTask &task);

/** The part of the region's rows whose columns a window reaches; border rules may take it anywhere. */
Rect columns_reached (const PlaneTask &task, int radius);

}  // namespace gst::cl
