/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Halftone: the picture as in newspaper print: the darker an area, the larger the dots of ink.
 *
 * Per pixel, in any format.
 *
 *   gst-launch-1.0 videotestsrc ! clprogram location=pipelines/kernels/halftone.cl params::size=8 ! \
 *     videoconvert ! autovideosink
 */
// @param size float 6 [2, 64] "Distance between dots in pixels"
// @param angle float 30 [-360, 360] "Angle of the screen in degrees"
// @param ink float3 #101828 [0, 1] "Colour of the dots"
// @param paper float3 #f4ecd8 [0, 1] "Colour between them"

/* The light of R, G and B; intensity () would use the format's components. */
static inline float
light_of (float4 rgb)
{
  return dot (rgb.xyz, (float3) (0.30f, 0.59f, 0.11f));
}

kernel void
halftone (PIXEL_ARGS, float size, float angle, float3 ink, float3 paper)
{
  PIXEL_BEGIN
  /* along and across the screen, in dots */
  const float s = sin (radians (angle)), c = cos (radians (angle)), step = fmax (size, 2.0f);
  const float2 place = (float2) (c * x + s * y, c * y - s * x) / step;
  const float2 dot_middle = rint (place);

  const float2 at = dot_middle * step;
  const float light = light_of (to_rgb (pixel_between (c * at.x - s * at.y, s * at.x + c * at.y)));

  /* the area of a dot is the fraction of ink; dots with more than 78 % ink touch and leave paper in the corners */
  const float radius = sqrt (clamp (1 - light, 0.0f, 1.0f) / M_PI_F) * 1.12f;
  const float inked = clamp ((radius - distance (place, dot_middle)) * step + 0.5f, 0.0f, 1.0f);
  OUT_PIXEL (from_rgb ((float4) (mix (paper, ink, inked), PIXEL (0, 0).w)));
}
