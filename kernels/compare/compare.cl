/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sums over two planes, for measures of their similarity. They are taken by column first: a band of rows has a row of
 * partial sums, one for each sample of the plane's rows, so that neighbouring items read neighbouring samples whatever the
 * number of components. compare_total adds them up by component.
 *
 * Every sum of samples, squares and products is an exact integer.
 */

/* The sums of one position: of a, b, a*a, b*b, a*b. */
#define COMPARE_SUMS 5
/* And of the structural similarity, in units of 2^-32. */
#define COMPARE_TOTALS 6

#if DEPTH <= 12
typedef uint partial_t; /* fits the squares of 256 rows */
#else
typedef ulong partial_t;
#endif

/* a and b begin with the first sample of the area. area: width and height in samples. rows: of a band. partial: for each
 * band, COMPARE_SUMS rows of `width` sums. */
#define COMPARE_SUMS_ARGS                                                                                         \
  global const sample_t *restrict a, int a_offset, int a_stride, global const sample_t *restrict b, int b_offset, \
      int b_stride, int2 area, int rows, global partial_t *restrict partial

#if BACKEND_CPU

/* Adds COMPARE_UNROLLED rows of a strip to its sums: a loop over x, which is what the compiler makes vectors of. */
#define COMPARE_UNROLLED 8

static inline void
add_rows (global const sample_t *restrict a, int a_stride, global const sample_t *restrict b, int b_stride, int rows,
    int n, int width, global partial_t *restrict to)
{
  if (rows == COMPARE_UNROLLED) {
    for (int x = 0; x < n; x++) {
      partial_t sum_a = 0, sum_b = 0, sum_aa = 0, sum_bb = 0, sum_ab = 0;
#pragma unroll
      for (int y = 0; y < COMPARE_UNROLLED; y++) {
        const partial_t p = LOAD (a[y * a_stride + x]), q = LOAD (b[y * b_stride + x]);
        sum_a += p;
        sum_b += q;
        sum_aa += p * p;
        sum_bb += q * q;
        sum_ab += p * q;
      }
      to[x] += sum_a;
      to[width + x] += sum_b;
      to[2 * width + x] += sum_aa;
      to[3 * width + x] += sum_bb;
      to[4 * width + x] += sum_ab;
    }
  } else {
    for (int y = 0; y < rows; y++)
      for (int x = 0; x < n; x++) {
        const partial_t p = LOAD (a[y * a_stride + x]), q = LOAD (b[y * b_stride + x]);
        to[x] += p;
        to[width + x] += q;
        to[2 * width + x] += p * p;
        to[3 * width + x] += q * q;
        to[4 * width + x] += p * q;
      }
  }
}

/* An item takes a strip of STRIP columns. */
kernel void
compare_sums (COMPARE_SUMS_ARGS)
{
  const int left = (int) get_global_id (0) * STRIP, n = min (STRIP, area.x - left);
  const int band = (int) get_global_id (1), first = band * rows, last = min (first + rows, area.y);
  global partial_t *to = partial + band * COMPARE_SUMS * area.x + left;
  for (int q = 0; q < COMPARE_SUMS; q++)
    for (int x = 0; x < n; x++)
      to[q * area.x + x] = 0;
  for (int y = first; y < last; y += COMPARE_UNROLLED)
    add_rows (a + a_offset + y * a_stride + left, a_stride, b + b_offset + y * b_stride + left, b_stride,
        min (COMPARE_UNROLLED, last - y), n, area.x, to);
}

#else

/* An item takes a column of words where the host defines WORDS: all rows stand on a word's boundary, and there is no part of
 * a word at their end. Else of samples. */
#if WORDS
#define COMPARE_COLUMN_SAMPLES SAMPLES_PER_WORD
#define COMPARE_COLUMN_WORD(row) *(global const uint *) (row)
#define COMPARE_COLUMN_SAMPLE(word, i) (partial_t) unpack_sample (word, i)
#else
#define COMPARE_COLUMN_SAMPLES 1
#define COMPARE_COLUMN_WORD(row) (row)[0]
#define COMPARE_COLUMN_SAMPLE(word, i) (partial_t) LOAD (word)
#endif

kernel void
compare_sums (COMPARE_SUMS_ARGS)
{
  const int x = (int) get_global_id (0) * COMPARE_COLUMN_SAMPLES, band = (int) get_global_id (1);
  const int first = band * rows, last = min (first + rows, area.y);
  if (x >= area.x)
    return;
  partial_t sums[COMPARE_SUMS][COMPARE_COLUMN_SAMPLES] = {{0}};
#pragma unroll 4
  for (int y = first; y < last; y++) {
    const uint a_word = COMPARE_COLUMN_WORD (a + a_offset + y * a_stride + x);
    const uint b_word = COMPARE_COLUMN_WORD (b + b_offset + y * b_stride + x);
#pragma unroll
    for (int i = 0; i < COMPARE_COLUMN_SAMPLES; i++) {
      const partial_t p = COMPARE_COLUMN_SAMPLE (a_word, i), q = COMPARE_COLUMN_SAMPLE (b_word, i);
      sums[0][i] += p;
      sums[1][i] += q;
      sums[2][i] += p * p;
      sums[3][i] += q * q;
      sums[4][i] += p * q;
    }
  }
  global partial_t *to = partial + band * COMPARE_SUMS * area.x + x;
#pragma unroll
  for (int q = 0; q < COMPARE_SUMS; q++)
#pragma unroll
    for (int i = 0; i < COMPARE_COLUMN_SAMPLES; i++)
      to[q * area.x + i] = sums[q][i];
}

#endif

/* Item (0, q * NC + c) of a group of one, or a group's items together on the gpu back end: the total of sum q of
 * component c, to totals[c * COMPARE_TOTALS + q]. similarity: for each of similar.y bands a row of similar.x sums. */
#if BACKEND_CPU
#define COMPARE_TOTAL_ITEMS 1
#else
#define COMPARE_TOTAL_ITEMS 64
#endif

kernel __attribute__ ((reqd_work_group_size (COMPARE_TOTAL_ITEMS, 1, 1))) void
compare_total (global const partial_t *restrict partial, int2 bands, global const float *restrict similarity,
    int2 similar, global long *restrict totals)
{
  const int which = (int) get_group_id (1), q = which / NC, component = which % NC, item = (int) get_local_id (0);
  long total = 0;
  if (q < COMPARE_SUMS) {
    for (int band = 0; band < bands.y; band++)
      for (int x = item * NC + component; x < bands.x; x += COMPARE_TOTAL_ITEMS * NC)
        total += (long) partial[(band * COMPARE_SUMS + q) * bands.x + x];
  } else {
    for (int band = 0; band < similar.y; band++)
      for (int x = item * NC + component; x < similar.x; x += COMPARE_TOTAL_ITEMS * NC)
        total += (long) (similarity[band * similar.x + x] * 4294967296.0f);
  }
#if BACKEND_CPU
  totals[component * COMPARE_TOTALS + q] = total;
#else
  local long parts[COMPARE_TOTAL_ITEMS];
  parts[item] = total;
  barrier (CLK_LOCAL_MEM_FENCE);
  if (item == 0) {
    for (int i = 1; i < COMPARE_TOTAL_ITEMS; i++)
      total += parts[i];
    totals[component * COMPARE_TOTALS + q] = total;
  }
#endif
}
