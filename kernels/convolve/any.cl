/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Correlation as in convolve/convolve.cl with a matrix of any size, which is an argument: serves while the program for a new size
 * is being built. Long sums are taken row by row for rounding.
 *
 * Has no row in docs/performance.md. */
#define CONVOLVE_SUM_UP(sum, VALUE_AT)                                                                     \
  for (int j = 0; j < size.y; j++) {                                                                       \
    sum_t part = 0;                                                                                        \
    for (int i = 0; i < size.x; i++)                                                                       \
      part = MULTIPLY_ADD ((sum_t) VALUE_AT (i - size.x / 2, j - size.y / 2), taps[j * size.x + i], part); \
    sum += part;                                                                                           \
  }

kernel void
convolve_any (PLANE_ARGS, global const sum_t *restrict taps, QUOTIENT_ARGS, int2 size)
{
#if BACKEND_CPU
  /* sums of a strip of samples grow tap by tap, because compilers make vectors of the innermost loop alone */
#define ANY_STRIP 256
  const int y = region.y + ITEM_Y;
  for (int left = 0; left < region.width; left += ANY_STRIP) {
    const int n = min (ANY_STRIP, region.width - left);
    global const sample_t *from = src + (src_offset + y * src_stride + region.x + left);
    global sample_t *to = dst + (dst_offset + y * dst_stride + region.x + left);
    sum_t sum[ANY_STRIP], part[ANY_STRIP];
    for (int x = 0; x < n; x++)
      sum[x] = 0;
    for (int j = 0; j < size.y; j++) {
      for (int x = 0; x < n; x++)
        part[x] = 0;
      for (int i = 0; i < size.x; i++) {
        global const sample_t *reached = from + (j - size.y / 2) * src_stride + (i - size.x / 2) * NC;
        const sum_t tap = taps[j * size.x + i];
        ROW_LOOP (sizeof (sum_t))
        for (int x = 0; x < n; x++)
          part[x] = MULTIPLY_ADD (TO_SUM (LOAD (reached[x])), tap, part[x]);
      }
      ROW_LOOP (sizeof (sum_t))
      for (int x = 0; x < n; x++)
        sum[x] += part[x];
    }
    ROW_LOOP (sizeof (sum_t))
    for (int x = 0; x < n; x++)
      to[x] = merge_sample (QUOTIENT (sum[x]), from[x], keep[left + x]);
  }
#else
  const int x = region.x + (int) get_global_id (0) * ITEM_SAMPLES, y = region.y + (int) get_global_id (1);
  if (x >= region.x + region.width || y >= region.y + region.height)
    return;
  int values[ITEM_SAMPLES];
#define CONVOLVE_NEIGHBOUR(dx, dy) load_sample (SRC_ARGS, x + s + (dx) *NC, y + (dy))
  for (int s = 0; s < ITEM_SAMPLES; s++) {
    sum_t sum = 0;
    CONVOLVE_SUM_UP (sum, CONVOLVE_NEIGHBOUR)
    values[s] = QUOTIENT (sum);
  }
  STORE_SAMPLES (values, x, y);
#endif
}
