/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Conway's game of life, started by the video: bright areas of the first frame live, and so does all that moves later.
 * A cell with three living neighbours comes to life, one with two or three stays alive; dead cells glow for a while.
 *
 * Needs history=1: the cells are the previous output, in which living ones are brighter than half. border=wrap turns the
 * frame into a torus. Per pixel, in any format.
 *
 *   gst-launch-1.0 videotestsrc pattern=ball ! clprogram location=pipelines/kernels/life.cl history=1 border=wrap \
 *     params::cell=8 ! videoconvert ! autovideosink
 */
// @param cell int 4 [1, 64] "Side of a cell in pixels"
// @param threshold float 0.5 [0, 1] "Intensity above which a cell of the first frame lives"
// @param motion float 0.2 [0, 1] "Change of intensity between frames that creates life; 1: none"
// @param glow float 0.9 [0, 1] "How much light of a dead cell remains after a frame; 0: none"

static inline float
light_of (float4 rgb)
{
  return clamp (dot (rgb.xyz, (float3) (0.30f, 0.59f, 0.11f)), 0.0f, 1.0f);
}

kernel void
life (PIXEL_ARGS, int cell, float threshold, float motion, float glow)
{
  PIXEL_BEGIN
  const int side = max (cell, 1);
  const int left = x - x % side, top = y - y % side;
  const float now = light_of (to_rgb (pixel_at (left, top)));
  bool alive = now > threshold;
  float3 light = 0;

  if (frames_before > 0) {
    int neighbours = 0;
    for (int dy = -side; dy <= side; dy += side)
      for (int dx = -side; dx <= side; dx += side)
        if (dx != 0 || dy != 0)
          neighbours += light_of (to_rgb (previous_output (1, left + dx, top + dy))) > 0.5f;
    const float4 was = to_rgb (previous_output (1, left, top));
    alive = neighbours == 3 || (neighbours == 2 && light_of (was) > 0.5f);
    alive = alive || fabs (now - light_of (to_rgb (previous_input (1, left, top)))) > motion;
    /* the glow cools: blue fades last */
    light = fmin (was.xyz, 0.45f) * glow * (float3) (0.80f, 0.90f, 1.0f);
  }
  OUT_PIXEL (from_rgb ((float4) (alive ? (float3) (1.0f) : light, PIXEL (0, 0).w)));
}
