/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lens distortion, added or removed: bends straight lines, and separates colours towards the corners.
 *
 * A pixel at radius r (1 in the corners) shows the input at r (1 + k1 r^2 + k2 r^4) / zoom. Per pixel, in any
 * format; border=constant makes the outside of the picture black.
 *
 *   gst-launch-1.0 videotestsrc ! clprogram location=pipelines/kernels/lens_distortion.cl border=constant \
 *     params::k1=0.4 params::fringe=0.02 ! videoconvert ! autovideosink
 */
// @param k1 float 0.3 [-1, 1] "Positive values give barrel, negative ones pincushion distortion"
// @param k2 float 0.1 [-1, 1] "The same, mostly in the corners"
// @param zoom float 1 [0.1, 10] "1 keeps the size in the centre"
// @param fringe float 0.01 [-0.1, 0.1] "Red is enlarged and blue reduced by this fraction; 0: no colour fringes"

kernel void
lens_distortion (PIXEL_ARGS, float k1, float k2, float zoom, float fringe)
{
  PIXEL_BEGIN
  const float2 middle = (float2) (width - 1, height - 1) / 2;
  const float2 arm = (float2) (x, y) - middle;
  const float r2 = dot (arm, arm) / fmax (dot (middle, middle), 1.0f);
  const float scale = (1 + r2 * (k1 + r2 * k2)) / fmax (zoom, 0.01f);

  /* moved by a difference, which is exactly 0 where scale is 1 */
  const float2 green = (float2) (x, y) + arm * (scale - 1);
  float4 p = pixel_between (green.x, green.y);
  if (fringe != 0) {
    const float2 red = green - arm * fringe, blue = green + arm * fringe;
    p = to_rgb (p);
    p.x = to_rgb (pixel_between (red.x, red.y)).x;
    p.z = to_rgb (pixel_between (blue.x, blue.y)).z;
    p = from_rgb (p);
  }
  OUT_PIXEL (p);
}
