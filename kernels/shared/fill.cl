/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fills a plane with one value: the neutral chroma of filters that keep only intensity. */
ITEM_KERNEL (fill_plane, (PLANE_ARGS, int value), (PLANE_NAMES, value))
{
  PLANE_BEGIN (2 * sizeof (sample_t))
  OUT (value);
  PLANE_END
}
