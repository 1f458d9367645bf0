/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Windows that are sums of products of a column and a row: kernels/shared/bands.cl and kernels/shared/separable.cl, and, of 8-bit
 * samples, products of matrices of bytes: kernels/shared/matrix_window.cl. */
#pragma once

#include "filter/runner.hpp"

#include <optional>

namespace gst::cl {

/** The type of sums and taps, sum_t of kernels/shared/quotient.clh. */
enum class SumType { float32, int32, int64 };

Option sum_option (SumType type);
/** Converts a value to this type. */
Argument sum_argument (SumType type, double value);
/** Taps for planes with `samples` samples per pixel, as a table of this type, or by value. */
Argument tap_table (SumType type, int samples, const std::vector<double> &taps);
ValueArgument tap_values (SumType type, const std::vector<double> &taps);

/** Weights of 2 * radius + 1 samples in each direction: multiples of 2^-16 with a sum of at most 1, or all ones, for a mean. */
struct MatrixWindow {
  std::vector<int> column, row;
  bool mean = false;

  int radius () const { return int (row.size ()) / 2; }
  int weight_bytes () const { return mean ? 1 : 2; }
};

/** Converts an odd number of weights, none of which is negative, to multiples of 2^-16; returns nothing if one does not fit.
 *  Cumulative sums from the ends are rounded, and not single weights, so that an edge is correct to 2^-17 of its height. */
std::optional<std::vector<int>> matrix_weights (const std::vector<double> &weights);

struct TapProduct {
  std::vector<double> column, row;
};

/** The programs' sources and arguments besides the window: a source that defines RESULT_OF (), and its dependencies. */
struct SeparableWindow {
  std::vector<TapProduct> products;
  SumType sum = SumType::float32;
  const char *result_source = "";
  Options options = {};
  Arguments result = {};
  /** The window for devices with matrix units, which may round differently. */
  std::optional<MatrixWindow> matrix = {};

  int width () const { return int (products.front ().row.size ()); }
  int height () const { return int (products.front ().column.size ()); }
};

/** Bands of rows; each is a job with its own scratch memory. */
struct Bands {
  int rows, count;
};

/** Makes several bands for each processor, to balance the load, each a multiple of `unit` rows and at least `least` rows
 *  high. */
Bands cut_bands (int processors, int height, int unit, int least = 1);

/** Splits the task into parts of at least `least` whole rows. Intermediate results, row_bytes per row, then fit into a device's
 *  cache, or are at least small. */
std::vector<PlaneTask> cut_parts (const PlaneTask &task, size_t row_bytes, int least);

/** Scratch memory of a job is a multiple of this many bytes, so that no two jobs share a cache line. */
constexpr size_t scratch_unit = 128;

/** Filters with matrix units, with the back end's kernel, or, for the largest windows, with two kernels. */
Launches separable_launches (const Runner &runner, const PlaneTask &task, const SeparableWindow &window);

/** A window of 2 * radius + 1 samples each way, and its formula. */
struct BoxWindow {
  int radius;
  /** Sources before kernels/shared/box.cl: a file that defines box_result () comes last, after everything that it needs. */
  std::vector<const char *> sources;
  Options options;
  /** BOX_ARGS. */
  Arguments arguments;
  /** Whether the result is the mean. Matrix units then compute it on devices that have them. */
  bool is_mean = false;
};

Launches box_launches (const Runner &runner, const PlaneTask &task, const BoxWindow &window, const ScratchName &scratch);

}  // namespace gst::cl
