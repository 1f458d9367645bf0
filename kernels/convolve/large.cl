/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The correlation of convolve/convolve.cl with a matrix of any size, an argument, on the cpu back end: row after row of a tile is
 * turned into numbers once, and multiplied by the row's taps for all rows of results that it reaches.
 *
 * taps has LARGE_PAD rows of zeros above and below the matrix, ITEM_ROWS - 1 at least.
 *
 * Wins on the processor in docs/performance.md: convolve 15x15. */

/* Results that stay in registers: ITEM_ROWS rows of them. */
#define LARGE_VECTORS (sizeof (sum_t) == 8 ? 2 : 4)
#define LARGE_BLOCK (LARGE_VECTORS * 16)
#define LARGEST_REACH (30 * NC)

typedef sum_t lanes_t __attribute__ ((ext_vector_type (16)));
typedef sum_t unaligned_lanes_t __attribute__ ((ext_vector_type (16), aligned (sizeof (sum_t))));

/* Sums of LARGE_BLOCK samples; line stands where the window of the first one begins, and taps where the first row's do: those of
 * the next row stand before them. */
static inline __attribute__ ((always_inline)) void
add_block (sum_t (*sum)[TILE_SAMPLES], int x, const sum_t *line, global const sum_t *restrict taps, int width)
{
  lanes_t part[ITEM_ROWS][LARGE_VECTORS];
#pragma unroll
  for (int i = 0; i < ITEM_ROWS * LARGE_VECTORS; i++)
    part[i / LARGE_VECTORS][i % LARGE_VECTORS] = 0;
#pragma unroll 1
  for (int i = 0; i < width; i++)
#pragma unroll
    for (int v = 0; v < LARGE_VECTORS; v++) {
      const lanes_t in = *(const unaligned_lanes_t *) (line + x + i * NC + v * 16);
#pragma unroll
      for (int r = 0; r < ITEM_ROWS; r++)
        part[r][v] = MULTIPLY_ADD (in, (lanes_t) taps[i - r * width], part[r][v]);
    }
#pragma unroll
  for (int i = 0; i < ITEM_ROWS * LARGE_VECTORS; i++)
    *(unaligned_lanes_t *) (sum[i / LARGE_VECTORS] + x + i % LARGE_VECTORS * 16) += part[i / LARGE_VECTORS][i % LARGE_VECTORS];
}

kernel void
convolve_large (PLANE_ARGS, global const sum_t *restrict taps, RESULT_ARGS, int2 size)
{
  TILE_BEGIN
  sum_t line[TILE_SAMPLES + LARGEST_REACH], sum[ITEM_ROWS][TILE_SAMPLES];
  for (int r = 0; r < ITEM_ROWS; r++)
    for (int x = 0; x < TILE_SAMPLES; x++)
      sum[r][x] = 0;
  for (int row = 0; row < size.y + ITEM_ROWS - 1; row++) {
    global const sample_t *from = src + (at + (row - size.y / 2) * src_stride - size.x / 2 * NC);
    WIDE_LOOP
    for (int x = 0; x < tile_width + (size.x - 1) * NC; x++)
      line[x] = TERM (LOAD (from[x]));
    for (int x = 0; x < tile_width; x += LARGE_BLOCK)
      add_block (sum, x, line, taps + (LARGE_PAD + row) * size.x, size.x);
  }
  for (int r = 0; r < ITEM_ROWS; r++) {
    global const sample_t *from = src + (at + r * src_stride);
    global sample_t *out = dst + (to + r * dst_stride);
    WIDE_LOOP
    for (int x = 0; x < tile_width; x++)
      out[x] = merge_sample (RESULT_OF (sum[r][x], 0), from[x], keep[tile_x + x]);
  }
}
