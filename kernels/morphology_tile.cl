/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Erosion or dilation by a small rectangle, for the gpu back end: minima of columns in registers, into a tile in local
 * memory, and out of that minima of rows. The host defines
 *
 *   LEFT, TOP, WIDTH, HEIGHT   the window, in pixels
 *   GROUP_X, GROUP_Y           the work-group, which writes GROUP_X * ITEM_SAMPLES by GROUP_Y * ITEM_ROWS samples
 */
#define TILE_ROWS (GROUP_Y * ITEM_ROWS)
#define UP_TO(n, unit) (((n) + (unit) - 1) / (unit))
/* What the tile has on either side, in fours of words. */
#define FOUR_SAMPLES (4 * SAMPLES_PER_WORD)
#define LEFT_FOURS UP_TO (LEFT * NC, FOUR_SAMPLES)
#define RIGHT_FOURS UP_TO ((WIDTH - 1 - LEFT) * NC, FOUR_SAMPLES)
#define ITEM_FOURS (ITEM_WORDS / 4)
#define PITCH (LEFT_FOURS + GROUP_X * ITEM_FOURS + RIGHT_FOURS)
#define SPAN_WORDS (4 * (LEFT_FOURS + ITEM_FOURS + RIGHT_FOURS))

/* How many windows side by side share what all of them hold. */
#define SHARING(window, n) \
  ((window) >= 8 && (n) % 8 == 0 ? 8 : (window) >= 4 && (n) % 4 == 0 ? 4 : (n) % 2 == 0 ? 2 : 1)

/* least[j * step] = the minimum of the `window` values that stand step apart from there on, for j < n; window and n are
 * constants at every call, and j is not a name in the arguments. */
#define LINE_MINIMA(least, values, step, window, n)                                                          \
  do {                                                                                                       \
    const int sharing = (window) == 1 ? 1 : SHARING (window, n);                                             \
    _Pragma ("unroll") for (int group = 0; group < (n); group += sharing)                                    \
    {                                                                                                        \
      /* before: samples from j to the shared ones; after: those behind them */                              \
      uint before[8], after[8], shared = (values)[(group + sharing - 1) * (step)];                           \
      _Pragma ("unroll") for (int j = sharing; j < (window); j++)                                            \
          shared = LEAST (shared, (values)[(group + j) * (step)]);                                           \
      before[sharing - 1] = shared;                                                                          \
      after[0] = shared;                                                                                     \
      _Pragma ("unroll") for (int j = 1; j < sharing; j++)                                                   \
      {                                                                                                      \
        const uint head = (values)[(group + sharing - 1 - j) * (step)];                                      \
        const uint tail = (values)[(group + (window) - 1 + j) * (step)];                                     \
        before[sharing - 1 - j] = j == 1 ? head : LEAST (before[sharing - j], head);                         \
        after[j] = j == 1 ? tail : LEAST (after[j - 1], tail);                                               \
      }                                                                                                      \
      _Pragma ("unroll") for (int j = 0; j < sharing; j++)                                                   \
      {                                                                                                      \
        uint v = shared;                                                                                     \
        if (j < sharing - 1)                                                                                 \
          v = LEAST (v, before[j]);                                                                          \
        if (j > 0)                                                                                           \
          v = LEAST (v, after[j]);                                                                           \
        (least)[(group + j) * (step)] = v;                                                                   \
      }                                                                                                      \
    }                                                                                                        \
  } while (0)

/* The minima of ITEM_ROWS windows, one below the other, of the word of samples that begins at x. */
static inline void
column_minima (SRC_PARAMS, int flip, int x, int y, local uint *tile)
{
  const uint flips = EVERY_SAMPLE (flip), bits = EVERY_SAMPLE (VALUE_BITS);
  uint words[ITEM_ROWS + HEIGHT - 1];
  if (ALIGNED && x >= 0 && x + SAMPLES_PER_WORD <= plane.x && y >= 0 && y + ITEM_ROWS + HEIGHT - 1 <= plane.y) {
    global const sample_t *from = src + src_offset + y * src_stride + x;
#pragma unroll
    for (int r = 0; r < ITEM_ROWS + HEIGHT - 1; r++)
      words[r] = *(global const uint *) (from + r * src_stride) & bits;
  } else {
    uint border_words[ITEM_ROWS + HEIGHT - 1];
#pragma unroll 1
    for (int r = 0; r < ITEM_ROWS + HEIGHT - 1; r++)
      border_words[r] = border_word (SRC_ARGS, x, border_index (y + r, plane.y, plane.z));
#pragma unroll
    for (int r = 0; r < ITEM_ROWS + HEIGHT - 1; r++)
      words[r] = border_words[r] & bits;
  }
  uint least[WORD_LANES][ITEM_ROWS];
#pragma unroll
  for (int i = 0; i < WORD_LANES; i++) {
    uint lanes[ITEM_ROWS + HEIGHT - 1];
#pragma unroll
    for (int r = 0; r < ITEM_ROWS + HEIGHT - 1; r++)
      lanes[r] = LANE_OF_WORD (words[r] ^ flips, i);
    LINE_MINIMA (least[i], lanes, 1, HEIGHT, ITEM_ROWS);
  }
#pragma unroll
  for (int r = 0; r < ITEM_ROWS; r++) {
    uint lanes[WORD_LANES];
#pragma unroll
    for (int i = 0; i < WORD_LANES; i++)
      lanes[i] = least[i][r];
    tile[r * 4 * PITCH] = WORD_OF_LANES (lanes);
  }
}

#if NC % SAMPLES_PER_WORD == 0

/* A pixel is whole words: windows of words. */
#define PIXEL_WORDS (NC / SAMPLES_PER_WORD)

static inline void
row_minima (const uint *words, uint *least)
{
  const int origin = 4 * LEFT_FOURS - LEFT * PIXEL_WORDS;
  uint found[WORD_LANES][ITEM_WORDS];
#pragma unroll
  for (int i = 0; i < WORD_LANES; i++) {
    uint lanes[SPAN_WORDS];
#pragma unroll
    for (int w = 0; w < SPAN_WORDS; w++)
      lanes[w] = LANE_OF_WORD (words[w], i);
#pragma unroll
    for (int p = 0; p < PIXEL_WORDS; p++)
      LINE_MINIMA (found[i] + p, lanes + origin + p, PIXEL_WORDS, WIDTH, ITEM_WORDS / PIXEL_WORDS);
  }
#pragma unroll
  for (int w = 0; w < ITEM_WORDS; w++) {
    uint lanes[WORD_LANES];
#pragma unroll
    for (int i = 0; i < WORD_LANES; i++)
      lanes[i] = found[i][w];
    least[w] = WORD_OF_LANES (lanes);
  }
}

#else

/* For every sample of the span the lanes that begin with it, as those of a word do with its first or second: minima
 * of 1, 2, 4 .. pixels. */
static inline void
row_minima (const uint *words, uint *least)
{
  uint lanes[SPAN_WORDS * SAMPLES_PER_WORD];
#pragma unroll
  for (int k = 0; k < SPAN_WORDS * SAMPLES_PER_WORD; k++) {
    const int w = k / SAMPLES_PER_WORD, i = k % SAMPLES_PER_WORD;
    const uint next = w + 1 < SPAN_WORDS ? words[w + 1] : 0;
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
      for (int k = 0; k + done * NC < SPAN_WORDS * SAMPLES_PER_WORD; k++)
        lanes[k] = LEAST (lanes[k], lanes[k + done * NC]);
      done *= 2;
    }
#pragma unroll
  for (int w = 0; w < ITEM_WORDS; w++) {
    uint found[WORD_LANES];
#pragma unroll
    for (int i = 0; i < WORD_LANES; i++) {
      const int k = LEFT_FOURS * FOUR_SAMPLES - LEFT * NC + w * SAMPLES_PER_WORD + i;
      found[i] = LEAST (lanes[k], lanes[k + (WIDTH - done) * NC]);
    }
    least[w] = WORD_OF_LANES (found);
  }
}

#endif

kernel __attribute__ ((reqd_work_group_size (GROUP_X, GROUP_Y, 1))) void
morphology_tile (PLANE_ARGS, MORPHOLOGY_ARGS)
{
  local uint4 tile[TILE_ROWS * PITCH];
  const int tile_x = ((int) get_group_id (0) * GROUP_X + region.x / ITEM_SAMPLES) * ITEM_SAMPLES;
  const int tile_y = region.y + (int) get_group_id (1) * TILE_ROWS;

  for (int unit = get_local_id (1) * GROUP_X + get_local_id (0); unit < 4 * PITCH * GROUP_Y;
       unit += GROUP_X * GROUP_Y) {
    const int column = unit % (4 * PITCH), r = unit / (4 * PITCH) * ITEM_ROWS;
    column_minima (SRC_ARGS, flip, tile_x - LEFT_FOURS * FOUR_SAMPLES + column * SAMPLES_PER_WORD, tile_y + r - TOP,
        (local uint *) tile + r * 4 * PITCH + column);
  }
  barrier (CLK_LOCAL_MEM_FENCE);

  const int item_x = tile_x + (int) get_local_id (0) * ITEM_SAMPLES;
  if (item_x >= region.x + region.z)
    return;
#pragma unroll 1
  for (int r = get_local_id (1); r < TILE_ROWS && tile_y + r < region.y + region.w; r += GROUP_Y) {
    local const uint4 *line = tile + r * PITCH + get_local_id (0) * ITEM_FOURS;
    uint words[SPAN_WORDS], least[ITEM_WORDS];
#pragma unroll
    for (int four = 0; four < SPAN_WORDS / 4; four++) {
      const uint4 quad = line[four];
      words[4 * four] = quad.x;
      words[4 * four + 1] = quad.y;
      words[4 * four + 2] = quad.z;
      words[4 * four + 3] = quad.w;
    }
    row_minima (words, least);
    store_extrema (dst, dst_offset, dst_stride, keep, region, flip, finish, joined, joined_place, other, other_place,
        src, (int2) (src_offset, src_stride), least, item_x, tile_y + r);
  }
}
