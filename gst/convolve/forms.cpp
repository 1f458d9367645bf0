/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "convolve/plan.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace gst::cl {

namespace {

int
taps_of (const ConvolveSums &sums)
{
  return sums.width * sums.height;
}

/* How kernels/shared/result.clh rounds sums of floats; 0 for the quotients of shared/quotient.clh. */
int
rounding_of (const ConvolveSums &sums, const ConvolveTarget &target)
{
  if (!target.gpu || target.image || sums.type != SumType::float32)
    return 0;
  int exponent;
  if (!sums.exact || std::frexp (sums.divisor, &exponent) == 0.5)
    return 1;
  /* a product with the inverse is off by less than the distance of any quotient to a tie */
  if (4 * sums.divisor * (1 << target.depth) >= 0x1p23)
    return 0;
  /* (4 * sum + offset) / (4 * divisor) is a tie if 2 * sum + offset / 2 is an odd multiple of the divisor */
  const auto offset = static_cast<std::int64_t> (sums.offset);
  const bool ties = offset % 2 == 0 && (offset / 2 - static_cast<std::int64_t> (sums.divisor)) % 2 == 0;
  return ties ? 2 : 1;
}

/* The floats next to 1 / v, above and below it. */
std::pair<float, float>
inverses (double v)
{
  const auto nearest = static_cast<float> (1 / v);
  constexpr float infinity = std::numeric_limits<float>::infinity ();
  if (nearest * v < 1)
    return {std::nextafter (nearest, infinity), nearest};
  return {nearest, std::nextafter (nearest, -infinity)};
}

/* The parameters of RESULT_OF (). Samples whose bits are read as floats are 2^-149 times their values; taps are multiplied by
 * 2^110 in return. */
struct Result {
  int rounding;
  bool raw;
  Options options = {};
  Arguments arguments = {};

  Result (const ConvolveSums &sums, const ConvolveTarget &target)
      : rounding (rounding_of (sums, target)), raw (rounding && target.quick_denormals)
  {
    options = {{"EXACT", sums.exact}};
    if (!rounding) {
      arguments = {sum_argument (sums.type, 4 * sums.divisor), float (1 / (4 * sums.divisor)),
          sum_argument (sums.type, sums.offset), cl_int (sums.absolute ? -1 : 0)};
      return;
    }
    options += {{"ROUNDING", rounding}, {"ABSOLUTE", sums.absolute}, {"RAW_TERMS", raw}};
    arguments = float_result (sums, sums.divisor * unit (), rounding);
  }
  double unit () const { return raw ? 0x1p-39 : 1; }
  double tap_scale () const { return raw ? 0x1p110 : 1; }

  /** offset, inverse and under of shared/result.clh, for sums whose divisor is `divisor`. */
  static Arguments float_result (const ConvolveSums &sums, double divisor, int rounding)
  {
    const auto [above, below] = inverses (divisor);
    return {float (sums.offset / 4 / sums.divisor * divisor), rounding == 1 ? float (1 / divisor) : above, below};
  }
};

std::vector<double>
scaled (std::vector<double> values, double factor)
{
  for (double &v : values)
    v *= factor;
  return values;
}

Launch
direct_launch (const ConvolveSums &sums, const ConvolveTarget &target, const char *form)
{
  const Result result (sums, target);
  KernelSpec spec{.sources = {"lib/places.clh", "shared/quotient.clh", "shared/result.clh", "convolve/convolve.cl"},
      .function = "convolve",
      .options = result.options,
      .tunable = {.local = true}};
  Launch launch (std::move (spec), result.arguments);
  launch.kernel.options += {sum_option (sums.type), {"KW", sums.width}, {"KH", sums.height}, {form, 1}};
  launch.arguments.insert (
      launch.arguments.begin (), tap_table (sums.type, target.components, scaled (sums.taps, result.tap_scale ())));
  return launch;
}

/* Planes of one or two bytes per pixel are small, and need small items to give every compute unit work. */
bool
is_small (const ConvolveTarget &target)
{
  return target.components <= 2 && target.depth == 8;
}

Launch
on_gpu (const ConvolveSums &sums, const ConvolveTarget &target, const char *form, int samples, int rows)
{
  Launch launch = direct_launch (sums, target, form);
  KernelSpec &spec = launch.kernel;
  spec.tunable.rows = any_rows;
  spec.takes_steps = true;
  const bool wide = sums.type == SumType::int64;
  spec.item_samples = wide ? 4 : samples;
  spec.item_rows = wide ? 2 : rows;
  return launch;
}

/* Takes the taps by value. */
Launches
by_block (const ConvolveSums &sums, const ConvolveTarget &target)
{
  Launch launch = on_gpu (sums, target, "CONVOLVE_BLOCK", is_small (target) || target.depth > 8 ? 8 : 16, 2);
  launch.kernel.joins_chroma = true;
  launch.arguments.front () = tap_values (sums.type, scaled (sums.taps, Result (sums, target).tap_scale ()));
  return {std::move (launch)};
}

/* How matrix units see the taps; see kernels/convolve/convolve.cl. */
struct ProductShape {
  int left, chunks, turn_rows;

  ProductShape (const ConvolveSums &sums, const ConvolveTarget &target)
  {
    constexpr int results = 16, most_turn_rows = 7;
    const int samples = std::max (target.components, 2); /* luma and interleaved chroma share a program */
    left = round_up (sums.width / 2 * samples, 4);
    chunks = divide_up (left + results + (sums.width - 1 - sums.width / 2) * samples, 16);
    turn_rows = divide_up (sums.height, divide_up (sums.height, most_turn_rows));
  }
};

/* The word that an item has of a row of taps, for four samples of a window and one result. */
cl_uint
product_word (const ConvolveSums &sums, int components, const double *row, int sample, int result)
{
  cl_uint word = 0;
  for (int i = 0; i < 4; i++) {
    const int distance = sample + i - result + sums.width / 2 * components;
    if (distance >= 0 && distance % components == 0 && distance / components < sums.width)
      word |= cl_uint (int (row[distance / components]) & 0xff) << 8 * i;
  }
  return word;
}

std::vector<cl_uint>
product_fragments (const ConvolveSums &sums, int components, const ProductShape &shape)
{
  constexpr int warp = 32;
  std::vector<cl_uint> fragments;
  for (int i = 0; i < sums.height * 2 * shape.chunks * warp; i++) {
    const int item = i % warp, chunk = i / warp % shape.chunks, side = i / warp / shape.chunks % 2, column = item / 4;
    fragments.push_back (product_word (sums, components, &sums.taps[i / warp / shape.chunks / 2 * sums.width],
        16 * chunk + item % 4 * 4 - shape.left, column / 2 * 4 + side * 2 + column % 2));
  }
  fragments.resize (size_t (round_up (sums.height, shape.turn_rows)) * 2 * shape.chunks * warp);
  return fragments;
}

Launches
by_products (const ConvolveSums &sums, const ConvolveTarget &target)
{
  const ProductShape shape (sums, target);
  ConvolveTarget plain = target;
  plain.quick_denormals = false;
  Launch launch = on_gpu (sums, plain, "CONVOLVE_PRODUCTS", 4, 4);
  launch.kernel.options += {{"LEFT", shape.left}, {"CHUNKS", shape.chunks}, {"TURN_ROWS", shape.turn_rows}};
  launch.kernel.joins_chroma = true;
  launch.kernel.tunable = {};
  launch.arguments.front () =
      TableArgument ({"convolve-fragments", target.components}, product_fragments (sums, target.components, shape));
  return {std::move (launch)};
}

/* Measured on an H200: small items use fewer registers, so that more run at a time. */
Launches
by_rows (const ConvolveSums &sums, const ConvolveTarget &target)
{
  /* limits for an item's registers (a row of terms and its sums) and for the length of the program */
  constexpr int most_samples = 150, most_rows = 6, most_products = 1000;
  const int most_results = taps_of (sums) > 121 ? 64 : 32;
  const bool narrow = sums.width * target.components + 5 * 16 > most_samples;
  int samples = narrow || is_small (target) || target.image || target.depth > 8 ? 8 : 16;
  int rows = std::min ({most_rows, most_results / samples, most_products / (sums.width * samples)});
  if (target.image && taps_of (sums) <= 9)
    samples = rows = 4;
  Launch launch = on_gpu (sums, target, "CONVOLVE_ROWS", samples, rows);
  if (target.image && sums.type == SumType::int64)
    launch.kernel.item_rows = 4;
  return {std::move (launch)};
}

/* More rows per item share loads and conversions; fewer keep the unrolled code, and the time to build it, small. */
Launches
by_unrolled_rows (const ConvolveSums &sums, const ConvolveTarget &target)
{
  Launch launch = direct_launch (sums, target, "CONVOLVE_UNROLLED");
  launch.kernel.tunable.rows = any_rows;
  launch.kernel.takes_steps = true;
  launch.kernel.item_rows = 8;
  launch.kernel.any_pixel = taps_of (sums) <= 9; /* offsets of more would need more than registers */
  return {std::move (launch)};
}

Launches
by_tiles (const ConvolveSums &sums, const ConvolveTarget &target)
{
  /* chosen so that the tile's rows fit into the first-level cache */
  constexpr int tile_samples = 640, pad = 3;
  Launch launch = direct_launch (sums, target, "CONVOLVE_TILES");
  KernelSpec &spec = launch.kernel;
  spec.options += {{"TILE_SAMPLES", tile_samples}, {"LARGE_PAD", pad}};
  spec.item_rows = sums.height < 8 ? 2 : pad + 1;
  spec.strip_samples = tile_samples;
  spec.any_pixel = true;
  std::vector<double> taps (size_t (sums.width) * pad);
  taps.insert (taps.end (), sums.taps.begin (), sums.taps.end ());
  taps.resize (taps.size () + size_t (sums.width) * pad);
  launch.arguments.front () = tap_table (sums.type, target.components, taps);
  launch.arguments.push_back (cl_int2{{sums.width, sums.height}});
  return {std::move (launch)};
}

bool
fits_block (const ConvolveSums &sums, const ConvolveTarget &target)
{
  return target.gpu && !target.image && sums.width <= 3 && sums.height <= 3;
}

bool
fits_products (const ConvolveSums &sums, const ConvolveTarget &target)
{
  return target.matrix_units && target.depth == 8 && target.sample_bytes == 1 && !target.image && target.components != 3
         && sums.exact && sums.type == SumType::float32
         && std::ranges::all_of (sums.taps, [] (double tap) { return tap >= -128 && tap <= 127; });
}

/* For larger matrices, unrolling all taps takes the compiler seconds and is no faster. */
bool
fits_unrolled (const ConvolveSums &sums, const ConvolveTarget &)
{
  constexpr int most_taps = 49;
  return sums.type == SumType::float32 && taps_of (sums) <= most_taps;
}

constexpr Form<ConvolveSums, ConvolveTarget> forms[] = {
    {"direct", fits_block, by_block},
    {"matrix", fits_products, by_products},
    {"direct", [] (const ConvolveSums &, const ConvolveTarget &target) { return target.gpu; }, by_rows},
    {"direct", fits_unrolled, by_unrolled_rows},
    {"direct", nullptr, by_tiles},
};

/* For matrix units: sums of reals as one product with positive taps, a mean like a gaussian. */
std::optional<MatrixWindow>
matrix_window_of (const ConvolveSums &sums, const ConvolveTarget &target)
{
  /* the smallest offset, and gain above 1, in steps of a sample */
  constexpr double least = 1e-3;
  const bool bytes = target.depth == 8 && target.sample_bytes == 1 && !target.image;
  if (!bytes || sums.products.size () != 1 || sums.exact || sums.absolute || std::abs (sums.offset) > least)
    return std::nullopt;
  const int radius = std::max (sums.width, sums.height) / 2;
  const auto centered = [&] (const std::vector<double> &taps, double factor) {
    std::vector<double> weights (2 * radius + 1);
    std::ranges::transform (
        taps, weights.begin () + (radius - int (taps.size ()) / 2), [&] (double tap) { return tap * factor; });
    return weights;
  };
  const auto &[column, row] = sums.products.front ();
  const double share = std::accumulate (row.begin (), row.end (), 0.0);
  if (share == 0)
    return std::nullopt;
  const auto down = matrix_weights (centered (column, share)), across = matrix_weights (centered (row, 1 / share));
  return down && across ? std::optional (MatrixWindow{*down, *across}) : std::nullopt;
}

}  // namespace

SeparableWindow
convolve_window (const ConvolveSums &sums, const ConvolveTarget &target)
{
  const Result result (sums, target);
  SeparableWindow window{.products = sums.products,
      .sum = sums.type,
      .result_source = "shared/result.clh",
      .options = result.options,
      .result = result.arguments,
      .matrix = matrix_window_of (sums, target)};
  for (TapProduct &product : window.products)
    product.column = scaled (product.column, result.tap_scale ());
  return window;
}

Algorithm
convolve_algorithm (const ConvolveSums &sums, const ConvolveTarget &target)
{
  const int left = sums.width / 2, top = sums.height / 2;
  Algorithm algorithm = algorithm_of (forms, sums, target);
  algorithm.launches.front ().window = {left, sums.width - 1 - left, top, sums.height - 1 - top};
  return algorithm;
}

}  // namespace gst::cl
