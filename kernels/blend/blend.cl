/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Combines several frames sample by sample: result = QUOTIENT (fold) of shared/quotient.clh. The host defines FOLD, an enum blend_fold;
 * INPUTS, 0 .. 3 frames besides src in this launch; FIRST: 1 if src is the first term, 0 if the launch continues from sums_in; LAST: 1 if
 * it writes results, 0 if sums_out. weights: of src and the inputs; products multiply each step by weights.s0. Rows of sums hold whole
 * items. More than four frames take several launches, between two buffers of sums: compilers vectorise only loops whose buffers never
 * overlap. */
enum blend_fold { sum, difference, multiply, lighten, darken };

/* A factor of a product: the distance from black, and so 0 .. white - black. */
static inline sum_t factor_of (sum_t v, sum_t black, sum_t white) { return (v < black ? black : v > white ? white : v) - black; }

/* Folds v, the values of src and of the other inputs at one place; if not FIRST, the inputs alone into so_far. */
static inline sum_t fold_values (const int *v, sum_t so_far, sum4_t weights, sum_t black, sum_t white)
{
  const sum_t first = to_sum (v[0]), weight_of[4] = {weights.s0, weights.s1, weights.s2, weights.s3};
  if (FIRST)
    so_far = FOLD == sum ? first * weights.s0 : FOLD == multiply ? factor_of (first, black, white) : first;
  UNROLL for (int i = 1; i <= INPUTS; i++) {
    const sum_t other = to_sum (v[i]);
    so_far = FOLD == sum        ? MULTIPLY_ADD (weight_of[i], other, so_far)
             : FOLD == multiply ? so_far * factor_of (other, black, white) * weights.s0
             : FOLD == lighten  ? (so_far > other ? so_far : other)
             : FOLD == darken   ? (so_far < other ? so_far : other) : (so_far > other ? so_far - other : other - so_far);
  }
  return so_far;
}

#define INPUT_VALUE(n) INPUTS < n ? 0 : LOAD ((INPUT_ROW (input##n, item_y) + region.x)[item_x])
#define LOAD_INPUT(n) if (INPUTS >= n) load_point_at (input##n, input##n##_offset, input##n##_stride, plane, v[n], item_x, item_y);

ITEM_KERNEL (blend, (PLANE_ARGS, INPUT_PARAM (input1), INPUT_PARAM (input2), INPUT_PARAM (input3), sum4_t weights,
    global const sum_t *restrict sums_in, global sum_t *restrict sums_out, int sums_stride, QUOTIENT_ARGS, sum_t black, sum_t white),
    (PLANE_NAMES, input1, input1_offset, input1_stride, input2, input2_offset, input2_stride, input3, input3_offset, input3_stride, weights,
    sums_in, sums_out, sums_stride, divisor, inverse, offset, absolute, black, white))
{
#if BACKEND_CPU
  PLANE_BEGIN (sizeof (sum_t))
  const int v[4] = {VAL, INPUT_VALUE (1), INPUT_VALUE (2), INPUT_VALUE (3)};
  const sum_t so_far = fold_values (v, FIRST ? 0 : (sums_in + (item_y * sums_stride + region.x))[item_x], weights, black, white);
  if (LAST)
    OUT (QUOTIENT (so_far));
  else
    (sums_out + (item_y * sums_stride + region.x))[item_x] = so_far;
  PLANE_END
#else
  GPU_ITEM_IN_REGION
  const int at = item_y * sums_stride + item_x;
  int v[4][ITEM_SAMPLES], results[ITEM_SAMPLES];
  if (FIRST)
    load_point (v[0], item_x, item_y);
  LOAD_INPUT (1)
  LOAD_INPUT (2)
  LOAD_INPUT (3)
  UNROLL for (int i = 0; i < ITEM_SAMPLES; i++) {
    const int values[4] = {FIRST ? v[0][i] : 0, INPUTS < 1 ? 0 : v[1][i], INPUTS < 2 ? 0 : v[2][i], INPUTS < 3 ? 0 : v[3][i]};
    const sum_t so_far = fold_values (values, FIRST ? 0 : sums_in[at + i], weights, black, white);
    if (LAST)
      results[i] = QUOTIENT (so_far);
    else
      sums_out[at + i] = so_far;
  }
  if (LAST)
    store_item (results, item_y);
#endif
}
