/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copies areas that reach over a plane's edge, by the border rule, so that loops of the cpu back end need no tests. areas: left, right, top
 * and bottom, or the whole region as third; in samples of the plane, also negative. begins: the first sample of each in dst; rows follow
 * each other. The first items fill a row of left and of right each, later ones a row of third, then of fourth. SHIFT is 0. */
struct areas { struct region left, right, third, fourth; };
static inline void pad_row (global const sample_t *restrict src, int src_offset, int src_stride, global sample_t *restrict dst, int row,
    struct region area, struct plane plane)
{
  if (row >= area.height)
    return;
  global sample_t *restrict to = dst + row * area.width;
  const int y = row_place (area.y + row, plane);
  if (y < 0) {
    for (int i = 0; i < area.width; i++)
      to[i] = (sample_t) plane.value;
    return;
  }

  global const sample_t *restrict from = src + src_offset + y * src_stride;
  const int left = clamp (-area.x, 0, area.width), right = clamp (plane.width - area.x, left, area.width);
  for (int i = left; i < right; i++)
    to[i] = from[area.x + i];
  for (int i = 0; i < left; i++)
    to[i] = stored_sample (from, area.x + i, plane);
  for (int i = right; i < area.width; i++)
    to[i] = stored_sample (from, area.x + i, plane);
}

kernel void pad (global const sample_t *restrict src, int src_offset, int src_stride, global sample_t *restrict dst,
    struct areas areas, int4 begins, struct plane plane)
{
  const int sides = max (areas.left.height, areas.right.height);
  int row = get_global_id (0);
  if (row < sides) {
    pad_row (src, src_offset, src_stride, dst + begins.x, row, areas.left, plane);
    pad_row (src, src_offset, src_stride, dst + begins.y, row, areas.right, plane);
    return;
  }
  row -= sides;
  if (row < areas.third.height)
    pad_row (src, src_offset, src_stride, dst + begins.z, row, areas.third, plane);
  else
    pad_row (src, src_offset, src_stride, dst + begins.w, row - areas.third.height, areas.fourth, plane);
}
