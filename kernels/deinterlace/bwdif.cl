/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* bwdif (deinterlace/bwdif.clh). On the gpu back end deinterlace/planes.cl has the kernel. */
#if BACKEND_CPU

#define MAKE_ROW(alone, at_edge, has_detail)        \
  ROW_LOOP (sizeof (num_t))                         \
  for (int x = 0; x < region.width; x++) {          \
    num_t v[N_ROWS];                                \
    BWDIF_ROWS (ROW_NUMBER)                         \
    RESULT (x, bwdif (v, alone, at_edge, has_detail)); \
  }

/* Two rows, one of the field and one that is made, or one of them if the other is `end`. */
static inline void
make_rows (FIELD_ARGS, int kept_y, int made_y, int end)
{
  global const sample_t *restrict kept_src = src + (src_offset + kept_y * src_stride + region.x);
  global sample_t *restrict kept_dst = dst + (dst_offset + kept_y * dst_stride + region.x);
  FIELD_ROW_AT (made_y)
  OTHER_FIELD
  const int y = made_y;
  BWDIF_PLACES
  BWDIF_ROWS (ROW_VARIABLE)
  if (kept_y < end)
    COPY_ROW (kept_dst, kept_src)
  if (made_y == end)
    return;
  if (alone) {
    MAKE_ROW (true, true, true)
  } else if (at_edge) {
    MAKE_ROW (false, true, has_detail)
  } else {
    MAKE_ROW (false, false, true)
  }
}

/* How many pairs of rows from y on, of which made_y is in the first, have all that vectors of bytes need. */
static inline int
byte_pairs (struct region region, struct plane plane, int what, int y, int made_y, int end)
{
  if (!BYTES_AT_ONCE || region.width < BYTES_AT_ONCE || (what & IS_ALONE) || made_y < 4)
    return 0;
  return min ((end - y) / 2, (plane.height - 3 - made_y) / 2);
}

#define FIELD_VALUES \
  src, src_offset, src_stride, dst, dst_offset, dst_stride, keep, region, plane, before, before_at, after, after_at, what

kernel void
deinterlace_bwdif (FIELD_ARGS)
{
  const int end = region.y + ITEM_Y + ITEM_ROWS;
  for (int y = end - ITEM_ROWS; y < end;) {
    const int kept_y = IS_KEPT (y) ? y : y + 1, made_y = 2 * y + 1 - kept_y;
    const int pairs = byte_pairs (region, plane, what, y, made_y, end);
    if (pairs <= 0) {
      make_rows (FIELD_VALUES, kept_y, made_y, end);
      y += 2;
      continue;
    }
#if BYTES_AT_ONCE
    for (int left = 0; left < region.width; left += BYTES_AT_ONCE)
      make_column (FIELD_VALUES, region.x + min (left, region.width - BYTES_AT_ONCE), made_y, kept_y, pairs);
#endif
    y += 2 * pairs;
  }
}

#else

static inline void
make_words (uint *words, FIELD_ARGS, int x, int y)
{
  OTHER_FIELD
  BWDIF_PLACES
  global const sample_t *const rows[] = {BWDIF_ROWS (ROW_POINTER)};
  uint loaded[N_ROWS * ITEM_WORDS];
  load_words_of (loaded, rows, N_ROWS, ITEM_WORDS, x, plane.width);
#pragma unroll
  for (int w = 0; w < ITEM_WORDS; w++) {
    words[w] = 0;
#pragma unroll
    for (int i = 0; i < NUMBERS_PER_WORD; i++) {
      num_t v[N_ROWS];
      take_numbers (v, loaded, N_ROWS, w, i);
      words[w] |= stored_number (bwdif (v, alone, at_edge, has_detail), i);
    }
  }
}

#endif
