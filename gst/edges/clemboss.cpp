/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clemboss: turns the picture into a relief: areas that get brighter along a direction are raised, areas that get darker are
 * sunk. */
#include "filter/gstclfilter.hpp"
#include "shared/gradient.hpp"
#include "shared/launches.hpp"

#include <cmath>
#include <numbers>

namespace gst::cl::clemboss {

enum Domain { DOMAIN_PER_COMPONENT, DOMAIN_INTENSITY, DOMAIN_COLOR, DOMAIN_GRAY };

constexpr GEnumValue domain_values[] = {
    {DOMAIN_PER_COMPONENT, "Each component by itself", "per-component"},
    {DOMAIN_INTENSITY, "The intensity (YUV: luma), written to every colour component", "intensity"},
    {DOMAIN_COLOR, "Former name of per-component", "color"},
    {DOMAIN_GRAY, "Former name of intensity", "gray"},
};

struct EmbossSettings {
  double angle = 45, depth = 1;
  Domain domain = DOMAIN_PER_COMPONENT;

  bool is_of_intensity () const { return domain == DOMAIN_INTENSITY || domain == DOMAIN_GRAY; }
};

constexpr Property properties[] = {
    property<&EmbossSettings::angle> (
        "angle", "Direction in which brightening raises, in degrees: 0 is right, 90 is down", 0, 360),
    property<&EmbossSettings::depth> ("depth", "Height of the relief", 0, 10),
    property<&EmbossSettings::domain> (
        "domain", "Relief of each component, or of the intensity", enum_type<"GstClEmbossDomain", domain_values>),
};

/* Cosines of 45 degrees and the like, rounded to remove errors in the last bits. */
double
along (double depth, double direction)
{
  const double v = depth * std::numbers::sqrt2 * direction, nearest = std::nearbyint (v);
  return std::abs (v - nearest) < 1e-9 ? nearest : v;
}

class Emboss : public With<EmbossSettings> {
public:
  void changed () override
  {
    const double angle = settings.angle * std::numbers::pi / 180;
    along_x = along (settings.depth, std::cos (angle));
    along_y = along (settings.depth, std::sin (angle));
  }

  Abilities abilities (const Runner &) const override { return {.images = true}; }

  Plan plan (Runner &runner, const PlaneTask &whole_task) override
  {
    const bool gray = settings.is_of_intensity ();
    const PlaneTask task = gray ? without_alpha (whole_task) : whole_task;
    if (gray && runner.format ().is_chroma (task.plane))
      return {"", neutral_launch (runner).on (task)};
    const bool pixels = gray && runner.format ().model == ColorModel::rgb;
    const GradientKernel kernel{"RELIEF", {1, 1}, pixels ? GradientBody::pixels : GradientBody::samples};
    /* for 8-bit samples, floats hold all sums of whole factors */
    const ValueArgument numbers = !pixels ? ValueArgument (std::vector{cl_float (along_x), cl_float (along_y)})
                                  : runner.format ().depth == 8 ? intensity_numbers<cl_float> (1)
                                                                : intensity_numbers<cl_long> (1 << 20);
    return {"", gradient_launch (runner, task, kernel, numbers).on (task)};
  }

private:
  /* See kernels/shared/gradient.cl: factors in steps of 1 / one, and a division by 100. */
  template <typename Sum> struct Numbers {
    Sum along_x, along_y, one, divisor;
    cl_float inverse;
  };

  template <typename Sum> ValueArgument intensity_numbers (int one) const
  {
    const auto steps = [one] (double v) { return one == 1 ? Sum (v) : Sum (std::nearbyint (v * one)); };
    const double divisor = 4.0 * 100 * one;
    return ValueArgument (
        std::vector{Numbers<Sum>{steps (along_x), steps (along_y), Sum (one), Sum (divisor), cl_float (1 / divisor)}});
  }

  double along_x = 0, along_y = 0;
};

const FilterDescription description{
    .long_name = "OpenCL emboss",
    .description = "Turns video into a relief, lit from any direction",
    .properties = properties,
    .windowed = true,
    .operation = operation_type<Emboss> (),
    .neutral = of_settings<[] (const EmbossSettings &settings) { return settings.depth == 0 && !settings.is_of_intensity (); }>,
};

GST_CL_DEFINE_FILTER (GstClEmboss, gst_cl_emboss, clemboss, description)

}  // namespace gst::cl::clemboss
