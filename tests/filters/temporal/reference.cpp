/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "reference.hpp"

namespace ref {

/* One list of real numbers per component. */
using PixelValues = std::vector<std::vector<double>>;

static PixelValues
values_of (const Picture &picture)
{
  PixelValues values;
  for (const Component &component : picture.components)
    values.emplace_back (component.value.begin (), component.value.end ());
  return values;
}

static bool
is_new_scene (const Picture &picture, const PixelValues &before, double limit, unsigned planes)
{
  size_t far = 0, all = 0;
  for (size_t c = 0; c < picture.components.size (); c++) {
    if (!(plane_bit (picture.components[c].name) & planes))
      continue;
    for (size_t i = 0; i < before[c].size (); i++) {
      far += std::abs (picture.components[c].value[i] - before[c][i]) > limit;
      all++;
    }
  }
  return 2 * far > all;
}

static double
combine (std::vector<int> samples, int own, const Temporal &settings, double limit)
{
  if (settings.method == Temporal::Median) {
    std::sort (samples.begin (), samples.end ());
    return samples[(samples.size () - 1) / 2];
  }
  std::erase_if (samples, [&] (int sample) { return std::abs (sample - own) > limit; });
  double sum = 0;
  for (const int sample : samples)
    sum += sample - own;
  return own + sum / samples.size ();
}

static std::vector<Picture>
windowed (const std::vector<Picture> &stream, const Temporal &settings, unsigned planes)
{
  const int n = (int) stream.size (), reach = settings.frames / 2;
  const double limit = settings.threshold * stream[0].max ();
  std::vector<int> scene (n);
  for (int t = 1; t < n; t++)
    scene[t] = scene[t - 1] + is_new_scene (stream[t], values_of (stream[t - 1]), limit, planes);
  std::vector<Picture> results = stream;
  for (int t = 0; t < n; t++)
    for (size_t c = 0; c < stream[t].components.size (); c++)
      for (size_t i = 0; i < stream[t].components[c].value.size (); i++) {
        std::vector<int> samples;
        for (int other = std::max (t - reach, 0); other <= std::min (t + reach, n - 1); other++)
          if (scene[other] == scene[t])
            samples.push_back (stream[other].components[c].value[i]);
        const int own = stream[t].components[c].value[i];
        /* the difference times the strength is exact, so ties are exact */
        const double difference = combine (samples, own, settings, limit) - own;
        results[t].components[c].value[i] = round_to_sample (own + settings.strength * difference, stream[t].max ());
      }
  return results;
}

static std::vector<Picture>
recursive (const std::vector<Picture> &stream, const Temporal &settings, unsigned planes)
{
  const double limit = settings.threshold * stream[0].max ();
  std::vector<Picture> results = stream;
  PixelValues y = values_of (stream[0]);
  for (size_t t = 0; t < stream.size (); t++) {
    const PixelValues x = values_of (stream[t]);
    const bool anew = t == 0 || is_new_scene (stream[t], y, limit, planes);
    for (size_t c = 0; c < y.size (); c++)
      for (size_t i = 0; i < y[c].size (); i++) {
        const double difference = x[c][i] - y[c][i];
        const double k = limit > 0 ? std::max (0.0, 1 - std::abs (difference) / limit) : 0;
        y[c][i] = anew ? x[c][i] : y[c][i] + (1 - settings.strength * k) * difference;
        results[t].components[c].value[i] = round_to_sample (y[c][i], stream[t].max ());
      }
  }
  return results;
}

std::vector<Picture>
temporal (const std::vector<Picture> &stored, const Temporal &settings, unsigned planes)
{
  const std::vector<Picture> stream = bounded (stored);
  return settings.method == Temporal::Recursive ? recursive (stream, settings, planes) : windowed (stream, settings, planes);
}

}  // namespace ref
