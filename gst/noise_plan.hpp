/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The numbers behind clnoise, as docs/elements/clnoise.md defines them. */
#pragma once

#include <vector>

namespace gst::cl {

/* In the order of the element's enum. */
enum class NoiseType { gaussian, uniform, salt_pepper, speckle };

/* Bits of a random number for samples of that depth. */
int noise_number_bits (NoiseType type, int depth);

/* Quantiles of the normal distribution's magnitude as straight segments, for numbers of so many bits: offset and slope,
 * one after the other. Segment 8 * e + m begins at (8 + m) / 8 * 2^(e - octaves). */
std::vector<float> noise_normal_segments (int number_bits);

/* How many of 2^31 numbers are salt or pepper. */
unsigned noise_limit (double share);

}  // namespace gst::cl
