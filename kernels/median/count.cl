/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clmedian, small windows of any shape and any rank: the greatest v that at most `rank` samples of the window are below. Its bits are
 * found from the top, by counting the samples below each candidate. On the cpu back end values are vectors of ITEM_SAMPLES neighbours.
 *
 * Serves where there is no network, and while one is being built. */
#if BACKEND_CPU
#define WINDOW_PARAMS global const sample_t *restrict window, int src_stride
#define WINDOW_ARGS window, src_stride
#define VALUE_AT(dx, dy) row_values (load_row (window + (dy) *src_stride + (dx) *NC))
#define MASK(condition, type) __builtin_astype (condition, type)
#else
#define WINDOW_PARAMS SRC_PARAMS, int x, int y, bool inside
#define WINDOW_ARGS SRC_ARGS, x, y, inside
#define VALUE_AT(dx, dy) (inside ? LOAD (SRC_SAMPLE (x + (dx) *NC, y + (dy))) : load_sample (SRC_ARGS, x + (dx) *NC, y + (dy)))
#define MASK(condition, type) (-(condition))
#endif

/* A row of the window has at most 255 samples. */
static inline counts_t
count_below (int2 radius, WINDOW_PARAMS, row_t candidate)
{
  counts_t total = 0;
  for (int dy = -radius.y; dy <= radius.y; dy++) {
    row_t in_row = 0;
#pragma unroll 8
    for (int dx = -radius.x; dx <= radius.x; dx++)
      in_row -= MASK (VALUE_AT (dx, dy) < candidate, row_t);
    total += CONVERT_ROW (in_row, counts_t);
  }
  return total;
}

static inline row_t
value_of_rank (int2 radius, WINDOW_PARAMS, int rank)
{
  row_t value = 0;
  for (int bit = DEPTH - 1; bit >= 0; bit--) {
    const counts_t below = count_below (radius, WINDOW_ARGS, value | row_of (1 << bit));
    value |= CONVERT_ROW (MASK (below <= (counts_t) ((ushort) rank), counts_t), row_t) & row_of (1 << bit);
  }
  return value;
}

kernel void
median_count (PLANE_ARGS, int limit, int rank, int2 radius)
{
#if BACKEND_CPU
  const int y = region.y + ITEM_Y;
  EACH_VECTOR (x) {
    global const sample_t *window = src + src_offset + y * src_stride + region.x + x;
    store_median (dst + dst_offset + y * dst_stride + region.x + x, value_of_rank (radius, WINDOW_ARGS, rank), load_row (window),
        load_row (keep + x), limit);
  }
#else
  /* one sample an item: neighbours in x are neighbours in the work-group, whose loads are loads of whole lines */
  const int x = region.x + get_global_id (0), y = region.y + get_global_id (1);
  if (x >= region.x + region.width || y >= region.y + region.height)
    return;
  const bool inside = x >= radius.x * NC && x + radius.x * NC < plane.width && y >= radius.y && y + radius.y < plane.height;
  const sample_t original = SRC_SAMPLE (x, y);
  const int median = value_of_rank (radius, WINDOW_ARGS, rank);
  dst[dst_offset + y * dst_stride + x] = merge_sample (beyond (median, LOAD (original), limit), original, keep[x]);
#endif
}
