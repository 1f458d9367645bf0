/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clblur: blurs each component with a gaussian, or with the mean of a square window (box). clsharpen: sharpens by adding the
 * difference between a sample and its neighbourhood (unsharp mask or Laplacian). */
#include "filter/gstclfilter.hpp"
#include "shared/gradient.hpp"
#include "shared/separable.hpp"

#include <cmath>
#include <numeric>

namespace gst::cl {

/** Symmetric weights of a window of 2 * radius + 1 samples whose sum is 1; the same for both passes. */
struct GaussianWeights {
  int radius = 0;
  std::vector<float> values{1};
};

/** The radius for a sigma, as documented. */
static int
gaussian_radius (double sigma)
{
  return int (std::ceil (3 * sigma));
}

/** exp (-d^2 / (2 sigma^2)) for |d| <= radius, divided by their sum. A long window loses its ends, if they change no sample of
 *  up to max by more than a hundredth. */
static GaussianWeights
gaussian_weights (double sigma, int radius, int max)
{
  std::vector<double> half (radius + 1);
  for (int d = 0; d <= radius; d++)
    half[d] = std::exp (-(double (d) * d) / (2 * sigma * sigma));
  const double sum = 2 * std::accumulate (half.begin () + 1, half.end (), half[0]) - half[0];
  /* Both passes omit the ends of the window, on two sides each. */
  const double least = 0.01 / max / 4;
  double left_out = 0;
  while (radius > 0 && left_out + half[radius] / sum < least)
    left_out += half[radius--] / sum;

  GaussianWeights weights{radius, std::vector<float> (2 * radius + 1)};
  const double kept = 1 - 2 * left_out;
  for (int d = -radius; d <= radius; d++)
    weights.values[radius + d] = float (half[std::abs (d)] / sum / kept);
  return weights;
}

/** Sharpens: in + amount * (in - smoothed) if the difference is at least `least`, else in. */
struct Sharpening {
  float amount = 0, least = 0;
};

/* Smooths, or sharpens. */
static Launches
gaussian_launches (
    const Runner &runner, const PlaneTask &task, const GaussianWeights &weights, const std::optional<Sharpening> &sharpening)
{
  const std::vector<double> taps (weights.values.begin (), weights.values.end ());
  const Sharpening result = sharpening.value_or (Sharpening{});
  SeparableWindow window{.products = {{taps, taps}},
      .result_source = "shared/result.clh",
      .options = {{"SHARPEN", sharpening.has_value ()}},
      .result = {cl_float (result.amount), cl_float (result.least)}};
  if (const auto fixed = sharpening ? std::nullopt : matrix_weights (taps))
    window.matrix = MatrixWindow{*fixed, *fixed};
  return separable_launches (runner, task, window);
}

namespace clblur {

enum class BlurType { gaussian, box };

constexpr int default_box_radius = 2;

constexpr GEnumValue type_values[] = {
    {int (BlurType::gaussian), "Weights that fall off as a gaussian", "gaussian"},
    {int (BlurType::box), "The mean of the window", "box"},
};

struct BlurSettings {
  BlurType type = BlurType::gaussian;
  double sigma = 2;
  int radius = 0;
};

constexpr Property properties[] = {
    property<&BlurSettings::type> (
        "type", "How the samples of the window are weighted", enum_type<"GstClBlurType", type_values>),
    window_size (property<&BlurSettings::sigma> ("sigma", "Standard deviation of the gaussian, in samples", 0, 100)),
    window_size (property<&BlurSettings::radius> (
        "radius", "Samples on each side of the window's centre; 0 = 3*sigma, or 2 for box", 0, 512)),
};

/* The means of windows of 2 * radius + 1 samples each way. */
Launches
mean_launches (const Runner &runner, const PlaneTask &task, int radius)
{
  const cl_int count = (2 * radius + 1) * (2 * radius + 1);
  /* WIDE_TOTALS of blur/mean.clh; without it sums are signed and have 32 bits. At 16 bits one program serves all radii. */
  const bool wide = runner.format ().depth > 12 || gint64 (count) * runner.format ().max_value () > G_MAXINT32;
  return box_launches (
      runner, task, {radius, {"blur/mean.clh"}, {{"WIDE_TOTALS", wide}}, {count, cl_float (1.0 / count)}, true}, "box");
}

class Blur : public With<BlurSettings> {
public:
  void changed () override
  {
    algorithm = settings.type == BlurType::box ? "running-sum" : "separable";
    weights.reset ();
  }

  Plan plan (Runner &runner, const PlaneTask &task) override
  {
    const auto &[type, sigma, radius] = settings;
    if (type == BlurType::box)
      return {"", mean_launches (runner, task, radius ? radius : default_box_radius)};
    if (!weights)
      weights = gaussian_weights (sigma, radius ? radius : gaussian_radius (sigma), runner.format ().max_value ());
    return {"", gaussian_launches (runner, task, *weights, std::nullopt)};
  }

private:
  /** Weights depend on the depth, so they are computed for the first plane. */
  std::optional<GaussianWeights> weights;
};

const FilterDescription description{
    .long_name = "OpenCL blur",
    .description = "Blurs video with a gaussian or a box of any size",
    .properties = properties,
    .windowed = true,
    .operation = operation_type<Blur> (),
    .neutral =
        of_settings<[] (const BlurSettings &settings) { return settings.type == BlurType::gaussian && settings.sigma == 0; }>,
};

GST_CL_DEFINE_FILTER (GstClBlur, gst_cl_blur, clblur, description)

}  // namespace clblur

namespace clsharpen {

enum class SharpenMethod { unsharp, laplacian };

constexpr GEnumValue method_values[] = {
    {int (SharpenMethod::unsharp), "Difference from a gaussian mean", "unsharp"},
    {int (SharpenMethod::laplacian), "Difference from the four neighbours", "laplacian"},
};

struct SharpenSettings {
  SharpenMethod method = SharpenMethod::unsharp;
  double amount = 1, sigma = 1, threshold = 0;
};

constexpr Property properties[] = {
    property<&SharpenSettings::method> (
        "method", "Neighbours that a sample is compared with", enum_type<"GstClSharpenMethod", method_values>),
    property<&SharpenSettings::amount> ("amount", "Factor for the difference that is added; below 0 smooths", -10, 10),
    window_size (
        property<&SharpenSettings::sigma> ("sigma", "Unsharp: standard deviation of the gaussian, in samples", 0.1, 20)),
    property<&SharpenSettings::threshold> (
        "threshold", "Unsharp: smallest difference that is sharpened, as a fraction of full scale", 0, 1),
};

/* The smallest float whose magnitude is over the threshold, or 0. */
float
least_difference (double threshold, int max)
{
  if (threshold == 0)
    return 0;
  const double limit = threshold * max;
  const float nearest = float (limit);
  return nearest > limit ? nearest : std::nextafter (nearest, INFINITY);
}

class Sharpen : public With<SharpenSettings> {
public:
  void changed () override
  {
    algorithm = settings.method == SharpenMethod::laplacian ? "direct" : "separable";
    weights.reset ();
  }

  Abilities abilities (const Runner &) const override { return {.images = settings.method == SharpenMethod::laplacian}; }

  Plan plan (Runner &runner, const PlaneTask &task) override
  {
    const auto &[method, amount, sigma, threshold] = settings;
    if (method == SharpenMethod::laplacian)
      return {"", gradient_launch (runner, task, {"LAPLACE", {0, 1, 1}, GradientBody::samples},
                      ValueArgument (std::vector{cl_float (amount)}))};
    const int max = runner.format ().max_value ();
    /* an error of the mean is multiplied by `amount` */
    if (!weights)
      weights = gaussian_weights (sigma, gaussian_radius (sigma), max * 16);
    return {"", gaussian_launches (runner, task, *weights, Sharpening{float (amount), least_difference (threshold, max)})};
  }

private:
  /** Weights depend on the depth, so they are computed for the first plane. */
  std::optional<GaussianWeights> weights;
};

const FilterDescription description{
    .long_name = "OpenCL sharpening",
    .description = "Sharpens video with an unsharp mask or a Laplacian",
    .properties = properties,
    .windowed = true,
    .operation = operation_type<Sharpen> (),
    /* no sample can differ from a mean by more than full scale */
    .neutral = of_settings<[] (const SharpenSettings &settings) {
      return settings.amount == 0 || (settings.method == SharpenMethod::unsharp && settings.threshold >= 1);
    }>,
};

GST_CL_DEFINE_FILTER (GstClSharpen, gst_cl_sharpen, clsharpen, description)

}  // namespace clsharpen

}  // namespace gst::cl
