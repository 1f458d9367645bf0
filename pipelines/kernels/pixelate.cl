/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pixelate: squares of one colour, or round lamps as on a video wall.
 *
 * The mean of a square uses at most 8 x 8 of its pixels. Per pixel, in any format.
 *
 *   gst-launch-1.0 videotestsrc ! clprogram location=pipelines/kernels/pixelate.cl \
 *     params::size=24 ! videoconvert ! autovideosink
 */
// @param size int 16 [1, 512] "Side of the squares in pixels"
// @param roundness float 1 [0, 1] "0: squares, 1: lamps that do not touch; in between, rounded squares"

kernel void
pixelate (PIXEL_ARGS, int size, float roundness)
{
  PIXEL_BEGIN
  const int side = max (size, 1), places = min (side, 8);
  const int left = x - x % side, top = y - y % side;
  float4 sum = 0;
  int n = 0;
  for (int j = 0; j < places; j++)
    for (int i = 0; i < places; i++) {
      const int px = left + (2 * i + 1) * side / (2 * places), py = top + (2 * j + 1) * side / (2 * places);
      /* squares on the right and at the bottom may extend beyond the frame */
      if (px < width && py < height) {
        sum += pixel_at (px, py);
        n++;
      }
    }

  /* distance from the square's centre, between that of a square and of a circle; 1 at the edge */
  const float2 from_middle = fabs ((float2) (x - left, y - top) + 0.5f - side / 2.0f) / (side / 2.0f);
  const float distance = mix (fmax (from_middle.x, from_middle.y), length (from_middle), roundness);
  const float lit = 1 - smoothstep (1 - 2.0f / side, 1.0f, distance) * roundness;
  const float4 colour = sum / max (n, 1);
  OUT_PIXEL (mix (from_rgb ((float4) (0, 0, 0, colour.w)), colour, lit));
}
