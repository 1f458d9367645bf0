/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The gaussian of gaussian.cl for 8-bit samples and windows of a radius of up to RADIUS, in one pass, on the gpu back
 * end: a group sums the columns of a tile into local memory and then its rows.
 *
 * Numbers are kept as the low bits of floats 2^23 .. 2^24 - 1, whose last bit is worth 1. A byte v shifted to bits
 * 8 .. 15 is 2^23 + 256 * v, with no conversion; the sum of such numbers under weights of the sum 1 is another, rounded
 * to 1/256 of a sample step. Its low 16 bits are kept in the tile, and of the second sum bits 8 .. 15 are the result.
 * A quarter of a step is added to each sum: black then has bits that rounding can take away, and both together round
 * the result to the nearest.
 *
 * weights   2 * RADIUS + 1, their ends 0 where the window is smaller
 * missing   2^23 times what the weights lack of 1
 */
#if BACKEND_GPU

#define TILE_SAMPLES (GROUP_X * ITEM_SAMPLES)
/* Rows of column sums that an item keeps at a time, and rows that it loads at a time. */
#define LOAD_ROWS 8
#define SOURCE_ROWS (2 * RADIUS + COLUMN_ROWS)
#define REACH ((RADIUS * NC + 3) / 4 * 4)
#define TILE_FOURS ((TILE_SAMPLES + 2 * REACH) / 4)
/* One four is left empty after each item's, so that items read from different banks of local memory. */
#define ITEM_FOURS (ITEM_SAMPLES / 4)
#define PADDED(four) ((four) + (four) / ITEM_FOURS)
#define PITCH (PADDED (TILE_FOURS) + 1)

#define NUMBER(bits) as_float (0x4b000000 | (bits))
#define QUARTER 64.0f
/* Of the two that are equal, always the same one, so that half the registers do. */
#define WEIGHT(distance) weights[RADIUS + ((distance) < 0 ? -(distance) : (distance))]

static inline void
column_sums (SRC_PARAMS, constant float *restrict weights, float missing, local uint2 *tile, int x, int first_y)
{
  float sum[COLUMN_ROWS][4];
#pragma unroll
  for (int r = 0; r < COLUMN_ROWS; r++)
#pragma unroll
    for (int i = 0; i < 4; i++)
      sum[r][i] = missing + QUARTER;
  const bool inside = x >= 0 && x + 4 <= plane.x && first_y >= RADIUS && first_y + COLUMN_ROWS + RADIUS <= plane.y;
  global const sample_t *from = src + src_offset + (first_y - RADIUS) * src_stride + x;

#pragma unroll
  for (int row = 0; row < SOURCE_ROWS; row += LOAD_ROWS) {
    uint words[LOAD_ROWS];
    if (inside) {
#pragma unroll
      for (int i = 0; i < LOAD_ROWS; i++)
        words[i] = row + i < SOURCE_ROWS ? inside_word (from + (row + i) * src_stride) : 0;
    } else {
      /* by way of an array in memory, in a loop that is not unrolled: it would be most of the program */
      uint slow[LOAD_ROWS];
#pragma unroll 1
      for (int i = 0; i < LOAD_ROWS; i++)
        slow[i] = border_word (SRC_ARGS, x, border_index (first_y - RADIUS + row + i, plane.y, plane.z));
#pragma unroll
      for (int i = 0; i < LOAD_ROWS; i++)
        words[i] = slow[i];
    }
#pragma unroll
    for (int i = 0; i < LOAD_ROWS; i++) {
      const uint word = words[i];
      const float v[4] = {NUMBER ((word << 8) & 0xff00), NUMBER (word & 0xff00), NUMBER ((word >> 8) & 0xff00),
        NUMBER ((word >> 16) & 0xff00)};
#pragma unroll
      for (int r = 0; r < COLUMN_ROWS; r++)
        if (row + i - r >= 0 && row + i - r <= 2 * RADIUS)
#pragma unroll
          for (int s = 0; s < 4; s++)
            sum[r][s] = fma (v[s], WEIGHT (row + i - r - RADIUS), sum[r][s]);
    }
  }
#pragma unroll
  for (int r = 0; r < COLUMN_ROWS; r++)
    tile[r * PITCH] = (uint2) ((as_uint (sum[r][0]) & 0xffff) | as_uint (sum[r][1]) << 16,
        (as_uint (sum[r][2]) & 0xffff) | as_uint (sum[r][3]) << 16);
}

kernel __attribute__ ((reqd_work_group_size (GROUP_X, GROUP_Y, 1))) void
gaussian_tile (PLANE_ARGS, constant float *restrict weights, float missing)
{
  local uint2 tile[GROUP_Y * PITCH];
  const int tile_x = ((int) get_group_id (0) * GROUP_X + region.x / ITEM_SAMPLES) * ITEM_SAMPLES;
  const int tile_y = region.y + (int) get_group_id (1) * GROUP_Y;

  for (int unit = get_local_id (1) * GROUP_X + get_local_id (0); unit < TILE_FOURS * (GROUP_Y / COLUMN_ROWS);
       unit += GROUP_X * GROUP_Y) {
    const int four = unit % TILE_FOURS, r = unit / TILE_FOURS * COLUMN_ROWS;
    column_sums (SRC_ARGS, weights, missing, tile + r * PITCH + PADDED (four), tile_x - REACH + 4 * four, tile_y + r);
  }
  barrier (CLK_LOCAL_MEM_FENCE);

  const int item_x = tile_x + (int) get_local_id (0) * ITEM_SAMPLES, item_y = tile_y + (int) get_local_id (1);
  if (item_x >= region.x + region.z || item_y >= region.y + region.w)
    return;
  local const uint2 *line = tile + get_local_id (1) * PITCH + get_local_id (0) * (ITEM_FOURS + 1);
  float sum[ITEM_SAMPLES];
#pragma unroll
  for (int s = 0; s < ITEM_SAMPLES; s++)
    sum[s] = missing + QUARTER;
#pragma unroll
  for (int four = 0; four < (REACH + ITEM_SAMPLES + REACH) / 4; four++) {
    const uint2 words = line[PADDED (four)];
    const float v[4] = {NUMBER (words.x & 0xffff), NUMBER (words.x >> 16), NUMBER (words.y & 0xffff),
      NUMBER (words.y >> 16)};
#pragma unroll
    for (int s = 0; s < ITEM_SAMPLES; s++)
#pragma unroll
      for (int i = 0; i < 4; i++) {
        const int distance = 4 * four + i - REACH - s;
        if (distance % NC == 0 && distance >= -RADIUS * NC && distance <= RADIUS * NC)
          sum[s] = fma (v[i], WEIGHT (distance / NC), sum[s]);
      }
  }
  int values[ITEM_SAMPLES];
#pragma unroll
  for (int s = 0; s < ITEM_SAMPLES; s++)
    values[s] = (as_uint (sum[s]) >> 8) & 0xff;
  store_item (values, item_y);
}

#endif
