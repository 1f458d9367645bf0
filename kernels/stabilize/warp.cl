/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rotates, scales and moves a plane a little: a row of the result is a line in the source; Catmull-Rom cubics along columns give four
 * values on it, one along it the result. Columns of a strip are summed once: eight products a sample, not sixteen. map: of path.cl, on the
 * frame. grid: log2 of the samples' distance, twice the place of the first, in pixels of the frame, whose size is `size`. */
#pragma OPENCL FP_CONTRACT OFF
#define MAP_ARGS PLANE_ARGS, global const long *restrict map, int4 grid, int2 size

/* A row of the result in the plane: its start, and the step from pixel to pixel, with 32 fraction bits. */
typedef struct { long x, y, dx, dy; } line_t;

static inline line_t line_of (int y, global const long *restrict map, int4 grid, int2 size)
{
  /* twice the position of its first pixel, from the middle */
  const long u = grid.z - size.x, v = (long) y * (2 << grid.y) + grid.w - size.y, half_pixel = (long) 1 << 31;
  line_t line;
  line.x = ((map[0] * u + map[1] * v) / 2 + map[4] + (size.x - grid.z) * half_pixel) >> grid.x;
  line.y = ((map[2] * u + map[3] * v) / 2 + map[5] + (size.y - grid.w) * half_pixel) >> grid.y;
  line.dx = map[0];
  line.dy = map[2] * ((long) 1 << grid.x) >> grid.y;
  return line;
}

static inline float fraction (long x) { return (float) (uint) x * 0x1p-32f; }
/* The cubic through b and c at t = 0 and 1, with the slopes of a to c and of b to d. */
#define CUBIC(a, b, c, d, t) \
  ((((1.5f * ((b) - (c)) + 0.5f * ((d) - (a))) * (t) + ((a) - 2.5f * (b) + 2.0f * (c) - 0.5f * (d))) * (t) + 0.5f * ((c) - (a))) * (t) + (b))

static inline int rounded (float v) /* to the nearest, and saturated */
{
  v = v > 0.0f ? v : 0.0f;
  v = v < (float) MAX_VALUE ? v : (float) MAX_VALUE;
  return as_int (v + 0x1.8p23f) - as_int (0x1.8p23f);
}

#if BACKEND_CPU
/* Pixels of a strip, and how many columns it reads, unless the picture is reduced. */
enum { STRIP = 64, COLUMNS = STRIP + 8 };
typedef float4 floats_t __attribute__ ((aligned (4)));
typedef int4 value_t __attribute__ ((aligned (4)));
#define SUM_COLUMNS(r0, r1, r2, r3)                                                                        \
  ROW_LOOP (sizeof (float))                                                                                          \
  for (int i = from * NC; i < to * NC; i++)                                                                          \
    sums[i] = CUBIC ((float) LOAD ((r0)[i]), (float) LOAD ((r1)[i]), (float) LOAD ((r2)[i]), (float) LOAD ((r3)[i]), \
        begin + slope * (float) (i / NC));

/* Sums columns `from` to `to`, counted from `column`, of four rows from `row` on. The line is `begin` below the second row there. */
static inline void sum_columns (SRC_PARAMS, float *restrict sums, int column, int row, int from, int to, float begin, float slope)
{
  if (column + from >= 0 && (column + to) * NC <= plane.width && row >= 0 && row + 4 <= plane.height) {
    global const sample_t *restrict first = src + src_offset + row * src_stride + column * NC;
    global const sample_t *restrict second = first + src_stride, *restrict third = second + src_stride;
    global const sample_t *restrict fourth = third + src_stride;
    SUM_COLUMNS (first, second, third, fourth)
    return;
  }
  sample_t samples[4][COLUMNS * NC];
  for (int r = 0; r < 4; r++) {
    const int place = row_place (row + r, plane);
    for (int i = from * NC; i < to * NC; i++)
      samples[r][i] = place < 0 ? (sample_t) (plane.value << SHIFT)
                                : stored_sample (src + src_offset + place * src_stride, column * NC + i, plane);
  }
  SUM_COLUMNS (samples[0], samples[1], samples[2], samples[3])
}

static inline void sum_line (int *restrict values, const float *restrict sums, int n, float start, float step) /* at equal steps */
{
#if NC == 4
  /* pixels are vectors; gathering single samples would take 1.5 times as long */
  for (int i = 0; i < n; i++) {
    const float place = start + step * (float) i;
    const int at = (int) place;
    const floats_t *pixels = (const floats_t *) sums + at;
    const float4 v = CUBIC (pixels[0], pixels[1], pixels[2], pixels[3], place - (float) at), least = v > 0.0f ? v : (float4) 0.0f;
    const float4 within = least < (float) MAX_VALUE ? least : (float4) (float) MAX_VALUE;
    ((value_t *) values)[i] = as_int4 (within + 0x1.8p23f) - as_int (0x1.8p23f);
  }
#else
  ROW_LOOP (sizeof (float))
  for (int i = 0; i < n * NC; i++) {
    const float place = start + step * (float) (i / NC);
    const int whole = (int) place, at = whole * NC + i % NC;
    values[i] = rounded (CUBIC (sums[at], sums[at + NC], sums[at + 2 * NC], sums[at + 3 * NC], place - (float) whole));
  }
#endif
}

ITEM_KERNEL (warp_plane, (MAP_ARGS), (PLANE_NAMES, map, grid, size))
{
  const int item_y = region.y + ITEM_Y, end = (region.x + region.width) / NC;
  const line_t line = line_of (item_y, map, grid, size);
  global const sample_t *restrict row_src = src + src_offset + item_y * src_stride;
  global sample_t *restrict row_dst = dst + dst_offset + item_y * dst_stride;
  for (int first = region.x / NC; first < end; first += STRIP) {
    const int n = min (STRIP, end - first);
    const long x = line.x + first * line.dx, y = line.y + first * line.dy;
    const int column = (int) (x >> 32) - 1, row = (int) (y >> 32) - 1;
    const float step = (float) line.dx * 0x1p-32f, slope = (float) line.dy / (float) line.dx;
    const float start = fraction (x), begin = fraction (y) - slope * (start + 1);
    const int columns = min ((int) (start + step * (float) (n - 1)) + 4, COLUMNS);
    float sums[COLUMNS * NC];
    int values[STRIP * NC];
    /* pieces of the line that lie between the same rows */
    for (int from = 0, to; from < columns; from = to) {
      const int down = (int) floor (begin + slope * (float) from);
      const float rest = (float) (slope > 0 ? down + 1 : down) - begin;
      to = clamp (slope != 0 ? (int) fmin (rest / slope, (float) COLUMNS) + 1 : columns, from + 1, columns);
      sum_columns (SRC_ARGS, sums, column, row + down, from, to, begin - (float) down, slope);
    }
    sum_line (values, sums, n, start, step);
    ROW_LOOP (sizeof (float))
    for (int i = 0; i < n * NC; i++)
      row_dst[first * NC + i] = merge_sample (values[i], row_src[first * NC + i], keep[first * NC + i]);
  }
}
#else
/* Makes TOGETHER samples of a pixel. rows: the first of four rows in each of four columns from `column` on. */
static inline void warp_samples (int *values, SRC_PARAMS, int column, const int *rows, const float *downs, float start)
{
  float pixels[16][TOGETHER];
  const int least = min (min (rows[0], rows[1]), min (rows[2], rows[3])), most = max (max (rows[0], rows[1]), max (rows[2], rows[3]));
  if (column >= 0 && column + 4 <= pixels_of (plane.width, plane) && least >= 0 && most + 4 <= plane.height) {
    UNROLL for (int i = 0; i < 16; i++)
      load_pixel_values (pixels[i], src + src_offset + (rows[i / 4] + i % 4) * src_stride + (column + i / 4) * NC);
  } else {
    uint firsts[4] = {rows[0], rows[1], rows[2], rows[3]}, array[16 * TOGETHER];
    ROLLED for (int c = 0; c < 4; c++) {
      const int first = (int) next_of (firsts, 4, c);
      ROLLED for (int r = 0; r < 4; r++) {
        float pixel[TOGETHER];
        load_values_by_border (pixel, SRC_ARGS, column + c, first + r);
        uint *const room = room_for (array, 16 * TOGETHER, TOGETHER, 4 * c + r);
        UNROLL for (int k = 0; k < TOGETHER; k++)
          room[k] = as_uint (pixel[k]);
      }
    }
    UNROLL for (int i = 0; i < 16 * TOGETHER; i++)
      pixels[i / TOGETHER][i % TOGETHER] = as_float (array[i]);
  }
  UNROLL for (int k = 0; k < TOGETHER; k++) {
    float sums[4];
    UNROLL for (int c = 0; c < 4; c++)
      sums[c] = CUBIC (pixels[4 * c][k], pixels[4 * c + 1][k], pixels[4 * c + 2][k], pixels[4 * c + 3][k], downs[c]);
    values[k] = rounded (CUBIC (sums[0], sums[1], sums[2], sums[3], start));
  }
}

kernel void warp_plane (MAP_ARGS)
{
  GPU_ITEM_IN_REGION
  const line_t line = line_of (item_y, map, grid, size);
  int values[ITEM_SAMPLES] = {0};
  ROLLED for (int p = 0; p < pixels_of (ITEM_SAMPLES, plane); p++) {
    const int at = pixels_of (item_x, plane) + p;
    const long x = line.x + at * line.dx, y = line.y + at * line.dy;
    const float slope = (float) line.dy / (float) line.dx, start = fraction (x), begin = fraction (y) - slope * (start + 1);
    float downs[4];
    int rows[4];
    UNROLL for (int c = 0; c < 4; c++) {
      const float down = begin + slope * (float) c, whole = floor (down);
      rows[c] = (int) (y >> 32) - 1 + (int) whole, downs[c] = down - whole;
    }
    ROLLED for (int k = 0; k < NC; k += TOGETHER) {
      UNROLL for (int i = 0; i < ITEM_SAMPLES - TOGETHER; i++)
        values[i] = values[i + TOGETHER];
      warp_samples (values + ITEM_SAMPLES - TOGETHER, src, src_offset + k, src_stride, plane, (int) (x >> 32) - 1, rows, downs, start);
    }
  }
  store_item (values, item_y);
}
#endif
