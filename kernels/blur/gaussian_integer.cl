/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What blur/gaussian_matrix.cl makes, byte for byte, without matrix units: serves while that kernel is being built, so that no
 * frame depends on when it was ready. A group sums across, into local memory, and then down.
 *
 *   across = (128 + sum of weight * sample) / 2^8       rounded down, as both are
 *   result = (2^23 + sum of weight * across) / 2^24
 *
 * weights   multiples of 2^-16 whose sum is 1, 2 * radius + 1 of them
 * GROUP_X, GROUP_Y, MAX_RADIUS   the group, and the largest radius
 *
 * Has no row in docs/performance.md. */
#if BACKEND_GPU

#define GAUSSIAN_GROUP_ROWS (GROUP_Y * ITEM_ROWS)

static inline uint
sum_across (SRC_PARAMS, global const uint *restrict weights, int radius, int x, int y)
{
  uint sum = 1 << 7;
  for (int d = -radius; d <= radius; d++)
    sum += weights[radius + d] * (uint) load_sample (SRC_ARGS, x + d * NC, y);
  return sum >> 8;
}

kernel __attribute__ ((reqd_work_group_size (GROUP_X, GROUP_Y, 1))) void
gaussian_integer (PLANE_ARGS, global const uint *restrict weights, int radius)
{
  local ushort sums[GAUSSIAN_GROUP_ROWS + 2 * MAX_RADIUS][GROUP_X * ITEM_SAMPLES];
  GPU_ITEM
  const int line = (int) get_local_id (1), column = (int) get_local_id (0) * ITEM_SAMPLES;
  const int top = item_y - line * ITEM_ROWS - radius;
  for (int row = line; row < GAUSSIAN_GROUP_ROWS + 2 * radius; row += GROUP_Y)
    for (int s = 0; s < ITEM_SAMPLES; s++)
      sums[row][column + s] = (ushort) sum_across (SRC_ARGS, weights, radius, item_x + s, top + row);
  barrier (CLK_LOCAL_MEM_FENCE);
  if (!ITEM_IN_REGION)
    return;
  for (int r = 0; r < min (ITEM_ROWS, region.y + region.height - item_y); r++) {
    int values[ITEM_SAMPLES];
    for (int s = 0; s < ITEM_SAMPLES; s++) {
      uint sum = 1 << 23;
      for (int d = 0; d <= 2 * radius; d++)
        sum += weights[d] * sums[line * ITEM_ROWS + r + d][column + s];
      values[s] = (int) (sum >> 24);
    }
    STORE_SAMPLES (values, item_x, item_y + r);
  }
}

#endif
