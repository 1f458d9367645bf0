/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Erosion or dilation by a rectangle of few samples, for the gpu back end: an item has all it needs in registers. The
 * host defines LEFT, TOP, WIDTH and HEIGHT, the window in pixels.
 *
 * Wins on the H200 in docs/performance.md: erode and dilate r 1. */
#if LEFT <= 1 && WIDTH - 1 - LEFT <= 1
#define WINDOW_LEFT_WORDS WORDS_BESIDE
#define WINDOW_RIGHT_WORDS WORDS_BESIDE
#else
#define WINDOW_LEFT_WORDS UP_TO (LEFT * NC, SAMPLES_PER_WORD)
#define WINDOW_RIGHT_WORDS UP_TO ((WIDTH - 1 - LEFT) * NC, SAMPLES_PER_WORD)
#endif
#define WINDOW_SPAN_WORDS (WINDOW_LEFT_WORDS + ITEM_WORDS + WINDOW_RIGHT_WORDS)
#define WINDOW_ROWS (ITEM_ROWS + HEIGHT - 1)

#if POINTS

/* The whole pixels of a word of stored samples, see lib/steps.clh, but not the constant beyond the plane. */
static inline uint
pointed_word (uint word, struct plane plane, int x, int row POINT_ARGS)
{
  uint result = 0;
#pragma unroll
  for (int first = 0; first < SAMPLES_PER_WORD; first += NC) {
    const bool outside = plane.border == BORDER_CONSTANT && (row < 0 || row >= plane.height || x + first < 0 || x + first >= plane.width);
    int p[NC];
#pragma unroll
    for (int c = 0; c < NC; c++)
      p[c] = unpack_sample (word, first + c);
    if (!outside)
      RUN_POINTS (p);
#pragma unroll
    for (int c = 0; c < NC; c++)
      result |= (uint) (p[c] << SHIFT) << (SAMPLE_BITS * (first + c));
  }
  return result;
}

#endif

/* The word that begins with sample i of a row of the window. */
static inline uint
word_from (const uint *words, int i)
{
  const int w = i / SAMPLES_PER_WORD, bits = i % SAMPLES_PER_WORD * SAMPLE_BITS;
  return bits ? words[w] >> bits | words[w + 1] << (32 - bits) : words[w];
}

kernel void
morphology_window (PLANE_ARGS, MORPHOLOGY_ARGS POINT_ARGS)
{
  GPU_ITEM
  if (!ITEM_IN_REGION)
    return;
  uint words[WINDOW_ROWS][WINDOW_SPAN_WORDS];
  const int x = item_x - WINDOW_LEFT_WORDS * SAMPLES_PER_WORD, y = item_y - TOP;
#if LEFT <= 1 && WIDTH - 1 - LEFT <= 1
  load_around (words[0], WINDOW_ROWS, SRC_ARGS, item_x, y);
#else
  load_rows (words[0], WINDOW_ROWS, WINDOW_SPAN_WORDS, SRC_ARGS, x, y, WINDOW_LEFT_WORDS * SAMPLES_PER_WORD);
#endif
#if POINTS
#pragma unroll
  for (int i = 0; i < WINDOW_ROWS * WINDOW_SPAN_WORDS; i++)
    words[i / WINDOW_SPAN_WORDS][i % WINDOW_SPAN_WORDS] = pointed_word (words[i / WINDOW_SPAN_WORDS][i % WINDOW_SPAN_WORDS], plane,
        x + i % WINDOW_SPAN_WORDS * SAMPLES_PER_WORD, y + i / WINDOW_SPAN_WORDS POINT_NAMES);
#endif

  /* of each row the minima of samples side by side, and then of these */
  const uint flips = word_of (flip), bits = word_of (VALUE_BITS);
  uint least[WINDOW_ROWS][WORD_LANES][ITEM_WORDS];
#pragma unroll
  for (int r = 0; r < WINDOW_ROWS; r++) {
#pragma unroll
    for (int w = 0; w < WINDOW_SPAN_WORDS; w++)
      words[r][w] = MORPHOLOGY_VALUES (words[r][w], bits) ^ flips;
#pragma unroll
    for (int w = 0; w < ITEM_WORDS; w++)
#pragma unroll
      for (int i = 0; i < WIDTH; i++) {
        const uint word = word_from (words[r], (WINDOW_LEFT_WORDS + w) * SAMPLES_PER_WORD + (i - LEFT) * NC);
#pragma unroll
        for (int lane = 0; lane < WORD_LANES; lane++) {
          const uint v = ROUGH_LANE (word, lane);
          least[r][lane][w] = i == 0 ? v : LEAST (least[r][lane][w], v);
        }
      }
  }
#pragma unroll
  for (int r = 0; r < ITEM_ROWS; r++) {
    uint results[ITEM_WORDS];
#pragma unroll
    for (int w = 0; w < ITEM_WORDS; w++) {
      uint lanes[WORD_LANES];
#pragma unroll
      for (int lane = 0; lane < WORD_LANES; lane++) {
        lanes[lane] = least[r][lane][w];
#pragma unroll
        for (int i = 1; i < HEIGHT; i++)
          lanes[lane] = LEAST (lanes[lane], least[r + i][lane][w]);
      }
      results[w] = WORD_OF_ROUGH (lanes);
    }
    store_extrema (dst, dst_offset, dst_stride, keep, region, flip, finish, joined, joined_place, other, other_place,
        src, (int2) (src_offset, src_stride), results, item_x, item_y + r);
  }
}
