/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What follows from the sum of a square window, by running sums: columns are summed over the window's rows, from row to row by one
 * sample that comes in and one that goes out; sums along a row of them, from its beginning on, give a window's sum as
 * the difference of two. Sums may wrap around, differences do not. Behind the formula, which defines
 *
 *   BOX_ARGS, BOX_NAMES            parameters, and the same as arguments
 *   BOX_IS_EASY                    of these: whether box_result () is right with `easy`, which is faster
 *   BOX_SAMPLES                    1 where a result is of the sample in the window's middle, too
 *   box_result (sum, v, easy, BOX_NAMES)
 *   total_t, column_sum_t          types of a window's sum, and of a column's
 *
 * Wins on the processor in docs/performance.md: box r 10. */

#if BACKEND_CPU

enum { BOX_LANES = 16 };
typedef total_t scan_t __attribute__ ((ext_vector_type (BOX_LANES)));
typedef uint column_lanes_t __attribute__ ((ext_vector_type (BOX_LANES), aligned (4)));
typedef total_t scan_unaligned_t __attribute__ ((ext_vector_type (BOX_LANES), aligned (sizeof (total_t))));

/* Adds four rows at once, so that columns are read and written a fourth as often. */
static inline void
add_rows (global uint *restrict columns, global const sample_t *const *rows, int n)
{
  global const sample_t *restrict a = rows[0], *restrict b = rows[1], *restrict c = rows[2], *restrict d = rows[3];
  WIDE_LOOP
  for (int x = 0; x < n; x++)
    columns[x] += (uint) LOAD (a[x]) + LOAD (b[x]) + LOAD (c[x]) + LOAD (d[x]);
}

static inline void
add_row (global uint *restrict columns, global const sample_t *restrict row, int n)
{
  WIDE_LOOP
  for (int x = 0; x < n; x++)
    columns[x] += LOAD (row[x]);
}

static inline void
move_down (global uint *restrict columns, global const sample_t *restrict in, global const sample_t *restrict out,
    int n)
{
  WIDE_LOOP
  for (int x = 0; x < n; x++)
    columns[x] += LOAD (in[x]) - LOAD (out[x]);
}

#define BOX_SHUFFLE __builtin_shufflevector
/* v with its lanes shifted up by this number, filled with zeros. */
#define BOX_UP1(v) BOX_SHUFFLE (zero, v, 0, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30)
#define BOX_UP2(v) BOX_SHUFFLE (zero, v, 0, 0, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29)
#define BOX_UP4(v) BOX_SHUFFLE (zero, v, 0, 0, 0, 0, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27)
#define BOX_UP8(v) BOX_SHUFFLE (zero, v, 0, 0, 0, 0, 0, 0, 0, 0, 16, 17, 18, 19, 20, 21, 22, 23)

/* totals[x] = the sum of the columns of x's component before x, for n samples and a pixel more, of which the first
 * pixel is given. columns and totals may be read and written up to BOX_LANES behind that. */
static inline void
sum_up (global total_t *restrict totals, global const uint *restrict columns, int n)
{
#if NC == 3
  total_t sum[NC] = {totals[0], totals[1], totals[2]};
  for (int x = 0; x < n; x += NC)
#pragma unroll
    for (int i = 0; i < NC; i++)
      totals[x + NC + i] = sum[i] += columns[x + i];
#else
  const scan_t zero = 0;
  scan_t before;
#pragma unroll
  for (int i = 0; i < BOX_LANES; i++)
    before[i] = totals[i % NC];
  for (int x = 0; x < n; x += BOX_LANES) {
    const column_lanes_t column = *(global const column_lanes_t *) (columns + x);
    scan_t v = __builtin_convertvector (column, scan_t);
#if NC == 1
    v += BOX_UP1 (v);
#endif
#if NC <= 2
    v += BOX_UP2 (v);
#endif
    v += BOX_UP4 (v);
    v += BOX_UP8 (v);
    v += before;
    *(global scan_unaligned_t *) (totals + x + NC) = v;
#if NC == 1
    before = BOX_SHUFFLE (v, v, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15);
#elif NC == 2
    before = BOX_SHUFFLE (v, v, 14, 15, 14, 15, 14, 15, 14, 15, 14, 15, 14, 15, 14, 15, 14, 15);
#else
    before = BOX_SHUFFLE (v, v, 12, 13, 14, 15, 12, 13, 14, 15, 12, 13, 14, 15, 12, 13, 14, 15);
#endif
  }
#endif
}

static inline __attribute__ ((always_inline)) void
write_results (global sample_t *restrict out, global const sample_t *restrict from, global const sample_t *restrict keep,
    global const total_t *restrict totals, int reach, int first, int last, const bool easy, BOX_ARGS)
{
  WIDE_LOOP
  for (int x = first; x < last; x++) {
    const total_t sum = totals[x + reach] - totals[x];
    out[x] = merge_sample (box_result (sum, LOAD (from[x]), easy, BOX_NAMES), from[x], keep[x]);
  }
}

/* Samples whose sums are followed by their means while they are in the first-level cache, a multiple of any vector of
 * pixels. */
enum { BOX_CHUNK = 960 };

/* A row of the region, from the columns that its windows reach: reach samples of them. */
static inline void
box_row (global sample_t *restrict out, global const sample_t *restrict from, global const sample_t *restrict keep,
    int width, global total_t *restrict totals, global const uint *restrict columns, int reach, int radius, BOX_ARGS)
{
  int first = 0;
#pragma unroll
  for (int i = 0; i < NC; i++)
    totals[i] = 0;
  for (int x = 0; x < reach; x += BOX_CHUNK) {
    const int n = min (BOX_CHUNK, reach - x);
    sum_up (totals + x, columns + x, n);
    const int last = min (width, x + n - 2 * radius * NC);
    if (BOX_IS_EASY)
      write_results (out, from, keep, totals, (2 * radius + 1) * NC, first, last, true, BOX_NAMES);
    else
      write_results (out, from, keep, totals, (2 * radius + 1) * NC, first, last, false, BOX_NAMES);
    first = max (first, last);
  }
}

kernel void
box (PLANE_ARGS, BOX_ARGS, int radius, BAND_ARGS)
{
  const struct columns c = columns_of (region, plane, radius, radius);
  const int n = (c.last - c.first) * NC;
  const int pitch = (max (c.last, c.reach_last) - c.base) * NC + 2 * BOX_LANES;
  const int diameter = 2 * radius + 1;
  global total_t *restrict totals = (global total_t *) (scratch + get_global_id (0) * each);
  global uint *restrict columns = (global uint *) (totals + pitch);
  global uint *restrict inside = columns + (c.first - c.base) * NC;
  global sample_t *blank = (global sample_t *) (columns + pitch);
  global const sample_t *rows[4];

  if (plane.border == BORDER_CONSTANT)
    fill_blank (blank, n, plane);
  for (int top = get_global_id (0) * band; top < region.height; top += get_global_size (0) * band) {
    /* the window of the row above the first */
    for (int x = 0; x < n; x++)
      inside[x] = 0;
    for (int i = 0; i < diameter; i += 4) {
      const int left = min (4, diameter - i);
      find_rows (rows, SRC_ARGS, c.first * NC, region.y + top - 1 - radius + i, left, blank);
      if (left == 4)
        add_rows (inside, rows, n);
      else
        for (int row = 0; row < left; row++)
          add_row (inside, rows[row], n);
    }
    for (int y = region.y + top; y < region.y + min (top + band, region.height); y++) {
      find_rows (rows, SRC_ARGS, c.first * NC, y + radius, 1, blank);
      find_rows (rows + 1, SRC_ARGS, c.first * NC, y - radius - 1, 1, blank);
      move_down (inside, rows[0], rows[1], n);
      fill_ends (columns, c, plane, (uint) (plane.value * diameter));
      box_row (dst + dst_offset + y * dst_stride + region.x, src + src_offset + y * src_stride + region.x, keep,
          region.width, totals, columns + (c.reach_first - c.base) * NC, (c.reach_last - c.reach_first) * NC, radius,
          BOX_NAMES);
    }
  }
}

#else

/* Sums of the columns of four samples, in `band` rows of the region from each item's first on. Sums stand `pitch` from row to row. */
kernel void
box_columns (SRC_PARAMS, struct region region, int radius, int band, global uint *restrict sums, int pitch)
{
  const int x = region.x + (int) get_global_id (0) * 4, top = (int) get_global_id (1) * band;
  if (x >= region.x + region.width || top >= region.height)
    return;
  const int y = region.y + top - radius, last = min (top + band, region.height);
  uint4 sum = 0;
  global uint *to = sums + x - region.x;
  int v[4], gone[4] = {0, 0, 0, 0};
#pragma unroll 1
  for (int r = top - 2 * radius; r < last; r++) {
    load_span (v, x, 4, y + (r - top) + 2 * radius, 0);
    if (r > top)
      load_span (gone, x, 4, y + (r - top) - 1, 0);
    sum += (uint4) (v[0] - gone[0], v[1] - gone[1], v[2] - gone[2], v[3] - gone[3]);
    if (r >= top)
      *(global uint4 *) (to + r * pitch) = sum;
  }
}

/* Results of `chunks` times ITEM_SAMPLES samples. The window of the region's first item begins with sum `skipped` of a row. */
kernel void
box_rows (PLANE_ARGS, BOX_ARGS, int radius, int skipped, int chunks, global const uint *restrict sums, int pitch)
{
  const int first = region.x / ITEM_SAMPLES * ITEM_SAMPLES, y = region.y + (int) get_global_id (1);
  const int item_x = first + (int) get_global_id (0) * chunks * ITEM_SAMPLES, ahead = (2 * radius + 1) * NC;
  if (item_x >= region.x + region.width || y >= region.y + region.height)
    return;
  global const uint *line = sums + (y - region.y) * pitch + skipped + item_x - first;
  total_t sum[NC];
#pragma unroll
  for (int i = 0; i < NC; i++)
    sum[i] = 0;
#pragma unroll 4
  for (int x = 0; x < 2 * radius + 1; x++)
#pragma unroll
    for (int i = 0; i < NC; i++)
      sum[i] += line[x * NC + i];
#pragma unroll 1
  for (int chunk = 0; chunk < chunks; chunk++, line += ITEM_SAMPLES) {
    int values[ITEM_SAMPLES];
#if BOX_SAMPLES
    load_point (values, item_x + chunk * ITEM_SAMPLES, y);
#endif
#pragma unroll
    for (int s = 0; s < ITEM_SAMPLES; s++) {
      values[s] = box_result (sum[s % NC], BOX_SAMPLES ? values[s] : 0, false, BOX_NAMES);
      sum[s % NC] += (total_t) line[s + ahead] - line[s];
    }
    store_item_at (DST_ARGS, values, item_x + chunk * ITEM_SAMPLES, y);
  }
}

#endif
