/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Correlation with a KW x KH matrix: out (x, y) = round (sum of taps[j][i] * in (x + i - KW / 2, y + j - KH / 2) / divisor + bias). The
 * host defines one of these forms; in docs/measurements each wins at the matrices that follow its name.
 *   CONVOLVE_UNROLLED   cpu: everything is unrolled, for small matrices: 3x3 and 7x7
 *   CONVOLVE_TILES      cpu: each row of a tile becomes numbers once, and is multiplied by its taps for every row of results: 15x15
 *   CONVOLVE_BLOCK      gpu: an item loads all rows of its windows at once: 3x3, emboss
 *   CONVOLVE_PRODUCTS   gpu: matrix units multiply samples with taps that are signed bytes: 7x7 and 15x15
 *   CONVOLVE_ROWS       gpu: an item walks over the rows of its windows, with the sums of a few rows of results: 15x15 of 16 bits */
#if CONVOLVE_UNROLLED
ITEM_KERNEL (convolve, (PLANE_ARGS, global const sum_t *restrict taps, RESULT_ARGS), (PLANE_NAMES, taps, RESULT_NAMES))
{
  PLANE_BEGIN (sizeof (sum_t) / 2) /* so that a vector is two registers of sums */
  sum_t sum[ITEM_ROWS] = {0};
  UNROLL for (int row = 0; row < KH + ITEM_ROWS - 1; row++)
    UNROLL for (int i = 0; i < KW; i++) {
      const sum_t v = term_of (PX (i - KW / 2, row - KH / 2));
      UNROLL for (int r = 0; r < ITEM_ROWS; r++)
        if (row - r >= 0 && row - r < KH)
          sum[r] = MULTIPLY_ADD (v, taps[(row - r) * KW + i], sum[r]);
    }
  UNROLL for (int r = 0; r < ITEM_ROWS; r++)
    OUT_ROW (r, RESULT_OF (sum[r], 0));
  PLANE_END
}
#elif CONVOLVE_TILES
/* LARGE_BLOCK: results of a row whose sums stay in registers. LARGEST_REACH: samples beside a tile that the largest matrix needs. */
enum { LARGE_VECTORS = sizeof (sum_t) == 8 ? 2 : 4, LARGE_BLOCK = LARGE_VECTORS * 16, LARGEST_REACH = 30 * MOST_SAMPLES };
typedef sum_t lanes_t __attribute__ ((ext_vector_type (16)));
typedef sum_t unaligned_lanes_t __attribute__ ((ext_vector_type (16), aligned (sizeof (sum_t))));

/* Adds a source row, the terms in `line`, to LARGE_BLOCK sums of each row from x on. taps: for row 0; for row r they are r rows before. */
INLINE void add_block (sum_t (*sum)[TILE_SAMPLES], int x, const sum_t *line, global const sum_t *restrict taps, int width, int step)
{
  lanes_t part[ITEM_ROWS][LARGE_VECTORS] = {{0}};
  ROLLED for (int i = 0; i < width; i++)
    UNROLL for (int v = 0; v < LARGE_VECTORS; v++) {
      const lanes_t in = *(const unaligned_lanes_t *) (line + x + i * step + v * 16);
      UNROLL for (int r = 0; r < ITEM_ROWS; r++)
        part[r][v] = MULTIPLY_ADD (in, (lanes_t) taps[i - r * width], part[r][v]);
    }
  UNROLL for (int i = 0; i < ITEM_ROWS * LARGE_VECTORS; i++)
    *(unaligned_lanes_t *) (sum[i / LARGE_VECTORS] + x + i % LARGE_VECTORS * 16) += part[i / LARGE_VECTORS][i % LARGE_VECTORS];
}

/* taps: the matrix of size.x columns and size.y rows, with LARGE_PAD rows of zeros above and below it, ITEM_ROWS - 1 at least. */
ITEM_KERNEL (convolve, (PLANE_ARGS, global const sum_t *restrict taps, RESULT_ARGS, int2 size), (PLANE_NAMES, taps, RESULT_NAMES, size))
{
  const int tile_x = ITEM (0) * TILE_SAMPLES, tile_width = min (TILE_SAMPLES, region.width - tile_x), tile_y = region.y + ITEM_Y;
  const int at = src_offset + tile_y * src_stride + region.x + tile_x, to = dst_offset + tile_y * dst_stride + region.x + tile_x;
  sum_t line[TILE_SAMPLES + LARGEST_REACH], sum[ITEM_ROWS][TILE_SAMPLES] = {{0}};
  for (int row = 0; row < size.y + ITEM_ROWS - 1; row++) {
    global const sample_t *from = src + (at + (row - size.y / 2) * src_stride - size.x / 2 * NC);
    WIDE_LOOP
    for (int x = 0; x < tile_width + (size.x - 1) * NC; x++)
      line[x] = term_of (LOAD (from[x]));
    for (int x = 0; x < tile_width; x += LARGE_BLOCK)
      add_block (sum, x, line, taps + (LARGE_PAD + row) * size.x, size.x, NC);
  }
  for (int r = 0; r < ITEM_ROWS; r++) {
    global const sample_t *from = src + (at + r * src_stride);
    global sample_t *out = dst + (to + r * dst_stride);
    WIDE_LOOP
    for (int x = 0; x < tile_width; x++)
      out[x] = merge_sample (RESULT_OF (sum[r][x], 0), from[x], keep[tile_x + x]);
  }
}
#elif CONVOLVE_PRODUCTS
/* A warp writes 128 samples of ITEM_ROWS rows. A product of matrix units (lib/lanes.clh) multiplies 16 windows of 16 * CHUNKS samples,
 * eight that begin at every 16th sample of a row and the eight below them, by a row of the matrix, which each of eight columns has at the
 * place of one result. The 16 results of a window take two products: item 4 * g + t gets results 4 * t .. 4 * t + 3 of window g, a word,
 * two from each. Windows begin LEFT samples, whole words, before their first result. A turn takes TURN_ROWS rows of the matrix, so that
 * large ones have short programs. fragments: taps as items need them, CHUNKS words for each row and product, then zeros to a whole turn. */
enum { CONVOLVE_SOURCE_ROWS = ITEM_ROWS + TURN_ROWS - 1, CONVOLVE_WORDS = CONVOLVE_SOURCE_ROWS * CHUNKS };

static inline void load_windows (uint *array, uint *words, SRC_PARAMS, int x, int y)
{
  if (ALIGNED && x >= 0 && x + 16 * CHUNKS - 12 <= plane.width && y >= 0 && y + CONVOLVE_SOURCE_ROWS <= plane.height) {
    UNROLL for (int i = 0; i < CONVOLVE_WORDS; i++)
      words[i] = *(global const uint *) (SRC_ROW (y + i / CHUNKS) + x + i % CHUNKS * 16);
  } else {
    load_slowly (array, words, CONVOLVE_SOURCE_ROWS, CHUNKS, 16, SRC_ARGS, x, y);
  }
}

/* Adds the products of eight windows in a row, and of the eight below them, with taps. */
INLINE void add_windows (int *sum, const uint *words, const uint *taps)
{
  UNROLL for (int c = 0; c + 1 < CHUNKS; c += 2)
    add_signed_32 (sum, words + c, words + CHUNKS + c, taps + c);
  if (CHUNKS % 2)
    add_signed_16 (sum, words[CHUNKS - 1], words[2 * CHUNKS - 1], taps[CHUNKS - 1]);
}

kernel __attribute__ ((reqd_work_group_size (32, 4, 1))) void convolve (PLANE_ARGS, global const uint *restrict fragments, RESULT_ARGS)
{
  GPU_ITEM
  const int lane = get_local_id (0);
  if (item_x - 4 * lane >= region.x + region.width || item_y >= region.y + region.height)
    return;
  const int base = 0x4b400000; /* 1.5 * 2^23, a float whose low bits are the sum */
  int sum[ITEM_ROWS][4];
  UNROLL for (int i = 0; i < ITEM_ROWS * 4; i++)
    sum[i / 4][i % 4] = base;
  ROLLED for (int row = 0; row < KH; row += TURN_ROWS) {
    uint words[CONVOLVE_WORDS], edge_array[CONVOLVE_WORDS];
    load_windows (edge_array, words, SRC_ARGS, item_x - LEFT, item_y - KH / 2 + row);
    UNROLL for (int i = 0; i < TURN_ROWS * 2; i++) {
      uint taps[CHUNKS];
      UNROLL for (int c = 0; c < CHUNKS; c++)
        taps[c] = fragments[32 * (CHUNKS * (2 * row + i) + c) + lane];
      UNROLL for (int r = 0; r < ITEM_ROWS; r += 2)
        add_windows (sum[r + i % 2], words + (r + i / 2) * CHUNKS, taps);
    }
  }
  uint results[ITEM_ROWS];
  UNROLL for (int r = 0; r < ITEM_ROWS; r++) {
    int values[4];
    UNROLL for (int s = 0; s < 4; s++)
      values[s] = RESULT_OF (as_float (sum[r / 2 * 2 + s / 2][r % 2 * 2 + s % 2]) - as_float (base) + SUM_START, 0);
    pack_samples (results + r, values);
  }
  store_rows (DST_ARGS, results, ITEM_ROWS, item_x, item_y);
}
#else
enum {
  CONVOLVE_LEFT = WORDS_OF (KW / 2 * MOST_NC) * SAMPLES_PER_WORD,
  CONVOLVE_SPAN = CONVOLVE_LEFT + ITEM_SAMPLES + WORDS_OF ((KW - 1 - KW / 2) * MOST_NC) * SAMPLES_PER_WORD,
  CONVOLVE_WORDS = CONVOLVE_SPAN / SAMPLES_PER_WORD, CONVOLVE_SOURCE_ROWS = ITEM_ROWS + KH - 1
};

/* Taps of unrolled loops are arguments, where instructions find them without loads. */
#if CONVOLVE_ROWS
#define CONVOLVE_TAPS constant sum_t *restrict taps
#define CONVOLVE_ROW_TAPS(j) (taps + (j) * KW)
#define TAP_SPACE constant
#else
typedef struct { sum_t v[KH * KW]; } taps_t;
#define CONVOLVE_TAPS const taps_t taps
#define CONVOLVE_ROW_TAPS(j) (taps.v + (j) * KW)
#define TAP_SPACE const
#endif

/* Sums each row by itself in long sums of floats, so that rounding errors grow with KW + KH, not KW * KH; with EXACT there are none. */
#if SUM_FLOAT
enum { CONVOLVE_BY_ROWS = !EXACT && KW * KH > 64 };
#else
enum { CONVOLVE_BY_ROWS = 0 };
#endif

/* Adds a row of terms times a row of taps. Terms begin `left` samples before the item; n: samples of a pixel. */
INLINE void add_row (sum_t *sum, const sum_t *terms, const int left, const int n, TAP_SPACE sum_t *row_taps)
{
  UNROLL for (int s = 0; s < ITEM_SAMPLES; s++) {
    sum_t part = CONVOLVE_BY_ROWS ? 0 : sum[s];
    UNROLL for (int i = 0; i < KW; i++)
      part = MULTIPLY_ADD (terms[left + (i - KW / 2) * n + s], row_taps[i], part);
    sum[s] = CONVOLVE_BY_ROWS ? sum[s] + part : part;
  }
}

static inline void find_terms (sum_t *terms, const uint *words, const int n)
{
  UNROLL for (int i = 0; i < n; i++)
    terms[i] = word_term (words[i / SAMPLES_PER_WORD], i % SAMPLES_PER_WORD);
}

/* Adds source row `row` of the item to all sums whose windows hold it. */
INLINE void add_source_row (sum_t (*sum)[ITEM_SAMPLES], const sum_t *terms, const int left, const int n, int row, CONVOLVE_TAPS)
{
  UNROLL for (int r = 0; r < ITEM_ROWS; r++)
    if (row - r >= 0 && row - r < KH)
      add_row (sum[r], terms, left, n, CONVOLVE_ROW_TAPS (row - r));
}

INLINE void add_block (sum_t (*sum)[ITEM_SAMPLES], const uint *words, const int n, CONVOLVE_TAPS)
{
  UNROLL for (int row = 0; row < CONVOLVE_SOURCE_ROWS; row++) {
    sum_t terms[WORDS_AROUND * SAMPLES_PER_WORD];
    find_terms (terms, words + row * WORDS_AROUND, WORDS_AROUND * SAMPLES_PER_WORD);
    add_source_row (sum, terms, WORDS_BESIDE * SAMPLES_PER_WORD, n, row, taps);
  }
}

kernel void convolve (PLANE_ARGS, CONVOLVE_TAPS, RESULT_ARGS)
{
  GPU_ITEM_IN_REGION
  sum_t sum[ITEM_ROWS][ITEM_SAMPLES];
  UNROLL for (int i = 0; i < ITEM_ROWS * ITEM_SAMPLES; i++)
    sum[i / ITEM_SAMPLES][i % ITEM_SAMPLES] = SUM_START;
#if CONVOLVE_BLOCK
  uint words[CONVOLVE_SOURCE_ROWS * WORDS_AROUND];
  load_around (words, CONVOLVE_SOURCE_ROWS, SRC_ARGS, item_x, item_y - KH / 2);
  ANY_PIXEL && NC == 1 ? add_block (sum, words, 1, taps) : add_block (sum, words, MOST_NC, taps);
#else
  const int x = item_x - CONVOLVE_LEFT, y = item_y - KH / 2, last = min (CONVOLVE_SOURCE_ROWS, region.y + region.height - item_y + KH - 1);
#if !SRC_IMAGE
  /* at the frame's edge, finds the places of rows and words once, not for each load */
  int places[PLACES_OF (CONVOLVE_WORDS)];
  uint rows[CONVOLVE_SOURCE_ROWS];
  const bool inside = ALIGNED && x >= 0 && x + CONVOLVE_SPAN <= plane.width && y >= 0 && y + last <= plane.height;
  if (!inside) {
    find_places (places, CONVOLVE_WORDS, x, plane);
    ROLLED for (int row = 0; row < CONVOLVE_SOURCE_ROWS; row++)
      *room_for (rows, CONVOLVE_SOURCE_ROWS, 1, row) = (uint) row_place (y + row, plane);
  }
  uint words[CONVOLVE_WORDS] = {0};
#endif
  /* a turn loads words for the next turn, so that none waits for its own */
  ROLLED for (int row = -1; row < last; row++) {
    sum_t terms[CONVOLVE_SPAN];
#if SRC_IMAGE
    int values[CONVOLVE_SPAN];
    if (row < 0)
      continue;
    load_span (values, x, CONVOLVE_SPAN, y + row, CONVOLVE_LEFT);
    UNROLL for (int i = 0; i < CONVOLVE_SPAN; i++)
      terms[i] = term_of (values[i]);
#else
    find_terms (terms, words, CONVOLVE_SPAN);
    if (row + 1 < last && inside)
      load_whole_rows (words, 1, CONVOLVE_WORDS, SRC_ARGS, x, y + row + 1, CONVOLVE_LEFT);
    else if (row + 1 < last)
      load_placed (words, CONVOLVE_WORDS, SRC_ARGS, (int) next_of (rows, CONVOLVE_SOURCE_ROWS, row + 1), places);
    if (row < 0)
      continue;
#endif
    add_source_row (sum, terms, CONVOLVE_LEFT, MOST_NC, row, taps);
  }
#endif
  UNROLL for (int r = 0; r < ITEM_ROWS; r++) {
    int values[ITEM_SAMPLES];
    UNROLL for (int s = 0; s < ITEM_SAMPLES; s++)
      values[s] = RESULT_OF (sum[r][s], 0);
    store_item (values, item_y + r);
  }
}
#endif
