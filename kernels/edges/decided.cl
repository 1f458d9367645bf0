/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The magnitudes of edges/edges.cl where a float may round otherwise than the formula. Sources before: edges/decide.clh. */

static inline int
decide_magnitude (float gx, float gy, float scale, DECIDE_ARGS)
{
#if DEPTH <= 10
  /* no sum from 2^24 on rounds to less than the maximum */
  return decide_root (fma (gx, gx, gy * gy), 0, scale, DECIDE);
#else
  float low;
  const float high = sum_of_squares (gx, gy, &low);
  return decide_root (high, low, scale, DECIDE);
#endif
}

kernel void
edges_magnitude_decided (PLANE_ARGS, float scale, DECIDE_ARGS)
{
#define MAGNITUDE(gx, gy, v) decide_magnitude ((float) (gx), (float) (gy), scale, DECIDE)
  GRADIENT_EACH_IN_STRIPS (MAGNITUDE)
}
