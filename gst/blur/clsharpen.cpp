/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clsharpen: sharpens by adding the difference between a sample and its neighbourhood (unsharp mask or Laplacian). */
#include "blur/gaussian.hpp"
#include "filter/gstclfilter.hpp"
#include "shared/gradient.hpp"

#include <cmath>

namespace gst::cl::clsharpen {

enum : unsigned { METHOD, AMOUNT, SIGMA, THRESHOLD };

enum class SharpenMethod { unsharp, laplacian };

constexpr GEnumValue method_values[] = {
    {int (SharpenMethod::unsharp), "Difference from a gaussian mean", "unsharp"},
    {int (SharpenMethod::laplacian), "Difference from the four neighbours", "laplacian"},
    {},
};

const Property properties[] = {
    enum_property ("method", "What a sample is compared with", enum_type<"GstClSharpenMethod", method_values>,
        int (SharpenMethod::unsharp)),
    real_property ("amount", "Factor for the difference that is added; below 0 smooths", -10, 10, 1),
    window_size (real_property ("sigma", "Unsharp: standard deviation of the gaussian, in samples", 0.1, 20, 1)),
    real_property ("threshold", "Unsharp: smallest difference that is sharpened, as a fraction of full scale", 0, 1, 0),
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

class Sharpen : public Operation {
public:
  void update (const Values &values) override
  {
    method = SharpenMethod (values.integer (METHOD));
    amount = values.real (AMOUNT);
    sigma = values.real (SIGMA);
    threshold = values.real (THRESHOLD);
    weights.reset ();
  }

  void run (Runner &runner, const PlaneTask &task) override
  {
    if (method == SharpenMethod::laplacian)
      return filter_gradients (
          runner, task, {"LAPLACE", {0, 1, 1}, GradientBody::samples}, ValueArgument (std::vector{cl_float (amount)}));
    const int max = runner.format ().max_value ();
    /* an error of the mean is multiplied by `amount` */
    if (!weights)
      weights = gaussian_weights (sigma, gaussian_radius (sigma), max * 16);
    run_gaussian (runner, task, *weights, Sharpening{float (amount), least_difference (threshold, max)});
  }

  bool takes_images () const override { return method == SharpenMethod::laplacian; }

  std::string algorithm () const override { return method == SharpenMethod::laplacian ? "direct" : "separable"; }

private:
  SharpenMethod method = SharpenMethod::unsharp;
  double amount = 0, sigma = 0, threshold = 0;
  /** Weights depend on the depth, so they are computed for the first plane. */
  std::optional<GaussianWeights> weights;
};

const FilterDescription description{
    .long_name = "OpenCL sharpening",
    .description = "Sharpens video with an unsharp mask or a Laplacian",
    .properties = properties,
    .windowed = true,
    .create = [] () -> std::unique_ptr<Operation> { return std::make_unique<Sharpen> (); },
    .neutral =
        [] (const Values &values) {
          const bool unsharp = SharpenMethod (values.integer (METHOD)) == SharpenMethod::unsharp;
          /* no sample can differ from a mean by more than full scale */
          return values.real (AMOUNT) == 0 || (unsharp && values.real (THRESHOLD) >= 1);
        },
};

GST_CL_DEFINE_FILTER (GstClSharpen, gst_cl_sharpen, clsharpen, description)

}  // namespace gst::cl::clsharpen
