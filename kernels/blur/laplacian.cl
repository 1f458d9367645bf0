/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* out = round (in + amount * (4 * in - the neighbours above, below, left and right)) */
static inline int
sharpened (int in, int difference, float amount)
{
  return round_saturate (fma (amount, (float) difference, (float) in));
}

kernel void
laplacian (PLANE_ARGS, float amount)
{
#if BACKEND_CPU
  PLANE_BEGIN (sizeof (short))
  const int in = VAL;
  OUT (sharpened (in, 4 * in - PX (-1, 0) - PX (1, 0) - PX (0, -1) - PX (0, 1), amount));
  PLANE_END
#else
  GPU_ITEM
  if (!ITEM_IN_REGION)
    return;
#define LAPLACIAN_REACH ((NC + SAMPLES_PER_WORD - 1) / SAMPLES_PER_WORD * SAMPLES_PER_WORD)
#define LAPLACIAN_SPAN (LAPLACIAN_REACH + ITEM_SAMPLES + LAPLACIAN_REACH)
  int v[ITEM_ROWS + 2][LAPLACIAN_SPAN];
#pragma unroll
  for (int r = 0; r < ITEM_ROWS + 2; r++)
    load_span (v[r], item_x - LAPLACIAN_REACH, LAPLACIAN_SPAN, item_y + r - 1, LAPLACIAN_REACH);
#pragma unroll
  for (int r = 0; r < ITEM_ROWS; r++) {
    int results[ITEM_SAMPLES];
#pragma unroll
    for (int s = 0; s < ITEM_SAMPLES; s++) {
      const int x = LAPLACIAN_REACH + s, in = v[r + 1][x];
      const int sum = v[r][x] + v[r + 2][x] + v[r + 1][x - NC] + v[r + 1][x + NC];
      results[s] = sharpened (in, 4 * in - sum, amount);
    }
    store_item (results, item_y + r);
  }
#endif
}
