/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copies the region unchanged. (clEnqueueCopyBufferRect refuses planes that begin in the middle of a row of their pitch.) */
ITEM_KERNEL (copy_plane, (PLANE_ARGS), (PLANE_NAMES))
{
#if BACKEND_CPU
  PLANE_BEGIN (2 * sizeof (sample_t))
  item_dst[item_x] = item_src[item_x];
  PLANE_END
#else
  GPU_ITEM_IN_REGION
#if DST_IMAGE
  const source_row_t from = SRC_ROW (item_y);
  UNROLL for (int x = item_x; x < item_x + ITEM_SAMPLES; x += NC)
    if (x >= region.x && x < region.x + region.width)
      write_pixel (dst, x / NC, dst_offset + item_y * dst_stride, ROW_PIXEL (from, x / NC));
#else
  uint words[WORDS_OF (ITEM_SAMPLES)];
  load_words (words, item_y);
  store_words (words, item_y);
#endif
#endif
}
