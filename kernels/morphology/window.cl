/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Erosion or dilation by a rectangle of few samples, for the gpu back end: an item has all it needs in registers. The
 * host defines LEFT, TOP, WIDTH and HEIGHT, the window in pixels.
 *
 * Wins on the H200 in docs/performance.md: erode and dilate r 1. */
#define WINDOW_LEFT_WORDS UP_TO (LEFT * NC, SAMPLES_PER_WORD)
#define WINDOW_RIGHT_WORDS UP_TO ((WIDTH - 1 - LEFT) * NC, SAMPLES_PER_WORD)
#define WINDOW_SPAN_WORDS (WINDOW_LEFT_WORDS + ITEM_WORDS + WINDOW_RIGHT_WORDS)
#define WINDOW_ROWS (ITEM_ROWS + HEIGHT - 1)
#define WINDOW_WHOLE_WORDS (ALIGNED && NC % SAMPLES_PER_WORD == 0)

/* What an item at the edge looks up: words where pixels are whole ones, else samples. */
#if WINDOW_WHOLE_WORDS
#define WINDOW_UNIT_SAMPLES SAMPLES_PER_WORD
#else
#define WINDOW_UNIT_SAMPLES 1
#endif
#define WINDOW_WORD_UNITS (SAMPLES_PER_WORD / WINDOW_UNIT_SAMPLES)
#define WINDOW_SPAN_UNITS (WINDOW_SPAN_WORDS * WINDOW_WORD_UNITS)

#if POINTS

/* The whole pixels of a word of stored samples, see lib/steps.clh. */
static inline uint
pointed_word (uint word POINT_ARGS)
{
  uint result = 0;
#pragma unroll
  for (int first = 0; first < SAMPLES_PER_WORD; first += NC) {
    int p[NC];
#pragma unroll
    for (int c = 0; c < NC; c++)
      p[c] = unpack_sample (word, first + c);
    RUN_POINTS (p);
#pragma unroll
    for (int c = 0; c < NC; c++)
      result |= (uint) (p[c] << SHIFT) << (SAMPLE_BITS * (first + c));
  }
  return result;
}

/* The sample of a row that stands at `place`. */
static inline uint
pointed_sample (global const sample_t *restrict line, int place POINT_ARGS)
{
  const int wanted = place % NC;
  int p[NC];
#pragma unroll
  for (int c = 0; c < NC; c++)
    p[c] = LOAD (line[place - wanted + c]);
  RUN_POINTS (p);
  int v = p[0];
#pragma unroll
  for (int c = 1; c < NC; c++)
    v = c == wanted ? p[c] : v;
  return (uint) (v << SHIFT);
}

#define MORPHOLOGY_POINTED_WORD(word) pointed_word ((word) POINT_NAMES)
#define MORPHOLOGY_POINTED_SAMPLE(line, place) pointed_sample (line, place POINT_NAMES)

#else
#define MORPHOLOGY_POINTED_WORD(word) (word)
#define MORPHOLOGY_POINTED_SAMPLE(line, place) (line)[place]
#endif

/* A row of the window, -1 for that of the constant; places: of the units, where the item is not between the edges. */
static inline void
load_row (uint *words, SRC_PARAMS, int item_x, int row, bool between, const int *places POINT_ARGS)
{
  global const sample_t *restrict line = src + src_offset + max (row, 0) * src_stride;
  if (between && row >= 0) {
    global const uint *from = (global const uint *) (line + item_x);
#pragma unroll
    for (int w = 0; w < WINDOW_LEFT_WORDS; w++)
      words[w] = from[w - WINDOW_LEFT_WORDS];
    load_vectors (words + WINDOW_LEFT_WORDS, from);
#pragma unroll
    for (int w = 0; w < WINDOW_RIGHT_WORDS; w++)
      words[WINDOW_LEFT_WORDS + ITEM_WORDS + w] = from[ITEM_WORDS + w];
#if POINTS
#pragma unroll
    for (int w = 0; w < WINDOW_SPAN_WORDS; w++)
      words[w] = MORPHOLOGY_POINTED_WORD (words[w]);
#endif
    return;
  }
  const uint outside = WINDOW_WHOLE_WORDS ? outside_word (plane) : (uint) plane.value << SHIFT;
#pragma unroll
  for (int w = 0; w < WINDOW_SPAN_WORDS; w++) {
    const int x = item_x + (w - WINDOW_LEFT_WORDS) * SAMPLES_PER_WORD;
    if (row >= 0 && has_word (plane, x)) {
      words[w] = MORPHOLOGY_POINTED_WORD (*(global const uint *) (line + x));
      continue;
    }
    words[w] = 0;
#pragma unroll
    for (int u = 0; u < WINDOW_WORD_UNITS; u++) {
      const int place = places[w * WINDOW_WORD_UNITS + u];
      uint unit = outside;
      if (row >= 0 && place >= 0)
#if WINDOW_WHOLE_WORDS
        unit = MORPHOLOGY_POINTED_WORD (*(global const uint *) (line + place));
#else
        unit = MORPHOLOGY_POINTED_SAMPLE (line, place);
#endif
      words[w] |= unit << (SAMPLE_BITS * u * WINDOW_UNIT_SAMPLES);
    }
  }
}

#define WINDOW_SIDES (HAS_SIDES && LEFT <= 1 && WIDTH - 1 - LEFT <= 1)
#if WINDOW_SIDES
/* The same of an item whose words, and those beside them, are the plane's. */
static inline void
load_whole_row (uint *words, SRC_PARAMS, int item_x, int row, struct sides sides POINT_ARGS)
{
  global const sample_t *restrict line = src + src_offset + max (row, 0) * src_stride;
  load_vectors (words + WINDOW_LEFT_WORDS, (global const uint *) (line + item_x));
  if (WINDOW_LEFT_WORDS)
    words[0] = *(global const uint *) (line + sides.left);
  if (WINDOW_RIGHT_WORDS)
    words[WINDOW_LEFT_WORDS + ITEM_WORDS] = *(global const uint *) (line + sides.right);
#if POINTS
#pragma unroll
  for (int w = 0; w < WINDOW_SPAN_WORDS; w++)
    words[w] = MORPHOLOGY_POINTED_WORD (words[w]);
#endif
  if (WINDOW_LEFT_WORDS)
    words[0] <<= sides.left_shift;
  if (WINDOW_RIGHT_WORDS)
    words[WINDOW_LEFT_WORDS + ITEM_WORDS] >>= sides.right_shift;
  if (plane.border == BORDER_CONSTANT) {
    const uint outside = outside_word (plane);
#pragma unroll
    for (int w = 0; w < WINDOW_SPAN_WORDS; w++)
      if (row < 0 || (w < WINDOW_LEFT_WORDS && OUTSIDE_LEFT (item_x))
          || (w >= WINDOW_LEFT_WORDS + ITEM_WORDS && OUTSIDE_RIGHT (item_x)))
        words[w] = outside;
  }
}
#endif

/* All rows of the window, by their places. */
static inline void
load_window (uint (*words)[WINDOW_SPAN_WORDS], SRC_PARAMS, int item_x, const int *line POINT_ARGS)
{
#if WINDOW_SIDES
  const struct sides sides = find_sides (plane, item_x);
  if (has_sides (plane, item_x, sides)) {
#pragma unroll
    for (int r = 0; r < WINDOW_ROWS; r++)
      load_whole_row (words[r], SRC_ARGS, item_x, line[r], sides POINT_NAMES);
    return;
  }
#endif
  const int first_x = item_x - WINDOW_LEFT_WORDS * SAMPLES_PER_WORD;
  const bool between = ALIGNED && first_x >= 0 && first_x + WINDOW_SPAN_WORDS * SAMPLES_PER_WORD <= plane.width;
  int places[WINDOW_SPAN_UNITS];
  if (!between)
#pragma unroll 1
    for (int u = 0; u < WINDOW_SPAN_UNITS; u++)
      places[u] = sample_place (first_x + u * WINDOW_UNIT_SAMPLES, plane);
#pragma unroll
  for (int r = 0; r < WINDOW_ROWS; r++)
    load_row (words[r], SRC_ARGS, item_x, line[r], between, places POINT_NAMES);
}

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
  int line[WINDOW_ROWS];
  FOLD_ROWS (line, WINDOW_ROWS, item_y - TOP);
  uint words[WINDOW_ROWS][WINDOW_SPAN_WORDS];
  load_window (words, SRC_ARGS, item_x, line POINT_NAMES);

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
