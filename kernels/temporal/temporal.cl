/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Denoising over time, from FRAMES frames of which src is one:
 *
 *   average   mean of the samples that differ from the own by at most limit
 *   median    the middle one of all, of an even number the lower
 *   out = round (x + strength * (result - x))
 *
 * range holds the first and the last frame of the own scene. */
#if DOUBLES && DEPTH > 10
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
typedef double real_t;
#else
typedef float real_t;
#endif

/* x + strength * difference / count, rounded half to even. The remainder corrects the quotient to the nearest number,
 * which is a tie only where the true one is; it lies between samples, so nothing has to be saturated. */
static inline int
toward (int x, int difference, int count, float strength)
{
  const real_t n = (real_t) strength * (real_t) difference, d = (real_t) count;
  const real_t inverse = (real_t) 1 / d;
  const real_t q = n * inverse;
  const real_t value = (real_t) x + fma (fma (-q, d, n), inverse, q);
#if DOUBLES && DEPTH > 10
  return (int) (as_long (value + 0x1.8p52) & 0x7fffffff);
#else
  return as_int (value + 0x1.8p23f) - as_int (0x1.8p23f);
#endif
}

#if BACKEND_CPU

/* For a condition on the frame alone the compiler would clone the loop. */
#define TEMPORAL_ADD_NEAR(i)                                                         \
  {                                                                                  \
    const int s = FRAME_VALUE (i), most = i >= range.x && i <= range.y ? limit : -1; \
    const int near = -(int) ((int) abs (s - x) <= most);                             \
    sum += (s - x) & near;                                                           \
    count -= near;                                                                   \
  }

kernel void
temporal_average (PLANE_ARGS, global const int2 *restrict ranges, int limit, float strength FRAME_PARAMS)
{
  const int2 range = *ranges;
  PLANE_BEGIN (sizeof (int))
  const int x = VAL;
  int sum = 0, count = 0;
  EACH_FRAME (TEMPORAL_ADD_NEAR)
  OUT (toward (x, sum, count, strength));
  PLANE_END
}

#define TEMPORAL_COUNT_BELOW(i) below += (sample_t) ((FRAME_VALUE (i) <= middle) & (i >= range.x) & (i <= range.y));

kernel void
temporal_median (PLANE_ARGS, global const int2 *restrict ranges, int limit, float strength FRAME_PARAMS)
{
  const int2 range = *ranges;
  const int rank = (range.y - range.x) / 2;
  PLANE_BEGIN (sizeof (int))
  const int x = VAL;
  int median = 0;
#pragma unroll
  for (int bit = DEPTH - 1; bit >= 0; bit--) {
    const int middle = median + (1 << bit) - 1;
    sample_t below = 0;
    EACH_FRAME (TEMPORAL_COUNT_BELOW)
    median += (below <= rank) << bit;
  }
  OUT (toward (x, median - x, 1, strength));
  PLANE_END
}

#else

#define TEMPORAL_ADD_NEAR(i)                                   \
  if (i >= range.x && i <= range.y) {                          \
    int other[ITEM_SAMPLES];                                   \
    LOAD_FRAME (other, i);                                     \
    _Pragma ("unroll") for (int s = 0; s < ITEM_SAMPLES; s++)  \
    {                                                          \
      const bool near = abs (other[s] - x[s]) <= (uint) limit; \
      sum[s] += near ? other[s] - x[s] : 0;                    \
      count[s] += near;                                        \
    }                                                          \
  }

kernel void
temporal_average (PLANE_ARGS, global const int2 *restrict ranges, int limit, float strength FRAME_PARAMS)
{
  GPU_ITEM
  if (!ITEM_IN_REGION)
    return;
  const int2 range = *ranges;
  int x[ITEM_SAMPLES], sum[ITEM_SAMPLES], count[ITEM_SAMPLES];
  load_point (x, item_x, item_y);
#pragma unroll
  for (int s = 0; s < ITEM_SAMPLES; s++)
    sum[s] = count[s] = 0;
  EACH_FRAME (TEMPORAL_ADD_NEAR)
#pragma unroll
  for (int s = 0; s < ITEM_SAMPLES; s++)
    x[s] = toward (x[s], sum[s], count[s], strength);
  store_item (x, item_y);
}

/* Frames of other scenes count as above every sample. */
#define TEMPORAL_LOAD_VALUES(i)   \
  LOAD_FRAME (values[i], i);      \
  if (i < range.x || i > range.y) \
    _Pragma ("unroll") for (int s = 0; s < ITEM_SAMPLES; s++) values[i][s] = MAX_VALUE + 1;

kernel void
temporal_median (PLANE_ARGS, global const int2 *restrict ranges, int limit, float strength FRAME_PARAMS)
{
  GPU_ITEM
  if (!ITEM_IN_REGION)
    return;
  const int2 range = *ranges;
  const int rank = (range.y - range.x) / 2;
  int x[ITEM_SAMPLES], values[FRAMES][ITEM_SAMPLES];
  load_point (x, item_x, item_y);
  EACH_FRAME (TEMPORAL_LOAD_VALUES)
#pragma unroll
  for (int s = 0; s < ITEM_SAMPLES; s++) {
    int median = 0;
    /* unrolled as a whole, the program would be very long for many frames */
#pragma unroll 1
    for (int bit = DEPTH - 1; bit >= 0; bit--) {
      const int middle = median + (1 << bit) - 1;
      int below = 0;
#pragma unroll
      for (int i = 0; i < FRAMES; i++)
        below += values[i][s] <= middle;
      median += (below <= rank) << bit;
    }
    x[s] = toward (x[s], median - x[s], 1, strength);
  }
  store_item (x, item_y);
}

#endif
