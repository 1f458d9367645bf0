/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clmedian, square windows of 2 * RADIUS + 1 and middle rank, gpu: a branchless selection network (networks.py). An item finds medians of
 * TILE x ITEM_ROWS pairs of windows, which share most samples, in two 16-bit lanes, for each of SETS sets of samples. With an even NC a
 * pair is of one pixel, of four bytes the even, then the odd ones; else of pixels half an item apart. PACKED (4:2:2): a sample is 16 bits,
 * a byte of luma and one of chroma; the first set is luma, half an item apart, the second U and V of a word, whose next column is the next
 * word; `beside` is the chroma of BORDER_CONSTANT. LIMITED: limit is not 0. A loop over the sets runs faster than twice the text. It moves
 * array elements: an index by the set would put them into memory. Wins in docs/measurements: 3x3 to 7x7 on the H200; YUY2, 3x3. */
#define LUMA_BITS (0x00ff00ffu << SHIFT)
enum {
  IN_PIXELS = MOST_NC % 2 == 0, TILE = ITEM_SAMPLES / MOST_NC / (IN_PIXELS ? 1 : 2), SETS = PACKED ? 2 : IN_PIXELS ? MOST_NC / 2 : MOST_NC,
  TILE_ACROSS = TILE + 2 * RADIUS, TILE_DOWN = ITEM_ROWS + 2 * RADIUS, TILE_SIZE = TILE_ACROSS * TILE_DOWN,
  HALO_WORDS = PACKED ? RADIUS : WORDS_OF (RADIUS * MOST_NC), ROW_WORDS = ITEM_WORDS + 2 * HALO_WORDS, SOURCE_WORDS = TILE_DOWN * ROW_WORDS,
  /* whether words are loaded for each set: pixels of two words would take twice the registers */
  RELOADS = MOST_NC * SAMPLE_BITS == 64 || (SPARES_REGISTERS && MOST_NC == 4 && RADIUS > 1)
};

#if PACKED
/* Loads a tile like load_block (): luma is found by samples, chroma by pixels of two. */
static inline void load_packed (uint *words, SRC_PARAMS, int x, int y, int beside)
{
  if (ALIGNED && x >= 0 && x + 2 * ROW_WORDS <= plane.width && y >= 0 && y + TILE_DOWN <= plane.height) {
    load_whole_rows (words, TILE_DOWN, ROW_WORDS, SRC_ARGS, x, y, 2 * HALO_WORDS);
    return;
  }
  uint array[SOURCE_WORDS];
  int places[PLACES_OF (ROW_WORDS)];
  find_places (places, ROW_WORDS, x, plane);
  ROLLED for (int r = 0; r < TILE_DOWN; r++) {
    const int row = row_place (y + r, plane);
    uint luma[ROW_WORDS];
    load_placed (luma, ROW_WORDS, SRC_ARGS, row, places);
    ROLLED for (int w = 0; w < ROW_WORDS; w++) {
      const int pixel = border_index (x / 2 + w, plane.width / 2, plane.border);
      global const sample_t *chroma = SRC_ROW (max (row, 0)) + 2 * max (pixel, 0);
      *room_for (array, SOURCE_WORDS, 1, r * ROW_WORDS + w) = (next_of (luma, ROW_WORDS, w) & LUMA_BITS)
          | (row < 0 || pixel < 0 ? word_of ((uint) beside << CHROMA_SHIFT) : (chroma[0] | (uint) chroma[1] << 16) & ~LUMA_BITS);
    }
  }
  UNROLL for (int i = 0; i < SOURCE_WORDS; i++)
    words[i] = array[i];
}
#define LOAD_TILE(words) load_packed (words, SRC_ARGS, item_x - 2 * HALO_WORDS, item_y - RADIUS, beside)
#elif RADIUS == 1
#define LOAD_TILE(words) load_around (words, TILE_DOWN, SRC_ARGS, item_x, item_y - RADIUS)
#else
#define LOAD_TILE(words) \
  load_block (words, TILE_DOWN, ROW_WORDS, SRC_ARGS, item_x - HALO_WORDS * SAMPLES_PER_WORD, item_y - RADIUS, HALO_WORDS * SAMPLES_PER_WORD)
#endif

static inline lanes lanes_of (const uint *row, const int x, int set, const int n) /* both lanes of column x; a pixel has n samples */
{
  const int first = HALO_WORDS * SAMPLES_PER_WORD + (x - RADIUS) * n, w = first / SAMPLES_PER_WORD, i = first % SAMPLES_PER_WORD;
  if (n % 2 == 0 && SAMPLE_BITS == 8)
    return n == 4 ? alternate_bytes (row[w], set) : neighbour_bytes (row[w], i);
  const uint one = row[w], other = row[n % 2 ? (first + TILE * n) / SAMPLES_PER_WORD : w + n / 4];
  const uint word = n % 2 ? pair_of (one, other, i) : set == 0 ? one : other;
  const uint bounded = SPARE_BITS ? lower (word, (uint) (MAX_VALUE << SHIFT) * 0x00010001u) : word;
  return SAMPLE_BITS == 8 ? word : bounded >> SHIFT & MAX_VALUE * 0x00010001u;
}

static inline void take_tile (lanes *of, const uint *words, int set, const int n)
{
  UNROLL for (int i = 0; i < TILE_SIZE; i++) {
    const uint *row = words + i / TILE_ACROSS * ROW_WORDS;
    of[i] = PACKED && set > 0 ? row[i % TILE_ACROSS] >> CHROMA_SHIFT & 0x00ff00ff : lanes_of (row, i % TILE_ACROSS, set, n);
  }
}

static inline void find_samples (int *values, const lanes *medians, const int n) /* of a row; the samples of other sets are 0 */
{
  UNROLL for (int i = 0; i < ITEM_SAMPLES; i++) {
    const bool second = n % 2 == 0 ? i % n > 0 : i / n >= TILE;
    values[i] = n % 2 && i % n < n - 1 ? 0 : second ? medians[i / n % TILE] >> 16 : medians[i / n % TILE];
  }
}

/* Adds the medians of one set, medians[y * TILE + x], to results, words as they are stored. */
static inline void add_medians (uint *results, const lanes *medians, int set, struct plane plane)
{
  if (PACKED && set > 0) {
    UNROLL for (int i = 0; i < ITEM_ROWS * TILE; i++)
      results[i] |= medians[i] << CHROMA_SHIFT;
    return;
  }
#if MOST_NC == 4
  UNROLL for (int i = 0; i < ITEM_ROWS * TILE; i++) {
    const int last = (i + 1) * MOST_NC / SAMPLES_PER_WORD - 1;
    if (SAMPLE_BITS == 16)
      results[last - 1] = results[last];
    results[last] = SAMPLE_BITS == 16 ? medians[i] << SHIFT : results[last] + medians[i] * (set == 0 ? 1 : 256);
  }
#else
  UNROLL for (int w = 0; w < (MOST_NC == 3 ? ITEM_ROWS * ITEM_WORDS : 0); w++)
    results[w] = next_samples (results[w], w + 1 < ITEM_ROWS * ITEM_WORDS ? results[w + 1] : 0);
  UNROLL for (int r = 0; r < ITEM_ROWS; r++) {
    int values[ITEM_SAMPLES];
    uint words[ITEM_WORDS];
    ANY_PIXEL && NC == 1 ? find_samples (values, medians + r * TILE, 1) : find_samples (values, medians + r * TILE, MOST_NC);
    pack_samples (words, values);
    UNROLL for (int w = 0; w < ITEM_WORDS; w++)
      results[r * ITEM_WORDS + w] |= words[w];
  }
#endif
}

typedef lanes network_t;
#define TILE_INPUT(x, y) of[(y) *TILE_ACROSS + (x)]
#define TILE_RESULT(x, y, v) medians[(y) *TILE + (x)] = v

kernel void median_network (PLANE_ARGS, int limit, int beside)
{
  GPU_ITEM_IN_REGION
  uint words[SOURCE_WORDS], results[ITEM_ROWS * ITEM_WORDS] = {0};
  if (!RELOADS)
    LOAD_TILE (words);
  ROLLED for (int set = 0; set < SETS; set++) {
    lanes of[TILE_SIZE], medians[ITEM_ROWS * TILE];
    if (RELOADS)
      LOAD_TILE (words);
    ANY_PIXEL && NC == 1 ? take_tile (of, words, set, 1) : take_tile (of, words, set, MOST_NC);
    NETWORK (TILE_INPUT, TILE_RESULT);
    UNROLL for (int i = 0; i < (LIMITED ? ITEM_ROWS * TILE : 0); i++) {
      const lanes median = medians[i], p = of[(i / TILE + RADIUS) * TILE_ACROSS + i % TILE + RADIUS];
      const uint far = as_uint (as_ushort2 (higher (median, p) - lower (median, p)) > (ushort2) ((ushort) limit));
      medians[i] = (median & far) | (p & ~far);
    }
    add_medians (results, medians, set, plane);
    UNROLL for (int w = 0; w < (MOST_NC == 3 ? SOURCE_WORDS : 0); w++)
      words[w] = next_samples (words[w], w + 1 < SOURCE_WORDS ? words[w + 1] : 0);
  }
  store_rows (DST_ARGS, results, ITEM_ROWS, item_x, item_y);
}
