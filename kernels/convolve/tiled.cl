/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The correlation of convolve/convolve.cl on the cpu back end, row after row of the matrix over a whole tile: for windows too
 * large to unroll, and for sums of integers, whose code the compiler does not vectorise across work items.
 *
 * Wins on the processor in docs/performance.md: convolve 15x15. */

kernel void
convolve_tiled (PLANE_ARGS, global const sum_t *restrict taps, QUOTIENT_ARGS)
{
  TILE_BEGIN
  sum_t line[TILE_SAMPLES + (KW - 1) * NC];
  sum_t sum[ITEM_ROWS][TILE_SAMPLES];
  /* NC, of one sample hidden from the compiler: see convolve/separable.cl */
  const int step = NC > 1 || region.width > 0 ? NC : 0;
  for (int r = 0; r < ITEM_ROWS; r++)
    for (int x = 0; x < tile_width; x++)
      sum[r][x] = 0;

#pragma unroll 1
  for (int row = 0; row < KH + ITEM_ROWS - 1; row++) {
    global const sample_t *from = src + (at + (row - KH / 2) * src_stride - KW / 2 * NC);
    WIDE_LOOP
    for (int x = 0; x < tile_width + (KW - 1) * NC; x++)
      line[x] = LOAD (from[x]);

    if (row >= ITEM_ROWS - 1 && row < KH) {
      /* A row that reaches all the tile's rows is loaded once for all of them. */
      WIDE_LOOP
      for (int x = 0; x < tile_width; x++) {
        sum_t part[ITEM_ROWS];
#pragma unroll
        for (int r = 0; r < ITEM_ROWS; r++)
          part[r] = 0;
#pragma unroll
        for (int i = 0; i < KW; i++)
#pragma unroll
          for (int r = 0; r < ITEM_ROWS; r++)
            part[r] = MULTIPLY_ADD (line[x + i * step], taps[(row - r) * KW + i], part[r]);
#pragma unroll
        for (int r = 0; r < ITEM_ROWS; r++)
          sum[r][x] += part[r];
      }
      continue;
    }
#pragma unroll 1
    for (int r = max (0, row - KH + 1); r <= min (row, ITEM_ROWS - 1); r++) {
      WIDE_LOOP
      for (int x = 0; x < tile_width; x++) {
        sum_t part = 0;
#pragma unroll
        for (int i = 0; i < KW; i++)
          part = MULTIPLY_ADD (line[x + i * step], taps[(row - r) * KW + i], part);
        sum[r][x] += part;
      }
    }
  }

#pragma unroll 1
  for (int r = 0; r < ITEM_ROWS; r++) {
    global const sample_t *from = src + (at + r * src_stride);
    global sample_t *out = dst + (to + r * dst_stride);
    WIDE_LOOP
    for (int x = 0; x < tile_width; x++)
      out[x] = merge_sample (QUOTIENT (sum[r][x]), from[x], keep[tile_x + x]);
  }
}
