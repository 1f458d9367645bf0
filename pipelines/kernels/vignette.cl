/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Vignette: the picture fades towards its corners, as through an old lens.
 *
 * Per pixel, in any format.
 *
 *   gst-launch-1.0 videotestsrc ! clprogram location=pipelines/kernels/vignette.cl \
 *     params::strength=0.9 params::colour=#201000 ! videoconvert ! autovideosink
 */
// @param strength float 0.8 [0, 1] "How much of the colour is added in the corners; 0 leaves the picture unchanged"
// @param radius float 0.3 [0, 1] "Where it begins; 0 is the middle of the frame, 1 its corners"
// @param colour float3 #000000 [0, 1] "The colour in the corners"

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
