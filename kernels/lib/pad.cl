/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copies areas that reach beyond a plane's edge, by the border rule, so that loops of the cpu back end need no tests. areas: left, right,
 * top (third) and bottom (fourth), or the whole region as third; in samples of the plane, also negative. begins: where each begins in dst,
 * without gaps between rows. An item copies PAD_ROWS rows (from the host): of left and right, then of third, then of fourth. SHIFT is 0. */
struct areas { struct region left, right, third, fourth; };
ONCE void pad_row (global const sample_t *restrict src, int src_offset, int src_stride, global sample_t *restrict dst, int row,
    struct region area, struct plane plane)
{
  if (row >= area.height)
    return;
  global sample_t *restrict to = dst + row * area.width;
  const int y = row_place (area.y + row, plane), left = y < 0 ? area.width : clamp (-area.x, 0, area.width);
  const int right = clamp (plane.width - area.x, left, area.width);
  global const sample_t *restrict from = src + src_offset + y * src_stride;
  for (int i = left; i < right; i++)
    to[i] = from[area.x + i];
  NARROW_LOOP
  for (int i = left ? 0 : right; i < area.width; i = i + 1 == left ? right : i + 1)
    to[i] = y < 0 ? (sample_t) plane.value : stored_sample (from, area.x + i, plane);
}

ITEM_KERNEL (pad, (global const sample_t *restrict src, int src_offset, int src_stride, global sample_t *restrict dst, struct areas areas,
    int4 begins, struct plane plane), (src, src_offset, src_stride, dst, areas, begins, plane))
{
  const int sides = max (areas.left.height, areas.right.height), lower = sides + areas.third.height, end = lower + areas.fourth.height;
  for (int row = ITEM (0) * PAD_ROWS; row < min ((ITEM (0) + 1) * PAD_ROWS, end); row++)
    if (row < sides) {
      pad_row (src, src_offset, src_stride, dst + begins.x, row, areas.left, plane);
      pad_row (src, src_offset, src_stride, dst + begins.y, row, areas.right, plane);
    } else if (row < lower) {
      pad_row (src, src_offset, src_stride, dst + begins.z, row - sides, areas.third, plane);
    } else {
      pad_row (src, src_offset, src_stride, dst + begins.w, row - lower, areas.fourth, plane);
    }
}
