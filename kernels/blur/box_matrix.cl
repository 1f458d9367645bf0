/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The mean of blur/box.cl by blur/matrix_window.clh. Weights are 1: sums across have 16 bits, and no sum is ever rounded.
 *
 * Wins on the H200 in docs/performance.md: box r 10. */
#if BACKEND_GPU

static inline __attribute__ ((always_inline)) void
across (uint *sum, uint samples[LOADED][NC], int strip, int component, uint weights[PLANES][CHUNKS][2])
{
#pragma unroll
  for (int i = 0; i < 4; i++)
    sum[i] = 0;
#define SAMPLES(c) samples[strip + (c)][component]
#define BOX_ONES(c) weights[0][c]
  ADD_PRODUCTS (sum, BOX_ONES, SAMPLES);
#undef BOX_ONES
}

/* The sum, less than 2^23, is the low bits of a float. Half to even; an odd count has no ties. */
static inline __attribute__ ((always_inline)) void
down (uint *value, uint sums[CHUNKS][2][2], int slot, uint weights[PLANES][CHUNKS], float inverse)
{
  const float base = 8388608.0f;
  uint high[4] = {0, 0, 0, 0}, low[4] = {as_uint (base), as_uint (base), as_uint (base), as_uint (base)};
#define HIGH_SUMS(c) sums[(slot + (c)) % CHUNKS][1]
#define LOW_SUMS(c) sums[(slot + (c)) % CHUNKS][0]
#define BOX_ONES(c) weights[0][c]
  ADD_PRODUCTS (high, HIGH_SUMS, BOX_ONES);
  ADD_PRODUCTS (low, LOW_SUMS, BOX_ONES);
#pragma unroll
  for (int i = 0; i < 4; i++)
    value[i] = as_uint (fma (as_float (low[i] + (high[i] << 8)) - base, inverse, base));
}

kernel __attribute__ ((reqd_work_group_size (32, WARPS, 1))) void
box_matrix (PLANE_ARGS, global const uint *restrict fragments, int band, float inverse)
{
  MARCH_LOCALS;
  march (DST_ARGS, fragments, band, inverse, staged_samples, edge_columns, edge_rows);
}

#endif
