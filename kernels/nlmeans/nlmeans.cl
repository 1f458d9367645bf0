/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Non-local means (Buades, Coll and Morel, A non-local algorithm for image denoising, 2005): the mean of a search
 * window, weighted by how alike the patches around two samples are:
 *
 *   weight (p, q) = exp (-(mean of (v (p + t) - v (q + t))^2 over the patch) / h^2)
 *
 * Each component is filtered by itself. For one offset q - p at a time, the squared differences of a whole tile are
 * summed over the patch, by columns first and by running sums, so that the time hardly grows with the patch. What is
 * added up are differences from the sample in the middle, which a float holds with more digits than the samples.
 *
 * PATCH_RADIUS is the patch radius where it is fixed at build time; else the argument says it.
 *
 *   range     the factor of a sum of squares in a weight's exponent (shared/weight.clh)
 *   step      NC again: unknown to the compiler, which would carry sums of neighbours from one round of a loop to the
 *             next, and so keep the loop from being vectorised
 */
#ifdef PATCH_RADIUS
#define NLMEANS_PATCH PATCH_RADIUS
#else
#define NLMEANS_PATCH patch_radius
#endif

#if BACKEND_CPU

/* A work item filters TILE_SAMPLES x TILE_ROWS samples, or what is left of the region. Weights are symmetric: each is
 * computed once, for p in the tile or for q in the tile, and serves both. */
#define NLMEANS_LARGEST_SEARCH 24
#define NLMEANS_LARGEST_PATCH 8
#define NLMEANS_TILE_SPAN (TILE_SAMPLES + (NLMEANS_LARGEST_SEARCH + 2 * NLMEANS_LARGEST_PATCH) * NC)

#if DEPTH <= 11
typedef int square_t;
#define NLMEANS_TO_FLOAT(sum) ((float) (sum))
#else
typedef long square_t;
/* In two parts, since there are vector instructions for those. */
#define NLMEANS_TO_FLOAT(sum) ((float) (int) ((sum) >> 20) * 1048576.0f + (float) (int) ((sum) & 0xfffff))
#endif

typedef struct
{
  /* of the samples' differences from the one in the middle, times weights; and of the weights */
  float sum[TILE_ROWS][TILE_SAMPLES];
  float weights[TILE_ROWS][TILE_SAMPLES];
  /* sums of squares over the patch's rows, and the weights that follow, of one row and one offset */
  square_t column[NLMEANS_TILE_SPAN];
  float weight[NLMEANS_TILE_SPAN];
} tile_t;

/* Adds the squared differences of n samples of one row of p and one of q. */
static inline void
add_squares (square_t *restrict column, global const sample_t *restrict p, global const sample_t *restrict q, int n)
{
  WIDE_LOOP
  for (int x = 0; x < n; x++) {
    const int difference = (int) LOAD (p[x]) - (int) LOAD (q[x]);
    column[x] += (square_t) difference * difference;
  }
}

/* The same, and takes those away that stand `back` samples before. */
static inline void
move_squares (square_t *restrict column, global const sample_t *restrict p, global const sample_t *restrict q, int n,
    int back)
{
  WIDE_LOOP
  for (int x = 0; x < n; x++) {
    const int entering = (int) LOAD (p[x]) - (int) LOAD (q[x]);
    const int leaving = (int) LOAD (p[x - back]) - (int) LOAD (q[x - back]);
    column[x] += (square_t) (entering - leaving) * (entering + leaving);
  }
}

static inline void
weigh_row (tile_t *tile, int n, float range, int patch_radius, int step)
{
  const square_t *restrict column = tile->column;
  float *restrict weight = tile->weight;
#ifdef PATCH_RADIUS
  WIDE_LOOP
  for (int x = 0; x < n; x++) {
    square_t sum = column[x];
#pragma unroll
    for (int t = 1; t <= 2 * NLMEANS_PATCH; t++)
      sum += column[x + t * step];
    weight[x] = weight_of (WEIGHT_ONE + range * NLMEANS_TO_FLOAT (sum));
  }
#else
  square_t sum[NLMEANS_TILE_SPAN];
  for (int x = 0; x < n; x++)
    sum[x] = column[x];
  for (int t = 1; t <= 2 * NLMEANS_PATCH; t++)
    for (int x = 0; x < n; x++)
      sum[x] += column[x + t * NC];
  for (int x = 0; x < n; x++)
    weight[x] = weight_of (WEIGHT_ONE + range * NLMEANS_TO_FLOAT (sum[x]));
#endif
}

/* Adds n neighbours, with the weight of each, to the sums of as many samples. */
static inline void
add_neighbours (float *restrict sum, float *restrict weights, const float *restrict weight,
    global const sample_t *restrict neighbours, global const sample_t *restrict middle, int n)
{
  WIDE_LOOP
  for (int x = 0; x < n; x++) {
    sum[x] += weight[x] * (float) ((int) LOAD (neighbours[x]) - (int) LOAD (middle[x]));
    weights[x] += weight[x];
  }
}

/* All that one offset and its opposite add to the tile. */
static inline void
add_offset (tile_t *tile, global const sample_t *restrict samples, int stride, int width, int rows, int dx, int dy,
    float range, int patch_radius, int step)
{
  /* The columns of p: those of the tile, and those for which q lies in the tile. */
  const int first = dx > 0 ? -dx * NC : 0, n = width + abs (dx) * NC;
  const int offset = dy * stride + dx * NC;
  const int n_columns = n + 2 * NLMEANS_PATCH * NC, back = (2 * NLMEANS_PATCH + 1) * stride;
  global const sample_t *p = samples + (-dy - NLMEANS_PATCH) * stride + first - NLMEANS_PATCH * NC;
  for (int x = 0; x < n_columns; x++)
    tile->column[x] = 0;
  for (int row = 0; row < 2 * NLMEANS_PATCH; row++, p += stride)
    add_squares (tile->column, p, p + offset, n_columns);
  for (int y = -dy; y < rows; y++, p += stride) {
    if (y == -dy)
      add_squares (tile->column, p, p + offset, n_columns);
    else
      move_squares (tile->column, p, p + offset, n_columns, back);
    weigh_row (tile, n, range, patch_radius, step);
    global const sample_t *row = samples + y * stride;
    if (y >= 0)
      add_neighbours (tile->sum[y], tile->weights[y], tile->weight - first, row + offset, row, width);
    if (y + dy < rows)
      add_neighbours (tile->sum[y + dy], tile->weights[y + dy], tile->weight - first - dx * NC, row - dx * NC,
          row + dy * stride, width);
  }
}

kernel void
nlmeans (PLANE_ARGS, float range, int search_radius, int patch_radius, int step)
{
  const int tile_x = (int) get_global_id (0) * TILE_SAMPLES, tile_y = (int) get_global_id (1) * TILE_ROWS;
  const int width = min (TILE_SAMPLES, region.width - tile_x), rows = min (TILE_ROWS, region.height - tile_y);
  const int at = src_offset + (region.y + tile_y) * src_stride + region.x + tile_x;
  const int to = dst_offset + (region.y + tile_y) * dst_stride + region.x + tile_x;
  tile_t tile;
  const float one = weight_of (WEIGHT_ONE);
  for (int y = 0; y < rows; y++)
    for (int x = 0; x < width; x++) {
      tile.sum[y][x] = 0;
      tile.weights[y][x] = one;
    }
  for (int dx = 1; dx <= search_radius; dx++)
    add_offset (&tile, src + at, src_stride, width, rows, dx, 0, range, patch_radius, step);
  for (int dy = 1; dy <= search_radius; dy++)
    for (int dx = -search_radius; dx <= search_radius; dx++)
      add_offset (&tile, src + at, src_stride, width, rows, dx, dy, range, patch_radius, step);

  for (int y = 0; y < rows; y++) {
    global const sample_t *from = src + at + y * src_stride;
    global sample_t *out = dst + to + y * dst_stride;
    WIDE_LOOP
    for (int x = 0; x < width; x++) {
      const float result = (float) LOAD (from[x]) + tile.sum[y][x] / tile.weights[y][x];
      out[x] = merge_sample ((sample_t) round_to_uint (result), from[x], keep[tile_x + x]);
    }
  }
}

#endif

#if BACKEND_GPU

/* A work-group filters GROUP_SAMPLES x GROUP_ROWS samples, NLMEANS_PIXELS pixels of one component and row per item. First
 * its items sum squares down a column each, then along their rows. There are more items than columns. They read a copy
 * of the plane, which is padded by the border's rule. */
#define NLMEANS_PIXELS 8

/* Where a column stands in local memory: the items of a row begin in banks of their own. */
#define NLMEANS_SLOT(x) ((x) + (x) / (NLMEANS_PIXELS * NC) * NC)
#ifdef PATCH_RADIUS
#define NLMEANS_SLOTS (NLMEANS_SLOT (GROUP_SAMPLES + 2 * NLMEANS_PATCH * NC) + 1)
#else
#define NLMEANS_SLOTS (NLMEANS_SLOT (GROUP_SAMPLES + 16 * NC) + 1)
#endif

/* Floats drift where sums are larger than they hold exactly; deep samples are summed again each time. */
#if defined(PATCH_RADIUS) && DEPTH <= 11
#define RUNNING 1
#else
#define RUNNING 0
#endif

/* A sample plus 2^23, without a conversion instruction, of which GPUs issue few. */
static inline float
raised (sample_t v)
{
  return as_float (v | as_uint (EXPONENT_SCALE));
}

/* Sums of squares over the patch's rows, for GROUP_ROWS rows of one column. own, other: the column, and the one that it
 * is compared with, raised */
#if RUNNING
#define NLMEANS_COLUMN_ROWS (GROUP_ROWS + 2 * NLMEANS_PATCH)

static inline __attribute__ ((always_inline)) void
sum_column (local float (*sums)[NLMEANS_SLOTS], int slot, const float *own, const float *other)
{
  float squares[NLMEANS_COLUMN_ROWS];
#pragma unroll
  for (int i = 0; i < NLMEANS_COLUMN_ROWS; i++) {
    const float d = own[i] - other[i];
    squares[i] = d * d;
  }
  float sum = 0;
#pragma unroll
  for (int i = 0; i < 2 * NLMEANS_PATCH; i++)
    sum += squares[i];
#pragma unroll
  for (int y = 0; y < GROUP_ROWS; y++) {
    sum += squares[y + 2 * NLMEANS_PATCH];
    sums[y][slot] = sum;
    sum -= squares[y];
  }
}
#else
static inline __attribute__ ((always_inline)) void
sum_column_anew (local float (*sums)[NLMEANS_SLOTS], int slot, global const sample_t *restrict p, int stride, int offset,
    int patch_radius)
{
  for (int y = 0; y < GROUP_ROWS; y++) {
    float sum = 0;
    for (int i = y; i <= y + 2 * NLMEANS_PATCH; i++) {
      const float d = raised (p[i * stride]) - raised (p[i * stride + offset]);
      sum += d * d;
    }
    sums[y][slot] = sum;
  }
}
#endif

/* Sums of NLMEANS_PIXELS patches side by side; columns: where the first column of the first stands, which is an item's
 * first. */
#define NLMEANS_COLUMN(i) columns[(i) *NC + (i) / NLMEANS_PIXELS * NC]

static inline __attribute__ ((always_inline)) void
sum_row (float *patches, local const float *columns, int patch_radius)
{
#if RUNNING
  float column[NLMEANS_PIXELS + 2 * NLMEANS_PATCH];
#pragma unroll
  for (int i = 0; i < NLMEANS_PIXELS + 2 * NLMEANS_PATCH; i++)
    column[i] = NLMEANS_COLUMN (i);
  float sum = 0;
#pragma unroll
  for (int i = 0; i < 2 * NLMEANS_PATCH; i++)
    sum += column[i];
#pragma unroll
  for (int i = 0; i < NLMEANS_PIXELS; i++) {
    sum += column[i + 2 * NLMEANS_PATCH];
    patches[i] = sum;
    sum -= column[i];
  }
#else
#pragma unroll
  for (int i = 0; i < NLMEANS_PIXELS; i++) {
    float sum = 0;
    for (int t = i; t <= i + 2 * NLMEANS_PATCH; t++)
      sum += NLMEANS_COLUMN (t);
    patches[i] = sum;
  }
#endif
}

/* The values of an area of the plane, whose first sample is (area.x, area.y), to the copy. */
kernel void
nlmeans_pad (global const sample_t *restrict src, int src_offset, int src_stride, global sample_t *restrict padded,
    struct region area, struct plane plane)
{
  const int x = get_global_id (0), y = get_global_id (1);
  if (x < area.width && y < area.height)
    padded[y * area.width + x] = (sample_t) load_sample (SRC_ARGS, area.x + x, area.y + y);
}

/* What an item gathers: of the samples' differences from its own, times weights; and of the weights. */
typedef struct
{
  float own[NLMEANS_PIXELS], sum[NLMEANS_PIXELS], weights[NLMEANS_PIXELS];
} item_sums;

static inline void
begin_item (item_sums *s, global const sample_t *middle)
{
#pragma unroll
  for (int i = 0; i < NLMEANS_PIXELS; i++) {
    s->own[i] = raised (middle[i * NC]);
    s->sum[i] = s->weights[i] = 0;
  }
}

/* other: the samples that are compared with the item's own */
static inline void
add_pixels (item_sums *s, const float *patches, global const sample_t *other, float range)
{
#pragma unroll
  for (int i = 0; i < NLMEANS_PIXELS; i++) {
    const float weight = EXP2 (range * patches[i]);
    s->sum[i] += weight * (raised (other[i * NC]) - s->own[i]);
    s->weights[i] += weight;
  }
}

/* x, y: where the item begins in the region */
static inline void
store_pixels (DST_PARAMS, const item_sums *s, global const sample_t *middle, int x, int y)
{
#pragma unroll
  for (int i = 0; i < NLMEANS_PIXELS; i++) {
    const int column = x + i * NC, row = region.y + y;
    if (column >= region.width || y >= region.height)
      continue;
    const sample_t result = (sample_t) round_to_uint ((float) middle[i * NC] + s->sum[i] / s->weights[i]);
    dst[dst_offset + row * dst_stride + region.x + column] = merge_sample (
        result, src[src_offset + row * src_stride + region.x + column], keep[region.x + column]);
  }
}

/* padded   sample (x, y) of the region stands margin pixels and rows further; samples that fill up the last groups
 *          exist */
kernel void
nlmeans (PLANE_ARGS, float range, int search_radius, int patch_radius, int step, global const sample_t *restrict padded,
    int padded_stride, int margin)
{
  /* two, so that items write the sums of the next offset while others read */
  local float sums[2][GROUP_ROWS][NLMEANS_SLOTS];
  const int item = get_local_id (1) * get_local_size (0) + get_local_id (0);
  const int group_x = get_group_id (0) * GROUP_SAMPLES, group_y = get_group_id (1) * GROUP_ROWS;
  const int columns = GROUP_SAMPLES + 2 * NLMEANS_PATCH * NC;
  const int x = (int) get_local_id (0) / NC * (NLMEANS_PIXELS * NC) + (int) get_local_id (0) % NC, y = get_local_id (1);
  global const sample_t *middle = padded + (group_y + margin) * padded_stride + group_x + margin * NC;
  global const sample_t *column = middle - NLMEANS_PATCH * padded_stride - NLMEANS_PATCH * NC + min (item, columns - 1);
  middle += y * padded_stride + x;
  const float range2 = range / EXPONENT_SCALE;

  item_sums s;
  begin_item (&s, middle);
#if RUNNING
  float own[NLMEANS_COLUMN_ROWS];
#pragma unroll
  for (int i = 0; i < NLMEANS_COLUMN_ROWS; i++)
    own[i] = raised (column[i * padded_stride]);
#endif
  int buffer = 0;
  for (int dx = -search_radius; dx <= search_radius; dx++) {
    global const sample_t *next = column + dx * NC - search_radius * padded_stride;
#if RUNNING
    /* one row further for every dy: each sample of the column is read once */
    float other[NLMEANS_COLUMN_ROWS];
#pragma unroll
    for (int i = 1; i < NLMEANS_COLUMN_ROWS; i++, next += padded_stride)
      other[i] = raised (*next);
#endif
    for (int dy = -search_radius; dy <= search_radius; dy++, next += padded_stride) {
      const int offset = dy * padded_stride + dx * NC;
#if RUNNING
#pragma unroll
      for (int i = 1; i < NLMEANS_COLUMN_ROWS; i++)
        other[i - 1] = other[i];
      other[NLMEANS_COLUMN_ROWS - 1] = raised (*next);
      if (item < columns)
        sum_column (sums[buffer], NLMEANS_SLOT (item), own, other);
#else
      if (item < columns)
        sum_column_anew (sums[buffer], NLMEANS_SLOT (item), column, padded_stride, offset, patch_radius);
#endif
      barrier (CLK_LOCAL_MEM_FENCE);
      float patches[NLMEANS_PIXELS];
      sum_row (patches, &sums[buffer][y][NLMEANS_SLOT (x)], patch_radius);
      add_pixels (&s, patches, middle + offset, range2);
      buffer = 1 - buffer;
    }
  }

  store_pixels (DST_ARGS, &s, middle, group_x + x, group_y + y);
}

#endif
