/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* linear: the mean of the rows above and below, rounded half to even. weave (WEAVE): the rows of the field before. */
static inline int
halved (int sum)
{
  return (sum + (sum >> 1 & 1)) >> 1;
}

#if BACKEND_CPU

kernel void
deinterlace_simple (FIELD_ARGS)
{
  FIELD_ROW
  if (IS_KEPT (item_y)) {
    COPY_ROW (item_dst, item_src)
    return;
  }
  OTHER_FIELD
#if WEAVE
  global const sample_t *row = FIELD_ROW_OF (earlier, item_y);
  ROW_LOOP (sizeof (sample_t))
  for (int x = 0; x < region.width; x++)
    RESULT (x, LOAD (row[x]));
#else
  global const sample_t *above = FIELD_ROW_OF (src, row_beside (item_y, -1, plane.height));
  global const sample_t *below = FIELD_ROW_OF (src, row_beside (item_y, 1, plane.height));
  ROW_LOOP (sizeof (num_t))
  for (int x = 0; x < region.width; x++)
    RESULT (x, halved (LOAD (above[x]) + LOAD (below[x])));
#endif
}

#else

static inline void
make_words (uint *words, FIELD_ARGS, int x, int y)
{
  OTHER_FIELD
#if WEAVE
  load_words_between (words, FIELD_ROW_OF (earlier, y), x, 0, plane.width, INPUTS_ALIGNED >= ALIGNED);
#else
  global const sample_t *const rows[] = {
    FIELD_ROW_OF (src, row_beside (y, -1, plane.height)), FIELD_ROW_OF (src, row_beside (y, 1, plane.height))};
  uint loaded[2][ITEM_WORDS];
  load_words_of (loaded[0], rows, 2, ITEM_WORDS, x, plane.width);
#pragma unroll
  for (int w = 0; w < ITEM_WORDS; w++) {
    words[w] = 0;
#pragma unroll
    for (int i = 0; i < SAMPLES_PER_WORD; i++)
      words[w] |= (uint) halved (unpack_sample (loaded[0][w], i) + unpack_sample (loaded[1][w], i)) << (SAMPLE_BITS * i + SHIFT);
  }
#endif
}

#endif
