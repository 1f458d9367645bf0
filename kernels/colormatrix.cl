/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Every pixel's colour times a matrix: sample i of the three becomes
 *
 *   round ((row_i.x * first + row_i.y * second + row_i.z * third + row_i.w) / divisor)
 *
 * Samples are counted in memory's order. Where a plane has one sample a pixel, row_0.x is its only factor.
 *
 * The host defines COLOR_AT, which of a pixel's samples is the first that is colour, and FIXED_POINT where rows are
 * integers times 2^-20, for factors so large that floats would not hold the sums.
 */
#if FIXED_POINT
typedef long sum_t;
typedef long4 row_t;
#define TO_SUM(v) ((long) (v))
#define MULTIPLY_ADD(a, b, c) ((a) * (b) + (c))
#define DIVIDED(sum) ((int) clamp (((sum) + (1L << 19)) >> 20, 0L, (long) MAX_VALUE))
#else
typedef float sum_t;
typedef float4 row_t;
#define MULTIPLY_ADD(a, b, c) fma ((a), (b), (c))
#define DIVIDED(sum) quotient ((sum), divisor, inverse)

/* Loaded samples of images have been integers in a float's bits before: cheaper than a conversion. */
#if SRC_IMAGE
#define TO_SUM(v) (as_float ((uint) (v) | as_uint (INTEGER_BASE)) - INTEGER_BASE)
#else
#define TO_SUM(v) ((float) (v))
#endif

/* Half to even and saturated. The remainder corrects q to the nearest float of sum / divisor, which is a tie only where
 * the quotient is one. Adding 1.5 * 2^23 leaves no fraction; floats of one sign order as their bits do. */
static inline int
quotient (float sum, float divisor, float inverse)
{
  const int zero = 0x4b400000;
  const float q = sum * inverse;
  const float corrected = fma (fma (-q, divisor, sum), inverse, q);
  return clamp (as_int (corrected + as_float (zero)), zero, zero + MAX_VALUE) - zero;
}
#endif

#define RESULT(row, a, b, c) \
  DIVIDED (MULTIPLY_ADD ((c), (row).z, MULTIPLY_ADD ((b), (row).y, MULTIPLY_ADD ((a), (row).x, (row).w))))
#define GRAY_RESULT(v) DIVIDED (MULTIPLY_ADD ((v), row_0.x, row_0.w))

/* inverse = 1 / divisor */
#define MATRIX_ARGS row_t row_0, row_t row_1, row_t row_2, float divisor, float inverse

#if BACKEND_CPU

#if NC == 4
/* A pixel is a word, wherever it stands, so that neighbouring work items read and write neighbouring words. */
#if SAMPLE_BITS == 8
typedef uint word_t;
#else
typedef ulong word_t;
#endif
typedef struct __attribute__ ((packed))
{
  word_t bits;
} pixel_t;
#define PIXEL_WORD(samples) ((global const pixel_t *) (samples))->bits
#define FROM_WORD(i) TO_SUM ((int) (word >> ((COLOR_AT + (i)) * SAMPLE_BITS)) & MAX_VALUE)
#define TO_WORD(v, i) ((word_t) (v) << ((COLOR_AT + (i)) * SAMPLE_BITS))
#endif

kernel void
color_matrix (PLANE_ARGS, MATRIX_ARGS)
{
#if NC == 1
  PLANE_BEGIN
  OUT (GRAY_RESULT (TO_SUM (VAL)));
#else
  const int x = region.x + (int) get_global_id (0) * NC, y = region.y + (int) get_global_id (1);
  global const sample_t *restrict from = src + (src_offset + y * src_stride + x);
  global sample_t *restrict to = dst + (dst_offset + y * dst_stride + x);
#if NC == 4
  const word_t word = PIXEL_WORD (from), mask = PIXEL_WORD (keep);
  const sum_t a = FROM_WORD (0), b = FROM_WORD (1), c = FROM_WORD (2);
#else
  const sum_t a = TO_SUM (from[0]), b = TO_SUM (from[1]), c = TO_SUM (from[2]);
#endif
  const int first = RESULT (row_0, a, b, c);
  const int second = RESULT (row_1, a, b, c);
  const int third = RESULT (row_2, a, b, c);
#if NC == 4
  const word_t color = TO_WORD (MAX_VALUE, 0) | TO_WORD (MAX_VALUE, 1) | TO_WORD (MAX_VALUE, 2);
  const word_t result = TO_WORD (first, 0) | TO_WORD (second, 1) | TO_WORD (third, 2);
  ((global pixel_t *) to)->bits = (result & mask) | (word & ~(mask & color));
#else
  to[0] = merge_sample (first, from[0], keep[0]);
  to[1] = merge_sample (second, from[1], keep[1]);
  to[2] = merge_sample (third, from[2], keep[2]);
#endif
#endif
}

#else

kernel void
color_matrix (PLANE_ARGS, MATRIX_ARGS)
{
  GPU_BEGIN
#if NC > 1
  const bool keep_0 = keep[COLOR_AT], keep_1 = keep[COLOR_AT + 1], keep_2 = keep[COLOR_AT + 2];
#endif
#pragma unroll
  for (int r = 0; r < ITEM_ROWS; r++) {
    int v[ITEM_SAMPLES];
    load_point (v, item_x, min (item_y + r, plane.y - 1));
#pragma unroll
    for (int p = 0; p < ITEM_SAMPLES; p += NC) {
#if NC == 1
      v[p] = keep[0] ? GRAY_RESULT (TO_SUM (v[p])) : v[p];
#else
      int *color = v + p + COLOR_AT;
      const sum_t a = TO_SUM (color[0]), b = TO_SUM (color[1]), c = TO_SUM (color[2]);
      color[0] = keep_0 ? RESULT (row_0, a, b, c) : color[0];
      color[1] = keep_1 ? RESULT (row_1, a, b, c) : color[1];
      color[2] = keep_2 ? RESULT (row_2, a, b, c) : color[2];
#endif
    }
    store_point (v, item_y + r);
  }
}

#endif
