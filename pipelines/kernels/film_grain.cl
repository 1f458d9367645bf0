/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Film grain: noise that is strongest in the midtones and changes with each frame; the same on every device.
 *
 * Per pixel, in any format.
 *
 *   gst-launch-1.0 videotestsrc ! clprogram location=pipelines/kernels/film_grain.cl params::amount=0.1 ! \
 *     videoconvert ! autovideosink
 */
// @param amount float 0.08 [0, 1] "Standard deviation of the grain in middle grey; 0 leaves the picture unchanged"
// @param colour float 0.3 [0, 1] "0: brightness only, 1: each colour separately"

/* Almost normally distributed, with mean 0 and deviation 1: the sum of four uniform numbers. */
static inline float
bell (float a, float b, float c, float d)
{
  return (a + b + c + d - 2) * 1.7320508f;
}

#define GRAIN(n) bell (random_float (n), random_float (n + 1), random_float (n + 2), random_float (n + 3))

/* The light of R, G and B; intensity () would use the format's components. */
static inline float
light_of (float4 rgb)
{
  return dot (rgb.xyz, (float3) (0.30f, 0.59f, 0.11f));
}

kernel void
film_grain (PIXEL_ARGS, float amount, float colour)
{
  PIXEL_BEGIN
  const float4 p = to_rgb (PIXEL (0, 0));
  const float light = clamp (light_of (p), 0.0f, 1.0f);
  const float response = sqrt (4 * light * (1 - light));
  const float3 grain = mix ((float3) (GRAIN (0)), (float3) (GRAIN (4), GRAIN (8), GRAIN (12)), colour);
  OUT_PIXEL (from_rgb ((float4) (p.xyz + amount * response * grain, p.w)));
}
