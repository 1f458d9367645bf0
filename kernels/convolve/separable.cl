/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Correlation with a KW x KH matrix that is a sum of RANK products column x row, on the cpu back end: per product one
 * vertical pass into a tile that stays in the cache, then one horizontal pass out of all tiles. convolve/tile.cl is its gpu
 * form.
 *
 * taps holds, for each product, the row's KW taps and then the column's KH.
 *
 * Wins on the processor in docs/performance.md: gaussian sigma 2 and sigma 8, of clconvolve. */
#define CONVOLVE_ROW_TAP(k, i) taps[(k) * (KW + KH) + (i)]
#define CONVOLVE_COLUMN_TAP(k, j) taps[(k) * (KW + KH) + KW + (j)]
#define SEPARABLE_REACH ((KW - 1) * NC)
#define SEPARABLE_PITCH (TILE_SAMPLES + SEPARABLE_REACH)

kernel void
convolve_separable (PLANE_ARGS, global const sum_t *restrict taps, QUOTIENT_ARGS)
{
  TILE_BEGIN
  sum_t tile[RANK][ITEM_ROWS][SEPARABLE_PITCH];
  const int corner = at - KH / 2 * src_stride - KW / 2 * NC;

  WIDE_LOOP
  for (int x = 0; x < tile_width + SEPARABLE_REACH; x++) {
    sum_t sum[RANK][ITEM_ROWS];
#pragma unroll
    for (int k = 0; k < RANK; k++)
#pragma unroll
      for (int r = 0; r < ITEM_ROWS; r++)
        sum[k][r] = 0;
#pragma unroll
    for (int row = 0; row < KH + ITEM_ROWS - 1; row++) {
      const sum_t v = LOAD (src[corner + row * src_stride + x]);
#pragma unroll
      for (int k = 0; k < RANK; k++)
#pragma unroll
        for (int r = 0; r < ITEM_ROWS; r++)
          if (row - r >= 0 && row - r < KH)
            sum[k][r] = MULTIPLY_ADD (v, CONVOLVE_COLUMN_TAP (k, row - r), sum[k][r]);
    }
#pragma unroll
    for (int k = 0; k < RANK; k++)
#pragma unroll
      for (int r = 0; r < ITEM_ROWS; r++)
        tile[k][r][x] = sum[k][r];
  }

  /* NC, hidden from the compiler: of planes with one sample a pixel it would hand tap i's sample on to the next turn's
   * tap i - 1, and no turn could stand beside another one in a vector */
  const int step = region.width > 0 ? NC : 0;
#pragma unroll 1
  for (int r = 0; r < ITEM_ROWS; r++) {
    global const sample_t *from = src + (at + r * src_stride);
    global sample_t *out = dst + (to + r * dst_stride);
    WIDE_LOOP
    for (int x = 0; x < tile_width; x++) {
      sum_t sum = 0;
#pragma unroll
      for (int k = 0; k < RANK; k++)
#pragma unroll
        for (int i = 0; i < KW; i++)
          sum = MULTIPLY_ADD (tile[k][r][x + i * step], CONVOLVE_ROW_TAP (k, i), sum);
      out[x] = merge_sample (QUOTIENT (sum), from[x], keep[tile_x + x]);
    }
  }
}
