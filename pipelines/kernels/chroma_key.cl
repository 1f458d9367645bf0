/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Chroma key: removes a green or blue screen, and the light that it reflects onto the foreground.
 *
 *   input 0      the scene
 *   input 1      the new background; without it, `background`
 *
 * Distances are in the plane of blue and red differences (BT.601), where light and shadow on the screen do not count.
 * With a background of alpha 0 and planes=15 the foreground is cut out. Per pixel, in any format but GRAY.
 *
 *   gst-launch-1.0 clprogram name=key location=pipelines/kernels/chroma_key.cl params::tolerance=0.3 ! \
 *     videoconvert ! autovideosink \
 *     videotestsrc ! video/x-raw,format=RGBA ! key.sink \
 *     videotestsrc pattern=ball ! video/x-raw,format=RGBA ! key.sink_1
 */
// @param screen float3 #00ff00 [0, 1] "Colour of the screen"
// @param tolerance float 0.2 [0, 1] "Distance from its hue up to which a pixel is screen"
// @param softness float 0.1 [0, 1] "Additional distance at which it is fully foreground"
// @param spill float 1 [0, 1] "How much of the screen's light is removed from the foreground"
// @param background float4 #000000 [0, 1] "Colour behind the scene, where no input 1 is linked"

static inline float2
chroma_of (float3 rgb)
{
  const float luma = dot (rgb, (float3) (0.299f, 0.587f, 0.114f));
  return (float2) ((rgb.z - luma) / 1.772f, (rgb.x - luma) / 1.402f);
}

/* The contribution of chroma to R, G and B. */
static inline float3
rgb_of (float2 chroma)
{
  return (float3) (1.402f * chroma.y, -0.344136f * chroma.x - 0.714136f * chroma.y, 1.772f * chroma.x);
}

kernel void
chroma_key (PIXEL_ARGS, float3 screen, float tolerance, float softness, float spill, float4 background)
{
  PIXEL_BEGIN
  const float4 scene = to_rgb (PIXEL (0, 0));
  const float2 hue = chroma_of (screen), chroma = chroma_of (scene.xyz);
  const float key = smoothstep (tolerance, tolerance + fmax (softness, 0.001f), distance (chroma, hue));

  /* Colours within 45 degrees of the screen's hue are pushed out of that wedge. */
  const float2 along = hue / fmax (length (hue), 0.001f);
  const float towards = dot (chroma, along), across = fabs (chroma.x * along.y - chroma.y * along.x);
  const float3 cast = rgb_of (along * fmax (towards - across, 0.0f));
  const float4 clean = (float4) (scene.xyz - spill * cast, scene.w);
#if INPUTS > 1
  const float4 behind = input_pixel (1, x, y);
#else
  const float4 behind = from_rgb (background);
#endif
  OUT_PIXEL (mix (behind, from_rgb (clean), key));
}
