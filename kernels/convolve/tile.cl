/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The correlation of convolve/separable.cl on the gpu back end: a group sums the columns of a tile into local memory and
 * then its rows. All loops over taps are unrolled, and taps are part of the arguments, where instructions find them without
 * loads.
 *
 *   QUOTIENTS     sums and results of shared/quotient.clh, which fit all sums, from buffers or images
 *   FIXED_POINT   sums of integers and results of convolve/convolve.clh, from buffer to buffer
 *   otherwise     sums of floats and its results, from buffer to buffer
 *
 * Of each product, taps holds the row's KW taps and then the column's KH.
 *
 * Serves what matrix units do not: other devices, other planes than four 8-bit samples a pixel, sums of several products.
 * Its row on the H200 in docs/performance.md: gaussian sigma 2 of other formats than RGBA. */
#if BACKEND_GPU

#if QUOTIENTS
typedef sum_t number_t;
typedef sum4_t kept4_t;
#define CONVOLVE_ADD_PRODUCT(a, b, c) MULTIPLY_ADD (a, b, c)
#define CONVOLVE_KEPT(sum) (sum)
#define CONVOLVE_FIRST_SUM 0
#define CONVOLVE_RESULT_OF(sum) QUOTIENT (sum)
#define TILE_COLUMN_PARAMS
#define TILE_COLUMN_ARGS
#define TILE_RESULT_PARAMS QUOTIENT_ARGS
#elif FIXED_POINT
typedef int number_t;
typedef short4 kept4_t;
#define CONVOLVE_NUMBER(word, i) unpack_sample (word, i)
#define CONVOLVE_ADD_PRODUCT(a, b, c) mad24 ((a), (b), (c))
#define CONVOLVE_KEPT(sum) ((short) (((sum) * column_factor + column_half) >> 16))
#define CONVOLVE_FIRST_SUM HALF_STEP
#define CONVOLVE_RESULT_OF(sum) result_of_integer (sum, result_shift, offset, inverse, under)
#define TILE_COLUMN_PARAMS , int column_factor, int column_half
#define TILE_COLUMN_ARGS , column_factor, column_half
#define TILE_RESULT_PARAMS FIXED_ARGS, RESULT_ARGS
#else
typedef float number_t;
typedef float4 kept4_t;
#define CONVOLVE_NUMBER(word, i) TERM (word, i)
#define CONVOLVE_ADD_PRODUCT(a, b, c) fma ((a), (b), (c))
#define CONVOLVE_KEPT(sum) (sum)
#define CONVOLVE_FIRST_SUM SUM_START
#define CONVOLVE_RESULT_OF(sum) result_of (sum, offset, inverse, under)
#define TILE_COLUMN_PARAMS
#define TILE_COLUMN_ARGS
#define TILE_RESULT_PARAMS FIXED_ARGS, RESULT_ARGS
#endif
#define CONVOLVE_KEPT4(sum) \
  (kept4_t) (CONVOLVE_KEPT ((sum)[0]), CONVOLVE_KEPT ((sum)[1]), CONVOLVE_KEPT ((sum)[2]), CONVOLVE_KEPT ((sum)[3]))

typedef struct
{
  number_t v[RANK * (KW + KH)];
} taps_t;
#define CONVOLVE_TILE_ROW_TAP(k, i) taps.v[(k) * (KW + KH) + (i)]
#define CONVOLVE_TILE_COLUMN_TAP(k, j) taps.v[(k) * (KW + KH) + KW + (j)]

/* A group of GROUP_X x GROUP_Y items writes CONVOLVE_TILE_SAMPLES x CONVOLVE_TILE_ROWS samples. Its tile is kept in fours;
 * after each ITEM_SAMPLES one four is left empty, so that neighbouring items, which read that far apart, meet different
 * banks of local memory. */
#define CONVOLVE_TILE_SAMPLES (GROUP_X * ITEM_SAMPLES)
#define CONVOLVE_TILE_ROWS (GROUP_Y * ITEM_ROWS)
/* Samples of a row that are read together: whole pixels and whole fours. */
#define TILE_UNIT (NC == 3 ? 12 : 4)
#define TILE_LEFT ((KW / 2 * NC + TILE_UNIT - 1) / TILE_UNIT * TILE_UNIT)
#define TILE_UNITS ((TILE_LEFT + ITEM_SAMPLES + (KW - 1 - KW / 2) * NC + TILE_UNIT - 1) / TILE_UNIT)
#define TILE_RIGHT (TILE_UNITS * TILE_UNIT - TILE_LEFT - ITEM_SAMPLES)
#define TILE_ITEM_FOURS (ITEM_SAMPLES / 4)
#define TILE_FOURS ((TILE_LEFT + CONVOLVE_TILE_SAMPLES + TILE_RIGHT) / 4)
#define TILE_PADDED(four) ((four) + (four) / TILE_ITEM_FOURS)
#define TILE_PITCH (TILE_PADDED (TILE_FOURS) + 1)
#define TILE_SOURCE_ROWS (KH + COLUMN_ROWS - 1)

#if QUOTIENTS
#define CONVOLVE_LOAD_FOUR(v, row)        \
  int loaded[4];                          \
  load_span (loaded, x, 4, y + (row), 0); \
  _Pragma ("unroll") for (int s = 0; s < 4; s++) (v)[s] = TO_SUM (loaded[s])
#else
#define CONVOLVE_LOAD_FOUR(v, row)               \
  _Pragma ("unroll") for (int s = 0; s < 4; s++) \
      (v)[s] = CONVOLVE_NUMBER (words[row][s / SAMPLES_PER_WORD], s % SAMPLES_PER_WORD)

#define CONVOLVE_FOUR_WORDS (4 / SAMPLES_PER_WORD)
#endif

/* The column sums of four samples side by side in COLUMN_ROWS rows. */
static inline void
column_sums (SRC_PARAMS, taps_t taps, local kept4_t *tile, int x, int y TILE_COLUMN_PARAMS)
{
#if !QUOTIENTS
  uint words[TILE_SOURCE_ROWS][CONVOLVE_FOUR_WORDS];
  load_rows (words[0], TILE_SOURCE_ROWS, CONVOLVE_FOUR_WORDS, SRC_ARGS, x, y, 0);
#endif
  number_t sum[RANK][COLUMN_ROWS][4];
#pragma unroll
  for (int row = 0; row < TILE_SOURCE_ROWS; row++) {
    number_t v[4];
    CONVOLVE_LOAD_FOUR (v, row);
#pragma unroll
    for (int k = 0; k < RANK; k++)
#pragma unroll
      for (int r = 0; r < COLUMN_ROWS; r++)
        if (row - r >= 0 && row - r < KH)
#pragma unroll
          for (int s = 0; s < 4; s++)
            sum[k][r][s] = CONVOLVE_ADD_PRODUCT (v[s], CONVOLVE_TILE_COLUMN_TAP (k, row - r), row == r ? 0 : sum[k][r][s]);
  }
#pragma unroll
  for (int k = 0; k < RANK; k++)
#pragma unroll
    for (int r = 0; r < COLUMN_ROWS; r++)
      tile[(k * CONVOLVE_TILE_ROWS + r) * TILE_PITCH] = CONVOLVE_KEPT4 (sum[k][r]);
}

/* Adds the products of row taps with the item's line of the tile of product k. */
static inline void
add_row (number_t *sum, local const kept4_t *line, taps_t taps, int k)
{
#pragma unroll
  for (int unit = 0; unit < TILE_UNITS; unit++) {
    number_t v[TILE_UNIT];
#pragma unroll
    for (int i = 0; i < TILE_UNIT; i += 4) {
      const kept4_t quad = line[TILE_PADDED ((unit * TILE_UNIT + i) / 4)];
      v[i] = quad.x;
      v[i + 1] = quad.y;
      v[i + 2] = quad.z;
      v[i + 3] = quad.w;
    }
    /* sample i of the unit, and sample i - ahead of the item */
#pragma unroll
    for (int ahead = -(ITEM_SAMPLES - 1) / NC * NC; ahead < TILE_UNIT; ahead += NC) {
      const int tap = (unit * TILE_UNIT + ahead - TILE_LEFT) / NC + KW / 2;
      if (tap >= 0 && tap < KW)
#pragma unroll
        for (int i = 0; i < TILE_UNIT; i++)
          if (i - ahead >= 0 && i - ahead < ITEM_SAMPLES)
            sum[i - ahead] = CONVOLVE_ADD_PRODUCT (v[i], CONVOLVE_TILE_ROW_TAP (k, tap), sum[i - ahead]);
    }
  }
}

kernel __attribute__ ((reqd_work_group_size (GROUP_X, GROUP_Y, 1))) void
convolve_tile (PLANE_ARGS, taps_t taps, TILE_RESULT_PARAMS)
{
  local kept4_t tile[RANK * CONVOLVE_TILE_ROWS * TILE_PITCH];
  const int tile_x = ((int) get_group_id (0) * GROUP_X + region.x / ITEM_SAMPLES) * ITEM_SAMPLES;
  const int tile_y = region.y + (int) get_group_id (1) * CONVOLVE_TILE_ROWS;

#pragma unroll 1
  for (int unit = get_local_id (1) * GROUP_X + get_local_id (0); unit < TILE_FOURS * (CONVOLVE_TILE_ROWS / COLUMN_ROWS);
       unit += GROUP_X * GROUP_Y) {
    const int four = unit % TILE_FOURS, r = unit / TILE_FOURS * COLUMN_ROWS;
    column_sums (SRC_ARGS, taps, tile + r * TILE_PITCH + TILE_PADDED (four), tile_x - TILE_LEFT + 4 * four,
        tile_y + r - KH / 2 TILE_COLUMN_ARGS);
  }
  barrier (CLK_LOCAL_MEM_FENCE);

  const int item_x = tile_x + (int) get_local_id (0) * ITEM_SAMPLES;
  const int r0 = (int) get_local_id (1) * ITEM_ROWS;
  if (item_x >= region.x + region.width)
    return;
#pragma unroll 1
  for (int r = r0; r < r0 + ITEM_ROWS && tile_y + r < region.y + region.height; r++) {
    number_t sum[ITEM_SAMPLES];
#pragma unroll
    for (int s = 0; s < ITEM_SAMPLES; s++)
      sum[s] = CONVOLVE_FIRST_SUM;
#pragma unroll
    for (int k = 0; k < RANK; k++)
      add_row (sum, tile + (k * CONVOLVE_TILE_ROWS + r) * TILE_PITCH + get_local_id (0) * (TILE_ITEM_FOURS + 1), taps, k);
    int values[ITEM_SAMPLES];
#pragma unroll
    for (int s = 0; s < ITEM_SAMPLES; s++)
      values[s] = CONVOLVE_RESULT_OF (sum[s]);
    store_item (values, tile_y + r);
  }
}

#endif
