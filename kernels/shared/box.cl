/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Results from sums of square windows. The sum of a column moves down from row to row: one sample enters, one leaves. The sum of a window
 * moves right along these sums in the same way. A source before it defines total_t, the type of a window's sum; column_sum_t, a column's;
 * BOX_ARGS and BOX_NAMES, parameters of box_result () and their names; box_result (sum, v, easy, BOX_NAMES), a result; box_is_easy
 * (BOX_NAMES), whether the faster result with `easy` is right; BOX_SAMPLES, 1 if results depend on v, the sample in the middle.
 * Wins on the processor in docs/measurements/cpu.md: box r 10. */
#if BACKEND_CPU
/* BOX_LANES: of a vector; BOX_STEP: lanes of whole pixels; BOX_CHUNK: sums that are made before their results, and fit into the cache. */
enum { BOX_LANES = 16, BOX_STEP = NC == 3 ? 12 : 16, BOX_CHUNK = 960 };
typedef total_t scan_t __attribute__ ((ext_vector_type (BOX_LANES)));
typedef uint column_lanes_t __attribute__ ((ext_vector_type (BOX_LANES), aligned (4)));
typedef scan_t scan_unaligned_t __attribute__ ((aligned (sizeof (total_t))));

INLINE void
move_down (global uint *restrict columns, global const sample_t *restrict in, global const sample_t *restrict out, int n, bool subtract)
{
  WIDE_LOOP
  for (int x = 0; x < n; x++)
    columns[x] += LOAD (in[x]) - (subtract ? LOAD (out[x]) : 0);
}

static inline scan_t running_sums (scan_t v) /* prefix sums of each component's lanes */
{
#if NC == 3
  v += (scan_t) (0, 0, 0, v.s01234567, v.s89ab, v.sc);
  return v + (scan_t) (0, 0, 0, 0, 0, 0, v.s01234567, v.s89);
#else
  if (NC == 1)
    v += (scan_t) (0, v.s01234567, v.s89ab, v.scde);
  if (NC <= 2)
    v += (scan_t) (0, 0, v.s01234567, v.s89ab, v.scd);
  v += (scan_t) (0, 0, 0, 0, v.s01234567, v.s89ab);
  return v + (scan_t) (0, 0, 0, 0, 0, 0, 0, 0, v.lo);
#endif
}

/* From the first NC sums makes n more: sums[x + NC], of the window one pixel right of sums[x]'s. Writes up to BOX_LANES sums beyond. */
static inline void sum_windows (total_t *restrict sums, global const uint *restrict leaves, global const uint *restrict enters, int n)
{
  scan_t before;
  UNROLL for (int i = 0; i < BOX_LANES; i++)
    before[i] = sums[i % NC];
  for (int x = 0; x < n; x += BOX_STEP) {
    const scan_t more = __builtin_convertvector (*(global const column_lanes_t *) (enters + x), scan_t);
    const scan_t v = before + running_sums (more - __builtin_convertvector (*(global const column_lanes_t *) (leaves + x), scan_t));
    *(scan_unaligned_t *) (sums + x + NC) = v;
    before = NC == 1   ? (scan_t) (v.sf)
             : NC == 2 ? (scan_t) (v.sefefefef, v.sefefefef)
             : NC == 3 ? (scan_t) (v.s9ab9ab9a, v.sb9ab9ab9) : (scan_t) (v.scdefcdef, v.scdefcdef);
  }
}

INLINE void write_results (global sample_t *restrict out, global const sample_t *restrict from, global const sample_t *restrict keep,
    const total_t *restrict sums, int n, const bool easy, BOX_ARGS)
{
  WIDE_LOOP
  for (int x = 0; x < n; x++)
    out[x] = merge_sample (box_result (sums[x], LOAD (from[x]), easy, BOX_NAMES), from[x], keep[x]);
}

ITEM_KERNEL (box, (PLANE_ARGS, BOX_ARGS, int radius, BAND_ARGS), (PLANE_NAMES, BOX_NAMES, radius, band, scratch, each))
{
  const struct columns c = columns_of (region, plane, radius, radius);
  const int n = (c.last - c.first) * NC, pitch = (max (c.last, c.reach_last) - c.base) * NC + 2 * BOX_LANES, diameter = 2 * radius + 1;
  global uint *restrict columns = (global uint *) (scratch + ITEM (0) * each);
  global uint *restrict inside = columns + (c.first - c.base) * NC;
  global sample_t *blank = (global sample_t *) (columns + pitch);
  global const sample_t *rows[2];

  if (plane.border == BORDER_CONSTANT)
    fill_blank (blank, n, plane);
  for (int top = ITEM (0) * band; top < region.height; top += ITEM_COUNT * band) {
    for (int x = 0; x < n; x++)
      inside[x] = 0;
    for (int i = 0; i < diameter; i++) {
      find_rows (rows, SRC_ARGS, c.first * NC, region.y + top - 1 - radius + i, 1, blank);
      move_down (inside, rows[0], rows[0], n, false);
    }
    for (int y = region.y + top; y < region.y + min (top + band, region.height); y++) {
      find_rows (rows, SRC_ARGS, c.first * NC, y + radius, 1, blank);
      find_rows (rows + 1, SRC_ARGS, c.first * NC, y - radius - 1, 1, blank);
      move_down (inside, rows[0], rows[1], n, true);
      fill_ends (columns, c, plane, (uint) (plane.value * diameter));
      global sample_t *restrict out = dst + dst_offset + y * dst_stride + region.x;
      global const sample_t *restrict from = src + src_offset + y * src_stride + region.x;
      global const uint *restrict leaves = columns + (c.reach_first - c.base) * NC;
      total_t sums[BOX_CHUNK + 2 * BOX_LANES] = {0};
      for (int x = 0; x < diameter * NC; x += NC)
        UNROLL for (int i = 0; i < NC; i++)
          sums[i] += leaves[x + i];
      for (int begin = 0; begin < region.width; begin += BOX_CHUNK) {
        const int n_results = min (BOX_CHUNK, region.width - begin);
        sum_windows (sums, leaves + begin, leaves + begin + diameter * NC, n_results);
        if (box_is_easy (BOX_NAMES))
          write_results (out + begin, from + begin, keep + begin, sums, n_results, true, BOX_NAMES);
        else
          write_results (out + begin, from + begin, keep + begin, sums, n_results, false, BOX_NAMES);
        UNROLL for (int i = 0; i < NC; i++)
          sums[i] = sums[n_results + i];
      }
    }
  }
}
#else
/* An item sums four columns for `band` rows. pitch: from a row of sums to the next. */
kernel void box_columns (SRC_PARAMS, struct region region, int radius, int band, global uint *restrict sums, int pitch)
{
  const int x = region.x + (int) get_global_id (0) * 4, top = (int) get_global_id (1) * band;
  if (x >= region.x + region.width || top >= region.height)
    return;
  const int y = region.y + top - radius, last = min (top + band, region.height);
  uint4 sum = 0;
  global uint *to = sums + x - region.x;
  int v[4], gone[4] = {0, 0, 0, 0};
  ROLLED for (int r = top - 2 * radius; r < last; r++) {
    load_span (v, x, 4, y + (r - top) + 2 * radius, 0);
    if (r > top)
      load_span (gone, x, 4, y + (r - top) - 1, 0);
    sum += (uint4) (v[0] - gone[0], v[1] - gone[1], v[2] - gone[2], v[3] - gone[3]);
    if (r >= top)
      *(global uint4 *) (to + r * pitch) = sum;
  }
}

/* An item writes chunks * ITEM_SAMPLES results. skipped: the sums of a row that precede the first item's first window. */
kernel void box_rows (PLANE_ARGS, BOX_ARGS, int radius, int skipped, int chunks, global const uint *restrict sums, int pitch)
{
  const int first = region.x / ITEM_SAMPLES * ITEM_SAMPLES, y = region.y + (int) get_global_id (1);
  const int item_x = first + (int) get_global_id (0) * chunks * ITEM_SAMPLES, ahead = (2 * radius + 1) * NC;
  if (item_x >= region.x + region.width || y >= region.y + region.height)
    return;
  global const uint *line = sums + (y - region.y) * pitch + skipped + item_x - first;
  total_t sum[NC] = {0};
#pragma unroll 4
  for (int x = 0; x < 2 * radius + 1; x++)
    UNROLL for (int i = 0; i < NC; i++)
      sum[i] += line[x * NC + i];
  ROLLED for (int chunk = 0; chunk < chunks; chunk++, line += ITEM_SAMPLES) {
    int values[ITEM_SAMPLES];
    if (BOX_SAMPLES)
      load_point (values, item_x + chunk * ITEM_SAMPLES, y);
    UNROLL for (int s = 0; s < ITEM_SAMPLES; s++) {
      values[s] = box_result (sum[s % NC], BOX_SAMPLES ? values[s] : 0, false, BOX_NAMES);
      sum[s % NC] += (total_t) line[s + ahead] - line[s];
    }
    store_item_at (DST_ARGS, values, item_x + chunk * ITEM_SAMPLES, y);
  }
}
#endif
