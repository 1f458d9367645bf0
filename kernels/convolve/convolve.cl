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
#define CONVOLVE_WORDS (CONVOLVE_SPAN / SAMPLES_PER_WORD)
#define CONVOLVE_SOURCE_ROWS (ITEM_ROWS + KH - 1)

/* Few taps are part of the arguments, where instructions find them without loads, as all loops are unrolled then. */
#if TAPS_BY_VALUE
typedef struct
{
  sum_t v[KH * KW];
} taps_t;
#define CONVOLVE_TAPS const taps_t taps
#define CONVOLVE_TAP(j, i) taps.v[(j) * KW + (i)]
#else
#define CONVOLVE_TAPS constant sum_t *restrict taps
#define CONVOLVE_TAP(j, i) taps[(j) * KW + (i)]
#endif

/* Adds a row of samples, which begins `left` samples before the item's, to those sums whose windows hold it. */
static inline void
add_row (sum_t (*sum)[ITEM_SAMPLES], const sum_t *terms, const int left, int row, CONVOLVE_TAPS)
{
#pragma unroll
  for (int r = 0; r < ITEM_ROWS; r++)
    if (row - r >= 0 && row - r < KH) {
#pragma unroll
      for (int s = 0; s < ITEM_SAMPLES; s++) {
        sum_t part = CONVOLVE_BY_ROWS ? 0 : sum[r][s];
#pragma unroll
        for (int i = 0; i < KW; i++)
          part = MULTIPLY_ADD (terms[left + (i - KW / 2) * NC + s], CONVOLVE_TAP (row - r, i), part);
        sum[r][s] = CONVOLVE_BY_ROWS ? sum[r][s] + part : part;
      }
    }
}

static inline void
find_terms (sum_t *terms, const uint *words, const int n)
{
#pragma unroll
  for (int i = 0; i < n; i++)
    terms[i] = WORD_TERM (words[i / SAMPLES_PER_WORD], i % SAMPLES_PER_WORD);
}

kernel void
convolve (PLANE_ARGS, CONVOLVE_TAPS, RESULT_ARGS)
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
    find_terms (terms, words[row], WORDS_AROUND * SAMPLES_PER_WORD);
    add_row (sum, terms, WORDS_BESIDE * SAMPLES_PER_WORD, row, taps);
  }
#else
  const int x = item_x - CONVOLVE_LEFT, y = item_y - KH / 2;
#if !SRC_IMAGE
  /* at the frame's edge rows and words come from elsewhere: where from is found once */
  int places[PLACES_OF (CONVOLVE_WORDS)], rows[CONVOLVE_SOURCE_ROWS];
  const bool inside =
      ALIGNED && x >= 0 && x + CONVOLVE_SPAN <= plane.width && y >= 0 && y + CONVOLVE_SOURCE_ROWS <= plane.height;
  if (!inside) {
    find_places (places, CONVOLVE_WORDS, x, plane);
#pragma unroll 1
    for (int row = 0; row < CONVOLVE_SOURCE_ROWS; row++)
      rows[row] = row_place (y + row, plane);
  }
#endif
#pragma unroll 1
  for (int row = 0; row < CONVOLVE_SOURCE_ROWS; row++) {
    sum_t terms[CONVOLVE_SPAN];
#if SRC_IMAGE
    int values[CONVOLVE_SPAN];
    load_span (values, x, CONVOLVE_SPAN, y + row, CONVOLVE_LEFT);
#pragma unroll
    for (int i = 0; i < CONVOLVE_SPAN; i++)
      terms[i] = TERM (values[i]);
#else
    uint words[CONVOLVE_WORDS];
    if (inside)
      load_whole_rows (words, 1, CONVOLVE_WORDS, SRC_ARGS, x, y + row, CONVOLVE_LEFT);
    else
      load_placed (words, CONVOLVE_WORDS, SRC_ARGS, rows[row], places);
    find_terms (terms, words, CONVOLVE_SPAN);
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
