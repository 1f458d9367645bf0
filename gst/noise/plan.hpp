/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The numbers that clnoise uses, as defined in docs/elements/clnoise.md. */
#pragma once

#include <vector>

namespace gst::cl {

/* In the order of the element's enum. */
enum class NoiseType { gaussian, uniform, salt_pepper, speckle };

/* Bits of a random number for samples of that depth. */
int noise_number_bits (NoiseType type, int depth);

/* Quantiles of the normal distribution's magnitude for numbers with that many bits, as straight segments: segment 8 * e + m
 * begins at (8 + m) / 8 * 2^(e - octaves). Packed for the cpu back end: the value at its beginning in 4096ths times
 * 1024, plus by how much it falls. As offset and slope, one after the other, for the gpu back end. */
std::vector<unsigned> noise_packed_segments (int number_bits);
std::vector<float> noise_linear_segments (int number_bits);

/* How many of 2^31 numbers are salt or pepper. */
unsigned noise_limit (double share);

}  // namespace gst::cl
