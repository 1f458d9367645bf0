/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Swirl: twists the picture around a point, most at the centre and not at all beyond the radius.
 *
 * Per pixel, in any format. The property `border` says what is shown beyond the edge of the picture.
 *
 *   gst-launch-1.0 videotestsrc ! clprogram location=pipelines/kernels/swirl.cl border=reflect \
 *     params::angle=90 params::centre=0.4,0.6 ! videoconvert ! autovideosink
 */
// @param angle float 180 [-3600, 3600] "Rotation at the centre in degrees, counter-clockwise; 0 leaves the picture unchanged"
// @param radius float 0.9 [0, 2] "Extent; 1 is half the frame's shorter side"
// @param centre float2 (0.5, 0.5) [0, 1] "The middle of the swirl; (0, 0) is the frame's top left"

kernel void
swirl (PIXEL_ARGS, float angle, float radius, float2 centre)
{
  PIXEL_BEGIN
  const float2 arm = (float2) (x, y) - centre * (float2) (width - 1, height - 1);
  const float reach = fmax (radius * min (width, height) / 2, 1.0f);
  const float rest = fmax (1 - length (arm) / reach, 0.0f);
  const float turn = radians (angle) * rest * rest;

  /* rotated arm minus arm: exactly 0 where turn is 0 */
  const float s = sin (turn), c = cos (turn) - 1;
  const float2 shift = (float2) (c * arm.x - s * arm.y, s * arm.x + c * arm.y);
  OUT_PIXEL (pixel_between (x + shift.x, y + shift.y));
}
