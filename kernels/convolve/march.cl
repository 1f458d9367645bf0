/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The correlation of convolve/convolve.cl with sums of floats, from buffer to buffer on the gpu back end. An item marches down
 * its rows: each is loaded and turned into terms once for all the output rows that it reaches.
 *
 * Wins on the H200 in docs/performance.md: convolve 3x3, 7x7 and 15x15. */
#if BACKEND_GPU

#define MARCH_LEFT_WORDS ((KW / 2 * NC + SAMPLES_PER_WORD - 1) / SAMPLES_PER_WORD)
#define MARCH_RIGHT_WORDS (((KW - 1 - KW / 2) * NC + SAMPLES_PER_WORD - 1) / SAMPLES_PER_WORD)
#define MARCH_LEFT (MARCH_LEFT_WORDS * SAMPLES_PER_WORD)
#define CONVOLVE_MARCH_SPAN_WORDS (MARCH_LEFT_WORDS + ITEM_WORDS + MARCH_RIGHT_WORDS)
#define MARCH_SPAN (CONVOLVE_MARCH_SPAN_WORDS * SAMPLES_PER_WORD)
#define MARCH_SOURCE_ROWS (ITEM_ROWS + KH - 1)

/* TAPS_BY_VALUE: few taps are part of the arguments, where instructions find them without loads, as long as all loops
 * are unrolled; the code of many would outgrow the instruction cache. */
#if TAPS_BY_VALUE
typedef struct
{
  float v[KW * KH];
} taps_t;
#define CONVOLVE_TAPS_PARAM taps_t taps
#define CONVOLVE_TAP(j, i) taps.v[(j) * KW + (i)]
#define MARCH_UNROLL_ROWS _Pragma ("unroll")
#else
#define CONVOLVE_TAPS_PARAM constant float *restrict taps
#define CONVOLVE_TAP(j, i) taps[(j) * KW + (i)]
#define MARCH_UNROLL_ROWS _Pragma ("unroll 1")
#endif

/* Small windows are loaded as a whole. */
#define CONVOLVE_WHOLE_WINDOW (TAPS_BY_VALUE && MARCH_SOURCE_ROWS * CONVOLVE_MARCH_SPAN_WORDS <= 40)

/* Long sums of floats are taken row by row, so that rounding errors grow with KW + KH and not with KW * KH; with EXACT
 * there are none. */
#define CONVOLVE_MARCH_BY_ROWS (!EXACT && KW * KH > 64)

#if KW != 3

/* Whether words do not mix pixels. */
#define CONVOLVE_MARCH_PIXEL_WORDS (ALIGNED && NC % SAMPLES_PER_WORD == 0)
#define CONVOLVE_PLACES (CONVOLVE_MARCH_PIXEL_WORDS ? CONVOLVE_MARCH_SPAN_WORDS : MARCH_SPAN)

/* Where in a row the samples or words of an item come from by the border's rule, -1 for the constant. */
static inline void
find_places (int *places, int first, struct plane plane)
{
#pragma unroll 1
  for (int i = 0; i < CONVOLVE_PLACES; i++)
    places[i] = sample_place (first + (CONVOLVE_MARCH_PIXEL_WORDS ? i * SAMPLES_PER_WORD : i), plane);
}

/* The words of a row, of the constant where it is negative, of an item that reaches over the frame's edge. */
static inline void
load_edge_words (uint *words, SRC_PARAMS, int x, int row, const int *places)
{
#if CONVOLVE_MARCH_PIXEL_WORDS
#pragma unroll
  for (int w = 0; w < CONVOLVE_MARCH_SPAN_WORDS; w++)
    words[w] = edge_word (SRC_ARGS, row, places[w]);
#else
  uint array[CONVOLVE_MARCH_SPAN_WORDS];
#pragma unroll 1
  for (int w = 0; w < CONVOLVE_MARCH_SPAN_WORDS; w++)
    if (row < 0 || !has_word (plane, x + w * SAMPLES_PER_WORD))
      array[w] = gathered_word (SRC_ARGS, row, places + w * SAMPLES_PER_WORD);
#pragma unroll
  for (int w = 0; w < CONVOLVE_MARCH_SPAN_WORDS; w++) {
    const int at = x + w * SAMPLES_PER_WORD;
    words[w] = row < 0 || !has_word (plane, at) ? array[w] : *(global const uint *) (src + src_offset + row * src_stride + at);
  }
#endif
}

/* The words from `from` on, MARCH_LEFT_WORDS before a vector's boundary. */
static inline void
load_words (uint *words, global const uint *restrict from)
{
#define CONVOLVE_VECTOR_FIRST(w) ((w) - ((w) + 4 - MARCH_LEFT_WORDS % 4) % VECTOR_WORDS)
#pragma unroll
  for (int w = 0; w < CONVOLVE_MARCH_SPAN_WORDS; w++) {
    if (VECTOR_WORDS == 1 || CONVOLVE_VECTOR_FIRST (w) < 0
        || CONVOLVE_VECTOR_FIRST (w) + VECTOR_WORDS > CONVOLVE_MARCH_SPAN_WORDS) {
      words[w] = from[w];
    } else if (CONVOLVE_VECTOR_FIRST (w) == w) {
#if VECTOR_WORDS == 4
      const uint4 v = *(global const uint4 *) (from + w);
      words[w + 2] = v.z;
      words[w + 3] = v.w;
#else
      const uint2 v = *(global const uint2 *) (from + w);
#endif
      words[w] = v.x;
      words[w + 1] = v.y;
    }
  }
}

#endif

static inline void
begin_sums (float (*sum)[ITEM_SAMPLES], float offset)
{
#pragma unroll
  for (int r = 0; r < ITEM_ROWS; r++)
#pragma unroll
    for (int s = 0; s < ITEM_SAMPLES; s++)
      sum[r][s] = SUM_START;
}

/* Adds the terms of a row to those sums whose windows hold it. */
static inline void
add_row (float (*sum)[ITEM_SAMPLES], const uint *words, int row, CONVOLVE_TAPS_PARAM)
{
  float v[MARCH_SPAN];
#pragma unroll
  for (int i = 0; i < MARCH_SPAN; i++)
    v[i] = TERM (words[i / SAMPLES_PER_WORD], i % SAMPLES_PER_WORD);
#pragma unroll
  for (int r = 0; r < ITEM_ROWS; r++) {
    if (row - r < 0 || row - r >= KH)
      continue;
#pragma unroll
    for (int s = 0; s < ITEM_SAMPLES; s++) {
      float part = CONVOLVE_MARCH_BY_ROWS ? 0 : sum[r][s];
#pragma unroll
      for (int i = 0; i < KW; i++)
        part = fma (v[MARCH_LEFT + (i - KW / 2) * NC + s], CONVOLVE_TAP (row - r, i), part);
      sum[r][s] = CONVOLVE_MARCH_BY_ROWS ? sum[r][s] + part : part;
    }
  }
}

static inline void
finish_row (uint *words, const float *sum, RESULT_ARGS)
{
  int values[ITEM_SAMPLES];
#pragma unroll
  for (int s = 0; s < ITEM_SAMPLES; s++)
    values[s] = (int) result_of (sum[s], offset, inverse, under);
  pack_samples (words, values);
}

#if KW == 3
#define CONVOLVE_LOAD_ROW(words, row) load_around (words, 1, SRC_ARGS, item_x, item_y - KH / 2 + (row))
#else
#define CONVOLVE_LOAD_ROW(words, row)                                                             \
  if (inside)                                                                                     \
    load_words (words, (global const uint *) (src + src_offset + (y + (row)) * src_stride + x));  \
  else                                                                                            \
    load_edge_words (words, SRC_ARGS, x, rows[row], places)
#endif

kernel void
convolve_march (PLANE_ARGS, CONVOLVE_TAPS_PARAM, RESULT_ARGS)
{
  GPU_ITEM
  if (!ITEM_IN_REGION)
    return;
#if KW != 3
  /* at the frame's edge rows and words come from elsewhere: where from is found once */
  const int x = item_x - MARCH_LEFT, y = item_y - KH / 2;
  int places[CONVOLVE_PLACES], rows[MARCH_SOURCE_ROWS];
  const bool inside = ALIGNED && x >= 0 && x + MARCH_SPAN <= plane.width && y >= 0 && y + MARCH_SOURCE_ROWS <= plane.height;
  if (!inside) {
    find_places (places, x, plane);
#pragma unroll 1
    for (int row = 0; row < MARCH_SOURCE_ROWS; row++)
      rows[row] = row_place (y + row, plane);
  }
#endif
  float sum[ITEM_ROWS][ITEM_SAMPLES];
  begin_sums (sum, offset);
  uint results[ITEM_ROWS * ITEM_WORDS];
#if CONVOLVE_WHOLE_WINDOW
  uint window[MARCH_SOURCE_ROWS][CONVOLVE_MARCH_SPAN_WORDS];
#if KW == 3
  load_around (window[0], MARCH_SOURCE_ROWS, SRC_ARGS, item_x, item_y - KH / 2);
#else
#pragma unroll
  for (int row = 0; row < MARCH_SOURCE_ROWS; row++)
    CONVOLVE_LOAD_ROW (window[row], row);
#endif
#pragma unroll
  for (int row = 0; row < MARCH_SOURCE_ROWS; row++) {
    add_row (sum, window[row], row, taps);
    if (row >= KH - 1)
      finish_row (results + (row - KH + 1) * ITEM_WORDS, sum[row - KH + 1], offset, inverse, under);
  }
#else
  MARCH_UNROLL_ROWS
  for (int row = 0; row < MARCH_SOURCE_ROWS; row++) {
    uint words[CONVOLVE_MARCH_SPAN_WORDS];
    CONVOLVE_LOAD_ROW (words, row);
    add_row (sum, words, row, taps);
  }
#pragma unroll
  for (int r = 0; r < ITEM_ROWS; r++)
    finish_row (results + r * ITEM_WORDS, sum[r], offset, inverse, under);
#endif
#pragma unroll
  for (int r = 0; r < ITEM_ROWS; r++)
    store_rows (DST_ARGS, results + r * ITEM_WORDS, 1, item_x, item_y + r);
}

#endif
