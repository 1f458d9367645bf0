/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A rectangle of a plane in one colour, or in squares of two, eight pixels wide.
 *
 * at      offset and stride, in samples
 * rect    in pixels
 * even    stored samples of a pixel of the squares at both ends of the diagonal; odd: of the others */
kernel void
fill_squares (global sample_t *restrict to, int2 at, int4 rect, int4 even, int4 odd)
{
  const int y = rect.y + (int) get_global_id (1);
#if BACKEND_CPU
  const int first = 0, last = rect.z;
#else
  const int first = get_global_id (0), last = min (first + 1, rect.z);
#endif
  if (y >= rect.y + rect.w)
    return;
  global sample_t *restrict row = to + at.x + y * at.y + rect.x * NC;
  const int evens[4] = {even.x, even.y, even.z, even.w}, odds[4] = {odd.x, odd.y, odd.z, odd.w};
  for (int x = first; x < last; x++)
#pragma unroll
    for (int c = 0; c < NC; c++)
      row[x * NC + c] = (sample_t) (((rect.x + x) ^ y) & 8 ? odds[c] : evens[c]);
}
