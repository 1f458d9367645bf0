/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "blend.hpp"

#include <algorithm>
#include <cmath>

#include "common.hpp"

namespace ref {

static double
weighted_sum (const std::vector<double> &values, const std::vector<double> &weights)
{
  double sum = 0;
  for (size_t i = 0; i < values.size (); i++)
    sum += weights[i] * values[i];
  return sum;
}

/* The samples of one place, one from each picture, as a real number. */
static double
fold (const std::vector<double> &values, const Blend &settings, int max)
{
  if (settings.mode == Blend::Add)
    return weighted_sum (values, settings.weights);
  if (settings.mode == Blend::Average) {
    double total = 0;
    for (const double weight : settings.weights)
      total += weight;
    return weighted_sum (values, settings.weights) / (total == 0 ? 1 : total);
  }
  /* products as numerator and denominator, so that a tie is one */
  double result = values[0], denominator = 1;
  for (size_t i = 1; i < values.size (); i++)
    switch (settings.mode) {
      case Blend::Difference:
        result = std::abs (result - values[i]);
        break;
      case Blend::Multiply:
        result *= values[i];
        denominator *= max;
        break;
      case Blend::Lighten:
        result = std::max (result, values[i]);
        break;
      default:
        result = std::min (result, values[i]);
        break;
    }
  return result / denominator;
}

/* Signed numbers around the neutral one. */
static double
fold_chroma (std::vector<double> values, const Blend &settings, const Picture &picture)
{
  const int neutral = picture.neutral ();
  if (settings.mode != Blend::Add && settings.mode != Blend::Average && settings.mode != Blend::Difference)
    return fold (values, settings, picture.max ());
  for (double &v : values)
    v -= neutral;
  if (settings.mode != Blend::Difference)
    return neutral + fold (values, settings, picture.max ());
  double result = values[0];
  for (size_t i = 1; i < values.size (); i++)
    result -= values[i];
  return neutral + result;
}

Picture
blend (const std::vector<Picture> &stored, const Blend &settings)
{
  const std::vector<Picture> pictures = bounded (stored);
  Picture out = pictures[0];
  for (size_t c = 0; c < out.components.size (); c++) {
    Component &component = out.components[c];
    std::vector<double> values (pictures.size ());
    for (size_t i = 0; i < component.value.size (); i++) {
      for (size_t p = 0; p < pictures.size (); p++)
        values[p] = pictures[p].components[c].value[i];
      const double result = component.is_chroma () ? fold_chroma (values, settings, out)
                                                   : fold (values, settings, out.max ()) + settings.bias * out.max ();
      component.value[i] = round_to_sample (result, out.max ());
    }
  }
  return out;
}

}  // namespace ref
