/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* deblock/deblock.clh on the gpu back end, across the lines between rows, of what deblock/columns.cl made. */

kernel void
deblock_rows (PLANE_ARGS, int limit, struct grid grid, int4 taps)
{
  GPU_ITEM
  if (!ITEM_IN_REGION)
    return;
  int c[ITEM_SAMPLES];
  int c_line = 0;
#pragma unroll
  for (int i = 0; i < ITEM_SAMPLES; i++)
    c[i] = 0;
#pragma unroll 1
  for (int y = item_y; y < min (item_y + ITEM_ROWS, region.y + region.height); y++) {
    int tap, values[ITEM_SAMPLES];
    const int line = line_of_row (y, plane.height, grid.height, grid.top, &tap);
    if (line && line != c_line) {
      int p[2 * LOOK][ITEM_SAMPLES];
#pragma unroll
      for (int row = 0; row < 2 * LOOK; row++)
        load_span (p[row], item_x, ITEM_SAMPLES, line - LOOK + row, 0);
#pragma unroll
      for (int i = 0; i < ITEM_SAMPLES; i++)
        c[i] = correction (p[0][i], p[1][i], p[2][i], p[3][i], p[4][i], p[5][i], p[6][i], p[7][i], limit, taps.w);
      c_line = line;
    }
    load_span (values, item_x, ITEM_SAMPLES, y, 0);
    const int factor = line ? signed_tap (tap, taps) : 0;
#pragma unroll
    for (int i = 0; i < ITEM_SAMPLES; i++)
      values[i] = corrected (values[i], factor * c[i]);
    store_item (values, y);
  }
}
