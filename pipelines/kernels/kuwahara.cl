/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Kuwahara's filter: the mean of the most uniform of the four squares that meet in a pixel. Areas become strokes
 * of one colour and edges stay sharp, so the picture looks painted.
 *
 * Per pixel, in any format.
 *
 *   gst-launch-1.0 videotestsrc ! clprogram location=pipelines/kernels/kuwahara.cl params::radius=3 ! \
 *     videoconvert ! autovideosink
 */
// @param radius int 4 [1, 12] "Side of the squares less one, in pixels; the time grows with its square"

kernel void
kuwahara (PIXEL_ARGS, int radius)
{
  PIXEL_BEGIN
  const int r = clamp (radius, 1, 12);
  const float n = (r + 1) * (r + 1);
  float4 calmest = PIXEL (0, 0);
  float least = FLT_MAX;
  for (int square = 0; square < 4; square++) {
    const int left = square % 2 ? 0 : -r, top = square / 2 ? 0 : -r;
    float4 sum = 0;
    float light = 0, light_squared = 0;
    for (int dy = top; dy <= top + r; dy++)
      for (int dx = left; dx <= left + r; dx++) {
        const float4 p = PIXEL (dx, dy);
        const float i = intensity (p);
        sum += p;
        light += i;
        light_squared += i * i;
      }
    const float variance = light_squared / n - (light / n) * (light / n);
    if (variance < least) {
      least = variance;
      calmest = sum / n;
    }
  }
  OUT_PIXEL (calmest);
}
