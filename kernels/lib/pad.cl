/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rectangles of a plane that reach over the frame's edge, with what lies outside filled in by the border's rule.
 *
 *   areas   up to four rectangles: x, y, width, height, in samples; x and y may be negative. The first two, left and right,
 *           have the same rows, and the end of a row stands beside the begin of the next in memory
 *   begins  where in dst each begins; rows follow each other
 *   plane   width, height, border rule, border value
 */
#define AHEAD 16

static inline sample_t
outside_sample (global const sample_t *restrict row, int x, int4 plane)
{
  const int column = sample_column (x, NC, plane);
  return column < 0 ? (sample_t) (plane.w << SHIFT) : row[column];
}

/* What a few samples of each row want is far apart, and waiting for it takes longer than copying. */
static inline void
prefetch_row (global const sample_t *restrict src, int src_offset, int src_stride, int row, int4 area, int4 plane)
{
#if BACKEND_CPU
  const int y = row < area.w ? border_index (area.y + row, plane.y, plane.z) : -1;
  const int first = max (area.x, 0), end = min (min (area.x + area.z, plane.x), first + 256);
  for (int x = first; y >= 0 && x < end; x += 64 / (int) sizeof (sample_t))
    PREFETCH (src + src_offset + y * src_stride + x);
#endif
}

/* The middle is one straight loop, which the compiler turns into wide copies; the few samples on either side are copied one by
 * one. */
static inline void
pad_row (global const sample_t *restrict src, int src_offset, int src_stride, global sample_t *restrict dst, int row,
    int4 area, int4 plane)
{
  if (row >= area.w)
    return;
  global sample_t *restrict to = dst + row * area.z;
  const int y = border_index (area.y + row, plane.y, plane.z);
  const sample_t value = (sample_t) (plane.w << SHIFT);
  if (y < 0) {
    for (int i = 0; i < area.z; i++)
      to[i] = value;
    return;
  }

  global const sample_t *restrict from = src + src_offset + y * src_stride;
  const int left = clamp (-area.x, 0, area.z);
  const int right = clamp (plane.x - area.x, left, area.z);
  for (int i = left; i < right; i++)
    to[i] = from[area.x + i];
  for (int i = 0; i < left; i++)
    to[i] = outside_sample (from, area.x + i, plane);
  for (int i = right; i < area.z; i++)
    to[i] = outside_sample (from, area.x + i, plane);
}

/* An item copies a row of left and right, or of another. */
kernel void
pad (global const sample_t *restrict src, int src_offset, int src_stride, global sample_t *restrict dst,
    int16 areas, int4 begins, int4 plane)
{
  const int sides = max (areas.s3, areas.s7);
  int row = get_global_id (0);
  if (row < sides) {
    prefetch_row (src, src_offset, src_stride, row + AHEAD, areas.s0123, plane);
    prefetch_row (src, src_offset, src_stride, row + AHEAD, areas.s4567, plane);
    pad_row (src, src_offset, src_stride, dst + begins.x, row, areas.s0123, plane);
    pad_row (src, src_offset, src_stride, dst + begins.y, row, areas.s4567, plane);
    return;
  }
  row -= sides;
  if (row < areas.sb)
    pad_row (src, src_offset, src_stride, dst + begins.z, row, areas.s89ab, plane);
  else
    pad_row (src, src_offset, src_stride, dst + begins.w, row - areas.sb, areas.scdef, plane);
}
