/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A binomial blur in two passes: the first filters rows into a scratch picture, the second filters that picture's columns. A
 * pixel takes two times nine reads instead of 81.
 *
 * Per pixel, in any format.
 *
 *   gst-launch-1.0 videotestsrc ! clprogram location=pipelines/kernels/separable.cl params::amount=0.5 ! videoconvert ! autovideosink
 */
// @param amount float 1 [0, 4] "0 leaves the picture as it is, 1 blurs it; more than 1 exaggerates"

// @table weights float 9 0.00390625 0.03125 0.109375 0.21875 0.2734375 0.21875 0.109375 0.03125 0.00390625
// @scratch rows float4

// @pass 1
kernel void
filter_rows (PIXEL_ARGS)
{
  PIXEL_BEGIN
  float4 sum = 0;
  for (int i = 0; i < 9; i++)
    sum += weights[i] * PIXEL (i - 4, 0);
  OUT_SCRATCH (rows, sum);
}

// @pass 2
kernel void
filter_columns (PIXEL_ARGS, float amount)
{
  PIXEL_BEGIN
  float4 sum = 0;
  for (int i = 0; i < 9; i++)
    sum += weights[i] * SCRATCH (rows, 0, i - 4);
  OUT_PIXEL (mix (PIXEL (0, 0), sum, amount));
}
