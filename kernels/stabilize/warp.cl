/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A plane that is turned, scaled and moved a little. Sample (x, y) is read at the place that the map has for it: cubics (Catmull
 * and Rom's) along the columns of the plane give four values on the line that its row of the result is in the plane, and a cubic along
 * that line gives the result. Columns of a whole strip are summed once, which takes eight products a sample instead of sixteen.
 *
 * map     as of path.cl, on the frame
 * grid    log2 of the distance between samples of the plane, and twice the place of the first one, in pixels of the frame
 * size    of the frame */
#define WARP_ARGS PLANE_ARGS, global const long *restrict map, int4 grid, int2 size

/* A row of the result in the plane: where it begins, and the way from pixel to pixel; 32 bits behind the point. */
typedef struct
{
  long x, y, dx, dy;
} line_t;

static inline line_t
line_of (int y, global const long *restrict map, int4 grid, int2 size)
{
  /* twice its first place, from the middle */
  const long u = grid.z - size.x, v = (long) y * (2 << grid.y) + grid.w - size.y;
  const long half_pixel = (long) 1 << 31;
  line_t line;
  line.x = ((map[0] * u + map[1] * v) / 2 + map[4] + (size.x - grid.z) * half_pixel) >> grid.x;
  line.y = ((map[2] * u + map[3] * v) / 2 + map[5] + (size.y - grid.w) * half_pixel) >> grid.y;
  line.dx = map[0];
  line.dy = map[2] * ((long) 1 << grid.x) >> grid.y;
  return line;
}

static inline float
fraction (long x)
{
  return (float) (uint) x * 0x1p-32f;
}

static inline float
cubic (float distance)
{
  const float t = fabs (distance);
  const float near = (1.5f * t - 2.5f) * t * t + 1.0f, far = ((2.5f - 0.5f * t) * t - 4.0f) * t + 2.0f;
  return t < 1.0f ? near : t < 2.0f ? far : 0.0f;
}

static inline int
rounded (float v)
{
  v = v > 0.0f ? v : 0.0f;
  v = v < (float) MAX_VALUE ? v : (float) MAX_VALUE;
  return as_int (v + 0x1.8p23f) - as_int (0x1.8p23f);
}

#if BACKEND_CPU

/* Pixels of a strip, and the columns that they are read from where the picture is not made smaller. */
#define STRIP 64
#define COLUMNS (STRIP + 8)

#define ADD_ROW(VALUE)                                             \
  ROW_LOOP (sizeof (float))                                        \
  for (int i = 0; i < columns * NC; i++)                           \
    sums[i] += cubic (heights[i] - (float) r) * (float) (VALUE);

/* Pixels from `first` on of a row. */
static inline void
warp_strip (SRC_PARAMS, global sample_t *restrict row_dst, global const sample_t *restrict row_src,
    global const sample_t *restrict keep, line_t line, int first, int n)
{
  const long x = line.x + first * line.dx, y = line.y + first * line.dy;
  const int column = (int) (x >> 32) - 1, row = (int) (y >> 32);
  const float step = (float) line.dx * 0x1p-32f, slope = (float) line.dy / (float) line.dx;
  const float start = fraction (x) + 1, height = fraction (y);
  const int columns = min ((int) (start + step * (float) (n - 1)) + 3, COLUMNS);
  const float end = height + slope * ((float) (columns - 1) - start), begin = height - slope * start;
  const int low = (int) floor (fmin (begin, end)) - 1, high = (int) floor (fmax (begin, end)) + 2;
  float heights[COLUMNS * NC], sums[COLUMNS * NC];
  ROW_LOOP (sizeof (float))
  for (int i = 0; i < columns * NC; i++) {
    heights[i] = begin + slope * (float) (i / NC);
    sums[i] = 0;
  }
  const bool inside =
      column >= 0 && (column + columns) * NC <= plane.width && row + low >= 0 && row + high < plane.height;
  for (int r = low; r <= high; r++)
    if (inside) {
      global const sample_t *restrict samples = src + src_offset + (row + r) * src_stride + column * NC;
      ADD_ROW (LOAD (samples[i]))
    } else {
      const int place = row_place (row + r, plane);
      sample_t samples[COLUMNS * NC];
      for (int i = 0; i < columns * NC; i++)
        samples[i] = place < 0 ? (sample_t) (plane.value << SHIFT)
                               : stored_sample (src + src_offset + place * src_stride, column * NC + i, plane);
      ADD_ROW (LOAD (samples[i]))
    }
  ROW_LOOP (sizeof (float))
  for (int i = 0; i < n * NC; i++) {
    const float place = start + step * (float) (i / NC);
    const int whole = (int) place;
    const float t = place - (float) whole;
    const int at = (whole - 1) * NC + i % NC;
    const float value = cubic (t + 1) * sums[at] + cubic (t) * sums[at + NC] + cubic (1 - t) * sums[at + 2 * NC]
                        + cubic (2 - t) * sums[at + 3 * NC];
    row_dst[first * NC + i] = merge_sample (rounded (value), row_src[first * NC + i], keep[first * NC + i]);
  }
}

kernel void
warp_plane (WARP_ARGS)
{
  const int y = region.y + ITEM_Y, end = (region.x + region.width) / NC;
  const line_t line = line_of (y, map, grid, size);
  for (int first = region.x / NC; first < end; first += STRIP)
    warp_strip (SRC_ARGS, dst + dst_offset + y * dst_stride, src + src_offset + y * src_stride, keep, line, first,
        min (STRIP, end - first));
}

#else

static inline float
warped_value (SRC_PARAMS, line_t line, int pixel, int sample)
{
  const long x = line.x + pixel * line.dx, y = line.y + pixel * line.dy;
  const int column = (int) (x >> 32) - 1, row = (int) (y >> 32);
  const float slope = (float) line.dy / (float) line.dx, start = fraction (x) + 1, height = fraction (y);
  float value = 0;
  for (int c = 0; c < 4; c++) {
    const float v = height + slope * ((float) c - start);
    const int top = (int) floor (v) - 1;
    float sum = 0;
#pragma unroll
    for (int r = top; r < top + 4; r++)
      sum += cubic (v - (float) r) * (float) load_sample (SRC_ARGS, (column + c) * NC + sample, row + r);
    value += cubic (start - (float) c) * sum;
  }
  return value;
}

kernel void
warp_plane (WARP_ARGS)
{
  GPU_ITEM
  if (!ITEM_IN_REGION)
    return;
  const line_t line = line_of (item_y, map, grid, size);
  int values[ITEM_SAMPLES];
#pragma unroll
  for (int i = 0; i < ITEM_SAMPLES; i++)
    values[i] = rounded (warped_value (SRC_ARGS, line, (item_x + i) / NC, (item_x + i) % NC));
  store_item (values, item_y);
}

#endif
