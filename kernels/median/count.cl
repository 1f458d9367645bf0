/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clmedian, small windows of any shape and any rank, by counting (median/count.clh). */
#if BACKEND_CPU

kernel void
median_count (PLANE_ARGS, int limit, int rank, int2 radius)
{
  const int y = region.y + ITEM_Y;
  global const sample_t *window = src + src_offset + y * src_stride + region.x;
  global sample_t *out = dst + dst_offset + y * dst_stride + region.x;
  EACH_VECTOR (x)
    counted_rows (radius, window + x, src_stride, out + x, dst_stride, load_row (keep + x), limit, rank);
}

#else

/* One sample per item: neighbours in x are neighbours in the work-group, whose loads are loads of whole lines. */
kernel void
median_count (PLANE_ARGS, int limit, int rank, int2 radius)
{
  const int x = region.x + get_global_id (0), y = region.y + get_global_id (1);
  if (x >= region.x + region.width || y >= region.y + region.height)
    return;
  const int median = counted_sample (radius, SRC_ARGS, x, y, rank);
  const sample_t original = src[src_offset + y * src_stride + x];
  dst[dst_offset + y * dst_stride + x] = merge_sample (beyond (median, LOAD (original), limit), original, keep[x]);
}

#endif
