/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Draws the vectors into a plane of luma, grey or colours: each vector of adjacent blocks as a line from the middle of its block
 * (draw_vectors); or mixes each block half and half with its confidence (draw_confidence). An item draws a row of blocks. */
struct grid { int columns, rows, step; };
struct judged_vector { short x, y; ushort sad; uchar confidence, reserved; };

#define DRAW_ARGS                                                                                                         \
  global const struct judged_vector *restrict found, struct grid grid, int block, int row_step, int white, struct region region, \
      global const sample_t *restrict keep, global sample_t *restrict dst, int dst_offset, int dst_stride

/* Mixes one pixel with white, if it lies in the region; `share` is in 256ths. */
static inline void
draw_pixel (global sample_t *dst, int stride, global const sample_t *keep, struct region region, int x, int y, int share, int white)
{
  if (x < region.x || y < region.y || x >= region.x + region.width || y >= region.y + region.height)
    return;
  global sample_t *at = dst + y * stride + x * NC;
  for (int c = 0; c < NC; c++)
    at[c] = merge_sample (share == 256 ? white : (LOAD (at[c]) + (share * white >> 8)) >> 1, at[c], keep[x * NC + c]);
}

kernel void draw (DRAW_ARGS)
{
  const int row = (int) get_global_id (1), every = (block + grid.step - 1) / grid.step;
  if (get_global_id (0) > 0 || row >= grid.rows)
    return;
  dst += dst_offset;
  found += 2;
#if CONFIDENCE
  /* blocks at the edges also cover samples that are far from every block's middle */
  const int before = (block - grid.step) / 2, top = row ? row * grid.step + before : 0;
  const int bottom = row + 1 < grid.rows ? (row + 1) * grid.step + before : region.y + region.height;
  for (int y = top; y < bottom; y++)
    for (int x = region.x; x < region.x + region.width; x++) {
      const int column = clamp ((x - before) / grid.step, 0, grid.columns - 1);
      draw_pixel (dst, dst_stride, keep, region, x, y, found[row * grid.columns + column].confidence, white);
    }
#else
  if (row % every)
    return;
  for (int column = 0; column < grid.columns; column += every) {
    const struct judged_vector v = found[row * grid.columns + column];
    const int2 from = (int2) (column, row) * grid.step + block / 2, way = (int2) (v.x, v.y / row_step);
    const int n = max ((int) max (abs (way.x), abs (way.y)) >> 2, 1);
    for (int i = 0; i <= n; i++) {
      const int2 at = from + (way * i / n >> 2);
      draw_pixel (dst, dst_stride, keep, region, at.x, at.y, 256, white);
    }
  }
#endif
}
