/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Swirl: twists the picture around a point, most at the centre and not at all beyond the radius.
 *
 *   angle    degrees   rotation at the centre, counter-clockwise; 0 leaves the picture unchanged
 *   radius   0..2      extent; 1 is half the frame's shorter side
 *   centre   x, y of 0..1
 *
 * Per pixel, in any format. The property `border` says what is shown beyond the edge of the picture.
 *
 *   gst-launch-1.0 videotestsrc ! clprogram location=pipelines/kernels/swirl.cl border=reflect \
 *     params="swirl, angle=180.0, radius=0.9, centre=<0.5, 0.5>" ! videoconvert ! autovideosink
 */
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
