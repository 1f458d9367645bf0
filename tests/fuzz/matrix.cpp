/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Numbers in rows, as clconvolve, clmorphology, clcolormatrix and clwarp parse them. */
#include "colormatrix/plan.hpp"
#include "morphology/element.hpp"
#include "shared/convolve_matrix.hpp"

#include "fuzz.hpp"

#include <cmath>

using namespace gst::cl;

namespace {

void
check_matrix (const ConvolveParse &parse)
{
  fuzz::require (parse.matrix.has_value () == parse.error.empty ());
  if (!parse.matrix)
    return;
  const auto &[width, height, taps] = *parse.matrix;
  fuzz::require (width >= 1 && width <= ConvolveMatrix::max_side && height >= 1 && height <= ConvolveMatrix::max_side);
  fuzz::require (taps.size () == size_t (width) * size_t (height));
  for (const double tap : taps)
    fuzz::require (std::isfinite (tap));
}

void
check_element (const MorphologyParse &parse)
{
  fuzz::require (parse.element.has_value () == parse.error.empty ());
  if (!parse.element)
    return;
  const MorphologyElement &element = *parse.element;
  fuzz::require (!element.runs ().empty () && element.samples () >= 1 && element.samples () <= 31 * 31);
  fuzz::require (element.reflected ().reflected ().runs () == element.runs ());
  for (const int iterations : {1, 3, 1000})
    for (const MorphologyStep &step : morphology_steps (element, true, iterations, MorphologyBorder::ignore, 640, 480))
      fuzz::require (step.element.reach ().width () >= 1 && step.element.reach ().height () >= 1);
}

}  // namespace

void
fuzz::run (const uint8_t *data, size_t size)
{
  const std::string text = Reader (data, size).all ();
  check_matrix (convolve_parse_matrix (text));
  check_element (morphology_parse_element (text));
  const ColorParse color = parse_color_matrix (text);
  require (color.matrix.has_value () == color.error.empty ());
  if (color.matrix)
    for (const int max : {255, 65535})
      plan_color_matrix (*color.matrix, {0, 1, 2}, max);
}
