/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Every pixel's colour times a matrix, as colormatrix/matrix.clh without FIXED_POINT: of four bytes, by instructions of NVIDIA's
 * (PTX_BYTES, see lib/lanes.clh). The host defines COLOR_AT, which of a pixel's samples is the first that is colour. */
#if PTX_BYTES

/* The same in 256ths, which changes no digit, so that an operation that multiplies and adds saturates to 0 .. 1, too. The result is
 * in the lower half of the bits, 0 .. 256. */
static inline uint
quotient_256ths (float4 row, const float *v, float divisor, float inverse)
{
  const float sum = matrix_plus (matrix_plus (matrix_plus (row.w, row.x, v[0]), row.y, v[1]), row.z, v[2]);
  const float q = sum * (inverse / 256), rest = fma (-q, divisor * 256, sum);
  return as_uint (fma_bounded (rest, inverse / 256, q) + 0x1.8p15f);
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
      float v[3];
#pragma unroll
      for (int i = 0; i < 3; i++)
        v[i] = as_float (permute_bytes (word, as_uint (0x1p23f), 0x7650 + COLOR_AT + i)) - 0x1p23f;
      const uint first = permute_bytes (quotient_256ths (row_0, v, divisor, inverse), quotient_256ths (row_1, v, divisor, inverse), 0x5410);
      const uint third = quotient_256ths (row_2, v, divisor, inverse);
      const uint result = permute_bytes (lower (first, 0x00ff00ff), lower (third, 0x00ff00ff), COLOR_AT ? 0x4200 : 0x0420);
      words[r][w] = (result & mask) | (word & ~mask);
    }
    store_words (words[r], item_y + r);
  }
}

#endif
