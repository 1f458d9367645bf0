/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A rectangle of a plane that reaches over the frame's edge, with what lies outside filled in by the border's rule.
 *
 * One work item copies one row: its middle as one straight loop, which the compiler turns into wide copies, and the
 * few samples on either side one by one.
 *
 *   area   x, y, width, height of the rectangle, in samples; x and y may be negative
 *   plane  width, height, border rule, border value
 */
static inline sample_t
outside_sample (global const sample_t *restrict row, int x, int4 plane)
{
  const int component = ((x % NC) + NC) % NC;
  const int column = border_index ((x - component) / NC, plane.x / NC, plane.z);
  return column < 0 ? (sample_t) (plane.w << SHIFT) : row[column * NC + component];
}

kernel void
pad (global const sample_t *restrict src, int src_offset, int src_stride, global sample_t *restrict dst,
    int dst_stride, int4 area, int4 plane)
{
  const int row = get_global_id (0);
  if (row >= area.w)
    return;
  global sample_t *restrict to = dst + row * dst_stride;
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
