/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clprewitt, clsobel and clscharr: find edges by the gradient of the 3x3 window around each sample. */
#include "core/arithmetic.hpp"
#include "filter/gstclfilter.hpp"
#include "shared/gradient.hpp"
#include "shared/launches.hpp"

#include <cmath>

namespace gst::cl {

namespace {

enum EdgeOutput { OUTPUT_MAGNITUDE, OUTPUT_L1, OUTPUT_X, OUTPUT_Y };
enum EdgeDomain { EDGES_PER_COMPONENT, EDGES_OF_INTENSITY, EDGES_AUTO };

struct EdgeSettings {
  EdgeOutput output = OUTPUT_MAGNITUDE;
  double scale = 1, delta = 0;
  bool is_signed = false;
  EdgeDomain domain = EDGES_AUTO;
};

constexpr GEnumValue output_values[] = {
    {OUTPUT_MAGNITUDE, "Length of the gradient, sqrt (gx^2 + gy^2)", "magnitude"},
    {OUTPUT_L1, "Sum of the magnitudes of gx and gy", "l1"},
    {OUTPUT_X, "gx: changes from left to right", "x"},
    {OUTPUT_Y, "gy: changes from top to bottom", "y"},
};

constexpr GEnumValue domain_values[] = {
    {EDGES_AUTO, "The intensity of YUV, otherwise each component by itself", "auto"},
    {EDGES_PER_COMPONENT, "Each component by itself", "per-component"},
    {EDGES_OF_INTENSITY, "The intensity (YUV: luma), written to every colour component", "intensity"},
};

constexpr Property edge_properties[] = {
    property<&EdgeSettings::output> (
        "output", "Result: the length of the gradient, or a part of it", enum_type<"GstClEdgeOutput", output_values>),
    property<&EdgeSettings::scale> ("scale", "Factor applied to the gradient", 0, 65535),
    property<&EdgeSettings::delta> ("delta", "Added to the result, as a fraction of full scale", -1, 1),
    property<&EdgeSettings::is_signed> (
        "signed", "With output=x or y: write half the gradient around mid-grey instead of its magnitude"),
    property<&EdgeSettings::domain> (
        "domain", "Gradient of each component, or of the intensity", enum_type<"GstClEdgeDomain", domain_values>),
};

/** A plane's kernel: value * scale / divisor + offset. */
struct EdgePlan {
  bool magnitude;
  /** Whether plain floats suffice: they round like the formula, or are within 1 if that is allowed. */
  bool near;
  double scale, divisor, offset;
  /** Masks on gx and gy. */
  cl_int pick_x, pick_y;
};

/* See kernels/shared/gradient.cl. */
struct EdgeNumbers {
  cl_float scale, base;
  cl_int pick_x, pick_y;
  cl_float divisor, inverse, start, tie, tie_low;
  cl_int whole;
};

/* At a tie, a delta such as 0.1 means exactly one tenth, not the nearest double. */
double
offset_of (double delta, int max, double divisor)
{
  const double steps = 2 * delta * max * divisor, nearest = std::nearbyint (steps);
  return std::abs (steps - nearest) <= 0x1p-46 * std::abs (steps) ? nearest / (2 * divisor) : delta * max;
}

/* Multiples of a half plus the offset round alike for all offsets between two halves. */
EdgeNumbers
near_numbers (const EdgePlan &plan)
{
  const double halves = 2 * plan.offset;
  const double same = is_integer (halves) ? plan.offset : std::floor (halves) / 2 + 0.25;
  const double base = !plan.magnitude && is_integer (plan.scale) ? same : plan.offset;
  return {.scale = cl_float (plan.scale / plan.divisor), .base = cl_float (base), .pick_x = plan.pick_x, .pick_y = plan.pick_y};
}

EdgeNumbers
exact_numbers (const EdgePlan &plan)
{
  const double whole = std::floor (plan.offset + 0.5), fraction = plan.offset - whole;
  const double tie = plan.divisor * (fraction - 0.5);
  const cl_float high = cl_float (tie), low = cl_float (tie - high);
  return {cl_float (plan.scale), 0, plan.pick_x, plan.pick_y, cl_float (plan.divisor), cl_float (1 / plan.divisor),
      cl_float (fraction - 0.25), high, low, cl_int (whole)};
}

template <int side, int middle> class Edges : public With<EdgeSettings> {
public:
  Abilities abilities (const Runner &) const override
  {
    const bool keeps_chroma = settings.domain == EDGES_PER_COMPONENT;
    return {.images = true, .words = true, .second_plane = keeps_chroma ? WordPart::filtered : WordPart::neutral};
  }

  Plan plan (Runner &runner, const PlaneTask &whole_task) override
  {
    const Format &format = runner.format ();
    const EdgeDomain domain = settings.domain;
    const bool intensity = domain == EDGES_OF_INTENSITY || (domain == EDGES_AUTO && format.model == ColorModel::yuv);
    const bool chroma = format.is_chroma (whole_task.plane);
    const PlaneTask task = intensity ? without_alpha (whole_task) : whole_task;
    if (intensity && chroma)
      return {"", neutral_launch (runner).on (task)};
    const bool pixels = intensity && format.model == ColorModel::rgb;
    const EdgePlan plan = plan_for (format, pixels, chroma);
    const GradientBody body = pixels ? GradientBody::pixels : plan.near ? GradientBody::samples : GradientBody::sample_strips;
    const char *const formula = plan.magnitude ? "MAGNITUDE" : "LINES";
    const EdgeNumbers numbers = plan.near ? near_numbers (plan) : exact_numbers (plan);
    return {{"",
        {gradient_launch (runner, task, {formula, {side, middle}, body}, ValueArgument (std::vector{numbers})).on (task)}}};
  }

private:
  /* Chroma is signed, and so is its gradient; half the gradient is added to the neutral sample. */
  EdgePlan plan_for (const Format &format, bool pixels, bool chroma) const
  {
    constexpr cl_int magnitude_bits = 0x7fffffff, all_bits = -1;
    const auto &[output, scale, delta, is_signed, domain] = settings;
    const int max = format.max_value ();
    EdgePlan plan{};
    plan.magnitude = output == OUTPUT_MAGNITUDE;
    plan.scale = scale;
    const bool keeps_sign = (is_signed || chroma) && (output == OUTPUT_X || output == OUTPUT_Y);
    const bool centred = keeps_sign || chroma;
    plan.divisor = (pixels ? 100 : 1) * (centred ? 2 : 1);
    plan.offset = offset_of (delta, max, plan.divisor) + (centred ? format.neutral_chroma () : 0);
    const cl_int bits = keeps_sign ? all_bits : magnitude_bits;
    plan.pick_x = output == OUTPUT_Y ? 0 : bits;
    plan.pick_y = output == OUTPUT_X ? 0 : bits;
    /* The root of an integer below 2^16, if not a half itself, is farther from every half than any device's rounding error; an
     * integer offset does not change that. A line is an exact float in any case. */
    plan.near =
        !pixels && (!plan.magnitude || !is_integer (scale) || (format.depth == 8 && !centred && is_integer (plan.offset)));
    return plan;
  }
};

template <int side, int middle>
constexpr FilterDescription
describe (const char *long_name, const char *description)
{
  return {.long_name = long_name,
      .description = description,
      .properties = edge_properties,
      .windowed = true,
      .operation = operation_type<Edges<side, middle>> ()};
}

/* Three rows of equal weight; the middle one weighted twice; and weights for which the length depends least on the direction. */
const FilterDescription prewitt = describe<1, 1> ("OpenCL Prewitt edges", "Finds edges with the Prewitt operator"),
                        sobel = describe<1, 2> ("OpenCL Sobel edges", "Finds edges with the Sobel operator"),
                        scharr = describe<3, 10> ("OpenCL Scharr edges", "Finds edges with the Scharr operator");

}  // namespace

GST_CL_DEFINE_FILTER (GstClPrewitt, gst_cl_prewitt, clprewitt, prewitt)
GST_CL_DEFINE_FILTER (GstClSobel, gst_cl_sobel, clsobel, sobel)
GST_CL_DEFINE_FILTER (GstClScharr, gst_cl_scharr, clscharr, scharr)

}  // namespace gst::cl
