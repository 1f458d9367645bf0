/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* deblock/deblock.clh on the gpu back end, across the lines between rows, of what deblock/columns.cl made. */

/* Sample i of row r. */
#define ROW_VALUE(r, i) unpack_sample (p[r][(i) / SAMPLES_PER_WORD], (i) % SAMPLES_PER_WORD)

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
      uint p[2 * LOOK][ITEM_WORDS];
      load_rows (p[0], 2 * LOOK, ITEM_WORDS, SRC_ARGS, item_x, line - LOOK, 0);
#pragma unroll
      for (int i = 0; i < ITEM_SAMPLES; i++)
        c[i] = correction (ROW_VALUE (0, i), ROW_VALUE (1, i), ROW_VALUE (2, i), ROW_VALUE (3, i), ROW_VALUE (4, i), ROW_VALUE (5, i),
            ROW_VALUE (6, i), ROW_VALUE (7, i), limit, taps.w);
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
