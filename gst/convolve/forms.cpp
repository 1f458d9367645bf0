/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "convolve/forms.hpp"

#include "convolve/fixed.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace gst::cl {

namespace {

double
max_of (const ConvolveTarget &target)
{
  return (1 << target.depth) - 1;
}

int
taps_of (const ConvolveSums &sums)
{
  return sums.width * sums.height;
}

/* How kernels/convolve/convolve.clh rounds sums of floats; 0 for the quotients of shared/quotient.clh. */
int
rounding_of (const ConvolveSums &sums, const ConvolveTarget &target)
{
  if (!target.gpu || target.image || sums.type != SumType::float32)
    return 0;
  int exponent;
  if (!sums.exact || std::frexp (sums.divisor, &exponent) == 0.5)
    return 1;
  /* products with an inverse are off by less than what a quotient that is no tie lacks of one */
  if (4 * sums.divisor * (max_of (target) + 1) >= 0x1p23)
    return 0;
  /* (4 * sum + offset) / (4 * divisor) is a tie where 2 * sum + offset / 2 is an odd multiple of the divisor */
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

/* Of RESULT_OF (). Samples that are taken for the bits of floats are 2^-149 of their values; taps make up for 2^110 of it. */
struct Result {
  int rounding;
  bool raw;
  Options options = {};
  Arguments arguments = {};

  Result (const ConvolveSums &sums, const ConvolveTarget &target)
      : rounding (rounding_of (sums, target)), raw (rounding && target.nvidia)
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

  /** offset, inverse and under of convolve/convolve.clh, for sums whose divisor is `divisor`. */
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
direct_launch (const ConvolveSums &sums, const ConvolveTarget &target, const char *source, const char *function)
{
  const Result result (sums, target);
  /* one aggregate at a time: GCC 12 frees what a nested one holds twice where memory runs out */
  KernelSpec spec{.sources = {"shared/quotient.clh", "convolve/convolve.clh", source},
      .function = function,
      .options = result.options,
      .tunable = {.local = true}};
  Launch launch{.kernel = std::move (spec), .arguments = result.arguments};
  launch.kernel.options += {sum_option (sums.type), {"KW", sums.width}, {"KH", sums.height}};
  launch.arguments.insert (
      launch.arguments.begin (), tap_table (sums.type, target.components, scaled (sums.taps, result.tap_scale ())));
  return launch;
}

/* Measured on an H200: small items leave registers to more of them. */
Launch
by_march (const ConvolveSums &sums, const ConvolveTarget &target)
{
  Launch launch = direct_launch (sums, target, "convolve/convolve.cl", "convolve");
  KernelSpec &spec = launch.kernel;
  spec.sources.insert (spec.sources.begin (), "lib/places.clh");
  spec.tunable.rows = any_rows;
  spec.takes_steps = true;
  const bool small = sums.width <= 3 && sums.height <= 3, block = small && !target.image;
  spec.options += {{"TAPS_BY_VALUE", block}};
  if (block)
    launch.arguments.front () = tap_values (sums.type, scaled (sums.taps, Result (sums, target).tap_scale ()));
  /* what an item keeps in registers, a row of terms and its sums, and how long the program is; planes of one sample a pixel are small,
   * and need small items for all units to have work */
  constexpr int most_samples = 150, most_rows = 6, most_products = 1000;
  const int most_results = taps_of (sums) > 121 ? 64 : 32;
  const bool narrow = sums.width * target.components + 5 * 16 > most_samples;
  const bool few = target.components == 1 && target.depth == 8;
  if (sums.type == SumType::int64 || (target.image && small)) {
    spec.item_samples = 4;
    spec.item_rows = target.image ? 4 : 2;
  } else {
    spec.item_samples = narrow || few || target.image || target.depth > 8 ? 8 : 16;
    spec.item_rows =
        block ? (few ? 4 : 2)
              : std::min ({most_rows, most_results / spec.item_samples, most_products / (sums.width * spec.item_samples)});
  }
  return launch;
}

/* More rows per item share loads and conversions; fewer keep the unrolled code, and the time to build it, small. */
Launch
by_unrolled_rows (const ConvolveSums &sums, const ConvolveTarget &target)
{
  Launch launch = direct_launch (sums, target, "convolve/convolve.cl", "convolve");
  launch.kernel.tunable.rows = any_rows;
  launch.kernel.takes_steps = true;
  launch.kernel.item_rows = 8;
  return launch;
}

Launch
by_tiles (const ConvolveSums &sums, const ConvolveTarget &target)
{
  /* with the rows that a tile keeps, well inside the first-level cache */
  constexpr int tile_samples = 640, pad = 3;
  Launch launch = direct_launch (sums, target, "lib/tile.clh", "convolve_large");
  KernelSpec &spec = launch.kernel;
  spec.sources.push_back ("convolve/large.cl");
  spec.options += {{"TILE_SAMPLES", tile_samples}, {"LARGE_PAD", pad}};
  spec.item_rows = sums.height < 8 ? 2 : pad + 1;
  spec.strip_samples = tile_samples;
  std::vector<double> taps (size_t (sums.width) * pad);
  taps.insert (taps.end (), sums.taps.begin (), sums.taps.end ());
  taps.resize (taps.size () + size_t (sums.width) * pad);
  launch.arguments.front () = tap_table (sums.type, target.components, taps);
  launch.arguments.push_back (cl_int2{{sums.width, sums.height}});
  return launch;
}

SeparableWindow
separable_window (const ConvolveSums &sums, const ConvolveTarget &target)
{
  const Result result (sums, target);
  SeparableWindow window{.products = sums.products,
      .sum = sums.type,
      .result_source = "convolve/convolve.clh",
      .options = result.options,
      .result = result.arguments};
  for (TapProduct &product : window.products)
    product.column = scaled (product.column, result.tap_scale ());
  return window;
}

Launch
by_bands (const ConvolveSums &sums, const ConvolveTarget &target)
{
  return separable_bands (
      separable_window (sums, target), target.processors, target.width, target.height, target.components, target.sample_bytes);
}

Launch
by_local_sums (const ConvolveSums &sums, const ConvolveTarget &target)
{
  return *separable_tile (separable_window (sums, target), target.components);
}

/* Matrix units multiply so much faster that it pays although most of their factors are 0. Measured on an H200: few
 * warps in a group wait less for each other. */
Launch
by_matrix_units (const ConvolveSums &sums, const ConvolveTarget &target)
{
  const FixedPoint fixed = *fixed_point (sums, max_of (target));
  const int rounding = rounding_of (sums, target);
  constexpr int warps = 2;
  KernelSpec spec{.sources = {"shared/quotient.clh", "shared/matrix_units.clh", "convolve/convolve.clh", "convolve/matrix.cl"},
      .function = "convolve_matrix",
      .item_samples = 16,
      .item_rows = 16 / warps,
      .local_x = 32,
      .local_y = warps};
  Launch launch{.kernel = std::move (spec)};
  launch.arguments = {TableArgument (ScratchName ("fragments"), matrix_fragments (fixed)), cl_int (1 << fixed.shift),
      cl_int (sums.exact ? 0 : 1 << 15), cl_int (fixed.result_shift)};
  const Arguments result = Result::float_result (sums, fixed.divisor, rounding);
  launch.arguments.insert (launch.arguments.end (), result.begin (), result.end ());
  const bool by_shift = fixed.result_shift && sums.offset == 0 && !sums.absolute;
  launch.kernel.options = {sum_option (sums.type), {"KW", sums.width}, {"KH", sums.height}, {"GROUP_Y", warps},
      {"RESULT_BY_SHIFT", by_shift}, {"ROUNDING", rounding}, {"ABSOLUTE", sums.absolute}, {"RAW_TERMS", 0}};
  return launch;
}

/* Pixels of four 8-bit samples, as the matrix units take them. */
bool
fits_matrix_units (const ConvolveSums &sums, const ConvolveTarget &target)
{
  return target.matrix_units && target.depth == 8 && target.components == 4 && rounding_of (sums, target)
         && fixed_point (sums, max_of (target));
}

bool
on_gpu (const ConvolveSums &, const ConvolveTarget &target)
{
  return target.gpu;
}

/* Above this, unrolling all taps takes the compiler seconds and is no faster. */
bool
fits_unrolled (const ConvolveSums &sums, const ConvolveTarget &)
{
  constexpr int most_taps = 49;
  return sums.type == SumType::float32 && taps_of (sums) <= most_taps;
}

bool
always (const ConvolveSums &, const ConvolveTarget &)
{
  return true;
}

struct Form {
  bool products;
  bool (*applies) (const ConvolveSums &, const ConvolveTarget &);
  Launch (*launch) (const ConvolveSums &, const ConvolveTarget &);
};

constexpr Form forms[] = {
    {true, fits_matrix_units, by_matrix_units},
    {true, on_gpu, by_local_sums},
    {true, always, by_bands},
    {false, on_gpu, by_march},
    {false, fits_unrolled, by_unrolled_rows},
    {false, always, by_tiles},
};

}  // namespace

Algorithm
convolve_algorithm (const ConvolveSums &sums, const ConvolveTarget &target)
{
  const size_t rank = sums.products.size ();
  const auto *form =
      std::ranges::find_if (forms, [&] (const Form &f) { return f.products == (rank > 0) && f.applies (sums, target); });
  const int left = sums.width / 2, top = sums.height / 2;
  return {rank == 0   ? "direct"
          : rank == 1 ? "separable"
                      : "low-rank",
      {left, sums.width - 1 - left, top, sums.height - 1 - top}, {form->launch (sums, target)}};
}

}  // namespace gst::cl
