/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Deinterlaces with the method whose source precedes this file (deinterlace/fields.clh). */
#if BACKEND_CPU
/* PoCL does not vectorise a loop that contains another loop with loads. */
#define LOAD_NUMBER(r) v[r] = r >= FIRST_ROW && r < END_ROW ? (num_t) LOAD (rows[r][x]) : (num_t) 0;

static inline void load_around (num_t *a, global const sample_t *row, int x, int step) /* REACH pixels on both sides */
{
  a[0] = LOAD (row[x - 3 * step]), a[1] = LOAD (row[x - 2 * step]), a[2] = LOAD (row[x - step]), a[3] = LOAD (row[x]);
  a[4] = LOAD (row[x + step]), a[5] = LOAD (row[x + 2 * step]), a[6] = LOAD (row[x + 3 * step]);
}

/* Makes samples first .. end - 1 of a row. keep has the mask of column 0. */
INLINE void make_samples (global const sample_t *const *rows, global sample_t *restrict to, global const sample_t *restrict from,
    global const sample_t *restrict keep, int first, int end, struct kind kind, int step)
{
  ROW_LOOP (sizeof (num_t))
  for (int x = first; x < end; x++) {
    num_t v[N_ROWS], a[7], b[7];
    EACH_ROW (LOAD_NUMBER)
    if (REACH) {
      load_around (a, rows[U1], x, step);
      load_around (b, rows[D1], x, step);
      v[U1] = a[3], v[D1] = b[3];
    }
    to[x] = merge_sample ((sample_t) made (v, a, b, kind), from[x], keep[x]);
  }
}

ONCE void make_row (FIELD_ARGS, int y)
{
  global const sample_t *restrict from = src + (src_offset + y * src_stride);
  global sample_t *restrict to = dst + (dst_offset + y * dst_stride);
  const int first = region.x, end = region.x + region.width;
  if (IS_KEPT (y)) {
    ROW_LOOP (sizeof (sample_t))
    for (int x = first; x < end; x++)
      to[x] = from[x];
    return;
  }
  global const sample_t *rows[N_ROWS];
  find_rows (rows, src, (int2) (src_offset, src_stride), before, before_at, after, after_at, what, y, plane.height);
  const struct kind kind = kind_of (y, plane.height, what);
  keep -= region.x;
  if (REACH) {
    const int left = clamp (REACH * NC, first, end), right = clamp (plane.width - REACH * NC, left, end);
    make_samples (rows, to, from, keep, first, left, kind, 0); /* without slants, which would read outside of the row */
    make_samples (rows, to, from, keep, left, right, (struct kind) {kind.alone, false, kind.has_detail, (num_t) -1}, NC);
    make_samples (rows, to, from, keep, right, end, kind, 0);
  } else if (kind.alone) {
    make_samples (rows, to, from, keep, first, end, (struct kind) {true, false, false, 0}, NC);
  } else if (kind.at_edge) {
    make_samples (rows, to, from, keep, first, end, (struct kind) {false, true, kind.has_detail, 0}, NC);
  } else {
    make_samples (rows, to, from, keep, first, end, (struct kind) {false, false, true, 0}, NC);
  }
}

ITEM_KERNEL (deinterlace, (FIELD_ARGS), (FIELD_NAMES))
{
  const int end = region.y + ITEM_Y + ITEM_ROWS;
  for (int y = end - ITEM_ROWS; y < end;) {
#if BYTES_AT_ONCE
    const int n = make_columns (FIELD_NAMES, y, end);
#else
    const int n = 0;
#endif
    if (n == 0)
      make_row (FIELD_NAMES, y);
    y += max (n, 1);
  }
}
#else
/* An item copies ITEM_SAMPLES of a row of the field, and makes as many of the row beside it. A launch has all planes of a frame, beside or
 * below each other, as small planes do not fill a device; unused `planes` begin behind the launch. src, dst, before, after: each
 * is one memory for all planes. keep: a plane's masks, if KEEPS. Wins on the H100 in docs/measurements: bwdif of 2160p I420. */

/* A plane in a launch: its first group, its size, the region to write, and its offset and stride in each frame. */
struct field_plane { int left, top, width, height; struct region region; int2 src, dst, before, after; };
struct field_planes { struct field_plane of[4]; };
enum { FIELDS_ALIGNED = INPUTS_ALIGNED && INPUTS_ALIGNED >= ALIGNED };
enum { GROUP_COLUMNS = 32, GROUP_ROWS = 4, LEAD_WORDS = WORDS_OF (REACH * NC), SPAN_WORDS = ITEM_WORDS + 2 * LEAD_WORDS };

/* The numbers around number i of word w of a span. */
static inline void take_around (num_t *a, const uint *span, int w, int i)
{
  lanes at[4 * SPAN_WORDS];
  if (NUMBER_LANES == 2)
    take_apart (at, span, SPAN_WORDS);
  UNROLL for (int d = 0; d <= 2 * REACH; d++) {
    const int place = (LEAD_WORDS + w) * SAMPLES_PER_WORD + i + (d - REACH) * NC;
    a[d] = NUMBER_LANES == 2 ? (num_t) at[place] : (num_t) item_sample (span, place);
  }
}

/* Makes the words of an item from rows at its place; samples beyond the ends of rows are 0. */
static inline void make_words (uint *words, global const sample_t *const *rows, struct kind kind, int x, int width)
{
  uint loaded[N_ROWS * ITEM_WORDS], spans[2 * SPAN_WORDS];
  if (REACH)
    load_words_of (spans, rows, 2, SPAN_WORDS, x - LEAD_WORDS * SAMPLES_PER_WORD, width, FIELDS_ALIGNED);
  load_words_of (loaded + FIRST_ROW * ITEM_WORDS, rows + FIRST_ROW, END_ROW - FIRST_ROW, ITEM_WORDS, x, width, FIELDS_ALIGNED);
  UNROLL for (int w = 0; w < ITEM_WORDS; w++) {
    words[w] = 0;
    UNROLL for (int i = 0; i < NUMBERS_PER_WORD; i++) {
      num_t v[N_ROWS], a[2 * REACH + 1], b[2 * REACH + 1];
      UNROLL for (int r = FIRST_ROW; r < END_ROW; r++)
        v[r] = number_of (loaded[r * ITEM_WORDS + w], i);
      if (REACH) {
        take_around (a, spans, w, i);
        take_around (b, spans + SPAN_WORDS, w, i);
        v[U1] = a[REACH], v[D1] = b[REACH];
        const int at = x + w * SAMPLES_PER_WORD + i, first = REACH * NC, end = width - REACH * NC;
        const uint lower = at >= first && at < end ? 0xffffu : 0, upper = at + 2 >= first && at + 2 < end ? 0xffff0000u : 0;
        kind.slants = (num_t) (NUMBER_LANES == 2 ? lower | upper : lower << 16 | lower);
      }
      words[w] |= stored_number (made (v, a, b, kind), i);
    }
  }
}

kernel __attribute__ ((reqd_work_group_size (GROUP_COLUMNS, GROUP_ROWS, 1))) void
deinterlace (global const sample_t *restrict src, global sample_t *restrict dst, global const sample_t *restrict before,
    global const sample_t *restrict after, struct field_planes planes, int what, global const sample_t *restrict keep)
{
  const int column = get_group_id (0), row = get_group_id (1);
  struct field_plane p = planes.of[0];
  UNROLL for (int i = 1; i < 4; i++)
    if (column >= planes.of[i].left && row >= planes.of[i].top)
      p = planes.of[i];
  const struct region region = p.region;
  const int x = ((column - p.left) * GROUP_COLUMNS + (int) get_local_id (0) + region.x / ITEM_SAMPLES) * ITEM_SAMPLES;
  const int pair = (row - p.top) * GROUP_ROWS + (int) get_local_id (1) + region.y / 2;
  const int kept_y = 2 * pair + (what & FIELD_KEEPS_BOTTOM), y = kept_y ^ 1;
  if (x >= region.x + region.width)
    return;
  uint words[ITEM_WORDS];
  if (kept_y >= region.y && kept_y < region.y + region.height) {
    load_words_between (words, src + p.src.x + kept_y * p.src.y, x, 0, p.width, FIELDS_ALIGNED);
    store_words_at (dst, p.dst.x, p.dst.y, region, words, x, kept_y);
  }
  if (y < region.y || y >= region.y + region.height)
    return;
  global const sample_t *rows[N_ROWS];
  find_rows (rows, src, p.src, before, p.before, after, p.after, what, y, p.height);
  make_words (words, rows, kind_of (y, p.height, what), x, p.width);
#if KEEPS
  uint masks[ITEM_WORDS], own[ITEM_WORDS];
  load_words_between (masks, keep, x, region.x, region.x + region.width, true);
  load_words_between (own, src + p.src.x + y * p.src.y, x, 0, p.width, FIELDS_ALIGNED);
  UNROLL for (int w = 0; w < ITEM_WORDS; w++)
    words[w] = (words[w] & masks[w]) | (own[w] & ~masks[w]);
#endif
  store_words_at (dst, p.dst.x, p.dst.y, region, words, x, y);
}
#endif
