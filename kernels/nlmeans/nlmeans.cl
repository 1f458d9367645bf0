/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Non-local means (Buades, Coll and Morel, A non-local algorithm for image denoising, 2005): the mean of a search window, of each
 * component, where a sample q weighs as much as the patch around it resembles the patch around p: exp (-(mean of (v (p + t) - v (q + t))^2
 * over the patch) / h^2). For one offset q - p at a time, a tile's squares are summed over patches of 2 * PATCH_RADIUS + 1, by columns and
 * then by running sums, so that the time hardly grows with the patch. Sums hold differences from the middle sample: floats keep more
 * digits. range: the factor of a sum of squares in a weight's exponent (shared/weight.clh). */
enum { PATCH = 2 * PATCH_RADIUS + 1 };

#if BACKEND_CPU
/* An item filters TILE_SAMPLES x TILE_ROWS samples. Weights are symmetric: each is computed once, for p or q in the tile, and used for both. */
enum { LARGEST_SEARCH = 24, TILE_SPAN = TILE_SAMPLES + (LARGEST_SEARCH + PATCH) * MOST_SAMPLES };

#if DEPTH <= 11
typedef int square_t;
#else
typedef long square_t;
#endif
static inline float square_to_float (square_t sum) /* in two parts, which have vector instructions */
{ return DEPTH <= 11 ? (float) (int) sum : (float) (int) (sum >> 20) * 1048576.0f + (float) (int) (sum & 0xfffff); }

/* Sums of weighted differences, and of weights; for a row and an offset the sums of squares over patch rows, and weights. */
typedef struct {
  float sum[TILE_ROWS][TILE_SAMPLES], weights[TILE_ROWS][TILE_SAMPLES]; square_t column[TILE_SPAN]; float weight[TILE_SPAN];
} tile_t;

/* Adds squared differences of n samples; unless back is 0, subtracts the squared differences `back` samples before. */
INLINE void add_squares (square_t *restrict column, global const sample_t *restrict p, global const sample_t *restrict q, int n, const int back)
{
  WIDE_LOOP
  for (int x = 0; x < n; x++) {
    const int entering = (int) LOAD (p[x]) - (int) LOAD (q[x]), leaving = back ? (int) LOAD (p[x - back]) - (int) LOAD (q[x - back]) : 0;
    column[x] += (square_t) (entering - leaving) * (entering + leaving);
  }
}

/* The weights of n patches, from the sums of squares of their columns. */
static inline void weigh_row (float *restrict weight, const square_t *restrict column, int n, float range, int step)
{
  WIDE_LOOP
  for (int x = 0; x < n; x++) {
    square_t sum = column[x];
    UNROLL for (int t = 1; t < PATCH; t++)
      sum += column[x + t * step];
    weight[x] = weight_at (WEIGHT_ONE + range * square_to_float (sum));
  }
}

/* Adds n neighbours, with the weight of each, to the sums of as many samples. */
static inline void add_neighbours (float *restrict sum, float *restrict weights, const float *restrict weight,
    global const sample_t *restrict neighbours, global const sample_t *restrict middle, int n)
{
  WIDE_LOOP
  for (int x = 0; x < n; x++) {
    sum[x] += weight[x] * (float) ((int) LOAD (neighbours[x]) - (int) LOAD (middle[x]));
    weights[x] += weight[x];
  }
}

/* Adds one offset d, and its opposite, to the sums of a tile. */
static inline void
add_offset (tile_t *tile, global const sample_t *restrict samples, int stride, int width, int rows, int2 d, float range, int step)
{
  /* columns of p for which p or q lies in the tile */
  const int first = d.x > 0 ? -d.x * step : 0, offset = d.y * stride + d.x * step;
  const int n = width + abs (d.x) * step, n_columns = n + (PATCH - 1) * step;
  global const sample_t *p = samples + (-d.y - PATCH_RADIUS) * stride + first - PATCH_RADIUS * step;
  for (int x = 0; x < n_columns; x++)
    tile->column[x] = 0;
  for (int row = 0; row < PATCH; row++, p += stride)
    add_squares (tile->column, p, p + offset, n_columns, 0);
  for (int y = -d.y; y < rows; y++) {
    if (y > -d.y) {
      add_squares (tile->column, p, p + offset, n_columns, PATCH * stride);
      p += stride;
    }
    weigh_row (tile->weight, tile->column, n, range, step);
    global const sample_t *row = samples + y * stride;
    const float *weight = tile->weight - first;
    if (y >= 0)
      add_neighbours (tile->sum[y], tile->weights[y], weight, row + offset, row, width);
    if (y + d.y < rows)
      add_neighbours (tile->sum[y + d.y], tile->weights[y + d.y], weight - d.x * step, row - d.x * step, row + d.y * stride, width);
  }
}

ITEM_KERNEL (nlmeans, (PLANE_ARGS, float range, int search_radius), (PLANE_NAMES, range, search_radius))
{
  const int tiles = (region.width + TILE_SAMPLES - 1) / TILE_SAMPLES, job = ITEM (0);
  const int tile_x = job % tiles * TILE_SAMPLES, tile_y = job / tiles * TILE_ROWS;
  const int width = min (TILE_SAMPLES, region.width - tile_x), rows = min (TILE_ROWS, region.height - tile_y);
  global const sample_t *from = src + src_offset + (region.y + tile_y) * src_stride + region.x + tile_x;
  global sample_t *to = dst + dst_offset + (region.y + tile_y) * dst_stride + region.x + tile_x;
  tile_t tile;
  for (int i = 0; i < rows * TILE_SAMPLES; i++) {
    tile.sum[0][i] = 0;
    tile.weights[0][i] = weight_at (WEIGHT_ONE);
  }
  for (int dy = 0; dy <= search_radius; dy++)
    for (int dx = dy ? -search_radius : 1; dx <= search_radius; dx++)
      add_offset (&tile, from, src_stride, width, rows, (int2) (dx, dy), range, NC);
  for (int y = 0; y < rows; y++, from += src_stride, to += dst_stride) {
    WIDE_LOOP
    for (int x = 0; x < width; x++) {
      const float result = (float) LOAD (from[x]) + tile.sum[y][x] / tile.weights[y][x];
      to[x] = merge_sample ((sample_t) round_to_uint (result), from[x], keep[tile_x + x]);
    }
  }
}
#else
/* A group filters GROUP_PIXELS x GROUP_ROWS pixels of one component, ITEM_COLUMNS an item: items read a copy padded by the border's rule,
 * in which each component is a plane, sum squares down a column each, then along rows. Deep samples have no running sums, in which floats
 * would drift. */
enum {
  ITEM_COLUMNS = 8, ROW_ITEMS = GROUP_PIXELS / ITEM_COLUMNS, RUNNING = DEPTH <= 11, GROUP_COLUMNS = GROUP_PIXELS + 2 * PATCH_RADIUS,
  ROOM = (GROUP_COLUMNS / ITEM_COLUMNS + 4) / 8 * 8 + 4, SLOTS = ITEM_COLUMNS * ROOM + 16, COLUMN_ROWS = GROUP_ROWS + PATCH - 1
};

/* A column's index in local memory. Items write columns side by side, and read columns ITEM_COLUMNS apart in two rows: either way in
 * different ones of 32 banks. */
static inline int slot_of (int x) { return x % ITEM_COLUMNS * ROOM + x / ITEM_COLUMNS; }
static inline int groups_down (struct region region) { return (region.height + GROUP_ROWS - 1) / GROUP_ROWS; }
static inline int padded_rows (struct region region, int margin) { return groups_down (region) * GROUP_ROWS + 2 * margin; }
static inline float raised (sample_t v) { return as_float (v | as_uint (0x1p23f)); } /* 2^23 more, without a conversion */

static inline void load_raised (float *values, global const sample_t *from, const int n, int step)
{
  UNROLL for (int i = 0; i < n; i++)
    values[i] = raised (from[i * step]);
}

/* Makes n sums of PATCH terms side by side. square: squares terms while it adds them, for columns of deep samples. */
INLINE void sum_terms (float *sums, const float *terms, const int n, const bool square)
{
  float sum = 0;
  UNROLL for (int i = 0; i < (RUNNING ? n + PATCH - 1 : 0); i++) {
    sum += terms[i];
    if (i >= PATCH - 1) {
      sums[i - (PATCH - 1)] = sum;
      sum -= terms[i - (PATCH - 1)];
    }
  }
  UNROLL for (int i = 0; i < (RUNNING ? 0 : n * PATCH); i++) {
    const float term = terms[i / PATCH + i % PATCH], before = i % PATCH ? sum : 0;
    sums[i / PATCH] = sum = square ? fma (term, term, before) : before + term;
  }
}

/* Copies each component of the region, with a halo of `margin` pixels and rows, to a plane of `padded`, as far as the last groups reach. */
kernel void nlmeans_pad (PLANE_ARGS, float range, int search_radius, global sample_t *restrict padded, int padded_stride, int margin)
{
  const int i = get_global_id (0), x = i % padded_stride, rows = padded_rows (region, margin);
  const int y = i / padded_stride % rows, component = i / padded_stride / rows;
  if (component < NC)
    padded[i] = (sample_t) load_sample (SRC_ARGS, region.x + (x - margin) * NC + component, region.y - margin + y);
}

kernel void nlmeans (PLANE_ARGS, float range, int search_radius, global const sample_t *restrict padded, int padded_stride, int margin)
{
  /* two buffers: items write the next offset's sums while others read */
  local float sums[2][GROUP_ROWS][SLOTS];
  const int item = get_local_id (0), x = item % ROW_ITEMS * ITEM_COLUMNS, y = item / ROW_ITEMS, width = pixels_of (region.width, plane);
  const int across = (width + GROUP_PIXELS - 1) / GROUP_PIXELS, down = groups_down (region), group = get_group_id (0);
  const int group_x = group % across * GROUP_PIXELS, group_y = group / across % down * GROUP_ROWS, component = group / across / down;
  global const sample_t *middle = padded + (component * padded_rows (region, margin) + group_y + margin) * padded_stride + group_x + margin;
  global const sample_t *column = middle - PATCH_RADIUS * padded_stride - PATCH_RADIUS + min (item, GROUP_COLUMNS - 1);
  middle += y * padded_stride + x;

  float own[ITEM_COLUMNS], sum[ITEM_COLUMNS] = {0}, weights[ITEM_COLUMNS] = {0};
  load_raised (own, middle, ITEM_COLUMNS, 1);
  /* other moves down one row for each dy, so each sample is read once */
  float column_own[COLUMN_ROWS], other[COLUMN_ROWS];
  load_raised (column_own, column, COLUMN_ROWS, padded_stride);
  int buffer = 0;
  for (int dx = -search_radius; dx <= search_radius; dx++) {
    global const sample_t *next = column + dx - search_radius * padded_stride;
    load_raised (other + 1, next, COLUMN_ROWS - 1, padded_stride);
    next += (COLUMN_ROWS - 1) * padded_stride;
    for (int dy = -search_radius; dy <= search_radius; dy++, next += padded_stride, buffer = 1 - buffer) {
      /* loaded before the barrier, so that they are there after it */
      float neighbour[ITEM_COLUMNS], terms[COLUMN_ROWS], column_sums[GROUP_ROWS], patches[ITEM_COLUMNS];
      load_raised (neighbour, middle + dy * padded_stride + dx, ITEM_COLUMNS, 1);
      if (item < GROUP_COLUMNS) {
        UNROLL for (int i = 0; i < COLUMN_ROWS; i++) {
          other[i] = i + 1 < COLUMN_ROWS ? other[i + 1] : raised (*next);
          const float d = column_own[i] - other[i];
          terms[i] = RUNNING ? d * d : d;
        }
        sum_terms (column_sums, terms, GROUP_ROWS, !RUNNING);
        UNROLL for (int i = 0; i < GROUP_ROWS; i++)
          sums[buffer][i][slot_of (item)] = column_sums[i];
      }
      barrier (CLK_LOCAL_MEM_FENCE);
      UNROLL for (int i = 0; i < ITEM_COLUMNS + PATCH - 1; i++)
        terms[i] = sums[buffer][y][x / ITEM_COLUMNS + slot_of (i)];
      sum_terms (patches, terms, ITEM_COLUMNS, false);
      UNROLL for (int i = 0; i < ITEM_COLUMNS; i++) {
        const float weight = weight_at (range / 0x1p23f * patches[i]);
        sum[i] += weight * (neighbour[i] - own[i]);
        weights[i] += weight;
      }
    }
  }
  UNROLL for (int i = 0; i < ITEM_COLUMNS; i++) {
    const int pixel = group_x + x + i, to_x = region.x + pixel * NC + component, to_y = region.y + group_y + y;
    if (pixel >= width || to_y >= region.y + region.height)
      continue;
    const sample_t result = (sample_t) round_to_uint ((float) middle[i] + sum[i] / weights[i]);
    dst[dst_offset + to_y * dst_stride + to_x] = merge_sample (result, SRC_SAMPLE (to_x, to_y), keep[to_x]);
  }
}
#endif
