/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Erosion or dilation by a rectangle of moderate size, gpu. A group of GROUP items filters `band` rows of a strip, TURN_ROWS in each turn.
 * First an item takes minima along a column of words of the strip or its halo, whose upper rows are still in registers, into a tile in
 * local memory. Then it takes minima along rows of the tile. The host defines LEFT, TOP, WIDTH, HEIGHT, the window in pixels; ROW_ITEMS,
 * items that share a row of results; SPAN_WORDS, the words that such an item reads; LEFT_WORDS of these precede its results.
 * Wins on the H200 in docs/measurements/h200.md: erode and dilate r 7, morphology open and gradient r 3. */
enum {
  /* with an even number of samples in a pixel, neighbours of odd bytes are odd bytes, which may stay rough */
  ROUGH_ROWS = NC % 2 == 0, TURN_ROWS = 8, TURN_HEIGHT = TURN_ROWS + HEIGHT - 1, STRIP_SAMPLES = ROW_ITEMS * ITEM_SAMPLES,
  /* groups of four words in a row of the tile: one stays free after every eight, so that items that read eight words use all banks */
  ROW_FOURS = GROUP / 4 + (ITEM_WORDS == 8 ? (GROUP / 4 - 1) / 8 : 0)
};

/* Minima of adjacent windows of WIDTH pixels, the first at sample `origin`. Entry i of lanes holds samples i and i + WORD_LANES. */
static inline void row_minima (lanes *least, const uint *span, const int origin)
{
  lanes at[(SPAN_WORDS + 1) * SAMPLES_PER_WORD + 8 * NC];
  UNROLL for (int i = 0; i < SPAN_WORDS * WORD_LANES; i++)
    at[i / WORD_LANES * SAMPLES_PER_WORD + i % WORD_LANES] = lanes_of_word (span[i / WORD_LANES], i % WORD_LANES, ROUGH_ROWS);
  UNROLL for (int i = 0; i < (SPAN_WORDS - 1) * WORD_LANES; i++) {
    const int k = i / WORD_LANES * SAMPLES_PER_WORD + i % WORD_LANES;
    at[k + WORD_LANES] = second_first (at[k], at[k + SAMPLES_PER_WORD]);
  }
  UNROLL for (int c = 0; c < NC; c++)
    line_minima (least + c, at + origin + c, NC, WIDTH, (ITEM_SAMPLES - c + NC - 1) / NC);
}

static inline int place_of_four (int four) { return ITEM_WORDS == 8 ? four + four / 8 : four; }

static inline void column_minima (const uint *words, local uint *tile)
{
  lanes least[TURN_ROWS][WORD_LANES];
  UNROLL for (int i = 0; i < WORD_LANES; i++) {
    lanes of[TURN_HEIGHT], found[TURN_ROWS];
    UNROLL for (int r = 0; r < TURN_HEIGHT; r++)
      of[r] = lanes_of_word (words[r], i, true);
    line_minima (found, of, 1, HEIGHT, TURN_ROWS);
    UNROLL for (int r = 0; r < TURN_ROWS; r++)
      least[r][i] = found[r];
  }
  UNROLL for (int r = 0; r < TURN_ROWS; r++)
    tile[r * 4 * ROW_FOURS] = word_of_lanes (least[r], true);
}

kernel __attribute__ ((reqd_work_group_size (GROUP, 1, 1))) void morphology_march (PLANE_ARGS, MORPHOLOGY_ARGS, int band)
{
  local uint4 tile[2][TURN_ROWS * ROW_FOURS];
  const int item = get_local_id (0), left = region.x / ITEM_SAMPLES * ITEM_SAMPLES, end_x = region.x + region.width;
  const int strips = (end_x - left + STRIP_SAMPLES - 1) / STRIP_SAMPLES;
  const int strip_x = left + (int) get_group_id (0) % strips * STRIP_SAMPLES, x = strip_x + (item - LEFT_WORDS) * SAMPLES_PER_WORD;
  const int begin = region.y + (int) get_group_id (0) / strips * band, end = min (begin + band, region.y + region.height);
  uint words[TURN_HEIGHT];
  int places[PLACES_OF (1)];
  find_places (places, 1, x, plane);
#if PTX_LANES
  uint next[TURN_ROWS];
  load_column (words, TURN_HEIGHT, SRC_ARGS, x, begin - TOP, places);
  prepare_words (words, HEIGHT - 1, flip);
  UNROLL for (int r = 0; r < TURN_ROWS; r++)
    next[r] = words[HEIGHT - 1 + r];
#endif

  ROLLED for (int y = begin, turn = 0; y < end; y += TURN_ROWS, turn ^= 1) {
    /* `words` has the last rows of the turn before, `next` the rows loaded during it. Without PTX_LANES all rows are loaded again: PoCL
     * keeps variables that live across a barrier in memory, and builds ten times as long. */
#if PTX_LANES
    UNROLL for (int r = 0; r < TURN_ROWS; r++)
      words[HEIGHT - 1 + r] = next[r];
    prepare_words (words + HEIGHT - 1, TURN_ROWS, flip);
    if (y + TURN_ROWS < end)
      load_column (next, TURN_ROWS, SRC_ARGS, x, y + TURN_ROWS - TOP + HEIGHT - 1, places);
#else
    load_column (words, TURN_HEIGHT, SRC_ARGS, x, y - TOP, places);
    prepare_words (words, TURN_HEIGHT, flip);
#endif
    column_minima (words, (local uint *) (tile[turn] + place_of_four (item / 4)) + item % 4);
#if PTX_LANES
    UNROLL for (int r = 0; r < HEIGHT - 1; r++)
      words[r] = words[r + TURN_ROWS];
#endif
    /* one barrier is enough: the next turn writes the other tile, not the tile that items may still read */
    barrier (CLK_LOCAL_MEM_FENCE);
    ROLLED for (int i = item; i < TURN_ROWS * ROW_ITEMS; i += GROUP) {
      const int r = i / ROW_ITEMS, to_x = strip_x + i % ROW_ITEMS * ITEM_SAMPLES;
      if (to_x >= end_x || y + r >= end)
        continue;
      uint span[SPAN_WORDS], results[ITEM_WORDS];
      lanes least[ITEM_SAMPLES];
      UNROLL for (int four = 0; four < SPAN_WORDS / 4; four++)
        vstore4 (tile[turn][r * ROW_FOURS + place_of_four (i % ROW_ITEMS * ITEM_WORDS / 4 + four)], four, span);
      row_minima (least, span, LEFT_WORDS * SAMPLES_PER_WORD - LEFT * NC);
      UNROLL for (int w = 0; w < ITEM_WORDS; w++)
        results[w] = word_of_lanes (least + w * SAMPLES_PER_WORD, ROUGH_ROWS);
      finish_words (results, MORPHOLOGY, region, to_x, y + r);
      store_rows (DST_ARGS, results, 1, to_x, y + r);
    }
  }
}
