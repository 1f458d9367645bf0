/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sums over two planes, exact integers, for measures of their similarity. Columns are summed first: a band of rows has a row of partial sums for
 * each of COMPARE_SUMS, a sum for each sample of a row, so that items beside each other read neighbours; compare_total adds these up. */
/* The sums of a, b, a*a, b*b, a*b; then in totals the structural similarity, in units of 2^-32. */
enum { COMPARE_SUMS = 5, COMPARE_TOTALS = 6 };

#if DEPTH <= 12
typedef uint partial_t; /* fits the squares of 256 rows */
#else
typedef ulong partial_t;
#endif

/* a and b begin with the area's first sample; area: its width and height in samples; rows: of a band; partial: COMPARE_SUMS rows a band. */
#define COMPARE_SUMS_ARGS global const sample_t *restrict a, int a_offset, int a_stride, global const sample_t *restrict b, int b_offset, \
    int b_stride, int2 area, int rows, global partial_t *restrict partial

static inline void add_pair (partial_t *sums, partial_t p, partial_t q)
{
  sums[0] += p;
  sums[1] += q;
  sums[2] += p * p;
  sums[3] += q * q;
  sums[4] += p * q;
}

#if BACKEND_CPU
static inline void add_rows (global const sample_t *restrict a, int a_stride, global const sample_t *restrict b, int b_stride,
    const int n_rows, int n, int width, global partial_t *restrict to)
{
  WIDE_LOOP
  for (int x = 0; x < n; x++) {
    partial_t sums[COMPARE_SUMS] = {0, 0, 0, 0, 0};
    UNROLL for (int y = 0; y < n_rows; y++)
      add_pair (sums, LOAD (a[y * a_stride + x]), LOAD (b[y * b_stride + x]));
    UNROLL for (int q = 0; q < COMPARE_SUMS; q++)
      to[q * width + x] += sums[q];
  }
}

/* An item takes a strip of STRIP columns, COMPARE_UNROLLED rows at a time. */
enum { COMPARE_UNROLLED = 8 };

ITEM_KERNEL (compare_sums, (COMPARE_SUMS_ARGS), (a, a_offset, a_stride, b, b_offset, b_stride, area, rows, partial))
{
  const int left = ITEM (0) * STRIP, n = min (STRIP, area.x - left);
  const int band = ITEM (1), last = min ((band + 1) * rows, area.y);
  global partial_t *to = partial + band * COMPARE_SUMS * area.x + left;
  for (int q = 0; q < COMPARE_SUMS; q++)
    for (int x = 0; x < n; x++)
      to[q * area.x + x] = 0;
  a += a_offset + left;
  b += b_offset + left;
  int y = band * rows;
  for (; y + COMPARE_UNROLLED <= last; y += COMPARE_UNROLLED)
    add_rows (a + y * a_stride, a_stride, b + y * b_stride, b_stride, COMPARE_UNROLLED, n, area.x, to);
  for (; y < last; y++)
    add_rows (a + y * a_stride, a_stride, b + y * b_stride, b_stride, 1, n, area.x, to);
}
#else
/* With WORDS an item takes a column of words: all rows are aligned to words, and end with a whole one; else a column of samples. */
enum { COMPARE_COLUMNS = WORDS ? SAMPLES_PER_WORD : 1 };
static inline uint stored_word (global const sample_t *at) { return WORDS ? *(global const uint *) at : at[0]; }

kernel void compare_sums (COMPARE_SUMS_ARGS)
{
  const int x = (int) get_global_id (0) * COMPARE_COLUMNS, band = (int) get_global_id (1), last = min ((band + 1) * rows, area.y);
  if (x >= area.x)
    return;
  partial_t sums[COMPARE_COLUMNS][COMPARE_SUMS] = {{0}};
#pragma unroll 4
  for (int y = band * rows; y < last; y++) {
    const uint a_word = stored_word (a + a_offset + y * a_stride + x), b_word = stored_word (b + b_offset + y * b_stride + x);
    UNROLL for (int i = 0; i < COMPARE_COLUMNS; i++)
      add_pair (sums[i], (partial_t) unpack_sample (a_word, i), (partial_t) unpack_sample (b_word, i));
  }
  global partial_t *to = partial + band * COMPARE_SUMS * area.x + x;
  UNROLL for (int i = 0; i < COMPARE_SUMS * COMPARE_COLUMNS; i++)
    to[i / COMPARE_COLUMNS * area.x + i % COMPARE_COLUMNS] = sums[i % COMPARE_COLUMNS][i / COMPARE_COLUMNS];
}
#endif

/* Group (q, c, part) adds sum q of sample c of a pixel over every PARTS-th band: totals[(part * samples + c) * COMPARE_TOTALS + q], which
 * is its number. similarity: for each of similar.y bands a row of similar.x sums. GROUP: its items. Cpu: GROUP and PARTS are 1. */
kernel __attribute__ ((reqd_work_group_size (GROUP, 1, 1))) void compare_total (global const partial_t *restrict partial, int2 bands,
    global const float *restrict similarity, int2 similar, int samples, global long *restrict totals)
{
  local long parts[GROUP];
  const int group = (int) get_group_id (1), q = group % COMPARE_TOTALS, part = group / COMPARE_TOTALS / samples;
  const int component = group / COMPARE_TOTALS % samples, item = (int) get_local_id (0);
  const bool is_sum = q < COMPARE_SUMS;
  const int2 size = is_sum ? bands : similar;
  long total = 0;
  for (int band = part; band < size.y; band += PARTS)
    for (int x = item * samples + component; x < size.x; x += GROUP * samples)
      total += is_sum ? (long) partial[(band * COMPARE_SUMS + q) * size.x + x] : (long) (similarity[band * size.x + x] * 4294967296.0f);
  parts[item] = total;
  barrier (CLK_LOCAL_MEM_FENCE);
  if (item == 0) {
    for (int i = 1; i < GROUP; i++)
      total += parts[i];
    totals[group] = total;
  }
}
