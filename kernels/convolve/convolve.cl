/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Correlation with a KW x KH matrix whose anchor is (KW / 2, KH / 2):
 *
 *   out (x, y) = round (sum of taps[j][i] * in (x + i - KW / 2, y + j - KH / 2) / divisor + bias)
 *
 * Each row of samples is read once for all the ITEM_ROWS output rows that it reaches.
 *
 * Wins on the processor in docs/performance.md: convolve 3x3 and 7x7, emboss. */

/* Long sums of floats are taken row by row, so that rounding errors grow with KW + KH and not with KW * KH; with EXACT
 * there are none. */
#if SUM_FLOAT && !EXACT && KW * KH > 64
#define CONVOLVE_BY_ROWS 1
#else
#define CONVOLVE_BY_ROWS 0
#endif

#if BACKEND_CPU

kernel void
convolve (PLANE_ARGS, global const sum_t *restrict taps, QUOTIENT_ARGS)
{
  PLANE_BEGIN (sizeof (sum_t) / 2)
  sum_t sum[ITEM_ROWS];
#pragma unroll
  for (int r = 0; r < ITEM_ROWS; r++)
    sum[r] = 0;
#pragma unroll
  for (int row = 0; row < KH + ITEM_ROWS - 1; row++) {
#if CONVOLVE_BY_ROWS
    sum_t part[ITEM_ROWS];
#pragma unroll
    for (int r = 0; r < ITEM_ROWS; r++)
      part[r] = 0;
#else
    sum_t *part = sum;
#endif
#pragma unroll
    for (int i = 0; i < KW; i++) {
      const sum_t v = TO_SUM (PX (i - KW / 2, row - KH / 2));
#pragma unroll
      for (int r = 0; r < ITEM_ROWS; r++)
        if (row - r >= 0 && row - r < KH)
          part[r] = MULTIPLY_ADD (v, taps[(row - r) * KW + i], part[r]);
    }
#if CONVOLVE_BY_ROWS
#pragma unroll
    for (int r = 0; r < ITEM_ROWS; r++)
      if (row - r >= 0 && row - r < KH)
        sum[r] += part[r];
#endif
  }
#pragma unroll
  for (int r = 0; r < ITEM_ROWS; r++)
    OUT_ROW (r, QUOTIENT (sum[r]));
  PLANE_END
}

#else

#define CONVOLVE_DIRECT_LEFT ((KW / 2 * NC + SAMPLES_PER_WORD - 1) / SAMPLES_PER_WORD * SAMPLES_PER_WORD)
#define CONVOLVE_DIRECT_RIGHT (((KW - 1 - KW / 2) * NC + SAMPLES_PER_WORD - 1) / SAMPLES_PER_WORD * SAMPLES_PER_WORD)
#define CONVOLVE_DIRECT_SPAN (CONVOLVE_DIRECT_LEFT + ITEM_SAMPLES + CONVOLVE_DIRECT_RIGHT)

/* Unrolled rows save the tests of row - r, until the code outgrows the instruction cache. */
#if KW * KH * ITEM_ROWS * ITEM_SAMPLES <= 2048
#define CONVOLVE_DIRECT_UNROLL_ROWS _Pragma ("unroll")
#else
#define CONVOLVE_DIRECT_UNROLL_ROWS _Pragma ("unroll 1")
#endif

kernel void
convolve (PLANE_ARGS, constant sum_t *restrict taps, QUOTIENT_ARGS)
{
  GPU_ITEM
  if (!ITEM_IN_REGION)
    return;
  sum_t sum[ITEM_ROWS][ITEM_SAMPLES];
#pragma unroll
  for (int r = 0; r < ITEM_ROWS; r++)
#pragma unroll
    for (int s = 0; s < ITEM_SAMPLES; s++)
      sum[r][s] = 0;
  CONVOLVE_DIRECT_UNROLL_ROWS
  for (int row = 0; row < KH + ITEM_ROWS - 1; row++) {
    const int y = item_y + row - KH / 2;
    int loaded[CONVOLVE_DIRECT_SPAN];
    sum_t v[CONVOLVE_DIRECT_SPAN];
    load_span (loaded, item_x - CONVOLVE_DIRECT_LEFT, CONVOLVE_DIRECT_SPAN, y, CONVOLVE_DIRECT_LEFT);
#pragma unroll
    for (int i = 0; i < CONVOLVE_DIRECT_SPAN; i++)
      v[i] = TO_SUM (loaded[i]);
#pragma unroll
    for (int r = 0; r < ITEM_ROWS; r++) {
      if (row - r < 0 || row - r >= KH)
        continue;
      constant sum_t *line = taps + (row - r) * KW;
#pragma unroll
      for (int s = 0; s < ITEM_SAMPLES; s++) {
        sum_t part = CONVOLVE_BY_ROWS ? 0 : sum[r][s];
#pragma unroll
        for (int i = 0; i < KW; i++)
          part = MULTIPLY_ADD (v[CONVOLVE_DIRECT_LEFT + (i - KW / 2) * NC + s], line[i], part);
        sum[r][s] = CONVOLVE_BY_ROWS ? sum[r][s] + part : part;
      }
    }
  }
#pragma unroll
  for (int r = 0; r < ITEM_ROWS; r++) {
    int values[ITEM_SAMPLES];
#pragma unroll
    for (int s = 0; s < ITEM_SAMPLES; s++)
      values[s] = QUOTIENT (sum[r][s]);
    store_item (values, item_y + r);
  }
}

#endif
