/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The region, unchanged. (clEnqueueCopyBufferRect refuses planes that begin in the middle of a row of their pitch.) */
kernel void
copy_plane (PLANE_ARGS)
{
#if BACKEND_CPU
  PLANE_BEGIN (2 * sizeof (sample_t))
  item_dst[item_x] = item_src[item_x];
  PLANE_END
#else
  GPU_ITEM
  if (!ITEM_IN_REGION)
    return;
  const source_row_t from = SRC_ROW (item_y);
#if DST_IMAGE
#pragma unroll
  for (int x = item_x; x < item_x + ITEM_SAMPLES; x += NC)
    if (x >= region.x && x < region.x + region.width)
      write_pixel (dst, x / NC, dst_offset + item_y * dst_stride, ROW_PIXEL (from, x / NC));
#else
  global sample_t *to = dst + dst_offset + item_y * dst_stride + item_x;
  if (ALIGNED && item_x >= region.x && item_x + ITEM_SAMPLES <= region.x + region.width) {
#pragma unroll
    for (int w = 0; w < ITEM_WORDS; w++)
      ((global uint *) to)[w] = ROW_WORD (from, item_x + w * SAMPLES_PER_WORD);
  } else {
    for (int i = 0; i < ITEM_SAMPLES; i++)
      if (item_x + i >= region.x && item_x + i < region.x + region.width)
        to[i] = ROW_SAMPLE (from, item_x + i);
  }
#endif
#endif
}
