/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fills a plane with one value: the neutral chroma of filters that keep only intensity. */
kernel void
fill_plane (PLANE_ARGS, int value)
{
#if BACKEND_CPU
  PLANE_BEGIN (2 * sizeof (sample_t))
  OUT (value);
  PLANE_END
#else
  GPU_ITEM
  if (!ITEM_IN_REGION)
    return;
  int values[ITEM_SAMPLES];
  UNROLL for (int i = 0; i < ITEM_SAMPLES; i++)
    values[i] = value;
  store_item (values, item_y);
#endif
}
