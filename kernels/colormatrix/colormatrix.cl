/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Every pixel's colour times a matrix, as colormatrix/step.clh without FIXED_POINT: of four bytes, by instructions of NVIDIA's
 * (PTX_BYTES, see shared/bytes.clh).
 *
 * The host defines COLOR_AT, which of a pixel's samples is the first that is colour. inverse = 1 / divisor. */
#if PTX_BYTES

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
color_matrix (PLANE_ARGS, float4 row_0, float4 row_1, float4 row_2, float divisor, float inverse)
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

#endif
