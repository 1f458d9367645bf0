/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Correlation with a KW x KH matrix that is column x row, for pixels of four 8-bit samples, by the matrix units of NVIDIA's GPUs: both
 * passes are products of samples with matrices that hold the taps along their diagonals. Sums of integers do not depend
 * on their order, so that the bytes are the same.
 *
 * A group writes 16 rows of CONVOLVE_OUT_BLOCKS blocks of 16 pixels, each warp some of them. Of each block, and of one more on
 * either side, a lane loads two pixels in four rows of every 16 and puts four rows of a component into a word. The
 * first product gives 16 rows of column sums, of which a lane gets four neighbouring pixels of two rows: in words again, of
 * high and of low bytes, these are the other product's factor. Taps are sums of a high and a low part, too.
 *
 * fragments   what each lane holds of the factors made of taps: CONVOLVE_COLUMN_REGISTERS words for the high parts, the
 *             same for the low ones, CONVOLVE_ROW_REGISTERS for the high parts and the low ones of pixels 0 .. 7 of a
 *             block, the same for pixels 8 .. 15; each word for 32 lanes
 *
 * Wins on the H200 in docs/performance.md: gaussian sigma 2 and sigma 8, of clconvolve.
 */
#if BACKEND_GPU

/* Sums of columns are integers; times column_factor, plus column_half, they have the part that is kept in bits 16 .. 31. */
#define FIXED_ARGS int column_factor, int column_half, int result_shift

#define CONVOLVE_TILE_PIXELS (32 * ITEM_SAMPLES / NC)
#define CONVOLVE_MATRIX_ROWS (GROUP_Y * ITEM_ROWS)
#define MATRIX_BLOCK 16
#define CONVOLVE_OUT_BLOCKS (CONVOLVE_TILE_PIXELS / MATRIX_BLOCK)
/* 16 rows each that the columns of a block are summed of, and blocks that its rows are. */
#define CONVOLVE_COLUMN_PARTS ((MATRIX_BLOCK + KH - 1 + 15) / 16)
#define CONVOLVE_ROW_PARTS (KW <= 17 ? 2 : 3)
#define CONVOLVE_COLUMN_REGISTERS (2 * CONVOLVE_COLUMN_PARTS)
#define CONVOLVE_ROW_REGISTERS CONVOLVE_ROW_PARTS
#define CONVOLVE_LANE_ROWS (4 * CONVOLVE_COLUMN_PARTS)

/* sum += a * b over CONVOLVE_COLUMN_PARTS or CONVOLVE_ROW_PARTS times 16 bytes */
#define CONVOLVE_ADD_COLUMN(sum, a, b)                                             \
  do {                                                                             \
    ADD_PRODUCT_32 ("s8.u8", sum, (a)[0], (a)[1], (a)[2], (a)[3], (b)[0], (b)[1]); \
    if (CONVOLVE_COLUMN_PARTS > 2)                                                 \
      ADD_PRODUCT_16 ("s8.u8", sum, (a)[4], (a)[5], (b)[2]);                       \
  } while (0)
#define MATRIX_ADD_ROW(TYPES, sum, words, b)                               \
  _Pragma ("unroll") for (int part = 0; part < CONVOLVE_ROW_PARTS; part++) \
      ADD_PRODUCT_16 (TYPES, sum, (words)[part][0], (words)[part][1], (b)[part])

static inline uint
pixel_at (global const sample_t *restrict from)
{
#if ALIGNED
  return *(global const uint *) from;
#else
  return from[0] | from[1] << 8 | from[2] << 16 | (uint) from[3] << 24;
#endif
}

/* Two pixels side by side in CONVOLVE_LANE_ROWS rows: four of every 16, beginning with y. At the frame's edge rows and columns
 * come from elsewhere, negative ones are the constant. */
static inline void
load_pixels (uint (*pixels)[2], SRC_PARAMS, int column, int y, bool inside, const int *rows)
{
  if (inside) {
    global const sample_t *from = src + src_offset + y * src_stride + column * NC;
#pragma unroll
    for (int i = 0; i < CONVOLVE_LANE_ROWS; i++) {
      global const sample_t *row = from + (i / 4 * 16 + i % 4) * src_stride;
#if ALIGNED == 16
      const uint2 two = *(global const uint2 *) row;
      pixels[i][0] = two.x;
      pixels[i][1] = two.y;
#else
      pixels[i][0] = pixel_at (row);
      pixels[i][1] = pixel_at (row + NC);
#endif
    }
  } else {
    int columns[2];
#pragma unroll 1
    for (int p = 0; p < 2; p++)
      columns[p] = pixel_place (column + p, plane);
    const int first = columns[0], second = columns[1];
    const uint constant_pixel = outside_word (plane);
#pragma unroll
    for (int i = 0; i < CONVOLVE_LANE_ROWS; i++) {
      global const sample_t *row = src + src_offset + max (rows[i], 0) * src_stride;
      const uint one = pixel_at (row + max (first, 0) * NC), two = pixel_at (row + max (second, 0) * NC);
      pixels[i][0] = (rows[i] | first) < 0 ? constant_pixel : one;
      pixels[i][1] = (rows[i] | second) < 0 ? constant_pixel : two;
    }
  }
}

/* The words of four rows of each component, of one of the two pixels. */
static inline void
turn_pixels (uint (*turned)[CONVOLVE_COLUMN_PARTS], const uint (*pixels)[2], int p)
{
#pragma unroll
  for (int part = 0; part < CONVOLVE_COLUMN_PARTS; part++) {
    uint columns[4];
    transpose_bytes (
        columns, pixels[4 * part][p], pixels[4 * part + 1][p], pixels[4 * part + 2][p], pixels[4 * part + 3][p]);
#pragma unroll
    for (int c = 0; c < 4; c++)
      turned[c][part] = columns[c];
  }
}

/* Column sums of four pixels in two rows 8 apart: for each component two words of high bytes and two of low ones. */
static inline void
column_words (local uint4 *words, const uint (*pixels)[2], const uint *fragments, FIXED_ARGS)
{
  uint turned[2][4][CONVOLVE_COLUMN_PARTS];
  turn_pixels (turned[0], pixels, 0);
  turn_pixels (turned[1], pixels, 1);
#pragma unroll
  for (int c = 0; c < 4; c++) {
    int sum[2][4];
#pragma unroll
    for (int p = 0; p < 2; p++) {
      int sum_high[4] = {0, 0, 0, 0}, sum_low[4] = {0, 0, 0, 0};
      CONVOLVE_ADD_COLUMN (sum_high, fragments, turned[p][c]);
      CONVOLVE_ADD_COLUMN (sum_low, fragments + CONVOLVE_COLUMN_REGISTERS, turned[p][c]);
#pragma unroll
      for (int i = 0; i < 4; i++)
        sum[p][i] = sum_high[i] * (column_factor << 8) + (sum_low[i] * column_factor + column_half);
    }
    uint high[2], low[2];
#pragma unroll
    for (int r = 0; r < 2; r++) {
      const uint first = permute_bytes (sum[0][2 * r], sum[1][2 * r], 0x7632);
      const uint second = permute_bytes (sum[0][2 * r + 1], sum[1][2 * r + 1], 0x7632);
      low[r] = permute_bytes (first, second, 0x6420);
      high[r] = permute_bytes (first, second, 0x7531);
    }
    words[c * 32] = (uint4) (high[0], high[1], low[0], low[1]);
  }
}

/* The word of a pixel of which v are the components' sums. */
static inline uint
result_pixel (int v0, int v1, int v2, int v3, int result_shift, RESULT_ARGS)
{
#if RESULT_BY_SHIFT
  return saturated_bytes (v0 >> result_shift, v1 >> result_shift, v2 >> result_shift, v3 >> result_shift);
#else
  const float first = SUM_START;
  return pack_bytes (RESULT_OF ((float) v0 + first, 0), RESULT_OF ((float) v1 + first, 0), RESULT_OF ((float) v2 + first, 0),
      RESULT_OF ((float) v3 + first, 0));
#endif
}

/* The sums of each component of two pixels in two rows 8 apart, from CONVOLVE_ROW_PARTS blocks of column sums. */
static inline void
row_sums (int (*sum)[4], local const uint4 *words, const uint *row_high, const uint *row_low, int half_step)
{
#pragma unroll
  for (int c = 0; c < 4; c++) {
    uint high[CONVOLVE_ROW_PARTS][2], low[CONVOLVE_ROW_PARTS][2];
#pragma unroll
    for (int i = 0; i < CONVOLVE_ROW_PARTS; i++) {
      const uint4 four = words[(i * 4 + c) * 32];
      high[i][0] = four.x;
      high[i][1] = four.y;
      low[i][0] = four.z;
      low[i][1] = four.w;
    }
    int upper[4] = {0, 0, 0, 0}, middle[4] = {0, 0, 0, 0}, lower[4] = {0, 0, 0, 0};
    MATRIX_ADD_ROW ("s8.s8", upper, high, row_high);
    MATRIX_ADD_ROW ("s8.s8", middle, high, row_low);
    MATRIX_ADD_ROW ("u8.s8", middle, low, row_high);
    MATRIX_ADD_ROW ("u8.s8", lower, low, row_low);
#pragma unroll
    for (int i = 0; i < 4; i++)
      sum[c][i] = upper[i] * 65536 + (middle[i] * 256 + lower[i]) + half_step;
  }
}

kernel __attribute__ ((reqd_work_group_size (32, GROUP_Y, 1))) void
convolve_matrix (PLANE_ARGS, global const uint *restrict fragment_table, FIXED_ARGS, RESULT_ARGS)
{
  /* of each lane: two words of high bytes and two of low ones, for each component */
  local uint4 words[CONVOLVE_OUT_BLOCKS + 2][4 * 32];
  const int lane = get_local_id (0), warp = get_local_id (1);
  const int tile_x = ((int) get_group_id (0) * 32 + region.x / ITEM_SAMPLES) * ITEM_SAMPLES / NC;
  const int tile_y = region.y + (int) get_group_id (1) * CONVOLVE_MATRIX_ROWS;

  uint fragments[2 * CONVOLVE_COLUMN_REGISTERS];
  LOAD_FRAGMENTS (fragments, fragment_table, 0, 2 * CONVOLVE_COLUMN_REGISTERS, lane);
  const int first_row = tile_y - KH / 2, y = first_row + lane % 4 * 4;
  const bool inside = tile_x >= MATRIX_BLOCK && (tile_x + CONVOLVE_TILE_PIXELS + MATRIX_BLOCK) * NC <= plane.width
      && first_row >= 0 && first_row + 16 * CONVOLVE_COLUMN_PARTS <= plane.height;
  int rows[CONVOLVE_LANE_ROWS];
  if (!inside)
#pragma unroll 1
    for (int i = 0; i < CONVOLVE_LANE_ROWS; i++)
      rows[i] = row_place (y + i / 4 * 16 + i % 4, plane);
#pragma unroll 1
  for (int block = warp; block < CONVOLVE_OUT_BLOCKS + 2; block += GROUP_Y) {
    uint pixels[CONVOLVE_LANE_ROWS][2];
    load_pixels (pixels, SRC_ARGS, tile_x + (block - 1) * MATRIX_BLOCK + lane / 4 * 2, y, inside, rows);
    column_words (words[block] + lane, pixels, fragments, column_factor, column_half, result_shift);
  }
  barrier (CLK_LOCAL_MEM_FENCE);

  uint row_fragments[4 * CONVOLVE_ROW_REGISTERS];
  LOAD_FRAGMENTS (row_fragments, fragment_table, 2 * CONVOLVE_COLUMN_REGISTERS, 4 * CONVOLVE_ROW_REGISTERS, lane);
  /* masks are the same for all pixels */
  const uint kept = *(global const uint *) keep;
  const bool whole = ALIGNED && tile_x * NC >= region.x && (tile_x + CONVOLVE_TILE_PIXELS) * NC <= region.x + region.width;
#pragma unroll 1
  for (int block = warp; block < CONVOLVE_OUT_BLOCKS; block += GROUP_Y) {
#pragma unroll
    for (int half_block = 0; half_block < 2; half_block++) {
      const uint *row_high = row_fragments + half_block * 2 * CONVOLVE_ROW_REGISTERS;
      int sum[4][4];
      row_sums (sum, words[block + (CONVOLVE_ROW_PARTS == 2 ? half_block : 0)] + lane, row_high,
          row_high + CONVOLVE_ROW_REGISTERS, RESULT_BY_SHIFT ? 1 << result_shift >> 1 : 0);
      uint results[2][2];
#pragma unroll
      for (int i = 0; i < 4; i++)
        results[i / 2][i % 2] = result_pixel (sum[0][i], sum[1][i], sum[2][i], sum[3][i], result_shift, offset, inverse,
            under);
      const int x = tile_x + block * MATRIX_BLOCK + half_block * (MATRIX_BLOCK / 2) + lane % 4 * 2;
      const bool inside_region = ALIGNED && x * NC >= region.x && (x + 2) * NC <= region.x + region.width;
      const struct two_place at = {x * NC, whole || inside_region, {kept, kept}};
#pragma unroll
      for (int r = 0; r < 2; r++)
        store_two (DST_ARGS, results[r], at, tile_y + lane / 4 + 8 * r);
    }
  }
}

#endif
