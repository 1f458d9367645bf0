/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Converts between colour pixels and a plane of one sample a pixel, for the local threshold of the intensity: gray_of () makes that plane
 * for rect, in pixels; spread_gray () writes each of its values to all samples of a pixel. */
ITEM_KERNEL (gray_of, (global const sample_t *restrict src, int src_offset, int src_stride, global sample_t *restrict gray, int gray_stride,
    struct region rect, uint weights), (src, src_offset, src_stride, gray, gray_stride, rect, weights))
{
  gray += rect.y * gray_stride + rect.x;
  EACH_PLACE (sizeof (uint), rect.width, rect.height)
    gray[y * gray_stride + x] = (sample_t) intensity_at (src + (src_offset + (rect.y + y) * src_stride + (rect.x + x) * NC), weights);
}

kernel void spread_gray (PLANE_ARGS, global const sample_t *restrict gray, int gray_stride)
{
#if BACKEND_CPU
  const int y = region.y + (int) get_global_id (1);
  global const sample_t *from = src + (src_offset + y * src_stride + region.x);
  global sample_t *restrict to = dst + (dst_offset + y * dst_stride + region.x);
  global const sample_t *values = gray + (y * gray_stride + region.x / NC);
  ROW_LOOP (sizeof (uint))
  for (int x = 0; x < region.width / NC; x++)
    store_value (to + x * NC, keep, values[x], load_pixel (from + x * NC));
#else
  GPU_ITEM_IN_REGION
  int v[ITEM_SAMPLES];
  UNROLL for (int i = 0; i < ITEM_SAMPLES; i++)
    v[i] = gray[item_y * gray_stride + min (item_x + i - i % NC, plane.width - NC) / NC];
  store_item (v, item_y);
#endif
}
