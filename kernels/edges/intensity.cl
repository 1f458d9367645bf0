/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The magnitudes and lines of edges/edges.cl, of the intensity of RGB: of integers a hundred times as large. Sources before:
 * edges/decide.clh. LINES: as there. */

#if LINES

static inline int
picked_integer (int g, int pick)
{
  const int sign = (g >> 31) & ~(pick >> 31);
  return ((g ^ sign) - sign) & pick;
}

static inline int
decide_hundred_line (int gx, int gy, int pick_x, int pick_y, float scale, DECIDE_ARGS)
{
  const int line = picked_integer (gx, pick_x) + picked_integer (gy, pick_y);
  const float high = (float) line, low = (float) (line - (int) high);
  const float value = high * scale;
  return decide (value, fma (high, scale, -value) + low * scale, 1, 0, DECIDE);
}

kernel void
edges_intensity_linear (PLANE_ARGS, float scale, DECIDE_ARGS, int pick_x, int pick_y)
{
#define EDGE_HUNDRED_LINE(gx, gy, v) decide_hundred_line (gx, gy, pick_x, pick_y, scale, DECIDE)
  GRADIENT_EACH_PIXEL (EDGE_HUNDRED_LINE)
}

#else

static inline int
decide_hundred_magnitude (int gx, int gy, float scale, DECIDE_ARGS)
{
#if DEPTH <= 10
  float low;
  const float high = sum_of_squares ((float) gx, (float) gy, &low);
  return decide_root (high, low, scale, DECIDE);
#else
  /* a hundred times a gradient of 16 bits is too large for floats */
  const long n = (long) gx * gx + (long) gy * gy;
  const float high = (float) n;
  return decide_root (high, (float) (n - (long) high), scale, DECIDE);
#endif
}

kernel void
edges_intensity_magnitude (PLANE_ARGS, float scale, DECIDE_ARGS)
{
#define EDGE_HUNDRED_MAGNITUDE(gx, gy, v) decide_hundred_magnitude (gx, gy, scale, DECIDE)
  GRADIENT_EACH_PIXEL (EDGE_HUNDRED_MAGNITUDE)
}

#endif
