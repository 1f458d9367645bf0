/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fills a rectangle with the value of one pixel: the borders around a picture with another aspect ratio. Follows convert.clh.
 *
 * at     offset and stride, in samples
 * rect   in pixels */
kernel void
fill_pixels (global out_t *restrict to, int2 at, int4 rect, int4 pixel)
{
#if BACKEND_CPU
  const int first = 0, last = rect.z;
#else
  const int first = get_global_id (0), last = min (first + 1, rect.z);
#endif
  const int y = get_global_id (1);
  if (y >= rect.w)
    return;
  global out_t *restrict row = to + at.x + (rect.y + y) * at.y + rect.x * OUT_STEP;
  const int samples[4] = {pixel.x, pixel.y, pixel.z, pixel.w};
  for (int x = first; x < last; x++)
    for (int s = 0; s < OUT_STEP; s++)
      row[x * OUT_STEP + s] = (out_t) samples[s];
}
