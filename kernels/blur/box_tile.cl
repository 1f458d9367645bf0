/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The mean of blur/box.cl for 8-bit samples and radii of up to MAX_RADIUS, in one pass, on the gpu back end: a group sums
 * the columns of a tile into local memory, from row to row by what comes in and what goes out, and then its rows in the
 * same way. Neither the sum of a column, with 16 bits, nor that of a window, as a float, is ever rounded.
 *
 * Serves GPUs without such matrix units as blur/box_matrix.cl takes. Wins on PoCL in docs/performance.md: box r 1 to 16. */
#if BACKEND_GPU

#define BOX_TILE_SAMPLES (SEGMENTS * ITEM_SAMPLES)
#define BOX_REACH_LIMIT (MAX_RADIUS * NC)
/* Two words more than a multiple of 32, so that items in different rows read from different banks of local memory. */
#define BOX_PITCH (((BOX_TILE_SAMPLES + 2 * BOX_REACH_LIMIT + 3) / 64 * 64 + 64) + 4)

/* The column sums of a pixel, read in one go. */
#if NC == 4
typedef ushort4 columns_t;
typedef int4 sums_t;
#define BOX_TO_SUMS convert_int4
#elif NC == 2
typedef ushort2 columns_t;
typedef int2 sums_t;
#define BOX_TO_SUMS convert_int2
#endif

/* Sums of two columns each, with 16 bits. Each sum stays positive, so that none borrows from the other. */
#define BOX_ADD(word) (even += (word) & 0x00ff00ff, odd += ((word) >> 8) & 0x00ff00ff)
#define BOX_TAKE(word) (even -= (word) & 0x00ff00ff, odd -= ((word) >> 8) & 0x00ff00ff)
#define BOX_COLUMN_SUMS(WORD, UNROLL)                                               \
  do {                                                                              \
    UNROLL for (int row = 0; row <= 2 * radius; row++) BOX_ADD (WORD (row));        \
    UNROLL for (int r = 0; r < TILE_ROWS; r++, to += BOX_PITCH / 4)                 \
    {                                                                               \
      *to = (uint2) ((even & 0xffff) | odd << 16, even >> 16 | (odd & 0xffff0000)); \
      const uint in = WORD (r + 1 + 2 * radius), out = WORD (r);                    \
      BOX_ADD (in);                                                                 \
      BOX_TAKE (out);                                                               \
    }                                                                               \
  } while (0)

/* rows: of a tile at the frame's edge; null elsewhere. */
static inline void
column_sums (SRC_PARAMS, int radius, local uint2 *to, int x, int y, local const int *rows)
{
  uint even = 0, odd = 0;
  if (!rows) {
    global const sample_t *from = src + src_offset + (y - radius) * src_stride + x;
#define BOX_INSIDE_WORD(row) inside_word (from + (row) *src_stride)
    BOX_COLUMN_SUMS (BOX_INSIDE_WORD, _Pragma ("unroll 8"));
  } else {
    const int column = EDGE_COLUMN (x);
#define BOX_EDGE_WORD(row) edge_word (SRC_ARGS, x, column, rows[row])
    BOX_COLUMN_SUMS (BOX_EDGE_WORD, EDGE_UNROLL);
  }
}

/* Half to even; an odd count has no ties. sum is less than 2^23. */
static inline int
mean_of_few (int sum, float inverse)
{
  const float base = 8388608.0f;
  return as_int (fma (as_float (as_int (base) | sum) - base, inverse, base)) & 0xff;
}

/* An item's means, of columns' sums from the first that its first window has. */
static inline void
row_means (int *values, local const ushort *line, int radius, float inverse)
{
  local const ushort *ahead = line + (2 * radius + 1) * NC;
#if NC == 4 || NC == 2
  local const columns_t *leaving = (local const columns_t *) line, *entering = (local const columns_t *) ahead;
  sums_t sum = 0;
#pragma unroll 4
  for (int x = 0; x < 2 * radius + 1; x++)
    sum += BOX_TO_SUMS (leaving[x]);
#pragma unroll
  for (int p = 0; p < ITEM_SAMPLES / NC; p++) {
    values[p * NC] = mean_of_few (sum.s0, inverse);
    values[p * NC + 1] = mean_of_few (sum.s1, inverse);
#if NC == 4
    values[p * NC + 2] = mean_of_few (sum.s2, inverse);
    values[p * NC + 3] = mean_of_few (sum.s3, inverse);
#endif
    if (p + 1 < ITEM_SAMPLES / NC)
      sum += BOX_TO_SUMS (entering[p]) - BOX_TO_SUMS (leaving[p]);
  }
#else
  int sum[NC];
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
#endif
}

kernel __attribute__ ((reqd_work_group_size (SEGMENTS, TILE_ROWS, 1))) void
box_tile (PLANE_ARGS, int radius, float inverse)
{
  local uint2 tile[TILE_ROWS * BOX_PITCH / 4];
  local int edge_rows[TILE_ROWS + 2 * MAX_RADIUS + 1];
  const int item = get_local_id (1) * SEGMENTS + get_local_id (0);
  const int tile_x = ((int) get_group_id (0) * SEGMENTS + region.x / ITEM_SAMPLES) * ITEM_SAMPLES;
  const int tile_y = region.y + (int) get_group_id (1) * TILE_ROWS;
  const int reach = (radius * NC + 3) / 4 * 4;

  const bool edge = tile_x < reach || tile_x + BOX_TILE_SAMPLES + reach > plane.width || tile_y < radius
                    || tile_y + TILE_ROWS + radius >= plane.height;
  if (edge)
    find_tile_rows (edge_rows, tile_y - radius, TILE_ROWS + 2 * radius + 1, plane);

  for (int four = item; four < (BOX_TILE_SAMPLES + 2 * reach) / 4; four += SEGMENTS * TILE_ROWS)
    column_sums (SRC_ARGS, radius, tile + four, tile_x - reach + 4 * four, tile_y, edge ? edge_rows : 0);
  barrier (CLK_LOCAL_MEM_FENCE);

  const int segment = item / TILE_ROWS, row = item % TILE_ROWS;
  const int item_x = tile_x + segment * ITEM_SAMPLES, item_y = tile_y + row;
  if (item_x >= region.x + region.width || item_y >= region.y + region.height)
    return;
  /* the window of the item's first sample begins here */
  local const ushort *line =
      (local const ushort *) tile + row * BOX_PITCH + segment * ITEM_SAMPLES + reach - radius * NC;
  int values[ITEM_SAMPLES];
  row_means (values, line, radius, inverse);
  store_item (values, item_y);
}

#endif
