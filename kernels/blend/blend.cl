/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Combines several frames: their weighted sum, or a fold by another operation, sample by sample.
 *
 * Behind shared/quotient.clh. The host defines
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

#define BLEND_WEIGHTED(sum, p, weight) MULTIPLY_ADD (weight, p, sum)
#if SUM_FLOAT
#define BLEND_DIFFERENCE(sum, p, weight) as_float (as_int ((sum) - (p)) & INT_MAX)
#else
#define BLEND_DIFFERENCE(sum, p, weight) ((sum) > (p) ? (sum) - (p) : (p) - (sum))
#endif
/* Products are of values between black and white, from 0 on. */
#define BLEND_IN_RANGE(p) (((p) < black ? black : (p) > white ? white : (p)) - black)
#define BLEND_PRODUCT(sum, p, weight) ((sum) * BLEND_IN_RANGE (p) * weights.s0)
#define BLEND_LIGHTER(sum, p, weight) ((sum) > (p) ? (sum) : (p))
#define BLEND_DARKER(sum, p, weight) ((sum) < (p) ? (sum) : (p))

#define BLEND_WEIGHTED_FIRST(p) ((p) * weights.s0)
#define BLEND_PLAIN_FIRST(p) (p)
#define BLEND_RANGED_FIRST(p) BLEND_IN_RANGE (p)

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

#define BLEND_TERM(n, FOLD) sum = FOLD (sum, BLEND_INPUT (n), weights.s##n);
#define BLEND_BEGIN(START) PLANE_BEGIN (sizeof (sum_t)) BLEND_SUM_BEGIN (START)
#define BLEND_END BLEND_SUM_END PLANE_END

#else

/* The host makes sure that the other frames are aligned if src is. */
#define BLEND_TERM(n, FOLD)                                                                        \
  {                                                                                                \
    global const sample_t *restrict src = input##n;                                                \
    const int src_offset = input##n##_offset, src_stride = input##n##_stride;                      \
    load_span (v, item_x, ITEM_SAMPLES, item_y, 0);                                                \
    _Pragma ("unroll") for (int i = 0; i < ITEM_SAMPLES; i++) sum[i] = FOLD (sum[i], TO_SUM (v[i]), weights.s##n); \
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
#define BLEND_TERMS(FOLD)
#elif INPUTS == 1
#define BLEND_TERMS(FOLD) BLEND_TERM (1, FOLD)
#elif INPUTS == 2
#define BLEND_TERMS(FOLD) BLEND_TERM (1, FOLD) BLEND_TERM (2, FOLD)
#else
#define BLEND_TERMS(FOLD) BLEND_TERM (1, FOLD) BLEND_TERM (2, FOLD) BLEND_TERM (3, FOLD)
#endif

#define BLEND_KERNEL(name, START, FOLD) \
  kernel void name (BLEND_ARGS)         \
  {                                     \
    BLEND_BEGIN (START)                 \
    BLEND_TERMS (FOLD)                  \
    BLEND_END                           \
  }

BLEND_KERNEL (blend_sum, BLEND_WEIGHTED_FIRST, BLEND_WEIGHTED)
BLEND_KERNEL (blend_difference, BLEND_PLAIN_FIRST, BLEND_DIFFERENCE)
BLEND_KERNEL (blend_multiply, BLEND_RANGED_FIRST, BLEND_PRODUCT)
BLEND_KERNEL (blend_lighten, BLEND_PLAIN_FIRST, BLEND_LIGHTER)
BLEND_KERNEL (blend_darken, BLEND_PLAIN_FIRST, BLEND_DARKER)
