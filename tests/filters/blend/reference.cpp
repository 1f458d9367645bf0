/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "reference.hpp"

#include "../../reference/common.hpp"

namespace ref {

static double
weighted_sum (const std::vector<double> &values, const std::vector<double> &weights)
{
  double sum = 0;
  for (size_t i = 0; i < values.size (); i++)
    sum += weights[i] * values[i];
  return sum;
}

/* Combines the samples of all pictures at one position, as a real number. */
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
  /* products as numerator and denominator, so that ties are exact */
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

/* Signed numbers around the neutral sample. */
static double
fold_chroma (std::vector<double> values, const Blend &settings, const Picture &picture)
{
  const int neutral = picture.neutral ();
  for (double &v : values)
    v -= neutral;
  if (settings.mode != Blend::Difference)
    return neutral + fold (values, settings, picture.max ());
  double result = values[0];
  for (size_t i = 1; i < values.size (); i++)
    result -= values[i];
  return neutral + result;
}

static double
luma_at (const Picture &picture, const Component &chroma, int x, int y)
{
  return mean_of_block (*picture.find ('y'), x, y, chroma.sub_x, chroma.sub_y);
}

static double
in_range (double v, const Picture &picture)
{
  return (std::clamp (v, double (picture.black ()), double (picture.white ())) - picture.black ())
         / (picture.white () - picture.black ());
}

/* Chroma of products, of the lightest and of the darkest pixel. */
static double
chroma_by_luma (const std::vector<Picture> &pictures, size_t c, int x, int y, const Blend &settings)
{
  const Component &first = pictures[0].components[c];
  if (settings.mode == Blend::Multiply) {
    double factor = 1;
    for (size_t p = 1; p < pictures.size (); p++)
      factor *= in_range (luma_at (pictures[p], first, x, y), pictures[p]);
    return pictures[0].neutral () + (first.at (x, y) - pictures[0].neutral ()) * factor;
  }
  size_t chosen = 0;
  for (size_t p = 1; p < pictures.size (); p++) {
    const double there = luma_at (pictures[p], first, x, y), best = luma_at (pictures[chosen], first, x, y);
    if (settings.mode == Blend::Lighten ? there > best : there < best)
      chosen = p;
  }
  return pictures[chosen].components[c].at (x, y);
}

/* Products of luma relate to the range from black to white, as numerator and denominator, so that ties are exact. */
static double
fold_luma (std::vector<double> values, const Blend &settings, const Picture &picture)
{
  if (settings.mode != Blend::Multiply || !picture.is_limited ())
    return fold (values, settings, picture.max ());
  for (double &v : values)
    v = std::clamp (v, double (picture.black ()), double (picture.white ())) - picture.black ();
  return picture.black () + fold (values, settings, picture.white () - picture.black ());
}

Picture
blend (const std::vector<Picture> &stored, const Blend &settings)
{
  const std::vector<Picture> pictures = bounded (stored);
  const bool by_luma = settings.mode == Blend::Multiply || settings.mode == Blend::Lighten || settings.mode == Blend::Darken;
  Picture out = pictures[0];
  for (size_t c = 0; c < out.components.size (); c++) {
    Component &component = out.components[c];
    std::vector<double> values (pictures.size ());
    for (size_t i = 0; i < component.value.size (); i++) {
      for (size_t p = 0; p < pictures.size (); p++)
        values[p] = pictures[p].components[c].value[i];
      const int x = int (i) % component.width, y = int (i) / component.width;
      double result;
      if (component.is_chroma () && by_luma)
        result = chroma_by_luma (pictures, c, x, y, settings);
      else if (component.is_chroma ())
        result = fold_chroma (values, settings, out);
      else
        result = (component.name == 'y' ? fold_luma (values, settings, out) : fold (values, settings, out.max ()))
                 + settings.bias * out.max ();
      component.value[i] = round_to_sample (result, out.max ());
    }
  }
  return out;
}

}  // namespace ref
