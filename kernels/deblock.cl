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
 *   limit     steps of more than half of that stay as they are
 *   grid      lines stand before the pixels x with (x - grid.z) % grid.x == 0, and before the rows y with
 *             (y - grid.w) % grid.y == 0; blocks are powers of two, 0 <= grid.z < grid.x, 0 <= grid.w < grid.y
 *   taps_x    across lines between columns: taps 0 to 2 in x to z; in w all ones, but 0 for blocks of two, whose
 *             p2, p3, q2 and q3 are those of other blocks, and take no part
 *   taps_y    the same across lines between rows
 */
#if BACKEND_CPU && DEPTH <= 11
typedef short value_t;
#else
typedef int value_t;
#endif

/* How many samples on each side of a line are changed, and how many are looked at. */
#define REACH 3
#define LOOK 4

static inline value_t
larger (value_t a, value_t b)
{
  return a > b ? a : b;
}

static inline value_t
magnitude (value_t v)
{
  return v < 0 ? -v : v;
}

/* c of the formula. outer: w of the taps. */
static inline value_t
correction (value_t p3, value_t p2, value_t p1, value_t p0, value_t q0, value_t q1, value_t q2, value_t q3,
    value_t limit, value_t outer)
{
  const value_t s = q0 - p0, e = 3 * s - (q1 - p1);
  const value_t near = larger (magnitude (p1 - p0), magnitude (q1 - q0));
  const value_t middle = larger (magnitude (p2 - p1), magnitude (q2 - q1));
  const value_t far = larger (magnitude (p3 - p2), magnitude (q3 - q2));
  const value_t step = 2 * magnitude (s), extended = magnitude (e);
  const value_t m = step < extended ? step : extended;
  const value_t rest = limit - m;
  const value_t found = (m < rest ? m : rest) - 2 * larger (near, larger (middle, far) & outer);
  const value_t c = (s ^ e) < 0 ? 0 : larger (found, 0);
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

/* The line that row y is corrected for, 0 where there is none. Row i after the line has the tap i, row i before it the
 * tap -1 - i. */
static inline int
line_of_row (int y, int height, int block, int first, int *tap)
{
  const int reach = block / 2 < REACH ? block / 2 : REACH;
  const int after = (y - first) & (block - 1);
  *tap = after < reach ? after : after - block;
  const int line = y - *tap;
  return *tap < -reach || line <= 0 || line >= height ? 0 : line;
}

/* What c is multiplied with, for a tap of line_of_row(). */
static inline int
signed_tap (int tap, int4 taps)
{
  const int i = tap < 0 ? -1 - tap : tap;
  const int value = i == 0 ? taps.x : i == 1 ? taps.y : taps.z;
  return tap < 0 ? value : -value;
}

#if BACKEND_CPU

/* A work item filters TILE_SAMPLES x TILE_ROWS samples, or what is left of the region: across the lines between columns
 * into rows of its own, which are more by what the other lines need, and from these on. */
#define ROWS_AROUND (REACH - 1 + LOOK)
#define MIDDLE_ROWS (TILE_ROWS + 2 * ROWS_AROUND)

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
    const value_t near = c[x + 3 * step] - c[x + 2 * step];
    const value_t next = c[x + 4 * step] - c[x + step];
    const value_t far = c[x + 5 * step] - c[x];
    to[x] = corrected (LOAD (from[x]), tap0 * near + tap1 * next + tap2 * far);
  }
}

kernel void
deblock (PLANE_ARGS, int limit, int4 grid, int4 taps_x, int4 taps_y, global const short *restrict lines, int step)
{
  const int tile_x = (int) get_global_id (0) * TILE_SAMPLES, tile_row = (int) get_global_id (1) * TILE_ROWS;
  const int width = min (TILE_SAMPLES, region.z - tile_x), rows = min (TILE_ROWS, region.w - tile_row);
  const int tile_y = region.y + tile_row;
  const int at = src_offset + tile_y * src_stride + region.x + tile_x;
  const int to = dst_offset + tile_y * dst_stride + region.x + tile_x;
  value_t middle[MIDDLE_ROWS][TILE_SAMPLES];
  for (int row = 0; row < rows + 2 * ROWS_AROUND; row++)
    smooth_columns (middle[row], src + at + (row - ROWS_AROUND) * src_stride, lines + region.x + tile_x, width, limit,
        taps_x, step);

  value_t c[TILE_SAMPLES];
  const value_t top = limit, outer = taps_y.w;
  int c_line = 0;
  for (int y = 0; y < rows; y++) {
    int tap;
    const int line = line_of_row (tile_y + y, plane.y, grid.y, grid.w, &tap);
    if (line && line != c_line) {
      value_t (*p)[TILE_SAMPLES] = middle + (line - tile_y + ROWS_AROUND - LOOK);
      WIDE_LOOP
      for (int x = 0; x < width; x++)
        c[x] = correction (p[0][x], p[1][x], p[2][x], p[3][x], p[4][x], p[5][x], p[6][x], p[7][x], top, outer);
      c_line = line;
    }
    const value_t *restrict row = middle[y + ROWS_AROUND];
    const value_t factor = signed_tap (tap, taps_y);
    global const sample_t *from = src + at + y * src_stride;
    global sample_t *out = dst + to + y * dst_stride;
    if (line) {
      WIDE_LOOP
      for (int x = 0; x < width; x++)
        out[x] = merge_sample ((sample_t) corrected (row[x], factor * c[x]), from[x], keep[tile_x + x]);
    } else {
      WIDE_LOOP
      for (int x = 0; x < width; x++)
        out[x] = merge_sample ((sample_t) row[x], from[x], keep[tile_x + x]);
    }
  }
}

#else

#define ITEM_PIXELS (ITEM_SAMPLES / NC)
#define LEAD ((6 * NC + SAMPLES_PER_WORD - 1) / SAMPLES_PER_WORD * SAMPLES_PER_WORD)
#define SPAN (LEAD + ITEM_SAMPLES + LEAD)

/* Across the lines between columns. */
kernel void
deblock_columns (PLANE_ARGS, int limit, int4 grid, int4 taps)
{
  GPU_BEGIN
  int v[SPAN], t[ITEM_SAMPLES];
  load_span (v, item_x - LEAD, SPAN, item_y, LEAD);
#pragma unroll
  for (int i = 0; i < ITEM_SAMPLES; i++)
    t[i] = 0;
  /* Every line that the item's pixels are within reach of, before pixel j. */
#pragma unroll
  for (int j = 1 - REACH; j < ITEM_PIXELS + REACH; j++) {
    const int line = item_x / NC + j;
    if (((line - grid.z) & (grid.x - 1)) || line <= 0 || line * NC >= plane.x)
      continue;
#pragma unroll
    for (int k = 0; k < NC; k++) {
      const int *q = v + LEAD + j * NC + k;
      const int c = correction (
          q[-4 * NC], q[-3 * NC], q[-2 * NC], q[-NC], q[0], q[NC], q[2 * NC], q[3 * NC], limit, taps.w);
#pragma unroll
      for (int i = 0; i < REACH; i++) {
        const int change = (i == 0 ? taps.x : i == 1 ? taps.y : taps.z) * c;
        if (j + i >= 0 && j + i < ITEM_PIXELS)
          t[(j + i) * NC + k] -= change;
        if (j - 1 - i >= 0 && j - 1 - i < ITEM_PIXELS)
          t[(j - 1 - i) * NC + k] += change;
      }
    }
  }
  int values[ITEM_SAMPLES];
#pragma unroll
  for (int i = 0; i < ITEM_SAMPLES; i++)
    values[i] = corrected (v[LEAD + i], t[i]);
  store_item (values, item_y);
}

/* Across the lines between rows. */
kernel void
deblock_rows (PLANE_ARGS, int limit, int4 grid, int4 taps)
{
  GPU_BEGIN
  int c[ITEM_SAMPLES];
  int c_line = 0;
#pragma unroll
  for (int i = 0; i < ITEM_SAMPLES; i++)
    c[i] = 0;
#pragma unroll 1
  for (int y = item_y; y < min (item_y + ITEM_ROWS, region.y + region.w); y++) {
    int tap, values[ITEM_SAMPLES];
    const int line = line_of_row (y, plane.y, grid.y, grid.w, &tap);
    if (line && line != c_line) {
      int p[2 * LOOK][ITEM_SAMPLES];
#pragma unroll
      for (int row = 0; row < 2 * LOOK; row++)
        load_span (p[row], item_x, ITEM_SAMPLES, line - LOOK + row, 0);
#pragma unroll
      for (int i = 0; i < ITEM_SAMPLES; i++)
        c[i] = correction (p[0][i], p[1][i], p[2][i], p[3][i], p[4][i], p[5][i], p[6][i], p[7][i], limit, taps.w);
      c_line = line;
    }
    load_span (values, item_x, ITEM_SAMPLES, y, 0);
    const int factor = line ? signed_tap (tap, taps) : 0;
#pragma unroll
    for (int i = 0; i < ITEM_SAMPLES; i++)
      values[i] = corrected (values[i], factor * c[i]);
    store_item (values, y);
  }
}

#endif
