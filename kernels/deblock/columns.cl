/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* deblock/deblock.clh on the gpu back end, across the lines between columns. */

#define DEBLOCK_LEAD ((6 * NC + SAMPLES_PER_WORD - 1) / SAMPLES_PER_WORD * SAMPLES_PER_WORD)
#define DEBLOCK_SPAN (DEBLOCK_LEAD + ITEM_SAMPLES + DEBLOCK_LEAD)

kernel void
deblock_columns (PLANE_ARGS, int limit, struct grid grid, int4 taps)
{
  GPU_ITEM
  if (!ITEM_IN_REGION)
    return;
  int v[DEBLOCK_SPAN], t[ITEM_SAMPLES];
  load_span (v, item_x - DEBLOCK_LEAD, DEBLOCK_SPAN, item_y, DEBLOCK_LEAD);
#pragma unroll
  for (int i = 0; i < ITEM_SAMPLES; i++)
    t[i] = 0;
  /* Every line that the item's pixels are within reach of, before pixel j. */
#pragma unroll
  for (int j = 1 - DEBLOCK_REACH; j < ITEM_PIXELS + DEBLOCK_REACH; j++) {
    const int line = item_x / NC + j;
    if (((line - grid.left) & (grid.width - 1)) || line <= 0 || line * NC >= plane.width)
      continue;
#pragma unroll
    for (int k = 0; k < NC; k++) {
      const int *q = v + DEBLOCK_LEAD + j * NC + k;
      const int c = correction (
          q[-4 * NC], q[-3 * NC], q[-2 * NC], q[-NC], q[0], q[NC], q[2 * NC], q[3 * NC], limit, taps.w);
#pragma unroll
      for (int i = 0; i < DEBLOCK_REACH; i++) {
        const int change = (i == 0 ? taps.x : i == 1 ? taps.y : taps.z) * c;
        if (j + i >= 0 && j + i < ITEM_PIXELS)
          t[(j + i) * NC + k] -= change;
        if (j - 1 - i >= 0 && j - 1 - i < ITEM_PIXELS)
          t[(j - 1 - i) * NC + k] += change;
      }
    }
  }
  int values[ITEM_SAMPLES];
#pragma unroll
  for (int i = 0; i < ITEM_SAMPLES; i++)
    values[i] = corrected (v[DEBLOCK_LEAD + i], t[i]);
  store_item (values, item_y);
}
