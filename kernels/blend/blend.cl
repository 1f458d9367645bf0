/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Combines several frames: their weighted sum, or a fold by another operation, sample by sample.
 *
 * Behind shared/quotient.clh. The host defines
 *   FOLD         sum, difference, multiply, lighten or darken
 *   INPUTS       0 .. 3, the frames besides src that this launch takes
 *   FIRST        1 where src is the first term; else the fold goes on from `sums_in`
 *   LAST         1 where the result is written; else the fold is left in `sums_out`
 *
 * weights.s0 is that of src, or what products are scaled by; unused frames are any buffer. sums_stride is in samples. More than four
 * frames take several launches. Each reads one buffer of sums and writes another: `restrict` is what vectors of them need.
 */
enum blend_fold { FOLD_sum, FOLD_difference, FOLD_multiply, FOLD_lighten, FOLD_darken };

#define FOLD_JOINED(a, b) a##b
#define FOLD_NAMED(name) FOLD_JOINED (FOLD_, name)
#define FOLD_NUMBERS sum_t scale, sum_t black, sum_t white
#define FOLD_NAMES weights.s0, black, white

/* Products are of values between black and white, from 0 on. */
static inline sum_t factor_of (sum_t v, sum_t black, sum_t white) { return (v < black ? black : v > white ? white : v) - black; }

static inline sum_t begun (sum_t v, FOLD_NUMBERS)
{ return FOLD_NAMED (FOLD) == FOLD_sum ? v * scale : FOLD_NAMED (FOLD) == FOLD_multiply ? factor_of (v, black, white) : v; }

static inline sum_t
folded (sum_t sum, sum_t v, sum_t weight, FOLD_NUMBERS)
{
  const enum blend_fold fold = FOLD_NAMED (FOLD);
  return fold == FOLD_sum        ? MULTIPLY_ADD (weight, v, sum)
         : fold == FOLD_multiply ? sum * factor_of (v, black, white) * scale
         : fold == FOLD_lighten  ? (sum > v ? sum : v)
         : fold == FOLD_darken   ? (sum < v ? sum : v)
                                 : (sum > v ? sum - v : v - sum);
}

#if BACKEND_GPU
static inline void
fold_item (sum_t *sum, SRC_PARAMS, int x, int y, sum_t weight, const bool begins, FOLD_NUMBERS)
{
  int v[ITEM_SAMPLES];
  load_span (v, x, ITEM_SAMPLES, y, 0);
#pragma unroll
  for (int i = 0; i < ITEM_SAMPLES; i++)
    sum[i] = begins ? begun (TO_SUM (v[i]), scale, black, white) : folded (sum[i], TO_SUM (v[i]), weight, scale, black, white);
}
#endif

#define INPUT_PARAM(n) global const sample_t *restrict input##n, int input##n##_offset, int input##n##_stride
#if BACKEND_CPU
#define FOLD_INPUT(n) \
  sum = folded (sum, TO_SUM (LOAD ((input##n + (input##n##_offset + item_y * input##n##_stride + region.x))[item_x])), weights.s##n, \
      FOLD_NAMES)
#else
#define FOLD_INPUT(n) \
  fold_item (sum, input##n, input##n##_offset, input##n##_stride, plane, item_x, item_y, weights.s##n, false, FOLD_NAMES)
#endif

kernel void
blend (PLANE_ARGS, INPUT_PARAM (1), INPUT_PARAM (2), INPUT_PARAM (3), sum4_t weights, global const sum_t *restrict sums_in,
    global sum_t *restrict sums_out, int sums_stride, QUOTIENT_ARGS, sum_t black, sum_t white)
{
#if BACKEND_CPU
  PLANE_BEGIN (sizeof (sum_t))
  sum_t sum = FIRST ? begun (TO_SUM (VAL), FOLD_NAMES) : (sums_in + (item_y * sums_stride + region.x))[item_x];
#else
  GPU_ITEM
  if (!ITEM_IN_REGION)
    return;
  const int at = item_y * sums_stride + item_x;
  sum_t sum[ITEM_SAMPLES];
  if (FIRST)
    fold_item (sum, SRC_ARGS, item_x, item_y, 0, true, FOLD_NAMES);
#pragma unroll
  for (int i = 0; i < ITEM_SAMPLES && !FIRST; i++)
    sum[i] = sums_in[at + i];
#endif
  if (INPUTS > 0)
    FOLD_INPUT (1);
  if (INPUTS > 1)
    FOLD_INPUT (2);
  if (INPUTS > 2)
    FOLD_INPUT (3);
#if BACKEND_CPU && LAST
  OUT (QUOTIENT (sum));
#elif BACKEND_CPU
  (sums_out + (item_y * sums_stride + region.x))[item_x] = sum;
#elif LAST
  int v[ITEM_SAMPLES];
#pragma unroll
  for (int i = 0; i < ITEM_SAMPLES; i++)
    v[i] = QUOTIENT (sum[i]);
  store_item (v, item_y);
#else
#pragma unroll
  for (int i = 0; i < ITEM_SAMPLES; i++)
    sums_out[at + i] = sum[i];
#endif
#if BACKEND_CPU
  PLANE_END
#endif
}
