/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "shared/gradient.hpp"

#include "core/vendors.hpp"

#include "shared/histogram_plan.hpp"

namespace gst::cl {

namespace {

KernelSpec
gradient_spec (const Runner &runner, const PlaneTask &task, const GradientKernel &kernel)
{
  /* shared/gradient.cl's GRADIENT_STRIP */
  constexpr int strip = 128;
  const Format &format = runner.format ();
  const GradientWeights &weights = kernel.weights;
  const bool pixels = kernel.body == GradientBody::pixels, gpu = runner.backend () == Backend::gpu;
  const int samples = task.src.layout->samples_per_pixel;
  const bool lanes = gpu && format.sample_bits == 8 && kernel.body == GradientBody::samples;
  const bool short_body = !gpu && kernel.body == GradientBody::samples;
  /* for sums of whole factors, see shared/quotient.clh */
  KernelSpec spec{.sources = short_body || lanes ? std::vector{"shared/quotient.clh", "shared/gradient.cl"}
                                                 : std::vector{"shared/quotient.clh", "lib/pixel.clh", "shared/intensity.clh",
                                                     "shared/gradient.cl"},
      .function = "gradient",
      .options = Options{{format.depth == 8 ? "SUM_FLOAT" : "SUM_LONG", 1}, {"SIDE", weights.side}, {"MIDDLE", weights.middle},
                     {"SIGN", weights.sign}, {kernel.formula, 1}, {"INTENSITY", pixels},
                     {"EXACT", kernel.body != GradientBody::samples}}
                 + option_if (lanes, {"LANES", 1})
                 + option_if (lanes && vendors::has_half_sums (runner.cl ().device), {"PTX_HALVES", 1})};
  spec.tunable = {.local = true, .rows = any_rows};
  spec.any_pixel = short_body;
  const std::string_view formula = kernel.formula;
  spec.joins_chroma = lanes && (formula == "RELIEF" || formula == "LAPLACE"); /* edges make chroma neutral */
  spec.takes_steps = kernel.body == GradientBody::samples;
  if (!gpu) {
    static constexpr int rows[] = {2, 4, 8, 16};
    const bool strips = kernel.body != GradientBody::samples;
    spec.item_rows = strips ? 8 : 4;
    spec.tunable.rows = rows;
    spec.strip_samples = strips ? strip * (pixels ? samples : 1) : 0;
    return spec;
  }
  /* exact results need a long program */
  const bool exact = kernel.body == GradientBody::sample_strips;
  /* measured on an H100 and an H200: images are fast if neighbouring items have neighbouring pixels; planes of one byte per
   * pixel are small, and need small items to give every compute unit work */
  const bool bytes = format.sample_bits == 8, image = task.src.image || task.dst.image;
  spec.item_samples = image ? 4 : pixels ? 4 * samples : (samples == 1 || !bytes) && exact ? 4 : bytes ? 16 : 8;
  spec.item_rows = 2;
  return spec;
}

}  // namespace

Launch
gradient_launch (const Runner &runner, const PlaneTask &task, const GradientKernel &kernel, const ValueArgument &settings)
{
  const cl_uint intensity = kernel.body == GradientBody::pixels ? intensity_weights (*task.src.layout) : 0;
  return {gradient_spec (runner, task, kernel), {settings, intensity}, Window::centered (1, 1)};
}

}  // namespace gst::cl
