/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clconvolve: filters each component with a matrix: sharpening, edges, emboss, blur, or any linear filter of up to 31 x 31
 * taps. */
#include "convolve/plan.hpp"
#include "core/arithmetic.hpp"
#include "core/vendors.hpp"
#include "filter/gstclfilter.hpp"

#include <algorithm>

namespace gst::cl::clconvolve {

constexpr GEnumValue preset_values[] = {
    {int (ConvolvePreset::identity), "1: the picture as it is", "identity"},
    {int (ConvolvePreset::edge), "-1 everywhere, 8 in the middle", "edge"},
    {int (ConvolvePreset::sharpen), "0 -1 0; -1 5 -1; 0 -1 0", "sharpen"},
    {int (ConvolvePreset::emboss), "-2 -1 0; -1 1 1; 0 1 2", "emboss"},
    {int (ConvolvePreset::gaussian3), "1 2 1 by 1 2 1", "gaussian3"},
    {int (ConvolvePreset::gaussian5), "1 4 6 4 1 by 1 4 6 4 1", "gaussian5"},
    {int (ConvolvePreset::box3), "3x3 ones", "box3"},
    {int (ConvolvePreset::box5), "5x5 ones", "box5"},
    {int (ConvolvePreset::laplacian4), "0 1 0; 1 -4 1; 0 1 0", "laplacian4"},
    {int (ConvolvePreset::laplacian8), "1 everywhere, -8 in the middle", "laplacian8"},
};

struct ConvolveSettings {
  ConvolveMatrix matrix;
  double divisor = 0; /* 0: the sum of taps, or 1 if the sum is 0 */
  double bias = 0;    /* in units of full scale */
  bool absolute = false;
  bool flip = false;
};

struct MatrixSettings {
  std::string matrix;
  ConvolvePreset preset = ConvolvePreset::identity;
  double divisor = 0, bias = 0;
  bool absolute = false, flip = false;

  /* The text has been checked, so it parses. */
  ConvolveSettings parsed () const
  {
    return {matrix.empty () ? convolve_preset_matrix (preset) : *convolve_parse_matrix (matrix).matrix, divisor, bias, absolute,
        flip};
  }
};

std::optional<std::string>
complaint (const std::string &text)
{
  ConvolveParse parse = text.empty () ? ConvolveParse{.matrix = ConvolveMatrix{}} : convolve_parse_matrix (text);
  return parse.matrix ? std::nullopt : std::optional (std::move (parse.error));
}

constexpr Property properties[] = {
    property<&MatrixSettings::matrix> (
        "matrix", "Rows separated by ';', taps by spaces or commas, 1..31 each way; \"\" = preset", complaint),
    property<&MatrixSettings::preset> (
        "preset", "The matrix, if the property matrix is \"\"", enum_type<"GstClConvolvePreset", preset_values>),
    property<&MatrixSettings::divisor> ("divisor", "Divisor of the sum; 0 = the sum of the taps, or 1 if that is 0", -1e6, 1e6),
    property<&MatrixSettings::bias> ("bias", "Added to the result, as a fraction of full scale", -1, 1),
    property<&MatrixSettings::absolute> ("absolute", "Take the absolute value, before the bias"),
    property<&MatrixSettings::flip> ("flip", "Rotate the matrix by 180 degrees (true convolution)"),
};

/* The integer matrix as one exact integer product, or nothing. */
std::optional<TapProduct>
convolve_integer_factor (int width, int height, const std::vector<int64_t> &taps)
{
  const auto row_at = [&] (int j) { return taps.begin () + static_cast<std::ptrdiff_t> (j) * width; };
  TapProduct factor;
  for (int j = 0; j < height && factor.row.empty (); j++) {
    int64_t divisor = 0;
    for (int i = 0; i < width; i++)
      divisor = std::gcd (divisor, row_at (j)[i]);
    if (divisor != 0)
      for (int i = 0; i < width; i++)
        factor.row.push_back (static_cast<double> (row_at (j)[i] / divisor));
  }
  if (factor.row.empty ())
    return std::nullopt;
  /* The row's taps have no common divisor, so every row of a product is an integer multiple of it. */
  const auto pivot = std::find_if (factor.row.begin (), factor.row.end (), [] (double t) { return t != 0; });
  const std::ptrdiff_t at = pivot - factor.row.begin ();
  for (int j = 0; j < height; j++) {
    const auto times = static_cast<double> (row_at (j)[at] / static_cast<int64_t> (*pivot));
    for (int i = 0; i < width; i++)
      if (static_cast<double> (row_at (j)[i]) != times * factor.row[i])
        return std::nullopt;
    factor.column.push_back (times);
  }
  return factor;
}

/* One-sided Jacobi: rotates pairs of columns of a until all are orthogonal; then a = (columns) x (rows of v). */
struct Jacobi {
  explicit Jacobi (const ConvolveMatrix &matrix)
      : width (matrix.width), height (matrix.height), a (matrix.width, std::vector<double> (matrix.height)),
        v (matrix.width, std::vector<double> (matrix.width))
  {
    for (int i = 0; i < width; i++) {
      v[i][i] = 1;
      for (int j = 0; j < height; j++)
        a[i][j] = matrix.at (i, j);
    }
    constexpr int max_sweeps = 60;
    for (int sweep = 0; sweep < max_sweeps && rotate_all (); sweep++)
      ;
  }

  int width;
  int height;
  std::vector<std::vector<double>> a; /* a[i]: column i */
  std::vector<std::vector<double>> v;

private:
  bool rotate_all ()
  {
    bool rotated = false;
    for (int p = 0; p < width; p++)
      for (int q = p + 1; q < width; q++)
        rotated |= rotate (p, q);
    return rotated;
  }

  bool rotate (int p, int q)
  {
    const auto dot = [this] (int i, int j) { return std::inner_product (a[i].begin (), a[i].end (), a[j].begin (), 0.0); };
    const double alpha = dot (p, p), beta = dot (q, q), gamma = dot (p, q);
    if (gamma == 0 || std::abs (gamma) <= 1e-15 * std::sqrt (alpha * beta))
      return false;
    const double zeta = (beta - alpha) / (2 * gamma);
    const double t = std::copysign (1 / (std::abs (zeta) + std::hypot (1, zeta)), zeta);
    const double c = 1 / std::hypot (1, t), s = c * t;
    const auto turn = [c, s] (std::vector<double> &x, std::vector<double> &y) {
      for (std::size_t i = 0; i < x.size (); i++) {
        const double old = x[i];
        x[i] = c * old - s * y[i];
        y[i] = s * old + c * y[i];
      }
    };
    turn (a[p], a[q]);
    turn (v[p], v[q]);
    return true;
  }
};

double
squared_norm (const std::vector<double> &x)
{
  return std::inner_product (x.begin (), x.end (), x.begin (), 0.0);
}

/* The fewest products, at most `limit`, whose sum differs from the matrix by at most `tolerance`, summed over all taps; empty if
 * more would be needed. Largest first. */
std::vector<TapProduct>
convolve_low_rank_factors (const ConvolveMatrix &matrix, int limit, double tolerance)
{
  Jacobi jacobi (matrix);
  std::vector<int> order (matrix.width);
  std::iota (order.begin (), order.end (), 0);
  std::sort (
      order.begin (), order.end (), [&] (int p, int q) { return squared_norm (jacobi.a[p]) > squared_norm (jacobi.a[q]); });

  std::vector<double> rest = matrix.taps;
  std::vector<TapProduct> factors;
  for (int k = 0; k < std::min (limit, matrix.width); k++) {
    factors.push_back ({jacobi.a[order[k]], jacobi.v[order[k]]});
    const auto &[column, row] = factors.back ();
    double left = 0;
    for (int j = 0; j < matrix.height; j++)
      for (int i = 0; i < matrix.width; i++) {
        double &tap = rest[static_cast<std::size_t> (j) * matrix.width + i];
        tap -= column[j] * row[i];
        left += std::abs (tap);
      }
    if (left <= tolerance)
      return factors;
  }
  return {};
}

/* The matrix divided by its divisor, as integers or as real numbers. */
struct Quotient {
  int width = 0;
  int height = 0;
  bool integer = false;
  std::vector<int64_t> taps; /* integer: taps / divisor, without a common factor */
  int64_t divisor = 1;
  std::vector<double> real; /* taps over the divisor, for every matrix */
};

double
effective_divisor (const ConvolveSettings &settings)
{
  if (settings.divisor != 0)
    return settings.divisor;
  const auto &taps = settings.matrix.taps;
  const double sum = std::accumulate (taps.begin (), taps.end (), 0.0);
  return std::abs (sum) < 1e-9 * sum_of_magnitudes (taps) || sum == 0 ? 1 : sum;
}

/* Halves, quarters and so on become integers as well. Larger numbers than these cannot be summed exactly. */
bool
make_integer (Quotient &quotient, std::vector<double> values)
{
  constexpr double limit = 1LL << 40;
  constexpr int max_fraction_bits = 30;
  for (int bits = 0; !std::all_of (values.begin (), values.end (), is_integer); bits++) {
    if (bits == max_fraction_bits)
      return false;
    for (double &v : values)
      v *= 2;
  }
  if (std::any_of (values.begin (), values.end (), [] (double v) { return std::abs (v) > limit; }))
    return false;
  std::vector<int64_t> integers (values.begin (), values.end ());
  int64_t common = 0;
  for (int64_t v : integers)
    common = std::gcd (common, v);
  for (int64_t &v : integers)
    v /= common;
  quotient.divisor = integers.back ();
  integers.pop_back ();
  quotient.taps = std::move (integers);
  return true;
}

Quotient
make_quotient (const ConvolveSettings &settings)
{
  Quotient quotient{settings.matrix.width, settings.matrix.height, false, {}, 1, {}};
  std::vector<double> taps = settings.matrix.taps;
  if (settings.flip)
    std::reverse (taps.begin (), taps.end ());
  double divisor = effective_divisor (settings);
  if (divisor < 0) {
    divisor = -divisor;
    for (double &t : taps)
      t = -t;
  }
  /* With a larger factor every sum saturates, for any sample. */
  constexpr double largest = 0x1p50;
  for (double t : taps)
    quotient.real.push_back (std::clamp (t / divisor, -largest, largest));
  taps.push_back (divisor);
  quotient.integer = make_integer (quotient, std::move (taps));
  return quotient;
}

/* The smallest type for exact sums in shared/quotient.clh, with any bias in -1 .. 1; nothing if even 64 bits are too few. */
std::optional<SumType>
exact_sum (double gain, double divisor, double max)
{
  /* 4 * sum + offset must be an exact float. Then n / divisor is farther from a tie than its rounding error. */
  if (4 * max * (gain + divisor) <= 0x1p24)
    return SumType::float32;
  /* The remainder n - q * divisor must not overflow. */
  const double largest = 4 * (max + 1) * (gain + 2 * divisor);
  if (largest < 0x1p31)
    return SumType::int32;
  if (largest < 0x1p62)
    return SumType::int64;
  return std::nullopt;
}

/* Whether a bound for the rounding errors of `length` float sums, in sample steps, is well below 1. */
bool
floats_are_near (double gain, int length, double max)
{
  return gain * max * (length + 4) * 0x1p-24 <= 0.45;
}

/* Computes the divisor and the offset of shared/quotient.clh. Chroma needs taps times (v - neutral), which is taps times v plus
 * a constant; bias and magnitude apply only to luma. */
void
set_divisor (
    ConvolveSums &sums, double divisor, double sum_of_taps, const ConvolveSettings &settings, const ConvolveTarget &target)
{
  const double max = (1 << target.depth) - 1, neutral = 1 << (target.depth - 1);
  const double twice = target.chroma ? 2 * neutral * (divisor - sum_of_taps) : 2 * (settings.bias * max) * divisor;
  const double nearest = std::nearbyint (twice);
  /* At a tie, a bias such as 0.1 means exactly one tenth, not the nearest double. */
  const double whole = std::abs (twice - nearest) <= 0x1p-46 * std::abs (twice) ? nearest : std::floor (twice);
  sums.divisor = divisor;
  sums.offset = sums.exact ? 2 * whole + (twice > whole ? 1 : 0) : 2 * twice;
}

/* Operations per sample, including loads and the copy to a tile; measured on PoCL. */
int
direct_cost (const Quotient &quotient)
{
  return quotient.width * quotient.height + 8;
}

int
separable_cost (const Quotient &quotient, int rank)
{
  return rank * (quotient.width + quotient.height) + 14;
}

bool
plan_exact (ConvolveSums &sums, const Quotient &quotient, const ConvolveSettings &settings, const ConvolveTarget &target)
{
  const double max = (1 << target.depth) - 1;
  const double divisor = static_cast<double> (quotient.divisor);
  const auto type = exact_sum (sum_of_magnitudes (quotient.taps), divisor, max);
  if (!type)
    return false;
  sums.type = *type;
  const auto factor = separable_cost (quotient, 1) < direct_cost (quotient)
                          ? convolve_integer_factor (quotient.width, quotient.height, quotient.taps)
                          : std::nullopt;
  if (factor)
    sums.products = {*factor};
  else
    sums.taps.assign (quotient.taps.begin (), quotient.taps.end ());
  set_divisor (sums, divisor, std::accumulate (quotient.taps.begin (), quotient.taps.end (), 0.0), settings, target);
  return true;
}

bool
plan_real_factors (ConvolveSums &sums, const Quotient &quotient, double max)
{
  constexpr int max_rank = 3;
  int limit = max_rank;
  while (limit > 0 && separable_cost (quotient, limit) >= direct_cost (quotient))
    limit--;
  if (limit == 0)
    return false;
  /* The omitted products may change a sample by at most a fiftieth of a step. */
  auto factors = convolve_low_rank_factors ({quotient.width, quotient.height, quotient.real}, limit, 0.02 / max);
  double gain = 0;
  for (const auto &[column, row] : factors)
    gain += sum_of_magnitudes (row) * sum_of_magnitudes (column);
  const int rank = static_cast<int> (factors.size ());
  if (rank == 0 || !floats_are_near (gain, rank * (quotient.width + quotient.height), max))
    return false;
  sums.products = std::move (factors);
  return true;
}

void
plan_real (ConvolveSums &sums, const Quotient &quotient, const ConvolveSettings &settings, const ConvolveTarget &target)
{
  const double max = (1 << target.depth) - 1;
  sums.exact = false;
  const double gain = sum_of_magnitudes (quotient.real);
  const int taps = quotient.width * quotient.height;
  const int length = taps > 64 ? quotient.width + quotient.height : taps;
  double divisor = 1, sum = std::accumulate (quotient.real.begin (), quotient.real.end (), 0.0);
  if (floats_are_near (gain, length, max)) {
    if (!plan_real_factors (sums, quotient, max))
      sums.taps = quotient.real;
  } else {
    /* For large gains on deep samples: fixed point, with as many fraction bits as the sums allow. */
    const int bits = static_cast<int> (std::floor (59 - std::log2 ((max + 1) * (gain + 2))));
    divisor = std::exp2 (std::clamp (bits, 0, 40));
    /* If the sums do not even allow whole taps, one tap alone saturates any sample. */
    const double largest = bits >= 0 ? 0x1p62 : 0x1p59 / (max + 1) / taps;
    for (double t : quotient.real)
      sums.taps.push_back (std::clamp (std::nearbyint (t * divisor), -largest, largest));
    sums.type = SumType::int64;
    sum = std::accumulate (sums.taps.begin (), sums.taps.end (), 0.0);
  }
  set_divisor (sums, divisor, sum, settings, target);
}

/* Whether the settings change no sample. */
bool
is_identity (const ConvolveSettings &settings)
{
  const Quotient quotient = make_quotient (settings);
  if (settings.bias != 0)
    return false;
  const std::size_t anchor = static_cast<std::size_t> (quotient.height / 2) * quotient.width + quotient.width / 2;
  for (std::size_t i = 0; i < quotient.real.size (); i++)
    if (quotient.real[i] != (i == anchor ? 1 : 0))
      return false;
  return true;
}

struct ConvolvePlan {
  Plan plan;
  /** Replaces the plan if the matrix is a sum of products. */
  std::optional<SeparableWindow> window;
};

/* For settings that change samples. */
ConvolvePlan
plan_convolve (const ConvolveSettings &settings, const ConvolveTarget &target)
{
  const Quotient quotient = make_quotient (settings);
  ConvolveSums sums{.width = quotient.width, .height = quotient.height, .absolute = settings.absolute && !target.chroma};
  if (!quotient.integer || !plan_exact (sums, quotient, settings, target))
    plan_real (sums, quotient, settings, target);
  if (!sums.products.empty ())
    return {{}, convolve_window (sums, target)};
  return {{convolve_algorithm (sums, target)}, std::nullopt};
}

class Convolve : public With<MatrixSettings> {
public:
  void changed () override
  {
    parsed = settings.parsed ();
    plans.clear ();
  }

  /* on larger matrices words are slower than bytes by more than the saved passes */
  Abilities abilities (const Runner &) const override
  {
    constexpr int most_taps = 49;
    return {.images = true, .words = parsed.matrix.width * parsed.matrix.height <= most_taps};
  }

  Plan plan (Runner &runner, const PlaneTask &task) override
  {
    const ConvolveTarget target{.gpu = runner.backend () == Backend::gpu,
        .depth = runner.format ().depth,
        .components = task.samples_per_pixel (),
        .sample_bytes = runner.format ().sample_size (),
        .chroma = runner.format ().is_chroma (task.plane),
        .image = task.src.image || task.dst.image,
        .matrix_units = vendors::has_matrix_units (runner.cl ().device),
        .quick_denormals = vendors::has_quick_denormals (runner.cl ().device)};
    const ConvolvePlan &known = plans.get (target, [&] { return plan_convolve (parsed, target); });
    if (!known.window)
      return known.plan;
    return {known.window->products.size () == 1 ? "separable" : "low-rank", separable_launches (runner, task, *known.window)};
  }

private:
  ConvolveSettings parsed;
  PlanCache<ConvolveTarget, ConvolvePlan> plans;
};

const FilterDescription description{
    .long_name = "OpenCL convolution",
    .description = "Filters video with any matrix of up to 31x31 taps",
    .properties = properties,
    .windowed = true,
    .operation = operation_type<Convolve> (),
    .neutral = of_settings<[] (const MatrixSettings &settings) { return is_identity (settings.parsed ()); }>,
};

GST_CL_DEFINE_FILTER (GstClConvolve, gst_cl_convolve, clconvolve, description)

}  // namespace gst::cl::clconvolve
