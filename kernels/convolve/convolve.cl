/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Correlation with a KW x KH matrix whose anchor is (KW / 2, KH / 2):
 *
 *   out (x, y) = round (sum of taps[j][i] * in (x + i - KW / 2, y + j - KH / 2) / divisor + bias)
 *
 * Each row of samples is read once for all the ITEM_ROWS output rows that it reaches. The processor's form is unrolled whole, and
 * serves small matrices.
 *
 * Wins in docs/performance.md: convolve 3x3 and 7x7, emboss; on GPUs also 15x15. */

/* Long sums of floats are taken row by row, so that rounding errors grow with KW + KH and not with KW * KH; with EXACT
 * there are none. */
#if SUM_FLOAT && !EXACT && KW * KH > 64
#define CONVOLVE_BY_ROWS 1
#else
#define CONVOLVE_BY_ROWS 0
#endif

#if BACKEND_CPU

kernel void
convolve (PLANE_ARGS, global const sum_t *restrict taps, RESULT_ARGS)
{
  PLANE_BEGIN (sizeof (sum_t) / 2)
  sum_t sum[ITEM_ROWS];
#pragma unroll
  for (int r = 0; r < ITEM_ROWS; r++)
    sum[r] = 0;
#pragma unroll
  for (int row = 0; row < KH + ITEM_ROWS - 1; row++)
#pragma unroll
    for (int i = 0; i < KW; i++) {
      const sum_t v = TERM (PX (i - KW / 2, row - KH / 2));
#pragma unroll
      for (int r = 0; r < ITEM_ROWS; r++)
        if (row - r >= 0 && row - r < KH)
          sum[r] = MULTIPLY_ADD (v, taps[(row - r) * KW + i], sum[r]);
    }
#pragma unroll
  for (int r = 0; r < ITEM_ROWS; r++)
    OUT_ROW (r, RESULT_OF (sum[r], 0));
  PLANE_END
}

#else

/* A row of samples around those of an item. */
#define CONVOLVE_LEFT (WORDS_OF (KW / 2 * NC) * SAMPLES_PER_WORD)
#define CONVOLVE_SPAN (CONVOLVE_LEFT + ITEM_SAMPLES + WORDS_OF ((KW - 1 - KW / 2) * NC) * SAMPLES_PER_WORD)
#define CONVOLVE_SOURCE_ROWS (ITEM_ROWS + KH - 1)

/* Few taps are part of the arguments, where instructions find them without loads, as all loops are unrolled then. */
#if TAPS_BY_VALUE
typedef struct
{
  sum_t v[KH][KW];
} taps_t;
#else
typedef struct
{
  constant sum_t (*v)[KW];
} taps_t;
#endif

/* Adds a row of samples, which begins `left` samples before the item's, to those sums whose windows hold it. */
static inline void
add_row (sum_t (*sum)[ITEM_SAMPLES], const sum_t *terms, const int left, int row, const taps_t taps)
{
#pragma unroll
  for (int r = 0; r < ITEM_ROWS; r++)
    if (row - r >= 0 && row - r < KH) {
#pragma unroll
      for (int s = 0; s < ITEM_SAMPLES; s++) {
        sum_t part = CONVOLVE_BY_ROWS ? 0 : sum[r][s];
#pragma unroll
        for (int i = 0; i < KW; i++)
          part = MULTIPLY_ADD (terms[left + (i - KW / 2) * NC + s], taps.v[row - r][i], part);
        sum[r][s] = CONVOLVE_BY_ROWS ? sum[r][s] + part : part;
      }
    }
}

kernel void
#if TAPS_BY_VALUE
convolve (PLANE_ARGS, const taps_t taps, RESULT_ARGS)
#else
convolve (PLANE_ARGS, constant sum_t *restrict table, RESULT_ARGS)
#endif
{
  GPU_ITEM
  if (!ITEM_IN_REGION)
    return;
  sum_t sum[ITEM_ROWS][ITEM_SAMPLES];
#pragma unroll
  for (int i = 0; i < ITEM_ROWS * ITEM_SAMPLES; i++)
    sum[i / ITEM_SAMPLES][i % ITEM_SAMPLES] = SUM_START;
#if TAPS_BY_VALUE
  uint words[CONVOLVE_SOURCE_ROWS][WORDS_AROUND];
  load_around (words[0], CONVOLVE_SOURCE_ROWS, SRC_ARGS, item_x, item_y - KH / 2);
#pragma unroll
  for (int row = 0; row < CONVOLVE_SOURCE_ROWS; row++) {
    sum_t terms[WORDS_AROUND * SAMPLES_PER_WORD];
#pragma unroll
    for (int i = 0; i < WORDS_AROUND * SAMPLES_PER_WORD; i++)
      terms[i] = WORD_TERM (words[row][i / SAMPLES_PER_WORD], i % SAMPLES_PER_WORD);
    add_row (sum, terms, WORDS_BESIDE * SAMPLES_PER_WORD, row, taps);
  }
#else
  const taps_t taps = {(constant sum_t (*)[KW]) table};
#pragma unroll 1
  for (int row = 0; row < CONVOLVE_SOURCE_ROWS; row++) {
    sum_t terms[CONVOLVE_SPAN];
#if SRC_IMAGE
    int values[CONVOLVE_SPAN];
    load_span (values, item_x - CONVOLVE_LEFT, CONVOLVE_SPAN, item_y + row - KH / 2, CONVOLVE_LEFT);
#pragma unroll
    for (int i = 0; i < CONVOLVE_SPAN; i++)
      terms[i] = TERM (values[i]);
#else
    uint words[WORDS_OF (CONVOLVE_SPAN)];
    load_rows (words, 1, WORDS_OF (CONVOLVE_SPAN), SRC_ARGS, item_x - CONVOLVE_LEFT, item_y + row - KH / 2, CONVOLVE_LEFT);
#pragma unroll
    for (int i = 0; i < CONVOLVE_SPAN; i++)
      terms[i] = WORD_TERM (words[i / SAMPLES_PER_WORD], i % SAMPLES_PER_WORD);
#endif
    add_row (sum, terms, CONVOLVE_LEFT, row, taps);
  }
#endif
#pragma unroll
  for (int r = 0; r < ITEM_ROWS; r++) {
    int values[ITEM_SAMPLES];
#pragma unroll
    for (int s = 0; s < ITEM_SAMPLES; s++)
      values[s] = RESULT_OF (sum[r][s], 0);
    store_item (values, item_y + r);
  }
}

#endif
