/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Difference key: keeps what differs from a clean plate, a picture of the empty scene.
 *
 *   input 0     the scene
 *   input 1     the clean plate
 *   input 2     the new background; without it, `background`
 *
 * The difference is a length in R, G and B, of means over 3 x 3 pixels, so that noise has little effect. With a
 * background of alpha 0 and planes=15 the foreground is cut out. Per pixel, in any format.
 *
 *   gst-launch-1.0 clprogram name=key location=pipelines/kernels/difference_key.cl \
 *     params::background=#204020 ! videoconvert ! autovideosink \
 *     videotestsrc pattern=ball ! video/x-raw,format=RGBA ! key.sink \
 *     videotestsrc pattern=black ! video/x-raw,format=RGBA ! key.sink_1
 */
// @param threshold float 0.1 [0, 1] "Difference up to which a pixel is background"
// @param softness float 0.1 [0, 1] "Additional difference at which it is fully foreground"
// @param background float4 #2060a0 [0, 1] "Colour behind the scene, where no input 2 is linked"

kernel void
difference_key (PIXEL_ARGS, float threshold, float softness, float4 background)
{
  PIXEL_BEGIN
  float3 difference = 0;
  for (int dy = -1; dy <= 1; dy++)
    for (int dx = -1; dx <= 1; dx++) {
      const float4 scene = to_rgb (input_pixel (0, x + dx, y + dy));
      const float4 plate = to_rgb (input_pixel (1, x + dx, y + dy));
      difference += scene.xyz - plate.xyz;
    }
  const float key = smoothstep (threshold, threshold + fmax (softness, 0.001f), length (difference) / 9);
#if INPUTS > 2
  const float4 behind = input_pixel (2, x, y);
#else
  const float4 behind = from_rgb (background);
#endif
  OUT_PIXEL (mix (behind, PIXEL (0, 0), key));
}
