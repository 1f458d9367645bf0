/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rows between those of a field along the edges of the picture, kept within what other times allow.
 *
 * a and b are the rows above and below, from 3 pixels to the left of the sample to 3 to the right. The direction whose three pairs of
 * samples differ least is that of an edge; steep ones win ties, and a flatter one is looked at where the less flat one to its side was
 * better. */
#define YADIF_REACH 3

/* How three pairs differ that are `slant` pixels apart. */
static inline num_t
pairs (const num_t *a, const num_t *b, int slant)
{
  return total (total (distance_of (a[2 + slant], b[2 - slant]), distance_of (a[3 + slant], b[3 - slant])),
      distance_of (a[4 + slant], b[4 - slant]));
}

static inline num_t
along_edge (const num_t *a, const num_t *b)
{
  num_t value = mean (a[3], b[3]), best = less (pairs (a, b, 0), ONE);
#pragma unroll
  for (int side = -1; side <= 1; side += 2) {
    const num_t first = pairs (a, b, side), flatter = pairs (a, b, 2 * side);
    /* a flatter one is none where the first is not better */
    const num_t second = pick_below (first, best, flatter, FARTHEST);
    value = pick_below (first, best, mean (a[3 + side], b[3 - side]), value);
    best = lesser (first, best);
    value = pick_below (second, best, mean (a[3 + 2 * side], b[3 - 2 * side]), value);
    best = lesser (second, best);
  }
  return value;
}

/* Limits are those of bwdif; least: no limit where other times are not known. */
static inline num_t
yadif (num_t value, const num_t *v, num_t above, num_t below, num_t least, bool has_detail)
{
  const num_t change = greater (change_around (v, above, below), least);
  return within (value, mean (v[E0], v[L0]), has_detail ? with_detail (change, v, above, below) : change);
}

/* Two rows off is twice as far to the side where the row beside is. */
#define YADIF_PLACES                                                                                              \
  const int above = row_beside (y, -1, plane.height), below = row_beside (y, 1, plane.height);                    \
  const int up2 = clamp (2 * above - y, 0, plane.height - 1), down2 = clamp (2 * below - y, 0, plane.height - 1); \
  const bool has_detail = y != 1 && y + 2 != plane.height;                                                        \
  const num_t least = what & IS_ALONE ? LARGEST : 0;

#if BACKEND_CPU

#define MAKE_SAMPLES(from, to, value)                                 \
  for (int x = from; x < to; x++) {                                   \
    num_t v[N_LIMIT_ROWS], a[7], b[7];                                      \
    LIMIT_ROWS (ROW_NUMBER)                                           \
    load_around (a, row_above, x);                                    \
    load_around (b, row_below, x);                                    \
    RESULT (x, yadif (value, v, a[3], b[3], least, has_detail));      \
  }

static inline void
load_around (num_t *a, global const sample_t *restrict row, int x)
{
  a[0] = LOAD (row[x - 3 * NC]), a[1] = LOAD (row[x - 2 * NC]), a[2] = LOAD (row[x - NC]), a[3] = LOAD (row[x]);
  a[4] = LOAD (row[x + NC]), a[5] = LOAD (row[x + 2 * NC]), a[6] = LOAD (row[x + 3 * NC]);
}

kernel void
deinterlace_yadif (FIELD_ARGS)
{
  FIELD_ROW
  if (IS_KEPT (item_y)) {
    COPY_ROW (item_dst, item_src)
    return;
  }
  OTHER_FIELD
  const int y = item_y;
  YADIF_PLACES
  LIMIT_ROWS (ROW_VARIABLE)
  global const sample_t *restrict row_above = FIELD_ROW_OF (src, above), *restrict row_below = FIELD_ROW_OF (src, below);
  const int left = clamp (YADIF_REACH * NC - region.x, 0, region.width);
  const int right = clamp (plane.width - YADIF_REACH * NC - region.x, left, region.width);
  MAKE_SAMPLES (0, left, mean (a[3], b[3]))
  ROW_LOOP (sizeof (num_t))
  MAKE_SAMPLES (left, right, along_edge (a, b))
  MAKE_SAMPLES (right, region.width, mean (a[3], b[3]))
}

#else

/* Whole words on either side of an item. */
#define LEAD_WORDS WORDS_OF (YADIF_REACH * NC)
#define SPAN_WORDS (ITEM_WORDS + 2 * LEAD_WORDS)

/* The numbers around number i of a word. */
static inline void
take_around (num_t *a, const uint *span, int w, int i)
{
#if DEPTH == 8
  lanes at[4 * SPAN_WORDS];
  take_apart (at, span, SPAN_WORDS);
#pragma unroll
  for (int d = 0; d < 7; d++)
    a[d] = at[4 * (LEAD_WORDS + w) + i + (d - YADIF_REACH) * NC];
#else
#pragma unroll
  for (int d = 0; d < 7; d++) {
    const int at = (LEAD_WORDS + w) * SAMPLES_PER_WORD + i + (d - YADIF_REACH) * NC;
    a[d] = unpack_sample (span[at / SAMPLES_PER_WORD], at % SAMPLES_PER_WORD);
  }
#endif
}

/* Where there are pixels enough on either side: all ones. */
static inline num_t
edges_at (int x, int width)
{
#if DEPTH == 8
  return (x >= YADIF_REACH * NC && x < width - YADIF_REACH * NC ? 0xffffu : 0)
         | (x + 2 >= YADIF_REACH * NC && x + 2 < width - YADIF_REACH * NC ? 0xffff0000u : 0);
#else
  return -(num_t) (x >= YADIF_REACH * NC && x < width - YADIF_REACH * NC);
#endif
}

static inline void
make_words (uint *words, FIELD_ARGS, int x, int y)
{
  OTHER_FIELD
  YADIF_PLACES
  global const sample_t *const rows[] = {LIMIT_ROWS (ROW_POINTER)}, *const own[] = {FIELD_ROW_OF (src, above), FIELD_ROW_OF (src, below)};
  uint loaded[N_LIMIT_ROWS * ITEM_WORDS], spans[2 * SPAN_WORDS];
  load_words_of (spans, own, 2, SPAN_WORDS, x - LEAD_WORDS * SAMPLES_PER_WORD, plane.width);
  load_words_of (loaded, rows, N_LIMIT_ROWS, ITEM_WORDS, x, plane.width);
#pragma unroll
  for (int w = 0; w < ITEM_WORDS; w++) {
    words[w] = 0;
#pragma unroll
    for (int i = 0; i < NUMBERS_PER_WORD; i++) {
      num_t v[N_LIMIT_ROWS], a[7], b[7];
      take_numbers (v, loaded, N_LIMIT_ROWS, w, i);
      take_around (a, spans, w, i);
      take_around (b, spans + SPAN_WORDS, w, i);
      const num_t edges = edges_at (x + w * SAMPLES_PER_WORD + i, plane.width);
      const num_t value = (along_edge (a, b) & edges) | (mean (a[3], b[3]) & ~edges);
      words[w] |= stored_number (yadif (value, v, a[3], b[3], least, has_detail), i);
    }
  }
}

#endif
