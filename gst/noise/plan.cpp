/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "noise/plan.hpp"

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

/* Integers, none of them near a tie, so they are the same everywhere. */
double
knot (double probability)
{
  return std::nearbyint (knot_scale * normal_magnitude (probability));
}

struct Segment {
  double length, begin, fall;
  int m; /* it begins at that many lengths */
};

std::vector<Segment>
make_segments (int number_bits)
{
  const int octaves = number_bits == 16 ? 16 : 23;
  std::vector<Segment> segments;
  for (int octave = -octaves; octave < 0; octave++)
    for (int m = segments_per_octave; m < 2 * segments_per_octave; m++) {
      const double length = std::ldexp (1, octave) / segments_per_octave, begin = knot (length * m);
      segments.push_back ({length, begin, begin - knot (length * (m + 1)), m});
    }
  return segments;
}

}  // namespace

int
noise_number_bits (NoiseType type, int depth)
{
  return type == NoiseType::salt_pepper || depth > 8 ? 32 : 16;
}

std::vector<unsigned>
noise_packed_segments (int number_bits)
{
  std::vector<unsigned> packed;
  for (const Segment &segment : make_segments (number_bits))
    packed.push_back (unsigned (segment.begin) << 10 | unsigned (segment.fall));
  return packed;
}

std::vector<float>
noise_linear_segments (int number_bits)
{
  std::vector<float> linear;
  for (const Segment &segment : make_segments (number_bits)) {
    linear.push_back (float ((segment.begin + segment.fall * segment.m) / knot_scale));
    linear.push_back (float (-segment.fall / knot_scale / segment.length));
  }
  return linear;
}

unsigned
noise_limit (double share)
{
  return unsigned (std::nearbyint (share * 0x1p31));
}

}  // namespace gst::cl
