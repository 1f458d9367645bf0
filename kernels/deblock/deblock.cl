/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* deblock/deblock.clh on the cpu back end: both directions in one kernel. */

/* A work item filters TILE_SAMPLES x TILE_ROWS samples, or what is left of the region: across the lines between columns
 * into rows of its own, which are more by what the other lines need, and from these on. */
#define DEBLOCK_ROWS_AROUND (DEBLOCK_REACH - 1 + LOOK)
#define DEBLOCK_MIDDLE_ROWS (TILE_ROWS + 2 * DEBLOCK_ROWS_AROUND)

/* lines   for every sample of a row, from 2 pixels before the first one on: all ones where the sample stands behind a
 *         line, else 0
 * step    NC again: unknown to the compiler, which would carry samples from one round of a loop to the next, and so
 *         keep the loop from being vectorised */
static inline void
smooth_columns (value_t *restrict to, global const sample_t *restrict from, global const short *restrict lines, int n,
    int limit, int4 taps, int step)
{
  value_t c[TILE_SAMPLES + (2 * DEBLOCK_REACH - 1) * NC];
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
deblock (PLANE_ARGS, int limit, struct grid grid, int4 taps_x, int4 taps_y, global const short *restrict lines, int step)
{
  const int tile_x = (int) get_global_id (0) * TILE_SAMPLES, tile_row = (int) get_global_id (1) * TILE_ROWS;
  const int width = min (TILE_SAMPLES, region.width - tile_x), rows = min (TILE_ROWS, region.height - tile_row);
  const int tile_y = region.y + tile_row;
  const int at = src_offset + tile_y * src_stride + region.x + tile_x;
  const int to = dst_offset + tile_y * dst_stride + region.x + tile_x;
  value_t middle[DEBLOCK_MIDDLE_ROWS][TILE_SAMPLES];
  for (int row = 0; row < rows + 2 * DEBLOCK_ROWS_AROUND; row++)
    smooth_columns (middle[row], src + at + (row - DEBLOCK_ROWS_AROUND) * src_stride, lines + region.x + tile_x, width, limit,
        taps_x, step);

  value_t c[TILE_SAMPLES];
  const value_t top = limit, outer = taps_y.w;
  int c_line = 0;
  for (int y = 0; y < rows; y++) {
    int tap;
    const int line = line_of_row (tile_y + y, plane.height, grid.height, grid.top, &tap);
    if (line && line != c_line) {
      value_t (*p)[TILE_SAMPLES] = middle + (line - tile_y + DEBLOCK_ROWS_AROUND - LOOK);
      WIDE_LOOP
      for (int x = 0; x < width; x++)
        c[x] = correction (p[0][x], p[1][x], p[2][x], p[3][x], p[4][x], p[5][x], p[6][x], p[7][x], top, outer);
      c_line = line;
    }
    const value_t *restrict row = middle[y + DEBLOCK_ROWS_AROUND];
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
