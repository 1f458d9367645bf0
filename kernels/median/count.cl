/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clmedian, small windows of any shape and any rank on the cpu back end: the greatest v that at most `rank` samples of the window are
 * below. Its bits are found from the top, by counting the samples below each candidate, in vectors of ITEM_SAMPLES neighbours.
 *
 * Serves where there is no network, and while one is being built. */
#define MASK(condition, type) __builtin_astype (condition, type)

/* Around `sample`. A row of the window has at most 255 samples. */
static inline row_t
value_of_rank (global const sample_t *sample, int src_stride, int2 radius, int rank)
{
  row_t value = 0;
  for (int bit = DEPTH - 1; bit >= 0; bit--) {
    const row_t candidate = value | row_of (1 << bit);
    counts_t below = 0;
    for (int dy = -radius.y; dy <= radius.y; dy++) {
      row_t in_row = 0;
#pragma unroll 8
      for (int dx = -radius.x; dx <= radius.x; dx++)
        in_row -= MASK (row_values (load_row (sample + dy * src_stride + dx * NC)) < candidate, row_t);
      below += CONVERT_ROW (in_row, counts_t);
    }
    value |= CONVERT_ROW (MASK (below <= (counts_t) ((ushort) rank), counts_t), row_t) & row_of (1 << bit);
  }
  return value;
}

kernel void
median_count (PLANE_ARGS, int limit, int rank, int2 radius)
{
  const int y = region.y + ITEM_Y;
  EACH_VECTOR (item_x) {
    const int x = region.x + item_x;
    global const sample_t *sample = SRC_ROW (y) + x;
    store_median (dst + dst_offset + y * dst_stride + x, value_of_rank (sample, src_stride, radius, rank), load_row (sample),
        load_row (keep + item_x), limit);
  }
}
