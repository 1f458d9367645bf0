/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clmedian, windows of any shape and any rank: the value of a rank is the greatest v that at most `rank` samples of
 * the window are below. Its bits are found from the top, by counting the samples below each candidate. */
#if BACKEND_CPU

/* Lanes hold the number of samples of the window that are below the candidate. A row of the window has at most 255. */
inline counts_t
count_below (global const sample_t *window, int stride, row_t candidate)
{
  counts_t total = 0;
  for (int y = -RADIUS_Y; y <= RADIUS_Y; y++) {
    row_t in_row = 0;
#pragma unroll 8
    for (int x = -RADIUS_X; x <= RADIUS_X; x++)
      in_row -= __builtin_astype ((load_row (window + y * stride + x * NC) >> row_of (SHIFT)) < candidate, row_t);
    total += __builtin_convertvector (in_row, counts_t);
  }
  return total;
}

kernel void
median_count (PLANE_ARGS, int limit, int rank)
{
  const int x = ROW_X, y = region.y + ITEM_Y;
  global const sample_t *window = src + src_offset + y * src_stride + region.x + x;
  global sample_t *out = dst + dst_offset + y * dst_stride + region.x + x;
  const counts_t most = (counts_t) ((ushort) rank);

  row_t median = 0;
  for (int bit = DEPTH - 1; bit >= 0; bit--) {
    const row_t candidate = median | row_of (1 << bit);
    const counts_t fits = __builtin_astype (count_below (window, src_stride, candidate) <= most, counts_t);
    median |= __builtin_convertvector (fits, row_t) & row_of (1 << bit);
  }
  store_median (out, median, load_row (window), load_row (keep + x), limit);
}

#else

/* As above, for one sample, and with the border's rule where the window reaches over the edge. */
inline int
count_below (global const sample_t *restrict src, int src_offset, int src_stride, int4 plane, int x, int y, bool inside,
    int candidate)
{
  int total = 0;
  for (int dy = -RADIUS_Y; dy <= RADIUS_Y; dy++) {
    global const sample_t *p = src + src_offset + (y + dy) * src_stride + x;
    if (inside) {
#pragma unroll 8
      for (int dx = -RADIUS_X; dx <= RADIUS_X; dx++)
        total += LOAD (p[dx * NC]) < candidate;
    } else {
      for (int dx = -RADIUS_X; dx <= RADIUS_X; dx++)
        total += load_sample (SRC_ARGS, x + dx * NC, y + dy) < candidate;
    }
  }
  return total;
}

/* Neighbours in x are neighbours in the work-group, so that loads of a group are loads of whole lines. */
kernel void
median_count (PLANE_ARGS, int limit, int rank)
{
  const int x = region.x + get_global_id (0), y = region.y + get_global_id (1);
  if (x >= region.x + region.z || y >= region.y + region.w)
    return;
  const bool inside = x >= RADIUS_X * NC && x + RADIUS_X * NC < plane.x && y >= RADIUS_Y && y + RADIUS_Y < plane.y;
  int median = 0;
  for (int bit = DEPTH - 1; bit >= 0; bit--) {
    const int candidate = median | 1 << bit;
    if (count_below (SRC_ARGS, x, y, inside, candidate) <= rank)
      median = candidate;
  }
  const sample_t original = src[src_offset + y * src_stride + x];
  dst[dst_offset + y * dst_stride + x] = merge_sample (beyond (median, LOAD (original), limit), original, keep[x]);
}

#endif
