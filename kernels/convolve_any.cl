/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Correlation as in convolve.cl with a matrix of any size, which is an argument: serves while the program for a new size
 * is being built. Long sums are taken row by row for the sake of rounding. */
kernel void
convolve_any (PLANE_ARGS, global const sum_t *restrict taps, QUOTIENT_ARGS, int2 size)
{
#if BACKEND_CPU
  PLANE_BEGIN
  const int x = item_x;
#define NEIGHBOUR(dx, dy) PX (dx, dy)
#else
  const int x = region.x + (int) get_global_id (0), y = region.y + (int) get_global_id (1);
  if (x >= region.x + region.z || y >= region.y + region.w)
    return;
  const int at = src_offset + y * src_stride + x, to = dst_offset + y * dst_stride + x;
#define NEIGHBOUR(dx, dy) load_sample (SRC_ARGS, x + (dx) *NC, y + (dy))
#endif
  sum_t sum = 0;
  for (int j = 0; j < size.y; j++) {
    sum_t part = 0;
    for (int i = 0; i < size.x; i++)
      part = MULTIPLY_ADD ((sum_t) NEIGHBOUR (i - size.x / 2, j - size.y / 2), taps[j * size.x + i], part);
    sum += part;
  }
  dst[to] = merge_sample (QUOTIENT (sum), src[at], keep[x]);
}
