/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Erosion or dilation by a rectangle of moderate size, for the gpu back end: a work-group goes down a strip of the
 * plane. In each turn an item takes the minima of columns of one word, with the rows above still in registers, into a tile
 * in local memory, and then out of that tile minima of rows. The host defines
 *
 *   LEFT, TOP, WIDTH, HEIGHT   the window, in pixels
 *   GROUP                      the work-group's items, one for each word of the strip and what the window reaches beside it
 *
 * Groups are jobs: strip by strip, and ITEM_ROWS rows of these at a time.
 *
 * Wins on the H200 in docs/performance.md: erode and dilate r 7, morphology open and gradient r 3.
 */
#define MORPHOLOGY_TURN_ROWS 8
/* What the tile has on either side, in fours of words. */
#define MORPHOLOGY_FOUR_SAMPLES (4 * SAMPLES_PER_WORD)
#define MORPHOLOGY_LEFT_FOURS UP_TO (LEFT * NC, MORPHOLOGY_FOUR_SAMPLES)
#define MORPHOLOGY_RIGHT_FOURS UP_TO ((WIDTH - 1 - LEFT) * NC, MORPHOLOGY_FOUR_SAMPLES)
#define MARCH_ITEM_FOURS (ITEM_WORDS / 4)
#define MORPHOLOGY_ROW_ITEMS ((GROUP / 4 - MORPHOLOGY_LEFT_FOURS - MORPHOLOGY_RIGHT_FOURS) / MARCH_ITEM_FOURS)
#define MORPHOLOGY_STRIP_SAMPLES (MORPHOLOGY_ROW_ITEMS * ITEM_SAMPLES)
#define MORPHOLOGY_MARCH_SPAN_WORDS (4 * (MORPHOLOGY_LEFT_FOURS + MARCH_ITEM_FOURS + MORPHOLOGY_RIGHT_FOURS))
/* A row of the tile, with a four left free behind every eight, so that items that read eight words each find the banks
 * of local memory evenly used. */
#define MORPHOLOGY_PLACE_OF_FOUR(four) ((four) + (MARCH_ITEM_FOURS == 2 ? (four) / 8 : 0))
#define MARCH_PITCH (MORPHOLOGY_PLACE_OF_FOUR (GROUP / 4 - 1) + 1)
#define MORPHOLOGY_COLUMN_WORDS (MORPHOLOGY_TURN_ROWS + HEIGHT - 1)

/* How many windows side by side share what all of them hold. */
#define MORPHOLOGY_SHARING(window, n) \
  ((window) >= 8 && (n) % 8 == 0 ? 8 : (window) >= 4 && (n) % 4 == 0 ? 4 : (n) % 2 == 0 ? 2 : 1)

/* least[j * step] = the minimum of the `window` values that stand step apart from there on, for j < n; window and n are
 * constants at every call, and j is not a name in the arguments. */
#define MORPHOLOGY_LINE_MINIMA(least, values, step, window, n)                       \
  do {                                                                               \
    const int sharing = (window) == 1 ? 1 : MORPHOLOGY_SHARING (window, n);          \
    _Pragma ("unroll") for (int group = 0; group < (n); group += sharing)            \
    {                                                                                \
      /* before: samples from j to the shared ones; after: those behind them */      \
      uint before[8], after[8], shared = (values)[(group + sharing - 1) * (step)];   \
      _Pragma ("unroll") for (int j = sharing; j < (window); j++)                    \
          shared = LEAST (shared, (values)[(group + j) * (step)]);                   \
      before[sharing - 1] = shared;                                                  \
      after[0] = shared;                                                             \
      _Pragma ("unroll") for (int j = 1; j < sharing; j++)                           \
      {                                                                              \
        const uint head = (values)[(group + sharing - 1 - j) * (step)];              \
        const uint tail = (values)[(group + (window) - 1 + j) * (step)];             \
        before[sharing - 1 - j] = j == 1 ? head : LEAST (before[sharing - j], head); \
        after[j] = j == 1 ? tail : LEAST (after[j - 1], tail);                       \
      }                                                                              \
      _Pragma ("unroll") for (int j = 0; j < sharing; j++)                           \
      {                                                                              \
        uint v = shared;                                                             \
        if (j < sharing - 1)                                                         \
          v = LEAST (v, before[j]);                                                  \
        if (j > 0)                                                                   \
          v = LEAST (v, after[j]);                                                   \
        (least)[(group + j) * (step)] = v;                                           \
      }                                                                              \
    }                                                                                \
  } while (0)

#define MARCH_WHOLE_WORDS (ALIGNED && NC == SAMPLES_PER_WORD)

/* The word of a column in a row, by the border's rule. The column begins with sample x, or where that is negative,
 * comes from several places; those, and rows, are negative for the constant. */
static inline uint
column_word (SRC_PARAMS, int x, const int *places, int row)
{
  global const sample_t *restrict line = src + src_offset + max (row, 0) * src_stride;
  if (x >= 0 && row >= 0)
    return *(global const uint *) (line + x);
  uint word = 0;
#if MARCH_WHOLE_WORDS
  word = outside_word (plane);
#else
#pragma unroll
  for (int i = 0; i < SAMPLES_PER_WORD; i++) {
    const int place = row < 0 ? -1 : places[i];
    word |= (place < 0 ? (uint) plane.value << SHIFT : line[place]) << (SAMPLE_BITS * i);
  }
#endif
  return word;
}

/* Words of `count` rows of a column, from row `first` on, by the border's rule; count is a constant at every call. */
#define MORPHOLOGY_LOAD_COLUMN(words, count, first)                                                \
  do {                                                                                             \
    int line[(count) + 1];                                                                         \
    _Pragma ("unroll") for (int r = 0; r < (count); r++) line[r] = row_place ((first) + r, plane); \
    _Pragma ("unroll") for (int r = 0; r < (count); r++)                                           \
        (words)[r] = MORPHOLOGY_VALUES (column_word (SRC_ARGS, x, places, line[r]), bits) ^ flips; \
  } while (0)

static inline void
column_minima (const uint *words, local uint *tile)
{
  uint least[WORD_LANES][MORPHOLOGY_TURN_ROWS];
#pragma unroll
  for (int i = 0; i < WORD_LANES; i++) {
    uint lanes[MORPHOLOGY_COLUMN_WORDS];
#pragma unroll
    for (int r = 0; r < MORPHOLOGY_COLUMN_WORDS; r++)
      lanes[r] = ROUGH_LANE (words[r], i);
    MORPHOLOGY_LINE_MINIMA (least[i], lanes, 1, HEIGHT, MORPHOLOGY_TURN_ROWS);
  }
#pragma unroll
  for (int r = 0; r < MORPHOLOGY_TURN_ROWS; r++) {
    uint lanes[WORD_LANES];
#pragma unroll
    for (int i = 0; i < WORD_LANES; i++)
      lanes[i] = least[i][r];
    tile[r * 4 * MARCH_PITCH] = WORD_OF_ROUGH (lanes);
  }
}

#if NC % SAMPLES_PER_WORD == 0

/* A pixel is whole words: windows of words. */
#define MORPHOLOGY_MARCH_PIXEL_WORDS (NC / SAMPLES_PER_WORD)

static inline void
row_minima (const uint *words, uint *least)
{
  const int origin = 4 * MORPHOLOGY_LEFT_FOURS - LEFT * MORPHOLOGY_MARCH_PIXEL_WORDS;
  uint found[WORD_LANES][ITEM_WORDS];
#pragma unroll
  for (int i = 0; i < WORD_LANES; i++) {
    uint lanes[MORPHOLOGY_MARCH_SPAN_WORDS];
#pragma unroll
    for (int w = 0; w < MORPHOLOGY_MARCH_SPAN_WORDS; w++)
      lanes[w] = ROUGH_LANE (words[w], i);
#pragma unroll
    for (int p = 0; p < MORPHOLOGY_MARCH_PIXEL_WORDS; p++)
      MORPHOLOGY_LINE_MINIMA (found[i] + p, lanes + origin + p, MORPHOLOGY_MARCH_PIXEL_WORDS, WIDTH,
          ITEM_WORDS / MORPHOLOGY_MARCH_PIXEL_WORDS);
  }
#pragma unroll
  for (int w = 0; w < ITEM_WORDS; w++) {
    uint lanes[WORD_LANES];
#pragma unroll
    for (int i = 0; i < WORD_LANES; i++)
      lanes[i] = found[i][w];
    least[w] = WORD_OF_ROUGH (lanes);
  }
}

#else

/* For every sample of the span the lanes that begin with it, as those of a word do with its first or second: minima
 * of 1, 2, 4 .. pixels. */
static inline void
row_minima (const uint *words, uint *least)
{
  uint lanes[MORPHOLOGY_MARCH_SPAN_WORDS * SAMPLES_PER_WORD];
#pragma unroll
  for (int k = 0; k < MORPHOLOGY_MARCH_SPAN_WORDS * SAMPLES_PER_WORD; k++) {
    const int w = k / SAMPLES_PER_WORD, i = k % SAMPLES_PER_WORD;
    const uint next = w + 1 < MORPHOLOGY_MARCH_SPAN_WORDS ? words[w + 1] : 0;
    if (i < WORD_LANES)
      lanes[k] = LANE_OF_WORD (words[w], i);
    else
      lanes[k] = LANE_OF_WORD (words[w], i % WORD_LANES) >> 16 | LANE_OF_WORD (next, i % WORD_LANES) << 16;
  }
  int done = 1;
#pragma unroll
  for (int level = 0; level < 5; level++)
    if (2 * done <= WIDTH) {
#pragma unroll
      for (int k = 0; k + done * NC < MORPHOLOGY_MARCH_SPAN_WORDS * SAMPLES_PER_WORD; k++)
        lanes[k] = LEAST (lanes[k], lanes[k + done * NC]);
      done *= 2;
    }
#pragma unroll
  for (int w = 0; w < ITEM_WORDS; w++) {
    uint found[WORD_LANES];
#pragma unroll
    for (int i = 0; i < WORD_LANES; i++) {
      const int k = MORPHOLOGY_LEFT_FOURS * MORPHOLOGY_FOUR_SAMPLES - LEFT * NC + w * SAMPLES_PER_WORD + i;
      found[i] = LEAST (lanes[k], lanes[k + (WIDTH - done) * NC]);
    }
    least[w] = WORD_OF_LANES (found);
  }
}

#endif

/* Where the word from sample x on is read: there, or, of one that is not whole, -1 and a place for each of its samples. */
static inline int
find_places (int *places, int x, struct plane plane)
{
#if MARCH_WHOLE_WORDS
  return sample_place (x, plane);
#else
  if (ALIGNED && x >= 0 && x + SAMPLES_PER_WORD <= plane.width)
    return x;
#pragma unroll 1
  for (int i = 0; i < SAMPLES_PER_WORD; i++)
    places[i] = sample_place (x + i, plane);
  return -1;
#endif
}

static inline void
load_span_words (uint *span, local const uint4 *row, int first)
{
#pragma unroll
  for (int four = 0; four < MORPHOLOGY_MARCH_SPAN_WORDS / 4; four++) {
    const uint4 quad = row[MORPHOLOGY_PLACE_OF_FOUR (first + four)];
    span[4 * four] = quad.x;
    span[4 * four + 1] = quad.y;
    span[4 * four + 2] = quad.z;
    span[4 * four + 3] = quad.w;
  }
}

kernel __attribute__ ((reqd_work_group_size (GROUP, 1, 1))) void
morphology_march (PLANE_ARGS, MORPHOLOGY_ARGS)
{
  local uint4 tile[2][MORPHOLOGY_TURN_ROWS * MARCH_PITCH];
  const uint flips = word_of (flip), bits = word_of (VALUE_BITS);
  const int item = get_local_id (0);
  const int left_x = region.x / ITEM_SAMPLES * ITEM_SAMPLES, end_x = region.x + region.width;
  const int strips = (end_x - left_x + MORPHOLOGY_STRIP_SAMPLES - 1) / MORPHOLOGY_STRIP_SAMPLES;
  const int strip_x = left_x + (int) get_group_id (0) % strips * MORPHOLOGY_STRIP_SAMPLES;
  const int band_y = region.y + (int) get_group_id (0) / strips * ITEM_ROWS;
  const int end_y = min (band_y + ITEM_ROWS, region.y + region.height);

  int places[SAMPLES_PER_WORD];
  const int x = find_places (places, strip_x - MORPHOLOGY_LEFT_FOURS * MORPHOLOGY_FOUR_SAMPLES + item * SAMPLES_PER_WORD,
      plane);
  uint words[MORPHOLOGY_COLUMN_WORDS];
#if PTX_LANES
  uint next[MORPHOLOGY_TURN_ROWS];
  MORPHOLOGY_LOAD_COLUMN (words, HEIGHT - 1, band_y - TOP);
  MORPHOLOGY_LOAD_COLUMN (next, MORPHOLOGY_TURN_ROWS, band_y - TOP + HEIGHT - 1);
#endif

#pragma unroll 1
  for (int y = band_y, turn = 0; y < end_y; y += MORPHOLOGY_TURN_ROWS, turn ^= 1) {
    /* Rows that the last turn had, and rows that were loaded during it. Elsewhere all are loaded again: PoCL keeps what lives
     * across a barrier in memory, and takes ten times as long to build that. */
#if PTX_LANES
#pragma unroll
    for (int r = 0; r < MORPHOLOGY_TURN_ROWS; r++)
      words[HEIGHT - 1 + r] = next[r];
    if (y + MORPHOLOGY_TURN_ROWS < end_y)
      MORPHOLOGY_LOAD_COLUMN (next, MORPHOLOGY_TURN_ROWS, y + MORPHOLOGY_TURN_ROWS - TOP + HEIGHT - 1);
#else
    MORPHOLOGY_LOAD_COLUMN (words, MORPHOLOGY_COLUMN_WORDS, y - TOP);
#endif
    column_minima (words, (local uint *) (tile[turn] + MORPHOLOGY_PLACE_OF_FOUR (item / 4)) + item % 4);
#if PTX_LANES
#pragma unroll
    for (int r = 0; r < HEIGHT - 1; r++)
      words[r] = words[r + MORPHOLOGY_TURN_ROWS];
#endif
    /* one barrier will do: the tile that is written next is not the one that others may still read */
    barrier (CLK_LOCAL_MEM_FENCE);

#pragma unroll 1
    for (int i = item; i < MORPHOLOGY_TURN_ROWS * MORPHOLOGY_ROW_ITEMS; i += GROUP) {
      const int r = i / MORPHOLOGY_ROW_ITEMS, first = i % MORPHOLOGY_ROW_ITEMS * MARCH_ITEM_FOURS;
      const int to_x = strip_x + i % MORPHOLOGY_ROW_ITEMS * ITEM_SAMPLES;
      if (to_x >= end_x || y + r >= end_y)
        continue;
      uint span[MORPHOLOGY_MARCH_SPAN_WORDS], least[ITEM_WORDS];
      load_span_words (span, tile[turn] + r * MARCH_PITCH, first);
      row_minima (span, least);
      store_extrema (dst, dst_offset, dst_stride, keep, region, flip, finish, joined, joined_place, other, other_place,
          src, (int2) (src_offset, src_stride), least, to_x, y + r);
    }
  }
}
