/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Smooths the steps that transform coding leaves where its blocks meet. Across a line of the block grid stand, in a row
 * or column of samples, p3 p2 p1 p0 | q0 q1 q2 q3. All in integers:
 *
 *   s = q0 - p0                   the step
 *   e = 3 s - (q1 - p1)           twice the step that remains when both sides are extended to the line by their slopes
 *   m = min (2 |s|, |e|) where s and e have the same sign, else 0
 *   a = max (|p1 - p0|, |p2 - p1|, |p3 - p2|, the same of q)    what changes inside of the blocks
 *   c = sign (s) max (0, min (m, limit - m) - 2 a)
 *
 * and every sample, the i-th from the line, becomes round (p_i + taps_i c / 32) or round (q_i - taps_i c / 32), half to
 * even. So a step is smoothed where it is small against the limit and large against what surrounds it, and the strength
 * of the smoothing has no jump. First come the lines between columns, then, on the result, those between rows.
 *
 *   limit   steps of more than half of that are unchanged
 *   grid    lines stand before the pixels x with (x - left) % width == 0, and before the rows y with (y - top) % height == 0;
 *           width and height are powers of two
 *   taps    taps 0 to 2 in x to z; in w all ones, but 0 for blocks of two, whose p2, p3, q2 and q3 are those of other blocks,
 *           and take no part
 */
struct grid
{
  int width, height, left, top;
};

#if BACKEND_CPU && DEPTH <= 11
typedef short value_t;
#else
typedef int value_t;
#endif

/* How many samples on each side of a line are changed, and how many are looked at. */
#define REACH 3
#define LOOK 4

static inline value_t
size_of (value_t v)
{
  return v < 0 ? -v : v;
}

static inline value_t
most_of (value_t a, value_t b)
{
  return a > b ? a : b;
}

/* c of the formula. outer: w of the taps. */
static inline value_t
correction (value_t p3, value_t p2, value_t p1, value_t p0, value_t q0, value_t q1, value_t q2, value_t q3,
    value_t limit, value_t outer)
{
  const value_t s = q0 - p0, e = 3 * s - (q1 - p1);
  const value_t near = most_of (size_of (p1 - p0), size_of (q1 - q0));
  const value_t middle = most_of (size_of (p2 - p1), size_of (q2 - q1));
  const value_t far = most_of (size_of (p3 - p2), size_of (q3 - q2));
  const value_t step = 2 * size_of (s), extended = size_of (e);
  const value_t m = step < extended ? step : extended;
  const value_t rest = limit - m;
  const value_t found = (m < rest ? m : rest) - 2 * most_of (near, most_of (middle, far) & outer);
  const value_t c = (s ^ e) < 0 ? 0 : most_of (found, 0);
  return s < 0 ? -c : c;
}

/* v + t / 32, rounded half to even and saturated. */
static inline value_t
corrected (value_t v, value_t t)
{
  const value_t whole = t >> 5;
  const value_t result = v + (value_t) ((t + 15 + ((v + whole) & 1)) >> 5);
  return result < 0 ? 0 : result > MAX_VALUE ? MAX_VALUE : result;
}

/* The line that row y is corrected for, 0 if there is none, and what c is multiplied with. */
static inline int
line_of_row (int y, int height, struct grid grid, int4 taps, int *factor)
{
  const int after = (y - grid.top) & (grid.height - 1), reach = min (grid.height / 2, REACH);
  const int tap = after < reach ? after : after - grid.height, line = y - tap, i = tap < 0 ? -1 - tap : tap;
  const int size = i == 0 ? taps.x : i == 1 ? taps.y : taps.z;
  const bool found = tap >= -reach && line > 0 && line < height;
  *factor = !found ? 0 : tap < 0 ? size : -size;
  return found ? line : 0;
}

#if BACKEND_CPU

/* A work item filters TILE_SAMPLES x TILE_ROWS samples, or what is left of the region: across the lines between columns
 * into rows of its own, which are more by what the other lines need, and from these on. */
#define ROWS_AROUND (REACH - 1 + LOOK)

/* lines   for every sample of a row, from 2 pixels before the first one on: all ones where the sample stands behind a
 *         line, else 0
 * step    NC again: unknown to the compiler, which would carry samples from one round of a loop to the next, and so
 *         keep the loop from being vectorised */
static inline void
smooth_columns (value_t *restrict to, global const sample_t *restrict from, global const short *restrict lines, int n,
    int limit, int4 taps, int step)
{
  value_t c[TILE_SAMPLES + (2 * REACH - 1) * NC];
  const value_t top = limit, outer = taps.w, tap0 = taps.x, tap1 = taps.y, tap2 = taps.z;
  global const sample_t *p3 = from - 6 * step, *p2 = from - 5 * step, *p1 = from - 4 * step, *p0 = from - 3 * step;
  global const sample_t *q0 = from - 2 * step, *q1 = from - step, *q2 = from, *q3 = from + step;
  WIDE_LOOP
  for (int x = 0; x < n + 5 * NC; x++)
    c[x] = correction (LOAD (p3[x]), LOAD (p2[x]), LOAD (p1[x]), LOAD (p0[x]), LOAD (q0[x]), LOAD (q1[x]), LOAD (q2[x]),
        LOAD (q3[x]), top, outer) & lines[x];
  WIDE_LOOP
  for (int x = 0; x < n; x++) {
    const value_t near = c[x + 3 * step] - c[x + 2 * step], next = c[x + 4 * step] - c[x + step], far = c[x + 5 * step] - c[x];
    to[x] = corrected (LOAD (from[x]), tap0 * near + tap1 * next + tap2 * far);
  }
}

kernel void
deblock (PLANE_ARGS, int limit, struct grid grid, int4 taps_x, int4 taps_y, global const short *restrict lines, int step)
{
  const int tile_x = (int) get_global_id (0) * TILE_SAMPLES, tile_row = (int) get_global_id (1) * TILE_ROWS;
  const int width = min (TILE_SAMPLES, region.width - tile_x), rows = min (TILE_ROWS, region.height - tile_row);
  const int x = region.x + tile_x, y = region.y + tile_row;
  value_t middle[TILE_ROWS + 2 * ROWS_AROUND][TILE_SAMPLES], c[TILE_SAMPLES];
  for (int r = 0; r < rows + 2 * ROWS_AROUND; r++)
    smooth_columns (middle[r], src + src_offset + (y + r - ROWS_AROUND) * src_stride + x, lines + x, width, limit, taps_x, step);

  const value_t top = limit, outer = taps_y.w;
  int c_line = 0;
  for (int r = 0; r < rows; r++) {
    int tap;
    const int line = line_of_row (y + r, plane.height, grid, taps_y, &tap);
    if (line && line != c_line) {
      value_t (*p)[TILE_SAMPLES] = middle + (line - y + ROWS_AROUND - LOOK);
      WIDE_LOOP
      for (int i = 0; i < width; i++)
        c[i] = correction (p[0][i], p[1][i], p[2][i], p[3][i], p[4][i], p[5][i], p[6][i], p[7][i], top, outer);
      c_line = line;
    }
    const value_t *restrict row = middle[r + ROWS_AROUND];
    const value_t factor = tap;
    global const sample_t *from = src + src_offset + (y + r) * src_stride + x;
    global sample_t *to = dst + dst_offset + (y + r) * dst_stride + x;
    if (line) {
      WIDE_LOOP
      for (int i = 0; i < width; i++)
        to[i] = merge_sample ((sample_t) corrected (row[i], factor * c[i]), from[i], keep[tile_x + i]);
    } else {
      WIDE_LOOP
      for (int i = 0; i < width; i++)
        to[i] = merge_sample ((sample_t) row[i], from[i], keep[tile_x + i]);
    }
  }
}

#elif COLUMNS

/* Lines stand before every UNIT-th pixel from FIRST on of an item's eight, and of the eight on either side. */
#define LEAD (8 * NC)
#define SPAN (ITEM_SAMPLES + 2 * LEAD)

kernel void
deblock_columns (PLANE_ARGS, int limit, struct grid grid, int4 taps)
{
  GPU_ITEM
  if (!ITEM_IN_REGION)
    return;
  int values[ITEM_SAMPLES];
  uint words[WORDS_OF (SPAN)];
  load_rows (words, 1, WORDS_OF (SPAN), SRC_ARGS, item_x - LEAD, item_y, LEAD);
#pragma unroll
  for (int k = 0; k < NC; k++) {
    int v[24], t[8] = {0};
#pragma unroll
    for (int i = 0; i < 24; i++)
      v[i] = unpack_sample (words[(i * NC + k) / SAMPLES_PER_WORD], (i * NC + k) % SAMPLES_PER_WORD);
#pragma unroll
    for (int j = 1 - REACH; j < 8 + REACH; j++) {
      const int line = item_x / NC + j, *q = v + 8 + j;
      if ((j - FIRST) & (UNIT - 1))
        continue;
      const bool is_line = line > 0 && line * NC < plane.width && !((line - grid.left) & (grid.width - 1));
      const int c = correction (q[-4], q[-3], q[-2], q[-1], q[0], q[1], q[2], q[3], is_line ? limit : 0, taps.w);
#pragma unroll
      for (int i = 0; i < REACH; i++) {
        const int change = (i == 0 ? taps.x : i == 1 ? taps.y : taps.z) * c;
        if (j + i >= 0 && j + i < 8)
          t[j + i] -= change;
        if (j - 1 - i >= 0 && j - 1 - i < 8)
          t[j - 1 - i] += change;
      }
    }
#pragma unroll
    for (int i = 0; i < 8; i++)
      values[i * NC + k] = corrected (v[8 + i], t[i]);
  }
  store_item (values, item_y);
}

#else

/* Of what deblock_columns() made. The region may begin above the rows to write, so that an item has all rows around a line. */
kernel void
deblock_rows (PLANE_ARGS, int limit, struct grid grid, int4 taps, int first_row)
{
  GPU_ITEM
  if (!ITEM_IN_REGION)
    return;
  int c[ITEM_SAMPLES] = {0}, c_line = 0;
#pragma unroll 1
  for (int y = max (item_y, first_row); y < min (item_y + ITEM_ROWS, region.y + region.height); y++) {
    int factor, values[ITEM_SAMPLES];
    const int line = line_of_row (y, plane.height, grid, taps, &factor);
    if (line && line != c_line) {
      uint p[2 * LOOK][WORDS_OF (ITEM_SAMPLES)];
      load_rows (p[0], 2 * LOOK, ITEM_WORDS, SRC_ARGS, item_x, line - LOOK, 0);
#pragma unroll
      for (int i = 0; i < ITEM_SAMPLES; i++) {
        int v[2 * LOOK];
#pragma unroll
        for (int r = 0; r < 2 * LOOK; r++)
          v[r] = unpack_sample (p[r][i / SAMPLES_PER_WORD], i % SAMPLES_PER_WORD);
        c[i] = correction (v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], limit, taps.w);
      }
      c_line = line;
    }
    load_point (values, item_x, y);
#pragma unroll
    for (int i = 0; i < ITEM_SAMPLES; i++)
      values[i] = corrected (values[i], factor * c[i]);
    store_item (values, y);
  }
}

#endif
