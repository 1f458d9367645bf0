/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A plane of YUV times a matrix: each of its samples becomes a sum of the luma, U and V of its place. Behind matrix.clh.
 *
 * luma, u, v    of the whole frame, in buffers; u and v may be in one, chroma_step samples from pixel to pixel
 * places        what a pixel of this plane is elsewhere
 * luma_size     width and height
 * row_0, row_1  of a pixel's first and second sample: factors of the sum of four luma samples, of U and of V
 */

/* log2 of the columns and rows of luma that one pixel covers, and of the pixels that share one of chroma. The host passes four
 * ints. */
struct places
{
  int luma_x, luma_y, chroma_x, chroma_y;
};

#define INPUT_PARAM(name) global const sample_t *restrict name, int name##_offset, int name##_stride
#define INPUTS_PARAM \
  INPUT_PARAM (luma), INPUT_PARAM (u), INPUT_PARAM (v), int chroma_step, struct places places, int2 luma_size
#define INPUTS_ARG \
  luma, luma_offset, luma_stride, u, u_offset, u_stride, v, v_offset, v_stride, chroma_step, places, luma_size
#define MATRIX_ARGS factors_t row_0, factors_t row_1, float divisor, float inverse

/* A block that lacks a column or a row has the mean of one that repeats the other. */
#define LAST(first, shift, size) min ((first) + (1 << (shift)) - 1, (size) - 1)
#define LUMA(x, row) LOAD (luma[row + (x)])

/* Sample `s` of pixel x of row y. */
static inline int
multiplied (INPUTS_PARAM, int x, int y, int s, MATRIX_ARGS)
{
  const int left = x << places.luma_x, right = LAST (left, places.luma_x, luma_size.x);
  const int top = y << places.luma_y, bottom = LAST (top, places.luma_y, luma_size.y);
  const int upper = luma_offset + top * luma_stride, lower = luma_offset + bottom * luma_stride;
  const int four = LUMA (left, upper) + LUMA (right, upper) + LUMA (left, lower) + LUMA (right, lower);
  const int column = (x >> places.chroma_x) * chroma_step, row = y >> places.chroma_y;
  const sum_t a = TO_SUM (four), b = TO_SUM (LOAD (u[u_offset + row * u_stride + column]));
  const sum_t c = TO_SUM (LOAD (v[v_offset + row * v_stride + column]));
#if NC == 1
  return MATRIX_RESULT (row_0, a, b, c);
#else
  const factors_t factors = s == 0 ? row_0 : row_1;
  return MATRIX_RESULT (factors, a, b, c);
#endif
}

kernel void
color_matrix_plane (PLANE_ARGS, INPUTS_PARAM, MATRIX_ARGS)
{
#if BACKEND_CPU
  PLANE_BEGIN (sizeof (sum_t))
  const int x = region.x + item_x;
  OUT (multiplied (INPUTS_ARG, x / NC, item_y, x % NC, row_0, row_1, divisor, inverse));
  PLANE_END
#else
  GPU_ITEM
  if (!ITEM_IN_REGION)
    return;
  int results[ITEM_SAMPLES];
#pragma unroll
  for (int i = 0; i < ITEM_SAMPLES; i++) {
    const int x = min (item_x + i, plane.width - NC + i % NC);
    results[i] = multiplied (INPUTS_ARG, x / NC, item_y, x % NC, row_0, row_1, divisor, inverse);
  }
  store_item (results, item_y);
#endif
}
