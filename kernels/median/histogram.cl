/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clmedian, large windows of any rank, on the cpu back end: constant time (median/columns.clh), of 16 bit by classes
 * (median/classes.clh).
 *
 * A work item takes jobs in turn: one component of a strip of columns in a band of rows.
 *
 * strip    results of a job in x, band: in y; jobs = strips * bands * NC
 * scratch  `each` bytes, a multiple of 64, for every work item: strip + 2 * radius.x columns, and what classes need
 *
 * Wins on the processor in docs/performance.md: median 31x31. */
kernel void
median_histogram (PLANE_ARGS, int limit, int rank, int2 radius, int strip, int band, global uchar *restrict scratch, int each)
{
  const int pixels = region.width / NC, strips = (pixels + strip - 1) / strip, bands = (region.height + band - 1) / band;
  global struct column *columns = (global struct column *) (scratch + get_global_id (0) * (size_t) each);
  struct window window;

  for (int job = get_global_id (0); job < strips * bands * NC; job += get_global_size (0)) {
    const int left = job / NC % strips * strip, top = job / NC / strips * band, first = left * NC + job % NC;
    const int wide = min (strip, pixels - left), high = min (band, region.height - top);
    global const sample_t *in = src + src_offset + (region.y + top) * src_stride + region.x + first;
    global sample_t *out = dst + dst_offset + (region.y + top) * dst_stride + region.x + first;
    const sample_t mask = keep[first];
#if DEPTH > 10
    const struct tile tile = sorted_tile (radius, columns + strip + 2 * radius.x, (strip + 2 * radius.x) * (band + 2 * radius.y),
        in - radius.y * src_stride - radius.x * NC, src_stride, wide + 2 * radius.x, high + 2 * radius.y);
    global const ushort *counted = tile.classes + radius.y * tile.wide;
    const int stride = tile.wide, step = 1;
#else
    global const sample_t *counted = in - radius.x * NC;
    const int stride = src_stride, step = NC;
#endif

    columns_begin (radius, columns, wide + 2 * radius.x, counted, stride, step);
    for (int y = 0; y < high; y++) {
      window_begin (radius, &window, columns);
      for (int x = 0; x < wide; x++) {
        if (x > 0)
          window_move (radius, &window, columns, x);
        const sample_t original = in[x * NC];
        int rest = rank, median = ranked (radius, &window, columns, &rest, x);
#if DEPTH > 10
        median = value_in_class (radius, &tile, median, rest, x, y);
#endif
        out[x * NC] = merge_sample (beyond (median, LOAD (original), limit), original, mask);
      }
      if (y + 1 < high)
        columns_move (radius, columns, wide + 2 * radius.x, counted, stride, step);
      in += src_stride;
      out += dst_stride;
      counted += stride;
    }
  }
}
