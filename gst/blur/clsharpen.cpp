/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clsharpen: sharpens by adding the difference between a sample and its neighbourhood (unsharp mask or Laplacian). */
#include "blur/gaussian.hpp"
#include "filter/gstclfilter.hpp"
#include "shared/gradient.hpp"

#include <cmath>

namespace gst::cl::clsharpen {

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
        "method", "What a sample is compared with", enum_type<"GstClSharpenMethod", method_values>),
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

}  // namespace gst::cl::clsharpen
