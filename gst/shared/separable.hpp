/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Windows that are sums of products column x row: kernels/shared/bands.cl and kernels/shared/separable.cl. */
#pragma once

#include "shared/matrixwindow.hpp"

namespace gst::cl {

/** The type of sums and taps, sum_t of kernels/shared/quotient.clh. */
enum class SumType { float32, int32, int64 };

Option sum_option (SumType type);
/** As that type has it. */
Argument sum_argument (SumType type, double value);
/** Taps of any kind for planes of so many samples a pixel, as a table of that type, or by value. */
Argument tap_table (SumType type, int samples, const std::vector<double> &taps);
ValueArgument tap_values (SumType type, const std::vector<double> &taps);

struct TapProduct {
  std::vector<double> column, row;
};

/** What its programs and arguments have beside the window: a source that defines RESULT_OF (), and what it needs. */
struct SeparableWindow {
  std::vector<TapProduct> products;
  SumType sum = SumType::float32;
  const char *result_source = "";
  Options options = {};
  Arguments result = {};
  /** The same for the matrix units of a device that has them, which round as they can. */
  std::optional<MatrixWindow> matrix = {};

  int width () const { return int (products.front ().row.size ()); }
  int height () const { return int (products.front ().column.size ()); }
};

/** Bands of rows, each a job with scratch memory of its own. */
struct Bands {
  int rows, count;
};

/** Several for each processor, for balance, of a multiple of `unit` rows and `least` rows at least. */
Bands cut_bands (int processors, int height, int unit, int least = 1);

/** The task in parts of whole rows, `least` rows at least, for which intermediate results of row_bytes a row stay in a
 *  device's cache, or are at least small. */
std::vector<PlaneTask> cut_parts (const PlaneTask &task, size_t row_bytes, int least);

/** Scratch memory of a job is a multiple of this, so that no two jobs share a cache line. */
constexpr size_t scratch_unit = 128;

/** Filters task.region by the matrix units, by the kernel of the back end, or by the two that serve for the largest windows. */
void run_separable (Runner &runner, const PlaneTask &task, const SeparableWindow &window);

}  // namespace gst::cl
