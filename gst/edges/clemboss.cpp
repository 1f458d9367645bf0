/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clemboss: turns the picture into a relief: areas that get brighter along a direction are raised, areas that get darker are
 * sunk. */
#include "edges/edges.hpp"

#include <cmath>
#include <numbers>

namespace gst::cl::clemboss {

enum : unsigned { ANGLE, DEPTH, DOMAIN };
enum Domain { DOMAIN_PER_COMPONENT, DOMAIN_INTENSITY, DOMAIN_COLOR, DOMAIN_GRAY };

constexpr GEnumValue domain_values[] = {
    {DOMAIN_PER_COMPONENT, "Each component by itself", "per-component"},
    {DOMAIN_INTENSITY, "The intensity (YUV: luma), written to every colour component", "intensity"},
    {DOMAIN_COLOR, "Former name of per-component", "color"},
    {DOMAIN_GRAY, "Former name of intensity", "gray"},
    {},
};

const Property properties[] = {
    real_property ("angle", "Direction in which brightening raises, in degrees: 0 is right, 90 is down", 0, 360, 45),
    real_property ("depth", "Height of the relief", 0, 10, 1),
    enum_property ("domain", "Relief of each component, or of the intensity", enum_type<"GstClEmbossDomain", domain_values>,
        DOMAIN_PER_COMPONENT),
};

/* Cosines of 45 degrees and the like, rounded to remove errors in the last bits. */
double
along (double depth, double direction)
{
  const double v = depth * std::numbers::sqrt2 * direction, nearest = std::nearbyint (v);
  return std::abs (v - nearest) < 1e-9 ? nearest : v;
}

bool
is_of_intensity (const Values &values)
{
  const int domain = values.integer (DOMAIN);
  return domain == DOMAIN_INTENSITY || domain == DOMAIN_GRAY;
}

class Emboss : public Operation {
public:
  void update (const Values &values) override
  {
    const double angle = values.real (ANGLE) * std::numbers::pi / 180;
    along_x = along (values.real (DEPTH), std::cos (angle));
    along_y = along (values.real (DEPTH), std::sin (angle));
    gray = is_of_intensity (values);
  }

  void run (Runner &runner, const PlaneTask &whole_task) override
  {
    const PlaneTask task = gray ? without_alpha (whole_task) : whole_task;
    if (gray && runner.format ().is_chroma (task.plane))
      return fill_neutral (runner, task);
    const bool pixels = gray && runner.format ().model == ColorModel::rgb;
    const GradientKernel kernel{"RELIEF", {1, 1}, pixels ? GradientBody::pixels : GradientBody::samples};
    /* for 8-bit samples, floats hold all sums of whole factors */
    filter_gradients (runner, task, kernel,
        !pixels                       ? ValueArgument (std::vector{cl_float (along_x), cl_float (along_y)})
        : runner.format ().depth == 8 ? intensity_settings<cl_float> (1)
                                      : intensity_settings<cl_long> (1 << 20));
  }

  bool takes_images () const override { return true; }

  std::string algorithm () const override { return "direct"; }

private:
  /* See kernels/shared/gradient.cl: factors in steps of 1 / one, and a division by 100. */
  template <typename Sum> struct Settings {
    Sum along_x, along_y, one, divisor;
    cl_float inverse;
  };

  template <typename Sum> ValueArgument intensity_settings (int one) const
  {
    const auto steps = [one] (double v) { return one == 1 ? Sum (v) : Sum (std::nearbyint (v * one)); };
    const double divisor = 4.0 * 100 * one;
    return ValueArgument (
        std::vector{Settings<Sum>{steps (along_x), steps (along_y), Sum (one), Sum (divisor), cl_float (1 / divisor)}});
  }

  double along_x = 0, along_y = 0;
  bool gray = false;
};

const FilterDescription description{
    .long_name = "OpenCL emboss",
    .description = "Turns video into a relief, lit from any direction",
    .properties = properties,
    .windowed = true,
    .create = [] () -> std::unique_ptr<Operation> { return std::make_unique<Emboss> (); },
    .neutral = [] (const Values &values) { return values.real (DEPTH) == 0 && !is_of_intensity (values); },
};

GST_CL_DEFINE_FILTER (GstClEmboss, gst_cl_emboss, clemboss, description)

}  // namespace gst::cl::clemboss
