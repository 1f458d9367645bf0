/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tilt and shift: one strip of the picture is sharp and the rest is out of focus, so that the scene looks like a
 * model.
 *
 * The blur is the mean of 48 points on a spiral. Per pixel, in any format.
 *
 *   gst-launch-1.0 videotestsrc ! clprogram location=pipelines/kernels/tilt_shift.cl \
 *     params::focus=0.4 params::blur=12 ! videoconvert ! autovideosink
 */
// @param focus float 0.55 [0, 1] "Vertical position of the sharp strip; 0 is the top of the frame"
// @param breadth float 0.2 [0, 1] "Height of the strip, as a fraction of the frame"
// @param blur float 9 [0, 64] "Radius of the blur at the frame's far edge in pixels; 0 leaves the picture sharp"
// @param saturation float 1.4 [0, 3] "Models have strong colours; 1 leaves them unchanged"

#define PLACES 48
#define GOLDEN_ANGLE 2.3999632f

/* The light of R, G and B; intensity () would use the format's components. */
static inline float
light_of (float4 rgb)
{
  return dot (rgb.xyz, (float3) (0.30f, 0.59f, 0.11f));
}

kernel void
tilt_shift (PIXEL_ARGS, float focus, float breadth, float blur, float saturation)
{
  PIXEL_BEGIN
  const float row = (y + 0.5f) / height;
  const float outside = fmax (fabs (row - focus) - breadth / 2, 0.0f);
  const float radius = blur * fmin (outside / fmax (fmax (focus, 1 - focus) - breadth / 2, 0.01f), 1.0f);
  float4 p = PIXEL (0, 0);
  if (radius > 0.25f) {
    p = 0;
    for (int i = 0; i < PLACES; i++) {
      const float r = radius * sqrt ((i + 0.5f) / PLACES), turn = i * GOLDEN_ANGLE;
      p += pixel_between (x + r * cos (turn), y + r * sin (turn));
    }
    p /= PLACES;
  }
  p = to_rgb (p);
  const float3 grey = light_of (p);
  OUT_PIXEL (from_rgb ((float4) (mix (grey, p.xyz, saturation), p.w)));
}
