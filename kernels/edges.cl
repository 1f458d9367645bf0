/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Edges: a sample of the gradient of lib/gradient.clh,
 *
 *   magnitudes   round (scale * sqrt (gx^2 + gy^2) + base)
 *   lines        round (scale * pick + base), where pick is gx, gy, their magnitudes, or the sum of these
 *
 * in floats where the host knows that these round rightly (edges_magnitude, edges_linear), and otherwise with a float
 * that is one step low at most and a decision about that step (the others).
 */

/* A gradient that is not wanted is masked with 0, a magnitude with 2^31 - 1. */
static inline float
picked (float gx, float gy, int pick_x, int pick_y)
{
  return as_float (as_int (gx) & pick_x) + as_float (as_int (gy) & pick_y);
}

#define NEAR_ARGS float scale, float base
#define NEAR_LINE(gx, gy, v) fma (picked (gx, gy, pick_x, pick_y), scale * GRADIENT_FACTOR, base)

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

#define NEAR_MAGNITUDE(gx, gy, v) fma (near_root (fma (gx, gx, (gy) * (gy))), scale * GRADIENT_FACTOR, base)

/* The result is value / divisor + offset. offset = whole + fraction with whole an integer and fraction from -1/2 on
 * below 1/2; then
 *   start   fraction - 1/4
 *   tie     divisor * (fraction - 1/2), as two floats
 */
#define DECIDE_ARGS float divisor, float inverse, float start, float tie, float tie_low, int whole
#define DECIDE divisor, inverse, start, tie, tie_low, whole

/* The value is high + low, and what `slope` and `extra` say: it is above a number c where
 * slope * (high + low - c) + extra is above 0. */
static inline int
decide (float high, float low, float slope, float extra, DECIDE_ARGS)
{
  const int zero = 0x4b400000; /* the bits of 1.5 * 2^23, from which on floats count in ones */
  const int bits = clamp (
      as_int (fma (high, inverse, start) + as_float (zero)), zero - 1 - whole, zero + MAX_VALUE - whole);
  const float rest = fma (-divisor, as_float (bits) - as_float (zero), high);
  const float above_half = fma ((rest + tie) + (low + tie_low), slope, extra);
  const int q = bits - zero + whole;
  return clamp (q + ((above_half > 0) | ((above_half == 0) & q & 1)), 0, MAX_VALUE);
}

/* Of the square root of high + low, whose nearest float is a root that the remainder corrects. */
static inline int
decide_root (float high, float low, float scale, DECIDE_ARGS)
{
  const float root = sqrt (high);
  const float remainder = fma (-root, root, high) + low;
  const float value = root * scale;
  /* not 0 for a root of 0, whose remainder is 0 as well */
  const float slope = 2 * root + 1e-20f;
  return decide (value, fma (root, scale, -value), slope, remainder * scale, DECIDE);
}

/* xx + yy = *low + the result, where these are the squares of x and y, which floats hold. */
static inline float
sum_of_squares (float x, float y, float *low)
{
  const float xx = x * x, yy = y * y;
  const float high = xx + yy, added = high - xx;
  *low = ((xx - (high - added)) + (yy - added)) + (fma (x, x, -xx) + fma (y, y, -yy));
  return high;
}

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
edges_magnitude (PLANE_ARGS, NEAR_ARGS)
{
  SAMPLES_BODY (NEAR_MAGNITUDE)
}

kernel void
edges_linear (PLANE_ARGS, NEAR_ARGS, int pick_x, int pick_y)
{
  SAMPLES_BODY (NEAR_LINE)
}

#define MAGNITUDE(gx, gy, v) decide_magnitude ((float) (gx), (float) (gy), scale, DECIDE)

kernel void
edges_magnitude_decided (PLANE_ARGS, float scale, DECIDE_ARGS)
{
  SAMPLES_STRIP_BODY (MAGNITUDE)
}

#ifdef WEIGHT0

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

#define HUNDRED_MAGNITUDE(gx, gy, v) decide_hundred_magnitude (gx, gy, scale, DECIDE)
#define HUNDRED_LINE(gx, gy, v) decide_hundred_line (gx, gy, pick_x, pick_y, scale, DECIDE)

kernel void
edges_intensity_magnitude (PLANE_ARGS, float scale, DECIDE_ARGS)
{
  PIXELS_BODY (HUNDRED_MAGNITUDE)
}

kernel void
edges_intensity_linear (PLANE_ARGS, float scale, DECIDE_ARGS, int pick_x, int pick_y)
{
  PIXELS_BODY (HUNDRED_LINE)
}

#endif
