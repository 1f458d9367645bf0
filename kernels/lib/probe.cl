/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Inverts every bit of a GL texture, to test that each side reads the other's writes. */
const sampler_t texel = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;

kernel void probe (read_only image2d_t from, write_only image2d_t to)
{
  const int2 at = (int2) (get_global_id (0), get_global_id (1));
  write_imagef (to, at, 1.0f - read_imagef (from, texel, at));
}
