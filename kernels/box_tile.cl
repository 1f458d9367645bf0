/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The mean of box.cl for 8-bit samples and radii of up to MAX_RADIUS, in one pass, on the gpu back end: a group sums
 * the columns of a tile into local memory, from row to row by what comes in and what goes out, and then its rows in the
 * same way. Neither the sum of a column, with 16 bits, nor that of a window, as a float, is ever rounded. */
#if BACKEND_GPU

#define TILE_SAMPLES (SEGMENTS * ITEM_SAMPLES)
#define REACH_LIMIT (MAX_RADIUS * NC)
/* One word more than a multiple of 32, so that items in different rows read from different banks of local memory. */
#define PITCH (((TILE_SAMPLES + 2 * REACH_LIMIT + 3) / 64 * 64 + 64) + 2)

/* Sums of two columns each, with 16 bits. Each sum stays positive, so that none borrows from the other. */
#define ADD(word) (even += (word) & 0x00ff00ff, odd += ((word) >> 8) & 0x00ff00ff)
#define TAKE(word) (even -= (word) & 0x00ff00ff, odd -= ((word) >> 8) & 0x00ff00ff)
#define COLUMN_SUMS(WORD, UNROLL)                                                      \
  do {                                                                                 \
    UNROLL for (int row = -radius; row <= radius; row++) ADD (WORD (row));             \
    UNROLL for (int r = 0; r < TILE_ROWS; r++, to += PITCH / 2)                        \
    {                                                                                  \
      to[0] = (even & 0xffff) | odd << 16;                                             \
      to[1] = even >> 16 | (odd & 0xffff0000);                                         \
      const uint in = WORD (r + 1 + radius), out = WORD (r - radius);                  \
      ADD (in);                                                                        \
      TAKE (out);                                                                      \
    }                                                                                  \
  } while (0)

static inline void
column_sums (SRC_PARAMS, int radius, local uint *to, int x, int y)
{
  uint even = 0, odd = 0;
  global const sample_t *from = src + src_offset + y * src_stride + x;
#define INSIDE_WORD(row) inside_word (from + (row) *src_stride)
#define BORDER_WORD(row) border_word (SRC_ARGS, x, border_index (y + (row), plane.y, plane.z))
  if (x >= 0 && x + 4 <= plane.x && y >= radius && y + TILE_ROWS + radius < plane.y)
    COLUMN_SUMS (INSIDE_WORD, _Pragma ("unroll 4"));
  else
    COLUMN_SUMS (BORDER_WORD, _Pragma ("unroll 1"));
}

/* Half to even; a count that is odd knows no ties. sum is less than 2^23. */
static inline int
mean_of_few (int sum, float inverse)
{
  const float base = 8388608.0f;
  return as_int (fma (as_float (as_int (base) | sum) - base, inverse, base)) & 0xff;
}

kernel __attribute__ ((reqd_work_group_size (SEGMENTS, TILE_ROWS, 1))) void
box_tile (PLANE_ARGS, int radius, float inverse)
{
  local uint tile[TILE_ROWS * PITCH / 2];
  const int item = get_local_id (1) * SEGMENTS + get_local_id (0);
  const int tile_x = ((int) get_group_id (0) * SEGMENTS + region.x / ITEM_SAMPLES) * ITEM_SAMPLES;
  const int tile_y = region.y + (int) get_group_id (1) * TILE_ROWS;
  const int reach = (radius * NC + 3) / 4 * 4;

  for (int four = item; four < (TILE_SAMPLES + 2 * reach) / 4; four += SEGMENTS * TILE_ROWS)
    column_sums (SRC_ARGS, radius, tile + 2 * four, tile_x - reach + 4 * four, tile_y);
  barrier (CLK_LOCAL_MEM_FENCE);

  const int segment = item / TILE_ROWS, row = item % TILE_ROWS;
  const int item_x = tile_x + segment * ITEM_SAMPLES, item_y = tile_y + row;
  if (item_x >= region.x + region.z || item_y >= region.y + region.w)
    return;
  /* the window of the item's first sample begins here */
  local const ushort *line =
      (local const ushort *) tile + row * PITCH + segment * ITEM_SAMPLES + reach - radius * NC;
  local const ushort *ahead = line + (2 * radius + 1) * NC;
  int sum[NC], values[ITEM_SAMPLES];
#pragma unroll
  for (int i = 0; i < NC; i++)
    sum[i] = 0;
  for (int x = 0; x < (2 * radius + 1) * NC; x += NC)
#pragma unroll
    for (int i = 0; i < NC; i++)
      sum[i] += line[x + i];
#pragma unroll
  for (int s = 0; s < ITEM_SAMPLES; s++) {
    values[s] = mean_of_few (sum[s % NC], inverse);
    if (s + NC < ITEM_SAMPLES)
      sum[s % NC] += ahead[s] - line[s];
  }
  store_item (values, item_y);
}

#endif
