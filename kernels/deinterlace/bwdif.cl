/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* bwdif (deinterlace/bwdif.clh) of a plane, or a part of it. On the gpu back end, whole planes have bwdif_frame.cl. */
#if BACKEND_CPU

/* Two rows, one of the field and one that is made, or one of them if the other is `end`. */
static inline void
make_rows (FIELD_ARGS, int kept_y, int made_y, int end)
{
  global const sample_t *restrict kept_src = src + (src_offset + kept_y * src_stride + region.x);
  global sample_t *restrict kept_dst = dst + (dst_offset + kept_y * dst_stride + region.x);
  FIELD_ROW_AT (made_y)
  OTHER_FIELD
  const int y = made_y;
  BWDIF_NEEDED_ROWS
  BWDIF_LOAD_ROWS
  if (kept_y < end)
    COPY_ROW (kept_dst, kept_src)
  if (made_y == end)
    return;
  if (what & IS_ALONE) {
    ROW_LOOP (NUM_BYTES)
    for (int x = 0; x < region.width; x++)
      RESULT (x, weston_alone ((num_t) (BWDIF_U1 (x) + BWDIF_D1 (x)), (num_t) (BWDIF_U3 (x) + BWDIF_D3 (x))));
  } else if (at_edge) {
    ROW_LOOP (NUM_BYTES)
    for (int x = 0; x < region.width; x++) {
      BWDIF_AT_EDGE (x)
      RESULT (x, result);
    }
  } else {
    ROW_LOOP (NUM_BYTES)
    for (int x = 0; x < region.width; x++) {
      BWDIF_WHOLE (x)
      RESULT (x, result);
    }
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

kernel void
deinterlace_bwdif (FIELD_ARGS)
{
  GPU_ITEM
  if (!ITEM_IN_REGION)
    return;
  if (IS_KEPT (item_y)) {
    COPY_ITEM
    return;
  }
  OTHER_FIELD
  const int y = item_y;
  BWDIF_NEEDED_ROWS
  BWDIF_LOAD_ROWS
  int samples[ITEM_SAMPLES];
#pragma unroll 1
  for (int i = 0; i < ITEM_SAMPLES; i++) {
    const int x = min (item_x + i, plane.width - 1);
    BWDIF_SAMPLE (samples[i], x)
  }
  store_item (samples, y);
}

#endif
