/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clconvolve: filters each component with a matrix: sharpening, edges, emboss, blur, or any linear filter of up to 31 x 31
 * taps. */
#include "convolve/plan.hpp"

#include "core/vendors.hpp"
#include "filter/gstclfilter.hpp"

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
    property<&MatrixSettings::divisor> (
        "divisor", "What the sum is divided by; 0 = the sum of the taps, or 1 if that is 0", -1e6, 1e6),
    property<&MatrixSettings::bias> ("bias", "Added to the result, as a fraction of full scale", -1, 1),
    property<&MatrixSettings::absolute> ("absolute", "Take the absolute value, before the bias"),
    property<&MatrixSettings::flip> ("flip", "Rotate the matrix by 180 degrees (true convolution)"),
};

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
    .neutral = of_settings<[] (const MatrixSettings &settings) { return convolve_is_identity (settings.parsed ()); }>,
};

GST_CL_DEFINE_FILTER (GstClConvolve, gst_cl_convolve, clconvolve, description)

}  // namespace gst::cl::clconvolve
