/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clmedian, small windows of any shape and rank: finds the greatest v such that at most `rank` samples are below it, bit by bit from the
 * top, by counting the samples below each candidate. On the cpu back end values are vectors of ITEM_SAMPLES neighbours. Used if there is no
 * network, and while one is being built. */
#if BACKEND_CPU
static inline row_t value_at (SRC_PARAMS, int x, int y, bool inside) { return row_values (load_row (SRC_ROW (y) + x)); }
#define MASK(condition, type) __builtin_astype (condition, type)
#else
static inline row_t value_at (SRC_PARAMS, int x, int y, bool inside)
{ return inside ? LOAD (SRC_SAMPLE (x, y)) : load_sample (SRC_ARGS, x, y); }
#define MASK(condition, type) (-(condition))
#endif

/* The value of this rank in the window around (x, y). inside: whether it lies in the plane. A row of it has at most 255 samples. */
static inline row_t value_of_rank (SRC_PARAMS, int2 radius, int rank, int x, int y, bool inside)
{
  row_t value = 0;
  for (int bit = DEPTH - 1; bit >= 0; bit--) {
    const row_t candidate = value | row_of (1 << bit);
    counts_t below = 0;
    for (int dy = -radius.y; dy <= radius.y; dy++) {
      row_t in_row = 0;
#pragma unroll 8
      for (int dx = -radius.x; dx <= radius.x; dx++)
        in_row -= MASK (value_at (SRC_ARGS, x + dx * NC, y + dy, inside) < candidate, row_t);
      below += CONVERT_ROW (in_row, counts_t);
    }
    value |= CONVERT_ROW (MASK (below <= (counts_t) ((ushort) rank), counts_t), row_t) & row_of (1 << bit);
  }
  return value;
}

ITEM_KERNEL (median_count, (PLANE_ARGS, int limit, int rank, int2 radius), (PLANE_NAMES, limit, rank, radius))
{
#if BACKEND_CPU
  const int y = region.y + ITEM_Y;
  EACH_VECTOR (item_x) {
    const int x = region.x + item_x;
    store_result (dst + dst_offset + y * dst_stride + x, value_of_rank (SRC_ARGS, radius, rank, x, y, true), load_row (SRC_ROW (y) + x),
        load_row (keep + item_x), limit);
  }
#else
  const int x = region.x + ITEM (0), y = region.y + ITEM (1);
  if (x >= region.x + region.width || y >= region.y + region.height)
    return;
  const bool inside = x >= radius.x * NC && x + radius.x * NC < plane.width && y >= radius.y && y + radius.y < plane.height;
  const int median = value_of_rank (SRC_ARGS, radius, rank, x, y, inside), original = LOAD (SRC_SAMPLE (x, y));
  dst[dst_offset + y * dst_stride + x] = merge_sample (beyond (median, original, limit), SRC_SAMPLE (x, y), keep[x]);
#endif
}
