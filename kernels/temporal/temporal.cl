/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Denoises over FRAMES frames, src one of them: by the mean of the samples that differ from src's by at most limit, or with MEDIAN by the
 * middle sample, the lower one of an even number; out = round (x + strength * (result - x)). ranges: the first and last frame of src's
 * scene. INPUTS_ALIGNED: the alignment of every row of every frame, in bytes, or 0. */
#if DOUBLES && DEPTH > 10
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
typedef double real_t;
#else
typedef float real_t;
#endif

/* Frames as arguments (gst/temporal/cltemporal.cpp); EACH_FRAME, from the host, is one of these. */
#define EACH_5(F) F (0) F (1) F (2) F (3) F (4)
#define EACH_9(F) EACH_5 (F) F (5) F (6) F (7) F (8)
#define EACH_17(F) EACH_9 (F) F (9) F (10) F (11) F (12) F (13) F (14) F (15) F (16)
#define EACH_33(F)                                                                                                         \
  EACH_17 (F) F (17) F (18) F (19) F (20) F (21) F (22) F (23) F (24) F (25) F (26) F (27) F (28) F (29) F (30) F (31) F (32)
#define FRAME_PARAM(i) , global const sample_t *restrict in##i, int2 place##i
#define FRAME_NAME(i) , in##i, place##i

/* x + strength * difference / count, rounded half to even. The remainder makes q the nearest number, a tie only if the exact one is. */
static inline int toward (int x, int difference, int count, float strength)
{
  const real_t n = (real_t) strength * (real_t) difference, d = (real_t) count, inverse = (real_t) 1 / d, q = n * inverse;
  const real_t value = (real_t) x + fma (fma (-q, d, n), inverse, q);
#if DOUBLES && DEPTH > 10
  return (int) (as_long (value + 0x1.8p52) & 0x7fffffff);
#else
  return as_int (value + 0x1.8p23f) - as_int (0x1.8p23f);
#endif
}

static inline bool is_within (int i, int2 range) { return (i >= range.x) & (i <= range.y); }

/* The result for x, from the values of all frames at its place. Values of other scenes are near to no x, and above every sample. */
INLINE int denoised (int x, const int *values, int2 range, int limit, float strength)
{
#if MEDIAN
  int median = 0;
#if BACKEND_CPU
#pragma unroll
#else
  /* unrolled it would be a very long program for many frames */
#pragma unroll 1
#endif
  for (int bit = DEPTH - 1; bit >= 0; bit--) {
    const int middle = median + (1 << bit) - 1;
    int below = 0;
    UNROLL for (int i = 0; i < FRAMES; i++)
      below += (values[i] <= middle) & is_within (i, range);
    median += (below <= (range.y - range.x) / 2) << bit;
  }
  return toward (x, median - x, 1, strength);
#else
  int sum = 0, count = 0;
  UNROLL for (int i = 0; i < FRAMES; i++) {
    /* for a condition on the frame only compilers would clone the loop */
    const int difference = values[i] - x, near = -((int) abs (difference) <= (is_within (i, range) ? limit : -1));
    sum += difference & near;
    count -= near;
  }
  return toward (x, sum, count, strength);
#endif
}

#if BACKEND_CPU
#define LOAD_FRAME(i) values[i] = LOAD ((in##i + (place##i.x + item_y * place##i.y + region.x))[item_x]);
#else
#define LOAD_FRAME(i) rows[i] = in##i + place##i.x + item_y * place##i.y;
#endif

ITEM_KERNEL (temporal, (PLANE_ARGS, global const int2 *restrict ranges, int limit, float strength EACH_FRAME (FRAME_PARAM)), (PLANE_NAMES,
    ranges, limit, strength EACH_FRAME (FRAME_NAME)))
{
  const int2 range = *ranges;
#if BACKEND_CPU
  PLANE_BEGIN (sizeof (int))
  int values[FRAMES];
  EACH_FRAME (LOAD_FRAME)
  OUT (denoised (VAL, values, range, limit, strength));
  PLANE_END
#else
  GPU_ITEM_IN_REGION
  int x[ITEM_SAMPLES];
  uint words[FRAMES * ITEM_WORDS];
  global const sample_t *rows[FRAMES];
  load_point (x, item_x, item_y);
  EACH_FRAME (LOAD_FRAME)
  load_words_of (words, rows, FRAMES, ITEM_WORDS, item_x, plane.width, INPUTS_ALIGNED && INPUTS_ALIGNED >= ALIGNED);
  UNROLL for (int s = 0; s < ITEM_SAMPLES; s++) {
    int values[FRAMES];
    UNROLL for (int i = 0; i < FRAMES; i++)
      values[i] = item_sample (words + i * ITEM_WORDS, s);
    x[s] = denoised (x[s], values, range, limit, strength);
  }
  store_item (x, item_y);
#endif
}
