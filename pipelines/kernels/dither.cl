/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Ordered dither: few levels that look like many from a distance, with Bayer's 8 x 8 matrix of thresholds.
 *
 * Per component, in any format: clprogram calls it for R, G and B, or Y, U and V, separately.
 *
 *   gst-launch-1.0 videotestsrc ! clprogram location=pipelines/kernels/dither.cl params::levels=4 ! \
 *     videoconvert ! autovideosink
 */
// @param levels int 3 [2, 256] "Levels of each component"

/* The 6 bits of a position's rank are those of x ^ y and y, alternating from the lowest up. */
static inline int
bayer (int x, int y)
{
  const int d = x ^ y;
  return (d & 1) << 5 | (y & 1) << 4 | (d & 2) << 2 | (y & 2) << 1 | (d & 4) >> 1 | (y & 4) >> 2;
}

kernel void
dither (COMPONENT_ARGS, int levels)
{
  COMPONENT_BEGIN
  const int steps = clamp (levels, 2, 256) - 1;
  /* number of whole steps in the value, after the threshold of its position is added */
  const int step = (VAL * steps * 64 + bayer (x, y) * MAX_VALUE + MAX_VALUE / 2) / (MAX_VALUE * 64);
  OUT ((2 * step * MAX_VALUE + steps) / (2 * steps));
}
