/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Edges: a sample of the gradient of edges/gradient.clh,
 *
 *   magnitudes   round (scale * sqrt (gx^2 + gy^2) + base)
 *   lines        round (scale * pick + base), where pick is gx, gy, their magnitudes, or the sum of these
 *
 * in floats. The host takes these kernels where floats round as the formula says; the others are edges/decided.cl and
 * edges/intensity.cl. A program has one of them, by LINES, since each takes half of its time to build.
 */

#if LINES

/* A gradient that is not wanted is masked with 0, a magnitude with 2^31 - 1. */
static inline float
picked (float gx, float gy, int pick_x, int pick_y)
{
  return as_float (as_int (gx) & pick_x) + as_float (as_int (gy) & pick_y);
}

kernel void
edges_linear (PLANE_ARGS, float scale, float base, int pick_x, int pick_y)
{
#define EDGE_LINE(gx, gy, v) fma (picked (gx, gy, pick_x, pick_y), scale * GRADIENT_FACTOR, base)
  GRADIENT_EACH_SAMPLE (EDGE_LINE)
}

#else

static inline float
near_root (float n)
{
#if BACKEND_CPU
  return sqrt (n);
#elif PTX_HALVES
  /* without the instructions that care for numbers below 2^-126 */
  float v;
  asm ("sqrt.approx.ftz.f32 %0, %1;" : "=f"(v) : "f"(n));
  return v;
#else
  return native_sqrt (n);
#endif
}

kernel void
edges_magnitude (PLANE_ARGS, float scale, float base)
{
#define MAGNITUDE(gx, gy, v) fma (near_root (fma (gx, gx, (gy) * (gy))), scale * GRADIENT_FACTOR, base)
  GRADIENT_EACH_SAMPLE (MAGNITUDE)
}

#endif
