/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* False colour: shows intensity as colour, with the palette of thermal cameras or the exposure zones of film crews.
 *
 *   heat    black, violet, red, yellow, white
 *   zones   violet and blue crushed, green middle grey, pink skin, yellow bright, red clipped; else grey
 *
 * Per pixel, in any format; GRAY stays grey.
 *
 *   gst-launch-1.0 videotestsrc ! clprogram location=pipelines/kernels/false_colour.cl params::palette=1 ! \
 *     videoconvert ! autovideosink
 */
// @param palette int 0 [0, 1] "0: heat, 1: exposure zones"
// @param amount float 1 [0, 1] "Opacity of the colours; 0 leaves the picture unchanged"

/* Numbers, because some drivers (NVIDIA's 580) leave arrays of constant vectors empty. */
constant float heat[] = {
  0.00f, 0.00f, 0.02f,  0.25f, 0.04f, 0.43f,  0.58f, 0.15f, 0.40f,
  0.86f, 0.31f, 0.23f,  0.99f, 0.64f, 0.04f,  0.99f, 0.99f, 0.75f};

static inline float3
heat_of (float light)
{
  const float place = light * 5;
  const int below = min ((int) place, 4);
  return mix (vload3 (below, heat), vload3 (below + 1, heat), place - below);
}

static inline float3
zone_of (float light)
{
  if (light < 0.02f)
    return (float3) (0.45f, 0.10f, 0.60f);
  if (light < 0.10f)
    return (float3) (0.10f, 0.25f, 0.85f);
  if (light > 0.38f && light < 0.44f)
    return (float3) (0.20f, 0.70f, 0.25f);
  if (light > 0.52f && light < 0.58f)
    return (float3) (0.95f, 0.60f, 0.70f);
  if (light > 0.98f)
    return (float3) (0.90f, 0.10f, 0.10f);
  if (light > 0.90f)
    return (float3) (0.95f, 0.90f, 0.25f);
  return (float3) (light);
}

/* The light of R, G and B; intensity () would use the format's components. */
static inline float
light_of (float4 rgb)
{
  return dot (rgb.xyz, (float3) (0.30f, 0.59f, 0.11f));
}

kernel void
false_colour (PIXEL_ARGS, int palette, float amount)
{
  PIXEL_BEGIN
  const float4 p = to_rgb (PIXEL (0, 0));
  const float light = clamp (light_of (p), 0.0f, 1.0f);
  const float3 colour = palette == 1 ? zone_of (light) : heat_of (light);
  OUT_PIXEL (from_rgb ((float4) (mix (p.xyz, colour, amount), p.w)));
}
