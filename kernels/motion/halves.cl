/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Half pixels, by six taps: (1 -5 20 20 -5 1) / 32 of the samples around them, rounded and saturated. `step` is the distance of these samples, 1 or
 * a row. Samples between rows and columns are made from samples between columns. The plane includes its repeated edges, so the kernel treats
 * it as one row of n samples, of which an item makes SAMPLES. */
#define SAMPLES 4096

static inline int half_pixel (global const sample_t *at, int step, int most)
{
  const int v = at[-2 * step] + at[3 * step] - 5 * (at[-step] + at[2 * step]) + 20 * (at[0] + at[step]);
  return clamp ((v + 16) >> 5, 0, most);
}

ITEM_KERNEL (find_halves, (global sample_t *picture, int from_at, int to_at, int n, int step, int most), (picture, from_at, to_at, n, step,
    most))
{
#if BACKEND_CPU
  const int first = ITEM (1) * SAMPLES, end = min (first + SAMPLES, n);
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
