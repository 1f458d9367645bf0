/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Vignette: the picture fades towards its corners, as through an old lens.
 *
 *   strength   0..1              how much of the colour is added in the corners; 0 leaves the picture unchanged
 *   radius     0..1              where it begins; 0 is the middle of the frame, 1 its corners
 *   colour     R, G, B of 0..1   the colour in the corners, or "#rrggbb"
 *
 * Per pixel, in any format.
 *
 *   gst-launch-1.0 videotestsrc ! clprogram location=pipelines/kernels/vignette.cl \
 *     params='vignette, strength=0.9, radius=0.3, colour="#000000"' ! videoconvert ! autovideosink
 */
kernel void
vignette (PIXEL_ARGS, float strength, float radius, float3 colour)
{
  PIXEL_BEGIN
  const float2 middle = (float2) (width - 1, height - 1) / 2;
  const float distance = length ((float2) (x, y) - middle) / fmax (length (middle), 1.0f);
  const float falloff = strength * smoothstep (fmin (radius, 0.999f), 1.0f, distance);
  const float4 p = PIXEL (0, 0);
  OUT_PIXEL (mix (p, from_rgb ((float4) (colour, p.w)), falloff));
}
