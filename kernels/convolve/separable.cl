/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Correlation with a KW x KH matrix that is a sum of RANK products column x row: per product one vertical pass into a
 * tile that stays in the cache or in local memory, then one horizontal pass out of all tiles.
 *
 * taps holds, for each product, the row's KW taps and then the column's KH.
 *
 * Wins on the processor in docs/performance.md: gaussian sigma 2 and sigma 8, of clconvolve. */
#define ROW_TAP(k, i) taps[(k) * (KW + KH) + (i)]
#define COLUMN_TAP(k, j) taps[(k) * (KW + KH) + KW + (j)]
#define SEPARABLE_REACH ((KW - 1) * NC)

#if BACKEND_CPU

#define SEPARABLE_PITCH (TILE_SAMPLES + SEPARABLE_REACH)

kernel void
convolve_separable (PLANE_ARGS, global const sum_t *restrict taps, QUOTIENT_ARGS)
{
  TILE_BEGIN
  sum_t tile[RANK][ITEM_ROWS][SEPARABLE_PITCH];
  const int corner = at - KH / 2 * src_stride - KW / 2 * NC;

  WIDE_LOOP
  for (int x = 0; x < tile_width + SEPARABLE_REACH; x++) {
    sum_t sum[RANK][ITEM_ROWS];
#pragma unroll
    for (int k = 0; k < RANK; k++)
#pragma unroll
      for (int r = 0; r < ITEM_ROWS; r++)
        sum[k][r] = 0;
#pragma unroll
    for (int row = 0; row < KH + ITEM_ROWS - 1; row++) {
      const sum_t v = LOAD (src[corner + row * src_stride + x]);
#pragma unroll
      for (int k = 0; k < RANK; k++)
#pragma unroll
        for (int r = 0; r < ITEM_ROWS; r++)
          if (row - r >= 0 && row - r < KH)
            sum[k][r] = MULTIPLY_ADD (v, COLUMN_TAP (k, row - r), sum[k][r]);
    }
#pragma unroll
    for (int k = 0; k < RANK; k++)
#pragma unroll
      for (int r = 0; r < ITEM_ROWS; r++)
        tile[k][r][x] = sum[k][r];
  }

  /* NC, hidden from the compiler: of planes with one sample a pixel it would hand tap i's sample on to the next turn's
   * tap i - 1, and no turn could stand beside another one in a vector */
  const int step = region.width > 0 ? NC : 0;
#pragma unroll 1
  for (int r = 0; r < ITEM_ROWS; r++) {
    global const sample_t *from = src + (at + r * src_stride);
    global sample_t *out = dst + (to + r * dst_stride);
    WIDE_LOOP
    for (int x = 0; x < tile_width; x++) {
      sum_t sum = 0;
#pragma unroll
      for (int k = 0; k < RANK; k++)
#pragma unroll
        for (int i = 0; i < KW; i++)
          sum = MULTIPLY_ADD (tile[k][r][x + i * step], ROW_TAP (k, i), sum);
      out[x] = merge_sample (QUOTIENT (sum), from[x], keep[tile_x + x]);
    }
  }
}

#else

/* A group of GROUP_X x GROUP_Y items writes TILE_SAMPLES x TILE_ROWS samples, GROUP_X * ITEM_SAMPLES by
 * GROUP_Y * ITEM_ROWS. Its tile is kept in fours; after each ITEM_SAMPLES one four is left empty, so that
 * neighbouring items, which read that far apart, meet different banks of local memory. */
#define TILE_SAMPLES (GROUP_X * ITEM_SAMPLES)
#define TILE_ROWS (GROUP_Y * ITEM_ROWS)
#define ROUND_UP4(n) (((n) + 3) / 4 * 4)
#define SEPARABLE_LEFT ROUND_UP4 (KW / 2 * NC)
#define SEPARABLE_RIGHT ROUND_UP4 ((KW - 1 - KW / 2) * NC)
#define SEPARABLE_ITEM_FOURS (ITEM_SAMPLES / 4)
#define SPAN_FOURS ((SEPARABLE_LEFT + ITEM_SAMPLES + SEPARABLE_RIGHT) / 4)
#define SEPARABLE_TILE_FOURS ((SEPARABLE_LEFT + TILE_SAMPLES + SEPARABLE_RIGHT) / 4)
#define SEPARABLE_PADDED(four) ((four) + (four) / SEPARABLE_ITEM_FOURS)
#define SEPARABLE_PITCH (SEPARABLE_PADDED (SEPARABLE_TILE_FOURS) + 1)

/* The column sums of four samples side by side in COLUMN_ROWS rows. */
static inline void
column_sums (SRC_PARAMS, constant sum_t *restrict taps, local sum4_t *tile, int x, int first_y)
{
  sum4_t sum[RANK][COLUMN_ROWS];
#pragma unroll
  for (int k = 0; k < RANK; k++)
#pragma unroll
    for (int r = 0; r < COLUMN_ROWS; r++)
      sum[k][r] = 0;
#pragma unroll
  for (int row = 0; row < KH + COLUMN_ROWS - 1; row++) {
    const int y = first_y + row - KH / 2;
    int loaded[4];
    load_span (loaded, x, 4, y, 0);
    const sum4_t v = (sum4_t) (TO_SUM (loaded[0]), TO_SUM (loaded[1]), TO_SUM (loaded[2]), TO_SUM (loaded[3]));
#pragma unroll
    for (int k = 0; k < RANK; k++)
#pragma unroll
      for (int r = 0; r < COLUMN_ROWS; r++)
        if (row - r >= 0 && row - r < KH)
          sum[k][r] = MULTIPLY_ADD (v, (sum4_t) COLUMN_TAP (k, row - r), sum[k][r]);
  }
#pragma unroll
  for (int k = 0; k < RANK; k++)
#pragma unroll
    for (int r = 0; r < COLUMN_ROWS; r++)
      tile[(k * TILE_ROWS + r) * SEPARABLE_PITCH] = sum[k][r];
}

kernel __attribute__ ((reqd_work_group_size (GROUP_X, GROUP_Y, 1))) void
convolve_separable (PLANE_ARGS, constant sum_t *restrict taps, QUOTIENT_ARGS)
{
  local sum4_t tile[RANK * TILE_ROWS * SEPARABLE_PITCH];
  const int tile_x = ((int) get_group_id (0) * GROUP_X + region.x / ITEM_SAMPLES) * ITEM_SAMPLES;
  const int tile_y = region.y + (int) get_group_id (1) * TILE_ROWS;

  for (int unit = get_local_id (1) * GROUP_X + get_local_id (0); unit < SEPARABLE_TILE_FOURS * (TILE_ROWS / COLUMN_ROWS);
       unit += GROUP_X * GROUP_Y) {
    const int four = unit % SEPARABLE_TILE_FOURS, r = unit / SEPARABLE_TILE_FOURS * COLUMN_ROWS;
    column_sums (SRC_ARGS, taps, tile + r * SEPARABLE_PITCH + SEPARABLE_PADDED (four),
        tile_x - SEPARABLE_LEFT + 4 * four, tile_y + r);
  }
  barrier (CLK_LOCAL_MEM_FENCE);

  const int item_x = tile_x + (int) get_local_id (0) * ITEM_SAMPLES;
  const int r0 = (int) get_local_id (1) * ITEM_ROWS;
  if (item_x >= region.x + region.width)
    return;
#pragma unroll 1
  for (int r = r0; r < r0 + ITEM_ROWS && tile_y + r < region.y + region.height; r++) {
    sum_t sum[ITEM_SAMPLES];
#pragma unroll
    for (int s = 0; s < ITEM_SAMPLES; s++)
      sum[s] = 0;
#pragma unroll
    for (int k = 0; k < RANK; k++) {
      local const sum4_t *line = tile + (k * TILE_ROWS + r) * SEPARABLE_PITCH + get_local_id (0) * (SEPARABLE_ITEM_FOURS + 1);
      sum_t v[SPAN_FOURS * 4];
#pragma unroll
      for (int four = 0; four < SPAN_FOURS; four++) {
        const sum4_t quad = line[SEPARABLE_PADDED (four)];
        v[4 * four] = quad.x;
        v[4 * four + 1] = quad.y;
        v[4 * four + 2] = quad.z;
        v[4 * four + 3] = quad.w;
      }
#pragma unroll
      for (int i = 0; i < KW; i++)
#pragma unroll
        for (int s = 0; s < ITEM_SAMPLES; s++)
          sum[s] = MULTIPLY_ADD (v[SEPARABLE_LEFT + (i - KW / 2) * NC + s], ROW_TAP (k, i), sum[s]);
    }
    int values[ITEM_SAMPLES];
#pragma unroll
    for (int s = 0; s < ITEM_SAMPLES; s++)
      values[s] = QUOTIENT (sum[s]);
    store_item (values, tile_y + r);
  }
}

#endif
