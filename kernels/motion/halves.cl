/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Interpolates half pixels: (a - 5 b + 20 c + 20 d - 5 e + f + 16) >> 5, limited to 0 .. most, of samples `step` apart: 1, or a stride for
 * half pixels below. The result lies between c and d, at c's index. Diagonal half pixels are interpolated down between half pixels to the
 * right. The buffer has room around a plane, which includes its repeated edges; so a launch handles the plane as one row of n samples. */
enum { SAMPLES_AT_ONCE = 4096 }; /* of an item of the cpu back end */

static inline int half_pixel (global const sample_t *at, int step, int most)
{
  const int v = at[-2 * step] + at[3 * step] - 5 * (at[-step] + at[2 * step]) + 20 * (at[0] + at[step]);
  return clamp ((v + 16) >> 5, 0, most);
}

ITEM_KERNEL (find_halves,
    (global sample_t *picture, int from_at, int to_at, int n, int step, int most), (picture, from_at, to_at, n, step, most))
{
#if BACKEND_CPU
  const int first = ITEM (1) * SAMPLES_AT_ONCE, end = min (first + SAMPLES_AT_ONCE, n);
  global const sample_t *from = picture + from_at;
  global sample_t *to = picture + to_at;
  ROW_LOOP (sizeof (int))
  for (int i = first; i < end; i++)
    to[i] = (sample_t) half_pixel (from + i, step, most);
#else
  const int i = ITEM (0);
  if (i < n)
    picture[to_at + i] = (sample_t) half_pixel (picture + from_at + i, step, most);
#endif
}
