/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Combines several frames: their weighted sum, or a fold by another operation, sample by sample.
 *
 * Behind shared/quotient.clh. The host defines
 *   FOLD         sum, difference, multiply, lighten or darken
 *   INPUTS       0 .. 3, the frames besides src that this launch takes
 *   FIRST        1 where src is the first term; else the fold goes on from `sums_in`
 *   LAST         1 where the result is written; else the fold is left in `sums_out`
 *
 * More than four frames take several launches. Each reads one buffer of sums and writes another: `restrict` is what vectors
 * of them need.
 */
#define INPUT_PARAM(n) global const sample_t *restrict input##n, int input##n##_offset, int input##n##_stride
/* weights.s0 is that of src, or what products are scaled by; unused frames are any buffer. sums_stride is in samples. */
#define BLEND_ARGS                                                                                             \
  PLANE_ARGS, INPUT_PARAM (1), INPUT_PARAM (2), INPUT_PARAM (3), sum4_t weights, global const sum_t *restrict sums_in, \
      global sum_t *restrict sums_out, int sums_stride, QUOTIENT_ARGS, sum_t black, sum_t white

#define BLEND_FOLD_sum(sum, p, weight) MULTIPLY_ADD (weight, p, sum)
#if SUM_FLOAT
#define BLEND_FOLD_difference(sum, p, weight) as_float (as_int ((sum) - (p)) & INT_MAX)
#else
#define BLEND_FOLD_difference(sum, p, weight) ((sum) > (p) ? (sum) - (p) : (p) - (sum))
#endif
/* Products are of values between black and white, from 0 on. */
#define BLEND_IN_RANGE(p) (((p) < black ? black : (p) > white ? white : (p)) - black)
#define BLEND_FOLD_multiply(sum, p, weight) ((sum) * BLEND_IN_RANGE (p) * weights.s0)
#define BLEND_FOLD_lighten(sum, p, weight) ((sum) > (p) ? (sum) : (p))
#define BLEND_FOLD_darken(sum, p, weight) ((sum) < (p) ? (sum) : (p))

#define BLEND_FIRST_sum(p) ((p) * weights.s0)
#define BLEND_FIRST_difference(p) (p)
#define BLEND_FIRST_lighten(p) (p)
#define BLEND_FIRST_darken(p) (p)
#define BLEND_FIRST_multiply(p) BLEND_IN_RANGE (p)

#if BACKEND_CPU

#define BLEND_INPUT(n) TO_SUM (LOAD ((input##n + (input##n##_offset + item_y * input##n##_stride + region.x))[item_x]))
#define BLEND_SUMS(buffer) ((buffer) + (item_y * sums_stride + region.x))[item_x]

#if FIRST
#define BLEND_SUM_BEGIN(START) sum_t sum = START (TO_SUM (VAL));
#else
#define BLEND_SUM_BEGIN(START) sum_t sum = BLEND_SUMS (sums_in);
#endif
#if LAST
#define BLEND_SUM_END OUT (QUOTIENT (sum));
#else
#define BLEND_SUM_END BLEND_SUMS (sums_out) = sum;
#endif

#define BLEND_TERM(n, STEP) sum = STEP (sum, BLEND_INPUT (n), weights.s##n);
#define BLEND_BEGIN(START) PLANE_BEGIN (sizeof (sum_t)) BLEND_SUM_BEGIN (START)
#define BLEND_END BLEND_SUM_END PLANE_END

#else

/* The host makes sure that the other frames are aligned if src is. */
#define BLEND_TERM(n, STEP)                                                                        \
  {                                                                                                \
    global const sample_t *restrict src = input##n;                                                \
    const int src_offset = input##n##_offset, src_stride = input##n##_stride;                      \
    load_span (v, item_x, ITEM_SAMPLES, item_y, 0);                                                \
    _Pragma ("unroll") for (int i = 0; i < ITEM_SAMPLES; i++) sum[i] = STEP (sum[i], TO_SUM (v[i]), weights.s##n); \
  }

#define BLEND_SUMS_AT (item_y * sums_stride + item_x)

#if FIRST
#define BLEND_SUM_BEGIN(START)                    \
  load_span (v, item_x, ITEM_SAMPLES, item_y, 0); \
  _Pragma ("unroll") for (int i = 0; i < ITEM_SAMPLES; i++) sum[i] = START (TO_SUM (v[i]));
#else
#define BLEND_SUM_BEGIN(START) \
  _Pragma ("unroll") for (int i = 0; i < ITEM_SAMPLES; i++) sum[i] = sums_in[BLEND_SUMS_AT + i];
#endif
#if LAST
#define BLEND_SUM_END                                                                 \
  _Pragma ("unroll") for (int i = 0; i < ITEM_SAMPLES; i++) v[i] = QUOTIENT (sum[i]); \
  store_item (v, item_y);
#else
#define BLEND_SUM_END _Pragma ("unroll") for (int i = 0; i < ITEM_SAMPLES; i++) sums_out[BLEND_SUMS_AT + i] = sum[i];
#endif

#define BLEND_BEGIN(START)   \
  GPU_ITEM                   \
  if (ITEM_IN_REGION) {      \
    int v[ITEM_SAMPLES];     \
    sum_t sum[ITEM_SAMPLES]; \
    BLEND_SUM_BEGIN (START)
#define BLEND_END \
    BLEND_SUM_END \
  }

#endif

#if INPUTS == 0
#define BLEND_TERMS(STEP)
#elif INPUTS == 1
#define BLEND_TERMS(STEP) BLEND_TERM (1, STEP)
#elif INPUTS == 2
#define BLEND_TERMS(STEP) BLEND_TERM (1, STEP) BLEND_TERM (2, STEP)
#else
#define BLEND_TERMS(STEP) BLEND_TERM (1, STEP) BLEND_TERM (2, STEP) BLEND_TERM (3, STEP)
#endif

#define BLEND_PASTE(a, b) a##b
#define BLEND_NAME(a, b) BLEND_PASTE (a, b)

/* A program has one fold: each takes a GPU's compiler as long as all else. */
kernel void
blend (BLEND_ARGS)
{
  BLEND_BEGIN (BLEND_NAME (BLEND_FIRST_, FOLD))
  BLEND_TERMS (BLEND_NAME (BLEND_FOLD_, FOLD))
  BLEND_END
}
