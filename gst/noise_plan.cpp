/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "noise_plan.hpp"

#include <cmath>

namespace gst::cl {

namespace {

constexpr int segments_per_octave = 8;
constexpr double knot_scale = 4096;

/* The magnitude that a normally distributed number exceeds with this probability, by bisection. */
double
normal_magnitude (double probability)
{
  double low = 0, high = 16;
  for (int i = 0; i < 80; i++) {
    const double middle = (low + high) / 2;
    (std::erfc (middle / std::sqrt (2)) > probability ? low : high) = middle;
  }
  return low;
}

/* An integer, and none of them near a tie, so that they are the same everywhere. */
double
knot (double probability)
{
  return std::nearbyint (knot_scale * normal_magnitude (probability));
}

}  // namespace

int
noise_number_bits (NoiseType type, int depth)
{
  return type == NoiseType::salt_pepper || depth > 8 ? 32 : 16;
}

std::vector<float>
noise_normal_segments (int number_bits)
{
  const int octaves = number_bits == 16 ? 16 : 23;
  std::vector<float> segments;
  for (int octave = -octaves; octave < 0; octave++)
    for (int m = segments_per_octave; m < 2 * segments_per_octave; m++) {
      const double length = std::ldexp (1, octave) / segments_per_octave;
      const double begin = knot (length * m), rise = knot (length * (m + 1)) - begin;
      segments.push_back (float ((begin - rise * m) / knot_scale));
      segments.push_back (float (rise / knot_scale / length));
    }
  return segments;
}

unsigned
noise_limit (double share)
{
  return unsigned (std::nearbyint (share * 0x1p31));
}

}  // namespace gst::cl
