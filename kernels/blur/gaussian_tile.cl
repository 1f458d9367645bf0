/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The gaussian of blur/gaussian.cl for 8-bit samples and windows of a radius of up to RADIUS, in one pass, on the gpu back
 * end: a group sums the columns of a tile into local memory and then its rows.
 *
 * Numbers are kept as the low bits of floats 2^23 .. 2^24 - 1, whose last bit is worth 1. A byte v in bits 8 .. 15 is
 * 2^23 + 256 * v, with no conversion; the sum of such numbers under weights of the sum 1 is another, rounded to 1/256
 * of a sample step. Its low 16 bits are kept in the tile, and of the second sum bits 8 .. 15 are the result. A quarter
 * of a step is added to each sum: black then has bits that rounding can take away, and both together round the result
 * to the nearest.
 *
 * The columns are unrolled whole, each weight in a register, and so are the rows of short windows. Of longer ones the
 * compiler leaves a loop in any case, so it is one without tests; weights beyond the window are 0 for it.
 *
 * weights   WEIGHT_PAD zeros, 2 * RADIUS + 1 weights, their ends 0 if the window is smaller, WEIGHT_PAD zeros
 * missing   2^23 times what the weights lack of 1
 *
 * Serves GPUs without such matrix units as blur/gaussian_matrix.cl takes. Wins on PoCL in docs/performance.md: gaussian
 * sigma 1 and 2 of grey frames; no GPU was measured.
 */
#if BACKEND_GPU

#define GAUSSIAN_TILE_SAMPLES (GROUP_X * ITEM_SAMPLES)
/* Samples of a row that are read together: whole pixels and whole fours. */
#define GAUSSIAN_UNIT (NC == 3 ? 12 : 4)
#define GAUSSIAN_REACH ((RADIUS * NC + GAUSSIAN_UNIT - 1) / GAUSSIAN_UNIT * GAUSSIAN_UNIT)
#define GAUSSIAN_UNITS ((GAUSSIAN_REACH + ITEM_SAMPLES + GAUSSIAN_REACH + GAUSSIAN_UNIT - 1) / GAUSSIAN_UNIT)
#define GAUSSIAN_TILE_FOURS ((GAUSSIAN_TILE_SAMPLES + 2 * GAUSSIAN_REACH) / 4)
/* One four is left empty after each item's, so that items read from different banks of local memory. */
#define GAUSSIAN_ITEM_FOURS (ITEM_SAMPLES / 4)
#define GAUSSIAN_PADDED(four) ((four) + (four) / GAUSSIAN_ITEM_FOURS)
#define GAUSSIAN_PITCH (GAUSSIAN_PADDED (GAUSSIAN_TILE_FOURS) + 1)
/* Rows of column sums that an item keeps at a time, and rows that they need. */
#define GAUSSIAN_COLUMN_ROWS 8
#define GAUSSIAN_SOURCE_ROWS (2 * RADIUS + GAUSSIAN_COLUMN_ROWS)

#define GAUSSIAN_QUARTER 64.0f
#define GAUSSIAN_CENTRE (WEIGHT_PAD + RADIUS)
#define GAUSSIAN_IN_WINDOW(distance) ((distance) >= -RADIUS && (distance) <= RADIUS)
#define GAUSSIAN_ANYWHERE(distance) true
#define GAUSSIAN_WEIGHT(distance) weights[GAUSSIAN_CENTRE + (distance)]
/* Of the two that are equal, always the same one, so that half the registers do. */
#define GAUSSIAN_WEIGHT_KEPT(distance) weights[GAUSSIAN_CENTRE + ((distance) < 0 ? -(distance) : (distance))]

#if RADIUS <= 15
#define GAUSSIAN_UNROLL_ROW _Pragma ("unroll")
#define GAUSSIAN_ROW_TAP GAUSSIAN_IN_WINDOW
#define GAUSSIAN_ROW_WEIGHT GAUSSIAN_WEIGHT_KEPT
#else
#define GAUSSIAN_UNROLL_ROW _Pragma ("unroll 8")
#define GAUSSIAN_ROW_TAP GAUSSIAN_ANYWHERE
#define GAUSSIAN_ROW_WEIGHT GAUSSIAN_WEIGHT
#endif

/* Byte i of word as a number. */
#ifdef __NV_CL_C_VERSION
static inline float
number_of_byte (uint word, uint i)
{
  return as_float (permute_bytes (word, 0x4b000000, 0x7404 | i << 4));
}
#else
static inline float
number_of_byte (uint word, uint i)
{
  return as_float (0x4b000000 | (word >> 8 * i & 0xff) << 8);
}
#endif

/* Adds row `row` of GAUSSIAN_SOURCE_ROWS to those sums whose windows hold it. */
#define GAUSSIAN_ADD_ROW(word, row, IS_TAP, TAP_WEIGHT)                                                  \
  do {                                                                                                   \
    const uint added = (word);                                                                           \
    const float v[4] = {number_of_byte (added, 0), number_of_byte (added, 1), number_of_byte (added, 2), \
      number_of_byte (added, 3)};                                                                        \
    _Pragma ("unroll") for (int r = 0; r < GAUSSIAN_COLUMN_ROWS; r++) if (IS_TAP ((row) -r - RADIUS))    \
    {                                                                                                    \
      const float weight = TAP_WEIGHT ((row) -r - RADIUS);                                               \
      _Pragma ("unroll") for (int s = 0; s < 4; s++) sum[r][s] = fma (v[s], weight, sum[r][s]);          \
    }                                                                                                    \
  } while (0)

/* rows: of a tile at the frame's edge; null elsewhere. */
static inline void
column_sums (SRC_PARAMS, constant float *restrict weights, float missing, local uint2 *to, int x, int y,
    local const int *rows)
{
  float sum[GAUSSIAN_COLUMN_ROWS][4];
#pragma unroll
  for (int r = 0; r < GAUSSIAN_COLUMN_ROWS; r++)
#pragma unroll
    for (int s = 0; s < 4; s++)
      sum[r][s] = missing + GAUSSIAN_QUARTER;

  if (!rows) {
    global const sample_t *from = src + src_offset + (y - RADIUS) * src_stride + x;
#pragma unroll
    for (int row = 0; row < GAUSSIAN_SOURCE_ROWS; row++)
      GAUSSIAN_ADD_ROW (inside_word (from + row * src_stride), row, GAUSSIAN_IN_WINDOW, GAUSSIAN_WEIGHT_KEPT);
  } else {
    const int column = EDGE_COLUMN (x);
    EDGE_UNROLL
    for (int row = 0; row < GAUSSIAN_SOURCE_ROWS; row++)
      GAUSSIAN_ADD_ROW (edge_word (SRC_ARGS, x, column, rows[row]), row, GAUSSIAN_ANYWHERE, GAUSSIAN_WEIGHT);
  }

#pragma unroll
  for (int r = 0; r < GAUSSIAN_COLUMN_ROWS; r++)
    to[r * GAUSSIAN_PITCH] = (uint2) ((as_uint (sum[r][0]) & 0xffff) | as_uint (sum[r][1]) << 16,
        (as_uint (sum[r][2]) & 0xffff) | as_uint (sum[r][3]) << 16);
}

kernel __attribute__ ((reqd_work_group_size (GROUP_X, GROUP_Y, 1))) void
gaussian_tile (PLANE_ARGS, constant float *restrict weights, float missing)
{
  local uint2 tile[GROUP_Y * GAUSSIAN_PITCH];
  local int edge_rows[GROUP_Y + 2 * RADIUS];
  const int tile_x = ((int) get_group_id (0) * GROUP_X + region.x / ITEM_SAMPLES) * ITEM_SAMPLES;
  const int tile_y = region.y + (int) get_group_id (1) * GROUP_Y;
  const bool edge = tile_x < GAUSSIAN_REACH || tile_x + GAUSSIAN_TILE_SAMPLES + GAUSSIAN_REACH > plane.width || tile_y < RADIUS
                    || tile_y + GROUP_Y + RADIUS > plane.height;
  if (edge)
    find_tile_rows (edge_rows, tile_y - RADIUS, GROUP_Y + 2 * RADIUS, plane);

#pragma unroll 1
  for (int unit = get_local_id (1) * GROUP_X + get_local_id (0); unit < GAUSSIAN_TILE_FOURS * (GROUP_Y / GAUSSIAN_COLUMN_ROWS);
       unit += GROUP_X * GROUP_Y) {
    const int four = unit % GAUSSIAN_TILE_FOURS, r = unit / GAUSSIAN_TILE_FOURS * GAUSSIAN_COLUMN_ROWS;
    column_sums (SRC_ARGS, weights, missing, tile + r * GAUSSIAN_PITCH + GAUSSIAN_PADDED (four),
        tile_x - GAUSSIAN_REACH + 4 * four, tile_y + r,
        edge ? edge_rows + r : 0);
  }
  barrier (CLK_LOCAL_MEM_FENCE);

  const int item_x = tile_x + (int) get_local_id (0) * ITEM_SAMPLES, item_y = tile_y + (int) get_local_id (1);
  if (item_x >= region.x + region.width || item_y >= region.y + region.height)
    return;
  local const uint2 *line = tile + get_local_id (1) * GAUSSIAN_PITCH + get_local_id (0) * (GAUSSIAN_ITEM_FOURS + 1);
  float sum[ITEM_SAMPLES];
#pragma unroll
  for (int s = 0; s < ITEM_SAMPLES; s++)
    sum[s] = missing + GAUSSIAN_QUARTER;
  GAUSSIAN_UNROLL_ROW
  for (int unit = 0; unit < GAUSSIAN_UNITS; unit++) {
    float v[GAUSSIAN_UNIT];
#pragma unroll
    for (int i = 0; i < GAUSSIAN_UNIT; i += 4) {
      const uint2 words = line[GAUSSIAN_PADDED (unit * (GAUSSIAN_UNIT / 4) + i / 4)];
      v[i] = as_float (0x4b000000 | (words.x & 0xffff));
      v[i + 1] = as_float (0x4b000000 | words.x >> 16);
      v[i + 2] = as_float (0x4b000000 | (words.y & 0xffff));
      v[i + 3] = as_float (0x4b000000 | words.y >> 16);
    }
    /* sample i of the unit, and sample i - ahead of the item */
#pragma unroll
    for (int ahead = -(ITEM_SAMPLES - 1) / NC * NC; ahead < GAUSSIAN_UNIT; ahead += NC) {
      const int distance = unit * (GAUSSIAN_UNIT / NC) + ahead / NC - GAUSSIAN_REACH / NC;
      if (GAUSSIAN_ROW_TAP (distance)) {
        const float weight = GAUSSIAN_ROW_WEIGHT (distance);
#pragma unroll
        for (int i = 0; i < GAUSSIAN_UNIT; i++)
          if (i - ahead >= 0 && i - ahead < ITEM_SAMPLES)
            sum[i - ahead] = fma (v[i], weight, sum[i - ahead]);
      }
    }
  }
  int values[ITEM_SAMPLES];
#pragma unroll
  for (int s = 0; s < ITEM_SAMPLES; s++)
    values[s] = (as_uint (sum[s]) >> 8) & 0xff;
  store_item (values, item_y);
}

#endif
