/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Denoising over time, from FRAMES frames of which src is one:
 *
 *   average   mean of the samples that differ from the own by at most limit
 *   median    the middle one of all, of an even number the lower (MEDIAN)
 *   out = round (x + strength * (result - x))
 *
 * ranges holds the first and the last frame of the own scene. INPUTS_ALIGNED is the boundary in bytes that every row of every frame
 * starts on, or 0. */
#if DOUBLES && DEPTH > 10
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
typedef double real_t;
#else
typedef float real_t;
#endif

/* Frames as arguments, for as many as gst/temporal/cltemporal.cpp has programs for: EACH_FRAME (F) is F (0) F (1) ... */
#define EACH_5(F) F (0) F (1) F (2) F (3) F (4)
#define EACH_9(F) EACH_5 (F) F (5) F (6) F (7) F (8)
#define EACH_17(F) EACH_9 (F) F (9) F (10) F (11) F (12) F (13) F (14) F (15) F (16)
#define EACH_33(F)                                                                                                         \
  EACH_17 (F) F (17) F (18) F (19) F (20) F (21) F (22) F (23) F (24) F (25) F (26) F (27) F (28) F (29) F (30) F (31) F (32)
#define FRAMES_OF(n, F) EACH_##n (F)
#define EACH(n, F) FRAMES_OF (n, F)
#define EACH_FRAME(F) EACH (FRAMES, F)
#define FRAME_PARAM(i) , global const sample_t *restrict in##i, int2 place##i
#define TEMPORAL_ARGS PLANE_ARGS, global const int2 *restrict ranges, int limit, float strength EACH_FRAME (FRAME_PARAM)

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

static inline bool
is_within (int i, int2 range)
{
  return (i >= range.x) & (i <= range.y);
}

#if BACKEND_CPU

#define VALUE_OF(i) LOAD ((in##i + (place##i.x + item_y * place##i.y + region.x))[item_x])
/* For a condition on the frame alone the compiler would clone the loop. */
#define ADD_NEAR(i)                                                                                                       \
  const int far##i = VALUE_OF (i) - x, near##i = -((int) abs (far##i) <= (is_within (i, range) ? limit : -1)); \
  sum += far##i & near##i;                                                                                                \
  count -= near##i;
#define COUNT_BELOW(i) below += (sample_t) ((VALUE_OF (i) <= middle) & is_within (i, range));

kernel void
temporal (TEMPORAL_ARGS)
{
  const int2 range = *ranges;
  PLANE_BEGIN (sizeof (int))
  const int x = VAL;
#if MEDIAN
  int median = 0;
#pragma unroll
  for (int bit = DEPTH - 1; bit >= 0; bit--) {
    const int middle = median + (1 << bit) - 1;
    sample_t below = 0;
    EACH_FRAME (COUNT_BELOW)
    median += (below <= (range.y - range.x) / 2) << bit;
  }
  OUT (toward (x, median - x, 1, strength));
#else
  int sum = 0, count = 0;
  EACH_FRAME (ADD_NEAR)
  OUT (toward (x, sum, count, strength));
#endif
  PLANE_END
}

#else

static inline void
load_frame (int *values, global const sample_t *restrict in, int2 place, int x, int y, int width)
{
  uint words[WORDS_OF (ITEM_SAMPLES)];
  load_words_between (words, in + place.x + y * place.y, x, 0, width, INPUTS_ALIGNED && INPUTS_ALIGNED >= ALIGNED);
#pragma unroll
  for (int s = 0; s < ITEM_SAMPLES; s++)
    values[s] = unpack_sample (words[s / SAMPLES_PER_WORD], s % SAMPLES_PER_WORD);
}

static inline void
add_near (int *sum, int *count, const int *x, const int *other, int most)
{
#pragma unroll
  for (int s = 0; s < ITEM_SAMPLES; s++) {
    const int difference = other[s] - x[s];
    const bool near = (int) abs (difference) <= most;
    sum[s] += near ? difference : 0;
    count[s] += near;
  }
}

/* Of four samples: all n values of each are in registers. Frames of other scenes count as above every sample. */
static inline int
median_of (const int (*values)[ITEM_SAMPLES], int s, int2 range)
{
  int median = 0;
  /* unrolled, the program would be very long for many frames */
#pragma unroll 1
  for (int bit = DEPTH - 1; bit >= 0; bit--) {
    const int middle = median + (1 << bit) - 1;
    int below = 0;
#pragma unroll
    for (int i = 0; i < FRAMES; i++)
      below += (values[i][s] <= middle) & is_within (i, range);
    median += (below <= (range.y - range.x) / 2) << bit;
  }
  return median;
}

#define LOAD_FRAME(i) load_frame (values[i], in##i, place##i, item_x, item_y, plane.width);
#define ADD_FRAME(i) \
  load_frame (other, in##i, place##i, item_x, item_y, plane.width), add_near (sum, count, x, other, is_within (i, range) ? limit : -1);

kernel void
temporal (TEMPORAL_ARGS)
{
  GPU_ITEM
  if (!ITEM_IN_REGION)
    return;
  const int2 range = *ranges;
  int x[ITEM_SAMPLES];
  load_point (x, item_x, item_y);
#if MEDIAN
  int values[FRAMES][ITEM_SAMPLES];
  EACH_FRAME (LOAD_FRAME)
#pragma unroll
  for (int s = 0; s < ITEM_SAMPLES; s++)
    x[s] = toward (x[s], median_of (values, s, range) - x[s], 1, strength);
#else
  int sum[ITEM_SAMPLES] = {0}, count[ITEM_SAMPLES] = {0}, other[ITEM_SAMPLES];
  EACH_FRAME (ADD_FRAME)
#pragma unroll
  for (int s = 0; s < ITEM_SAMPLES; s++)
    x[s] = toward (x[s], sum[s], count[s], strength);
#endif
  store_item (x, item_y);
}

#endif
