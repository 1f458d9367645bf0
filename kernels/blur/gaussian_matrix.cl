/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The gaussian of blur/gaussian_tile.cl by blur/matrix_window.clh: weights are 16-bit numbers whose sum is 2^16, taken as two
 * bytes, and every sum is exact except for its rounding: to 1/256 of a sample step across, to whole steps down.
 *
 * Wins on the H200 in docs/performance.md: clblur sigma 2 and 8, 13 to 49 taps. */
#if BACKEND_GPU

/* Halves of what is shifted out, for the sums' rounding to the nearest. */
#define GAUSSIAN_HALF 128

/* 256 * high + low, rounded to multiples of 256 */
static inline __attribute__ ((always_inline)) void
across (uint *sum, uint samples[LOADED][NC], int strip, int component, uint weights[PLANES][CHUNKS][2])
{
  uint high[4] = {0, 0, 0, 0}, low[4] = {GAUSSIAN_HALF, GAUSSIAN_HALF, GAUSSIAN_HALF, GAUSSIAN_HALF};
#define SAMPLES(c) samples[strip + (c)][component]
#define GAUSSIAN_HIGH(c) weights[0][c]
#define GAUSSIAN_LOW(c) weights[1][c]
  ADD_PRODUCTS (high, GAUSSIAN_HIGH, SAMPLES);
  ADD_PRODUCTS (low, GAUSSIAN_LOW, SAMPLES);
#undef GAUSSIAN_HIGH
#undef GAUSSIAN_LOW
#pragma unroll
  for (int i = 0; i < 4; i++)
    sum[i] = high[i] + (low[i] >> 8);
}

/* 2^16 * high + 2^8 * middle + low, rounded to multiples of 2^24 */
static inline __attribute__ ((always_inline)) void
down (uint *value, uint sums[CHUNKS][2][2], int slot, uint weights[PLANES][CHUNKS], float inverse)
{
  uint high[4] = {GAUSSIAN_HALF, GAUSSIAN_HALF, GAUSSIAN_HALF, GAUSSIAN_HALF}, middle[4] = {0, 0, 0, 0}, low[4] = {0, 0, 0, 0};
#define HIGH_SUMS(c) sums[(slot + (c)) % CHUNKS][1]
#define LOW_SUMS(c) sums[(slot + (c)) % CHUNKS][0]
#define GAUSSIAN_HIGH(c) weights[0][c]
#define GAUSSIAN_LOW(c) weights[1][c]
  ADD_PRODUCTS (high, HIGH_SUMS, GAUSSIAN_HIGH);
  ADD_PRODUCTS (middle, HIGH_SUMS, GAUSSIAN_LOW);
  ADD_PRODUCTS (middle, LOW_SUMS, GAUSSIAN_HIGH);
  ADD_PRODUCTS (low, LOW_SUMS, GAUSSIAN_LOW);
#pragma unroll
  for (int i = 0; i < 4; i++)
    value[i] = high[i] + ((middle[i] + (low[i] >> 8)) >> 8);
}

kernel __attribute__ ((reqd_work_group_size (32, WARPS, 1))) void
gaussian_matrix (PLANE_ARGS, global const uint *restrict fragments, int band)
{
  MARCH_LOCALS;
  march (DST_ARGS, fragments, band, 0, staged_samples, edge_columns, edge_rows);
}

#endif
