/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Bilateral filter by a bilateral grid: an approximation whose time does not grow with the window.
 *
 * A grid has columns and rows of cells, `cell` pixels apart, and layers in the direction of the guide's value. Each
 * cell gathers the pixels around it with linear weights (splat), the grid is blurred along its three axes, and a
 * pixel's result is read back between eight cells (slice): the blurred sum of values over the blurred sum of weights.
 * Linear weights widen a Gaussian by a third of the spacing squared, which the blur leaves out. What lies outside the
 * frame takes no part, whatever the border's rule. Every cell is summed by one work item in a fixed order, so that the
 * result does not vary from run to run. Away from the frame's edge it differs from the formula by 45 dB or better.
 *
 * Has no row in docs/performance.md, whose windows are small.
 *
 *   bilateral_splat   global size (columns, rows); blurs along the layers, too
 *   bilateral_blur    one item per cell, one axis per launch
 *   bilateral_slice   one item per pixel of the region: global size (region.width / NC, region.height)
 *
 * The host defines the values of bilateral/bilateral.clh; DISTANCE_COLOR would need a grid of five axes and is not possible.
 *   size              columns, rows, layers
 *   per_pixel         1 / cell
 *   layer_scale       layers per unit of the guide
 *   taps, reach       a blur's weights, taps[0] for the cell itself to taps[reach]
 */
#define BILATERAL_LARGEST_LAYERS 64

/* A cell is the sums of the values and the sum of weights, in this order. With a distance per component, each has a
 * grid of its own. */
#define BILATERAL_GRIDS WEIGHTS
#define BILATERAL_CELL_VALUES (BILATERAL_GRIDS == 1 ? COMPONENTS : 1)
#if COMPONENTS == 1 || WEIGHTS > 1
typedef float2 cell_t;
#elif COMPONENTS <= 3
typedef float4 cell_t;
#else
typedef float8 cell_t;
#endif

typedef union
{
  cell_t cell;
  float sum[sizeof (cell_t) / sizeof (float)];
} cell_sums;

/* The values and the guides of the pixel at `samples`. */
static inline void
load_pixel (float *pixel, global const sample_t *restrict samples)
{
#pragma unroll
  for (int c = 0; c < COMPONENTS; c++)
    pixel[c] = LOAD (samples[POSITION (c)]);
#if DISTANCE == DISTANCE_INTENSITY
  pixel[GUIDE] = INTENSITY (pixel[0], pixel[1], pixel[2]);
#endif
}

#if DISTANCE == DISTANCE_GUIDE
#define GRID_LOAD_PIXEL(pixel, x, y)                                   \
  load_pixel (pixel, src + src_offset + (y) *src_stride + (x) *NC);    \
  pixel[GUIDE] = guide[guide_offset + (y) *guide_stride + (x)]
#else
#define GRID_LOAD_PIXEL(pixel, x, y) load_pixel (pixel, src + src_offset + (y) *src_stride + (x) *NC)
#endif

/* The contribution of a pixel to the cells of grid g. */
static inline cell_t
pixel_cell (const float *pixel, int g)
{
  cell_sums s;
  s.cell = 0;
#pragma unroll
  for (int c = 0; c < BILATERAL_CELL_VALUES; c++)
    s.sum[c] = pixel[g + c];
  s.sum[BILATERAL_CELL_VALUES] = 1;
  return s.cell;
}

static inline cell_t
blurred (const cell_t *column, int z, int layers, global const float *restrict taps, int reach)
{
  cell_t sum = column[z] * taps[0];
  for (int t = 1; t <= reach; t++) {
    if (z - t >= 0)
      sum += column[z - t] * taps[t];
    if (z + t < layers)
      sum += column[z + t] * taps[t];
  }
  return sum;
}

/* width and height in pixels */
kernel void
bilateral_splat (global const sample_t *restrict src, int src_offset, int src_stride, int width, int height GUIDE_ARGS,
    global cell_t *restrict cells, int4 size, float per_pixel, float layer_scale, global const float *restrict taps,
    int reach)
{
  const int column = get_global_id (0), row = get_global_id (1);
  const int columns = size.x, rows = size.y, layers = size.z;
  if (column >= columns || row >= rows)
    return;
  const float cell = 1 / per_pixel;
  const int left = max ((int) floor ((column - 1) * cell), 0);
  const int right = min ((int) ceil ((column + 1) * cell), width - 1);
  const int top = max ((int) floor ((row - 1) * cell), 0);
  const int bottom = min ((int) ceil ((row + 1) * cell), height - 1);

  for (int g = 0; g < BILATERAL_GRIDS; g++) {
    cell_t layer[BILATERAL_LARGEST_LAYERS];
    for (int z = 0; z < layers; z++)
      layer[z] = 0;
    for (int y = top; y <= bottom; y++) {
      const float near_y = max (1 - fabs (y * per_pixel - row), 0.0f);
      for (int x = left; x <= right; x++) {
        float pixel[PIXEL_TERMS];
        GRID_LOAD_PIXEL (pixel, x, y);
        const float near = near_y * max (1 - fabs (x * per_pixel - column), 0.0f);
        const float height_in_layers = pixel[GUIDE + g] * layer_scale;
        const int z = min ((int) height_in_layers, layers - 2);
        const float above = height_in_layers - z;
        const cell_t value = pixel_cell (pixel, g) * near;
        layer[z] += value * (1 - above);
        layer[z + 1] += value * above;
      }
    }
    global cell_t *restrict to = cells + ((g * rows + row) * columns + column) * layers;
    for (int z = 0; z < layers; z++)
      to[z] = blurred (layer, z, layers, taps, reach);
  }
}

/* Along an axis whose cells stand `step` apart, `length` in a line. */
kernel void
bilateral_blur (global const cell_t *restrict from, global cell_t *restrict to, int n, int step, int length,
    global const float *restrict taps, int reach)
{
  const int i = get_global_id (0);
  if (i >= n)
    return;
  const int at = i / step % length;
  const int before = min (reach, at), after = min (reach, length - 1 - at);
  cell_t sum = from[i] * taps[0];
  for (int t = 1; t <= before; t++)
    sum += from[i - t * step] * taps[t];
  for (int t = 1; t <= after; t++)
    sum += from[i + t * step] * taps[t];
  to[i] = sum;
}

kernel void
bilateral_slice (PLANE_ARGS GUIDE_ARGS, global const cell_t *restrict cells, int4 size, float per_pixel,
    float layer_scale)
{
  const int columns = size.x, rows = size.y, layers = size.z;
  const int y = region.y + (int) get_global_id (1);
#if BACKEND_CPU
  for (int x = region.x / NC; x * NC < region.x + region.width; x++) {
#else
  const int x = region.x / NC + (int) get_global_id (0);
  if (x * NC < region.x + region.width && y < region.y + region.height) {
#endif
    const int column = min ((int) (x * per_pixel), columns - 2), row = min ((int) (y * per_pixel), rows - 2);
    const float right = x * per_pixel - column, below = y * per_pixel - row;
    float pixel[PIXEL_TERMS];
    GRID_LOAD_PIXEL (pixel, x, y);

    sample_t result[NC];
    for (int c = 0; c < NC; c++)
      result[c] = 0;
    for (int g = 0; g < BILATERAL_GRIDS; g++) {
      const float height_in_layers = pixel[GUIDE + g] * layer_scale;
      const int z = min ((int) height_in_layers, layers - 2);
      const float above = height_in_layers - z;
      global const cell_t *restrict at = cells + ((g * rows + row) * columns + column) * layers + z;
      cell_sums s;
      s.cell = 0;
#pragma unroll
      for (int corner = 0; corner < 4; corner++) {
        const int dx = corner & 1, dy = corner >> 1;
        global const cell_t *restrict line = at + (dy * columns + dx) * layers;
        s.cell += ((dx ? right : 1 - right) * (dy ? below : 1 - below)) * (line[0] * (1 - above) + line[1] * above);
      }
#pragma unroll
      for (int c = 0; c < BILATERAL_CELL_VALUES; c++)
        result[POSITION (g + c)] = round_to_uint (min (s.sum[c] / s.sum[BILATERAL_CELL_VALUES], (float) MAX_VALUE));
    }
    const int from = src_offset + y * src_stride + x * NC, to = dst_offset + y * dst_stride + x * NC;
    for (int c = 0; c < NC; c++)
      dst[to + c] = merge_sample (result[c], src[from + c], keep[x * NC - region.x + c]);
  }
}
