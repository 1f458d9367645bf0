/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clblur: blurs each component with a gaussian, or with the mean of a square window (box). */
#include "blur/gaussian.hpp"
#include "core/arithmetic.hpp"
#include "filter/gstclfilter.hpp"
#include "shared/separable.hpp"

namespace gst::cl::clblur {

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

}  // namespace gst::cl::clblur
