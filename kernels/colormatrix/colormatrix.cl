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
#define MATRIX_GRAY_RESULT(v) DIVIDED (MATRIX_MULTIPLY_ADD ((v), row_0.x, row_0.w))

/* inverse = 1 / divisor */
#define MATRIX_ARGS factors_t row_0, factors_t row_1, factors_t row_2, float divisor, float inverse

#if BACKEND_CPU

#if NC == 4
#define EVERY_BIT ((1 << SAMPLE_BITS) - 1)
#define MATRIX_FROM_WORD(i) MATRIX_TO_SUM ((int) BOUNDED ((sample_t) (word >> ((COLOR_AT + (i)) * SAMPLE_BITS))))
#define MATRIX_TO_WORD(v, i) ((word_t) (v) << ((COLOR_AT + (i)) * SAMPLE_BITS))
#endif

/* Work item (0, row). */
kernel void
color_matrix (PLANE_ARGS, MATRIX_ARGS)
{
  const int y = region.y + (int) get_global_id (1);
  global const sample_t *restrict from = src + (src_offset + y * src_stride + region.x);
  global sample_t *restrict to = dst + (dst_offset + y * dst_stride + region.x);
#if NC == 4
  const word_t mask = PIXEL_WORD (keep), color = MATRIX_TO_WORD (EVERY_BIT, 0) | MATRIX_TO_WORD (EVERY_BIT, 1)
      | MATRIX_TO_WORD (EVERY_BIT, 2);
#endif
  WIDE_LOOP
  for (int x = 0; x < region.width; x += NC) {
#if NC == 1
    to[x] = merge_sample (MATRIX_GRAY_RESULT (MATRIX_TO_SUM (LOAD (from[x]))), from[x], keep[x]);
#else
#if NC == 4
    const word_t word = PIXEL_WORD (from + x);
    const sum_t a = MATRIX_FROM_WORD (0), b = MATRIX_FROM_WORD (1), c = MATRIX_FROM_WORD (2);
#else
    const sum_t a = MATRIX_TO_SUM (from[x]), b = MATRIX_TO_SUM (from[x + 1]), c = MATRIX_TO_SUM (from[x + 2]);
#endif
    const int first = MATRIX_RESULT (row_0, a, b, c);
    const int second = MATRIX_RESULT (row_1, a, b, c);
    const int third = MATRIX_RESULT (row_2, a, b, c);
#if NC == 4
    const word_t result = MATRIX_TO_WORD (first, 0) | MATRIX_TO_WORD (second, 1) | MATRIX_TO_WORD (third, 2);
    ((global pixel_t *) (to + x))->bits = (result & mask) | (word & ~(mask & color));
#else
    to[x] = merge_sample (first, from[x], keep[0]);
    to[x + 1] = merge_sample (second, from[x + 1], keep[1]);
    to[x + 2] = merge_sample (third, from[x + 2], keep[2]);
#endif
#endif
  }
}

#elif PTX_BYTES && SAMPLE_BITS == 8 && NC == 4 && !FIXED_POINT && !SRC_IMAGE && !DST_IMAGE

/* The same in 256ths, which changes no digit, so that an operation that multiplies and adds saturates to 0 .. 1, too.
 * The result is in the lower half of the bits, 0 .. 256. */
static inline float
quotient_256ths (float sum, float divisor_256, float inverse_256th)
{
  const float q = sum * inverse_256th, rest = fma (-q, divisor_256, sum);
  float saturated;
  asm ("fma.rn.sat.f32 %0, %1, %2, %3;" : "=f"(saturated) : "f"(rest), "f"(inverse_256th), "f"(q));
  return saturated + 0x1.8p15f;
}

#define MATRIX_BYTE_AS_FLOAT(word, i) \
  (as_float (permute_bytes (word, as_uint (0x1p23f), 0x7650 + COLOR_AT + (i))) - 0x1p23f)
#define MATRIX_WORD_RESULT(row)                                                     \
  quotient_256ths (MATRIX_MULTIPLY_ADD (c, (row).z,                                 \
      MATRIX_MULTIPLY_ADD (b, (row).y, MATRIX_MULTIPLY_ADD (a, (row).x, (row).w))), \
      divisor * 256, inverse / 256)

static inline uint
min_pair (uint pair)
{
  uint v;
  asm ("min.u16x2 %0, %1, %2;" : "=r"(v) : "r"(pair), "r"(0x00ff00ff));
  return v;
}

kernel void
color_matrix (PLANE_ARGS, MATRIX_ARGS)
{
  GPU_ITEM
  if (!ITEM_IN_REGION)
    return;
  const uint color = 0xffffffu << (8 * COLOR_AT), mask = *(global const uint *) keep & color;
  uint words[ITEM_ROWS][ITEM_WORDS];
#pragma unroll
  for (int r = 0; r < ITEM_ROWS; r++)
    load_words (words[r], min (item_y + r, plane.height - 1));
#pragma unroll
  for (int r = 0; r < ITEM_ROWS; r++) {
#pragma unroll
    for (int w = 0; w < ITEM_WORDS; w++) {
      const uint word = words[r][w];
      const float a = MATRIX_BYTE_AS_FLOAT (word, 0), b = MATRIX_BYTE_AS_FLOAT (word, 1), c = MATRIX_BYTE_AS_FLOAT (word, 2);
      const uint first = min_pair (LOWER_HALVES (MATRIX_WORD_RESULT (row_0), MATRIX_WORD_RESULT (row_1)));
      const uint second = min_pair (as_uint (MATRIX_WORD_RESULT (row_2)));
      const uint result = permute_bytes (first, second, COLOR_AT ? 0x4200 : 0x0420);
      words[r][w] = (result & mask) | (word & ~mask);
    }
    store_words (words[r], item_y + r);
  }
}

#else

kernel void
color_matrix (PLANE_ARGS, MATRIX_ARGS)
{
  GPU_ITEM
  if (!ITEM_IN_REGION)
    return;
#if NC > 1
  const bool keep_0 = keep[COLOR_AT], keep_1 = keep[COLOR_AT + 1], keep_2 = keep[COLOR_AT + 2];
#endif
#pragma unroll
  for (int r = 0; r < ITEM_ROWS; r++) {
    int v[ITEM_SAMPLES];
    load_point (v, item_x, min (item_y + r, plane.height - 1));
#pragma unroll
    for (int p = 0; p < ITEM_SAMPLES; p += NC) {
#if NC == 1
      v[p] = keep[0] ? MATRIX_GRAY_RESULT (MATRIX_TO_SUM (v[p])) : v[p];
#else
      int *color = v + p + COLOR_AT;
      const sum_t a = MATRIX_TO_SUM (color[0]), b = MATRIX_TO_SUM (color[1]), c = MATRIX_TO_SUM (color[2]);
      color[0] = keep_0 ? MATRIX_RESULT (row_0, a, b, c) : color[0];
      color[1] = keep_1 ? MATRIX_RESULT (row_1, a, b, c) : color[1];
      color[2] = keep_2 ? MATRIX_RESULT (row_2, a, b, c) : color[2];
#endif
    }
    store_point (v, item_y + r);
  }
}

#endif
