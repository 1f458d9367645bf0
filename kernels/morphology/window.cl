/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Erosion or dilation by a rectangle that reaches one pixel to each side, gpu: an item keeps all samples in registers. The host defines
 * LEFT, TOP, WIDTH, HEIGHT, the window in pixels. Wins on the H200 in docs/measurements/h200.md: erode and dilate r 1. */
enum { WINDOW_ROWS = ITEM_ROWS + HEIGHT - 1, ITEM_LANES = ITEM_WORDS * WORD_LANES };

#if POINTS
/* Runs steps (lib/steps.clh) on a word's whole pixels, but not on the constant beyond the plane. */
static inline uint pointed_word (uint word, struct plane plane, int x, int row BEFORE_ARGS)
{
  uint result = 0;
  UNROLL for (int first = 0; first < SAMPLES_PER_WORD; first += NC) {
    const bool outside = row < 0 || row >= plane.height || x + first < 0 || x + first >= plane.width;
    int p[NC];
    UNROLL for (int c = 0; c < NC; c++)
      p[c] = unpack_sample (word, first + c);
    if (!outside || plane.border != BORDER_CONSTANT)
      RUN_POINTS (p);
    UNROLL for (int c = 0; c < NC; c++)
      result |= (uint) (p[c] << SHIFT) << (SAMPLE_BITS * (first + c));
  }
  return result;
}
#endif

kernel void morphology_window (PLANE_ARGS, MORPHOLOGY_ARGS BEFORE_ARGS)
{
  GPU_ITEM_IN_REGION
  uint words[WINDOW_ROWS * WORDS_AROUND], results[ITEM_ROWS * ITEM_WORDS];
  lanes across[WINDOW_ROWS + 1][ITEM_LANES], least[ITEM_ROWS][ITEM_LANES];
  load_around (words, WINDOW_ROWS, SRC_ARGS, item_x, item_y - TOP);
#if POINTS
  UNROLL for (int i = 0; i < WINDOW_ROWS * WORDS_AROUND; i++)
    words[i] = pointed_word (words[i], plane, item_x + (i % WORDS_AROUND - WORDS_BESIDE) * SAMPLES_PER_WORD,
        item_y - TOP + i / WORDS_AROUND BEFORE_NAMES);
#endif
  prepare_words (words, WINDOW_ROWS * WORDS_AROUND, flip);
  UNROLL for (int i = 0; i < WINDOW_ROWS * ITEM_LANES; i++) {
    const uint *word = words + i / ITEM_LANES * WORDS_AROUND + WORDS_BESIDE + i % ITEM_LANES / WORD_LANES;
    lanes v = lanes_of_word (word_beside (word, -LEFT, NC), i % WORD_LANES, true);
    UNROLL for (int dx = 1; dx < WIDTH; dx++)
      v = lower (v, lanes_of_word (word_beside (word, dx - LEFT, NC), i % WORD_LANES, true));
    across[i / ITEM_LANES][i % ITEM_LANES] = v;
  }
  UNROLL for (int i = 0; i < ITEM_LANES; i++)
    line_minima (least[0] + i, across[0] + i, ITEM_LANES, HEIGHT, ITEM_ROWS);
  UNROLL for (int r = 0; r < ITEM_ROWS; r++) {
    UNROLL for (int w = 0; w < ITEM_WORDS; w++)
      results[r * ITEM_WORDS + w] = word_of_lanes (least[r] + w * WORD_LANES, true);
    finish_words (results + r * ITEM_WORDS, MORPHOLOGY, region, item_x, item_y + r);
  }
  store_rows (DST_ARGS, results, ITEM_ROWS, item_x, item_y);
}
