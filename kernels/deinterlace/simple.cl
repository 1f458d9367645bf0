/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef WEAVE
#define WEAVE 0
#endif
/* WEAVE is 1 for weave, else 0. linear: the mean of the rows above and below, rounded half to even. weave: the rows of the field before. */
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
  global const sample_t *const rows[] = {
#if WEAVE
    FIELD_ROW_OF (earlier, y)
#else
    FIELD_ROW_OF (src, row_beside (y, -1, plane.height)), FIELD_ROW_OF (src, row_beside (y, 1, plane.height))
#endif
  };
  uint loaded[(WEAVE ? 1 : 2) * ITEM_WORDS];
  load_words_of (loaded, rows, WEAVE ? 1 : 2, ITEM_WORDS, x, plane.width);
#pragma unroll
  for (int w = 0; w < ITEM_WORDS; w++) {
    words[w] = 0;
#pragma unroll
    for (int i = 0; i < SAMPLES_PER_WORD; i++) {
      const int v = unpack_sample (loaded[w], i);
      words[w] |= (uint) (WEAVE ? v : halved (v + unpack_sample (loaded[(WEAVE ? 0 : ITEM_WORDS) + w], i))) << (SAMPLE_BITS * i + SHIFT);
    }
  }
}

#endif
