/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Motion trail: bright moving objects leave a trail of light, as in a long exposure.
 *
 * Needs history=1. Per pixel, in any format.
 *
 *   gst-launch-1.0 videotestsrc pattern=ball ! clprogram location=pipelines/kernels/motion_trail.cl history=1 \
 *     params::persistence=0.9 ! videoconvert ! autovideosink
 */
// @param persistence float 0.95 [0, 1] "How much light remains after a frame; 0 leaves the picture unchanged, 1 keeps it for ever"

kernel void
motion_trail (PIXEL_ARGS, float persistence)
{
  PIXEL_BEGIN
  const float4 p = PIXEL (0, 0);
  if (frames_before == 0) {
    OUT_PIXEL (p);
    return;
  }
  const float4 black = from_rgb ((float4) (0, 0, 0, p.w));
  const float4 trail = mix (black, previous_output (1, x, y), persistence);
  OUT_PIXEL (intensity (trail) > fmax (intensity (p), intensity (black)) ? trail : p);
}
