/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clthreshold with the mean of a window as the threshold of each sample, in a time that does not grow with the window:
 * window sums are corrected by what comes in and goes out. Sums are exact; at a radius of 127 and 16 bits they just fit
 * 32 bits without a sign.
 *
 * samples   of the window, all its samples; v is above the threshold where samples * v - sum > floor_limit, which is
 *           floor (-samples * offset * max)
 * MEAN_ARGS for the rounded threshold, as shared/quotient.clh has them */
#define MEAN_ARGS int radius, sum_t samples, sum_t floor_limit, QUOTIENT_ARGS, OUTCOME_ARGS

#define MEAN_ABOVE(v, sum) (samples * (sum_t) (v) - (sum_t) (sum) > floor_limit)

#if BACKEND_CPU

/* Columns of a window hold at most 255 samples. */
#if DEPTH == 8
typedef ushort column_t;
#else
typedef uint column_t;
#endif

/* From the sums of columns, which begin `radius` pixels left of the row, to the sums of windows. */
static inline void
sum_windows (global uint *restrict sums, global const column_t *restrict columns, int radius, int width)
{
  uint sum[NC];
#pragma unroll
  for (int c = 0; c < NC; c++)
    sum[c] = 0;
  for (int x = 0; x < 2 * radius; x++)
#pragma unroll
    for (int c = 0; c < NC; c++)
      sum[c] += columns[x * NC + c];
  global const column_t *in = columns + 2 * radius * NC;
  for (int x = 0; x < width; x += NC)
#pragma unroll
    for (int c = 0; c < NC; c++) {
      sum[c] += in[x + c];
      sums[x + c] = sum[c];
      sum[c] -= columns[x + c];
    }
}

static inline void
move_columns (global column_t *restrict columns, global const sample_t *in, global const sample_t *out, int n)
{
  for (int i = 0; i < n; i++)
    columns[i] = (column_t) (columns[i] + LOAD (in[i]) - LOAD (out[i]));
}

/* An item takes every bands-th band of rows. scratch: `each` bytes for an item, a multiple of 64, first the sums of
 * columns, then, `sums_at` bytes further, those of windows. */
kernel void
threshold_mean (PLANE_ARGS, MEAN_ARGS, int band, global uchar *restrict scratch, int each, int sums_at)
{
  const int reach = radius * NC, n_columns = region.width + 2 * reach;
  global column_t *columns = (global column_t *) (scratch + get_global_id (0) * (size_t) each);
  global uint *sums = (global uint *) (scratch + get_global_id (0) * (size_t) each + sums_at);

  for (int top = get_global_id (0) * band; top < region.height; top += get_global_size (0) * band) {
    global const sample_t *in = src + src_offset + (region.y + top) * src_stride + region.x;
    global sample_t *out = dst + dst_offset + (region.y + top) * dst_stride + region.x;
    for (int i = 0; i < n_columns; i++)
      columns[i] = 0;
    for (int j = -radius; j <= radius; j++) {
      global const sample_t *row = in + j * src_stride - reach;
      for (int i = 0; i < n_columns; i++)
        columns[i] += LOAD (row[i]);
    }
    const int high = min (band, region.height - top);
    for (int y = 0; y < high; y++) {
      sum_windows (sums, columns, radius, region.width);
      if (truncate)
        for (int x = 0; x < region.width; x++) {
          const sample_t v = LOAD (in[x]), rounded = (sample_t) QUOTIENT ((sum_t) sums[x]);
          out[x] = merge_sample (OUTCOME (MEAN_ABOVE (v, sums[x]), v, rounded), in[x], keep[x]);
        }
      else
        for (int x = 0; x < region.width; x++) {
          const sample_t v = LOAD (in[x]);
          out[x] = merge_sample (OUTCOME (MEAN_ABOVE (v, sums[x]), v, 0), in[x], keep[x]);
        }
      if (y + 1 < high)
        move_columns (columns, in + (radius + 1) * src_stride - reach, in - radius * src_stride - reach, n_columns);
      in += src_stride;
      out += dst_stride;
    }
  }
}

#else

/* The sums of row_sums (), which 2 * radius + 1 rows add up to a window's. */
#if DEPTH == 8
typedef ushort row_sum_t;
#else
typedef uint row_sum_t;
#endif

#define MEAN_GROUP_ITEMS 256
#define MEAN_BLOCK_PIXELS 512
#define MEAN_LARGEST_RADIUS 127
#define MEAN_BLOCK_REACH (MEAN_BLOCK_PIXELS + 2 * MEAN_LARGEST_RADIUS)
#define MEAN_PIXELS_PER_ITEM ((MEAN_BLOCK_REACH + MEAN_GROUP_ITEMS - 1) / MEAN_GROUP_ITEMS)

/* Sums of the samples `radius` to the left and right, for the region's columns and the rows of all its windows: row j
 * of sums is row region.y - radius + j of the plane. A group sums MEAN_BLOCK_PIXELS pixels of a row, as differences of sums
 * from the block's left edge. */
kernel void
row_sums (SRC_PARAM, int src_offset, int src_stride, global row_sum_t *restrict sums, int sums_at, int sums_stride,
    struct region region, struct plane plane, int radius)
{
  local uint before[(MEAN_BLOCK_REACH + 1) * NC];
  local uint totals[2][MEAN_GROUP_ITEMS * NC];
  const int item = get_local_id (0), j = get_group_id (1);
  const int row = row_place (region.y - radius + j, plane);
  const int left = (int) get_group_id (0) * MEAN_BLOCK_PIXELS, width = region.width / NC;
  const int n_pixels = min (MEAN_BLOCK_PIXELS, width - left) + 2 * radius;
  const int first = region.x / NC + left - radius;

  uint sum[NC], part[MEAN_PIXELS_PER_ITEM][NC];
#pragma unroll
  for (int c = 0; c < NC; c++)
    sum[c] = 0;
#pragma unroll
  for (int p = 0; p < MEAN_PIXELS_PER_ITEM; p++) {
    const int at = item * MEAN_PIXELS_PER_ITEM + p;
    const int column = at < n_pixels ? pixel_place (first + at, plane) : 0;
#pragma unroll
    for (int c = 0; c < NC; c++) {
      if (at < n_pixels)
        sum[c] += row < 0 || column < 0 ? plane.value : LOAD (SRC_SAMPLE (column * NC + c, row));
      part[p][c] = sum[c];
    }
  }
#pragma unroll
  for (int c = 0; c < NC; c++)
    totals[0][item * NC + c] = sum[c];
  int from = 0;
  for (int step = 1; step < MEAN_GROUP_ITEMS; step *= 2) {
    barrier (CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (int c = 0; c < NC; c++)
      totals[1 - from][item * NC + c] =
          totals[from][item * NC + c] + (item >= step ? totals[from][(item - step) * NC + c] : 0);
    from = 1 - from;
  }
  barrier (CLK_LOCAL_MEM_FENCE);
#pragma unroll
  for (int p = 0; p < MEAN_PIXELS_PER_ITEM; p++) {
    const int at = item * MEAN_PIXELS_PER_ITEM + p;
#pragma unroll
    for (int c = 0; c < NC; c++)
      if (at < MEAN_BLOCK_REACH)
        before[(at + 1) * NC + c] = part[p][c] + (item > 0 ? totals[from][(item - 1) * NC + c] : 0);
  }
  if (item < NC)
    before[item] = 0;
  barrier (CLK_LOCAL_MEM_FENCE);
  const int n = (n_pixels - 2 * radius) * NC;
  global row_sum_t *to = sums + sums_at + j * sums_stride + left * NC;
  for (int i = item; i < n; i += MEAN_GROUP_ITEMS)
    to[i] = (row_sum_t) (before[i + (2 * radius + 1) * NC] - before[i]);
}

/* sums stand as row_sums () left them, with room for an item on either side of each row. */
kernel void
threshold_mean (PLANE_ARGS, MEAN_ARGS, global const row_sum_t *restrict sums, int sums_at, int sums_stride)
{
  GPU_ITEM
  if (!ITEM_IN_REGION)
    return;
  global const row_sum_t *column = sums + sums_at + (item_y - region.y) * sums_stride + item_x - region.x;
  uint sum[ITEM_SAMPLES];
#pragma unroll
  for (int i = 0; i < ITEM_SAMPLES; i++)
    sum[i] = 0;
  for (int j = 0; j < 2 * radius; j++)
#pragma unroll
    for (int i = 0; i < ITEM_SAMPLES; i++)
      sum[i] += column[j * sums_stride + i];
  const int end = min (ITEM_ROWS, region.y + region.height - item_y);
  for (int r = 0; r < end; r++) {
    int v[ITEM_SAMPLES];
    load_span (v, item_x, ITEM_SAMPLES, item_y + r, 0);
#pragma unroll
    for (int i = 0; i < ITEM_SAMPLES; i++) {
      sum[i] += column[(r + 2 * radius) * sums_stride + i];
      const int rounded = truncate ? QUOTIENT ((sum_t) sum[i]) : 0;
      v[i] = OUTCOME (MEAN_ABOVE (v[i], sum[i]), (sample_t) v[i], (sample_t) rounded);
      sum[i] -= column[r * sums_stride + i];
    }
    store_item (v, item_y + r);
  }
}

#endif
