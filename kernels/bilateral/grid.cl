/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The bilateral filter by a bilateral grid (Chen, Paris and Durand, 2007): an approximation (45 dB or better away from the edge) whose time
 * does not grow with the window. Cells stand `cell` pixels apart, in layers of the guide's value. Each gathers the pixels around it with
 * linear weights (splat), the grid is blurred along its three axes, and a result is read between eight cells (slice): values over weights.
 * Linear weights widen a Gaussian by a third of the spacing squared, which the blur leaves out. Items sum cells in a fixed order, so that
 * results do not vary. Has no row in docs/measurements; DISTANCE_COLOR would need five axes. size: columns, rows, layers. per_pixel: 1 /
 * cell. layer_scale: layers per unit of the guide. taps[0]: a blur's weight of the cell itself; taps[reach]: of the farthest cell. */
/* A cell has the sums of values, then of weights. If each component has its own distance, each has its own grid. */
enum { LARGEST_LAYERS = 64, GRIDS = WEIGHTS, CELL_VALUES = GRIDS == 1 ? COMPONENTS : 1 };
#if COMPONENTS == 1 || DISTANCE_SELF
typedef float2 cell_t;
#elif COMPONENTS <= 3
typedef float4 cell_t;
#else
typedef float8 cell_t;
#endif

typedef union { cell_t cell; float sum[sizeof (cell_t) / sizeof (float)]; } cell_sums;

/* The layer below a value, and the value's distance above it. */
static inline int find_layer (float value, float layer_scale, int layers, float *above)
{
  const float height = value * layer_scale;
  const int z = min ((int) height, layers - 2);
  *above = height - z;
  return z;
}

/* The linear weight, 0 .. 1, of pixel i in a column or row of cells. */
static inline float nearness (int i, float per_pixel, int cell) { return max (1 - fabs (i * per_pixel - cell), 0.0f); }

/* Gathers the cells of one column and row of the grid, an item for each; blurs along the layers, too. width, height: in pixels. */
kernel void bilateral_splat (global const sample_t *restrict src, int src_offset, int src_stride, int width, int height GUIDE_ARGS,
    global cell_t *restrict cells, int4 size, float per_pixel, float layer_scale, global const float *restrict taps, int reach)
{
  const int column = get_global_id (0), row = get_global_id (1);
  if (column >= size.x || row >= size.y)
    return;
  const float cell = 1 / per_pixel;
  const int left = max ((int) floor ((column - 1) * cell), 0), right = min ((int) ceil ((column + 1) * cell), width - 1);
  const int top = max ((int) floor ((row - 1) * cell), 0), bottom = min ((int) ceil ((row + 1) * cell), height - 1);
  for (int g = 0; g < GRIDS; g++) {
    cell_t layer[LARGEST_LAYERS] = {0};
    for (int y = top; y <= bottom; y++)
      for (int x = left; x <= right; x++) {
        float pixel[PIXEL_TERMS], above;
        load_terms (pixel, src, src_offset, src_stride GUIDE_NAMES, x, y);
        cell_sums s;
        s.cell = 0;
        UNROLL for (int c = 0; c <= CELL_VALUES; c++)
          s.sum[c] = c < CELL_VALUES ? pixel[g + c] : 1;
        const cell_t value = s.cell * (nearness (y, per_pixel, row) * nearness (x, per_pixel, column));
        const int z = find_layer (pixel[GUIDE + g], layer_scale, size.z, &above);
        layer[z] += value * (1 - above);
        layer[z + 1] += value * above;
      }
    for (int z = 0; z < size.z; z++) {
      cell_t sum = layer[z] * taps[0];
      for (int t = 1; t <= reach; t++) {
        if (z - t >= 0)
          sum += layer[z - t] * taps[t];
        if (z + t < size.z)
          sum += layer[z + t] * taps[t];
      }
      cells[((g * size.y + row) * size.x + column) * size.z + z] = sum;
    }
  }
}

/* Blurs along an axis whose cells are `step` apart, `length` cells in a line. */
kernel void bilateral_blur (global const cell_t *restrict from, global cell_t *restrict to, int n, int step, int length,
    global const float *restrict taps, int reach)
{
  const int i = get_global_id (0), at = i / step % length;
  if (i >= n)
    return;
  cell_t sum = from[i] * taps[0];
  for (int t = 1; t <= min (reach, at); t++)
    sum += from[i - t * step] * taps[t];
  for (int t = 1; t <= min (reach, length - 1 - at); t++)
    sum += from[i + t * step] * taps[t];
  to[i] = sum;
}

kernel void bilateral_slice (PLANE_ARGS GUIDE_ARGS, global const cell_t *restrict cells, int4 size, float per_pixel, float layer_scale)
{
  const int y = region.y + (int) get_global_id (1);
  if (y >= region.y + region.height)
    return;
  const int row = min ((int) (y * per_pixel), size.y - 2);
  const float below = y * per_pixel - row;
  const int step = BACKEND_CPU ? 1 : (int) get_global_size (0);
  for (int x = region.x / NC + (int) get_global_id (0); x * NC < region.x + region.width; x += step) {
    const int column = min ((int) (x * per_pixel), size.x - 2);
    const float right = x * per_pixel - column;
    float pixel[PIXEL_TERMS], above;
    load_terms (pixel, src, src_offset, src_stride GUIDE_NAMES, x, y);
    sample_t result[NC] = {0};
    for (int g = 0; g < GRIDS; g++) {
      const int z = find_layer (pixel[GUIDE + g], layer_scale, size.z, &above);
      cell_sums s;
      s.cell = 0;
      UNROLL for (int corner = 0; corner < 4; corner++) {
        const int dx = corner & 1, dy = corner >> 1;
        global const cell_t *line = cells + ((g * size.y + row + dy) * size.x + column + dx) * size.z + z;
        s.cell += ((dx ? right : 1 - right) * (dy ? below : 1 - below)) * (line[0] * (1 - above) + line[1] * above);
      }
      UNROLL for (int c = 0; c < CELL_VALUES; c++)
        result[position (g + c)] = round_to_uint (min (s.sum[c] / s.sum[CELL_VALUES], (float) MAX_VALUE));
    }
    const int from = src_offset + y * src_stride + x * NC, to = dst_offset + y * dst_stride + x * NC;
    for (int c = 0; c < NC; c++)
      dst[to + c] = merge_sample (result[c], src[from + c], keep[x * NC - region.x + c]);
  }
}
