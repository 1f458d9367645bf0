/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clmedian, square windows of 2 * RADIUS + 1 and middle rank, for the gpu back end: a selection network without a branch (written by
 * networks.py). A work item writes TILE x ITEM_ROWS windows, which share most of their samples, in two 16-bit lanes, for each of SETS
 * sets of samples:
 *
 *   WHOLE_PIXELS   pixels of whole words: the lanes are samples of one pixel, of bytes the even and the odd ones of a word
 *   PACKED         words that are luma and chroma (packed 4:2:2), both at once: first luma that stands half an item apart, then the
 *                  chroma of a word of 32 bits, of which the window's next column stands a whole word further
 *   others         the lanes are samples of pixels that stand half an item apart
 *
 * A loop over the sets, half as long a program, is faster: that has to be fetched too. Arrays have no index that such a loop leaves
 * open, since they would be memory; their elements move along instead.
 *
 * beside: the chroma of BORDER_CONSTANT, where PACKED.
 *
 * Wins in docs/performance.md: median 3x3 to 7x7 on the H200; YUY2, median 3x3. */
#define WHOLE_PIXELS (NC * SAMPLE_BITS % 32 == 0)
#define TILE (ITEM_SAMPLES / NC / (WHOLE_PIXELS ? 1 : 2))
#define SETS (PACKED ? 2 : WHOLE_PIXELS ? NC / 2 : NC)
#define TILE_ACROSS (TILE + 2 * RADIUS)
#define TILE_DOWN (ITEM_ROWS + 2 * RADIUS)
#define HALO_WORDS (PACKED ? RADIUS : WORDS_OF (RADIUS * NC))
#define ROW_WORDS (ITEM_WORDS + 2 * HALO_WORDS)
#define CHROMA_SHIFT (8 - SHIFT)

/* The values of both samples of a stored word of 16-bit ones. */
static inline lanes
bounded_lanes (uint word)
{
#if SAMPLE_BITS == 8
  return word;
#else
#if SPARE_BITS
  word = lower (word, (uint) (MAX_VALUE << SHIFT) * 0x00010001u);
#endif
  return word >> SHIFT & MAX_VALUE * 0x00010001u;
#endif
}

#if PACKED

/* What stands in a word by the border's rule, of which luma knows samples, and chroma pixels of two. */
static inline uint
packed_word (SRC_PARAMS, int x, int row, int beside)
{
  const int pixel = border_index (x >> 1, plane.width / 2, plane.border);
  global const sample_t *from = src + src_offset + max (row, 0) * src_stride;
  uint word = 0;
#pragma unroll
  for (int i = 0; i < 2; i++) {
    const int place = sample_place (x + i, plane);
    const int luma = row < 0 || place < 0 ? plane.value : LOAD (from[max (place, 0)]);
    const int chroma = row < 0 || pixel < 0 ? beside : from[max (pixel, 0) * 2 + i] >> CHROMA_SHIFT & 0xff;
    word |= (uint) (luma << SHIFT | chroma << CHROMA_SHIFT) << (16 * i);
  }
  return word;
}

static inline void
load_packed (uint *words, SRC_PARAMS, int x, int y, int beside)
{
  const int left = x - 2 * HALO_WORDS, top = y - RADIUS;
  if (left >= 0 && left + 2 * ROW_WORDS <= plane.width && top >= 0 && top + TILE_DOWN <= plane.height) {
    load_rows (words, TILE_DOWN, ROW_WORDS, SRC_ARGS, left, top, 2 * HALO_WORDS);
    return;
  }
  uint array[TILE_DOWN * ROW_WORDS];
#pragma unroll 1
  for (int i = 0; i < TILE_DOWN * ROW_WORDS; i++)
    array[i] = packed_word (SRC_ARGS, left + i % ROW_WORDS * 2, row_place (top + i / ROW_WORDS, plane), beside);
#pragma unroll
  for (int i = 0; i < TILE_DOWN * ROW_WORDS; i++)
    words[i] = array[i];
}
#define LOAD_TILE(words) load_packed (words, SRC_ARGS, item_x, item_y, beside)

#elif RADIUS == 1
#define LOAD_TILE(words) load_around (words, TILE_DOWN, SRC_ARGS, item_x, item_y - RADIUS)
#else
#define LOAD_TILE(words) \
  load_rows (words, TILE_DOWN, ROW_WORDS, SRC_ARGS, item_x - HALO_WORDS * SAMPLES_PER_WORD, item_y - RADIUS, HALO_WORDS * SAMPLES_PER_WORD)
#endif

/* Both lanes of each column and row of what the tile's windows hold. */
static inline void
find_lanes (lanes *of, const uint *words, int set)
{
#if PACKED
  if (set > 0) {
#pragma unroll
    for (int i = 0; i < TILE_DOWN * TILE_ACROSS; i++)
      of[i] = words[i / TILE_ACROSS * ROW_WORDS + i % TILE_ACROSS] >> CHROMA_SHIFT & 0x00ff00ff;
    return;
  }
#endif
#pragma unroll
  for (int i = 0; i < TILE_DOWN * TILE_ACROSS; i++) {
    const uint *const row = words + i / TILE_ACROSS * ROW_WORDS;
    const int x = i % TILE_ACROSS;
#if WHOLE_PIXELS && SAMPLE_BITS == 8
    of[i] = alternate_bytes (row[x], set);
#elif WHOLE_PIXELS
    const uint first = row[x * NC / 2], second = row[x * NC / 2 + NC / 4];
    of[i] = bounded_lanes (set == 0 ? first : second);
#else
    const int first = HALO_WORDS * SAMPLES_PER_WORD + (x - RADIUS) * NC, second = first + TILE * NC;
    of[i] = bounded_lanes (pair_of (row[first / SAMPLES_PER_WORD], row[second / SAMPLES_PER_WORD], first % SAMPLES_PER_WORD));
#endif
  }
}

/* medians[y * TILE + x]: both medians of the window that begins there, to results as they are stored. */
static inline void
add_medians (uint *results, const lanes *medians, int set)
{
#if WHOLE_PIXELS || PACKED
  const bool by_words = WHOLE_PIXELS || set > 0;
#else
  const bool by_words = false;
#if NC > 1
#pragma unroll
  for (int w = 0; w < ITEM_ROWS * ITEM_WORDS; w++)
    results[w] = next_samples (results[w], w + 1 < ITEM_ROWS * ITEM_WORDS ? results[w + 1] : 0);
#endif
#endif
#pragma unroll
  for (int i = 0; i < ITEM_ROWS * TILE; i++) {
    if (by_words && PACKED) {
      results[i] |= medians[i] << CHROMA_SHIFT;
    } else if (by_words && SAMPLE_BITS == 8) {
      results[i] += medians[i] * (set == 0 ? 1 : 256);
    } else if (by_words) {
      results[(i + 1) * SETS - 2 + SETS % 2] = results[(i + 1) * SETS - 1];
      results[(i + 1) * SETS - 1] = medians[i] << SHIFT;
    } else {
      const int at = i / TILE * ITEM_SAMPLES + (i % TILE + 1) * NC - 1, bit = at % SAMPLES_PER_WORD * SAMPLE_BITS;
      results[at / SAMPLES_PER_WORD] |= (medians[i] & 0xffff) << (SHIFT + bit);
      results[(at + TILE * NC) / SAMPLES_PER_WORD] |= medians[i] >> 16 << (SHIFT + bit);
    }
  }
}

/* Leaves in results what stays within the limit of the sample that it would replace. */
static inline void
limit_results (uint *results, SRC_PARAMS, int x, int y, int limit)
{
  uint array[ITEM_ROWS * ITEM_WORDS];
#pragma unroll
  for (int i = 0; i < ITEM_ROWS * ITEM_WORDS; i++)
    array[i] = results[i];
#pragma unroll 1
  for (int i = 0; i < ITEM_ROWS * ITEM_SAMPLES; i++) {
    const int column = x + i % ITEM_SAMPLES, row = y + i / ITEM_SAMPLES, bit = i % SAMPLES_PER_WORD * SAMPLE_BITS;
    if (column >= plane.width || row >= plane.height)
      continue;
    const int median = LOAD ((sample_t) (array[i / SAMPLES_PER_WORD] >> bit)), p = LOAD (SRC_SAMPLE (column, row));
    array[i / SAMPLES_PER_WORD] += (uint) (beyond (median, p, limit) - median) << (SHIFT + bit);
  }
#pragma unroll
  for (int i = 0; i < ITEM_ROWS * ITEM_WORDS; i++)
    results[i] = array[i];
}

#define MEDIAN_VALUE lanes
#define TILE_INPUT(x, y) of[(y) *TILE_ACROSS + (x)]
#define TILE_RESULT(x, y, v) medians[(y) *TILE + (x)] = v

kernel void
median_network (PLANE_ARGS, int limit, int beside)
{
  GPU_ITEM
  if (!ITEM_IN_REGION)
    return;
  uint words[TILE_DOWN * ROW_WORDS], results[ITEM_ROWS * ITEM_WORDS];
#pragma unroll
  for (int i = 0; i < ITEM_ROWS * ITEM_WORDS; i++)
    results[i] = 0;
#if NC * SAMPLE_BITS < 64
  LOAD_TILE (words);
#endif
#pragma unroll 1
  for (int set = 0; set < SETS; set++) {
    lanes of[TILE_DOWN * TILE_ACROSS], medians[ITEM_ROWS * TILE];
#if NC * SAMPLE_BITS == 64
    /* pixels of two words would take twice the registers */
    LOAD_TILE (words);
#endif
    find_lanes (of, words, set);
    MEDIAN_NETWORK (TILE_INPUT, TILE_RESULT);
    add_medians (results, medians, set);
#if NC > 1 && !WHOLE_PIXELS
#pragma unroll
    for (int w = 0; w < TILE_DOWN * ROW_WORDS; w++)
      words[w] = next_samples (words[w], w + 1 < TILE_DOWN * ROW_WORDS ? words[w + 1] : 0);
#endif
  }
  if (limit > 0)
    limit_results (results, SRC_ARGS, item_x, item_y, limit);
  store_rows (DST_ARGS, results, ITEM_ROWS, item_x, item_y);
}
