/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Runs several filters of single pixels in one pass (lib/steps.clh). */
#if BACKEND_CPU
ITEM_KERNEL (run_points, (PLANE_ARGS POINT_ARGS), (PLANE_NAMES POINT_NAMES))
{
  const int y = region.y + ITEM (1);
  global const sample_t *restrict from = src + (src_offset + y * src_stride + region.x);
  global sample_t *restrict to = dst + (dst_offset + y * dst_stride + region.x);
  WIDE_LOOP
  for (int x = 0; x < region.width; x += NC)
    put_pixel (to + x, run_pixel (load_pixel (from + x) POINT_NAMES));
}
#else
kernel void run_points (PLANE_ARGS POINT_ARGS)
{
  GPU_ITEM_IN_REGION
  uint words[ITEM_ROWS][WORDS_OF (ITEM_SAMPLES)];
  UNROLL for (int r = 0; r < ITEM_ROWS; r++)
    load_words (words[r], min (item_y + r, plane.height - 1));
  UNROLL for (int r = 0; r < ITEM_ROWS; r++) {
    int v[ITEM_SAMPLES];
    UNROLL for (int i = 0; i < ITEM_SAMPLES; i++)
      v[i] = item_sample (words[r], i);
    UNROLL for (int p = 0; p < ITEM_SAMPLES; p += NC)
      RUN_POINTS (v + p);
#if SHIFT || IN_WORDS || DST_IMAGE || (SPARE_BITS && NC > 1) /* samples that are not filtered keep the bits beside their values */
    store_item (v, item_y + r);
#else
    pack_samples (words[r], v);
    store_words (words[r], item_y + r);
#endif
  }
}
#endif
