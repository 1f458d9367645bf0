/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Ink: the picture as a drawing: flat colours with dark outlines.
 *
 * Per pixel, in any format. Works best after a smoothing filter such as clbilateral.
 *
 *   gst-launch-1.0 videotestsrc ! clbilateral ! clprogram location=pipelines/kernels/ink.cl params::levels=4 ! \
 *     videoconvert ! autovideosink
 */
// @param levels int 6 [2, 64] "Steps of light; 64 hardly changes the colours"
// @param line float 0.15 [0, 1] "Edge at which ink begins: Sobel's gradient of the intensity, 1 for a step from black to white"
// @param ink float 0.9 [0, 1] "How dark the lines are; 0: none"

/* The light of R, G and B; intensity () would use the format's components. */
static inline float
light_of (float4 rgb)
{
  return dot (rgb.xyz, (float3) (0.30f, 0.59f, 0.11f));
}

#define LIGHT(dx, dy) light_of (to_rgb (PIXEL (dx, dy)))

kernel void
ink_drawing (PIXEL_ARGS, int levels, float line, float ink)
{
  PIXEL_BEGIN
  const float nw = LIGHT (-1, -1), n = LIGHT (0, -1), ne = LIGHT (1, -1), w = LIGHT (-1, 0);
  const float e = LIGHT (1, 0), sw = LIGHT (-1, 1), s = LIGHT (0, 1), se = LIGHT (1, 1);
  const float2 gradient = (float2) (ne + 2 * e + se - nw - 2 * w - sw, sw + 2 * s + se - nw - 2 * n - ne) / 4;
  const float inked = ink * smoothstep (line, 2 * line + 0.001f, length (gradient));

  /* the steps of light have soft edges, so they do not flicker */
  const float4 p = to_rgb (PIXEL (0, 0));
  const float light = clamp (light_of (p), 0.0f, 1.0f), steps = clamp (levels, 2, 64) - 1;
  const float below = floor (light * steps);
  const float flat_light = (below + smoothstep (0.35f, 0.65f, light * steps - below)) / steps;
  const float3 colour = p.xyz * (flat_light + 0.02f) / (light + 0.02f);
  OUT_PIXEL (from_rgb ((float4) (colour * (1 - inked), p.w)));
}
