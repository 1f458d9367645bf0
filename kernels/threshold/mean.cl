/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clthreshold with the mean of a window as the threshold of each sample, in a time that does not grow with the window:
 * window sums are corrected by what comes in and goes out. Sums are exact; at a radius of 127 and 16 bits they just fit
 * 32 bits without a sign.
 *
 * TRUNCATE  1 where the rounded threshold is written; MEAN_ARGS as shared/quotient.clh has them are for that
 * samples   of the window, all its samples; v is above the threshold where samples * v - sum > floor_limit, which is
 *           floor (-samples * offset * max)
 */
#define MEAN_ARGS int radius, sum_t samples, sum_t floor_limit, QUOTIENT_ARGS, OUTCOME_ARGS

#define MEAN_RESULT(v, sum)                                                                                    \
  OUTCOME (samples * (sum_t) (v) - (sum_t) (sum) > floor_limit, (sample_t) (v), \
      TRUNCATE ? (sample_t) QUOTIENT ((sum_t) (sum)) : (sample_t) 0)

/* The sum of one row or column of a window, of at most 255 samples. */
#if DEPTH == 8
typedef ushort line_sum_t;
#else
typedef uint line_sum_t;
#endif

#if BACKEND_CPU

/* From the sums of columns, which begin `radius` pixels left of the row, to the sums of windows. */
static inline void
sum_windows (global uint *restrict sums, global const line_sum_t *restrict columns, int radius, int width)
{
  global const line_sum_t *in = columns + 2 * radius * NC;
  uint sum[NC] = {0};
  for (int x = 0; x < 2 * radius; x++)
#pragma unroll
    for (int c = 0; c < NC; c++)
      sum[c] += columns[x * NC + c];
  for (int x = 0; x < width; x += NC)
#pragma unroll
    for (int c = 0; c < NC; c++) {
      sum[c] += in[x + c];
      sums[x + c] = sum[c];
      sum[c] -= columns[x + c];
    }
}

static inline void
move_columns (global line_sum_t *restrict columns, global const sample_t *in, global const sample_t *out, int n)
{
  for (int i = 0; i < n; i++)
    columns[i] = (line_sum_t) (columns[i] + LOAD (in[i]) - LOAD (out[i]));
}

/* An item takes every bands-th band of rows. scratch: `each` bytes for an item, a multiple of 64, first the sums of
 * columns, then, `sums_at` bytes further, those of windows. */
kernel void
threshold_mean (PLANE_ARGS, MEAN_ARGS, int band, global uchar *restrict scratch, int each, int sums_at)
{
  const int reach = radius * NC, n_columns = region.width + 2 * reach;
  global line_sum_t *columns = (global line_sum_t *) (scratch + get_global_id (0) * (size_t) each);
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
    for (int y = 0; y < high; y++, in += src_stride, out += dst_stride) {
      sum_windows (sums, columns, radius, region.width);
      for (int x = 0; x < region.width; x++)
        out[x] = merge_sample (MEAN_RESULT (LOAD (in[x]), sums[x]), in[x], keep[x]);
      if (y + 1 < high)
        move_columns (columns, in + (radius + 1) * src_stride - reach, in - radius * src_stride - reach, n_columns);
    }
  }
}

#elif SUMS

/* A group sums so many pixels of a row, and what their windows reach beside them. */
#define MEAN_BLOCK_PIXELS 512
#define MEAN_LARGEST_RADIUS 127
#define MEAN_PIXELS_PER_ITEM ((MEAN_BLOCK_PIXELS + 2 * MEAN_LARGEST_RADIUS + GROUP - 1) / GROUP)

/* A pixel's samples, as the host's SCANNED has them. */
static inline SCANNED
pixel_at (SRC_PARAMS, int pixel, int row)
{
  const int column = pixel_place (pixel, plane);
#define MEAN_SAMPLE(c) (row < 0 || column < 0 ? plane.value : LOAD (SRC_SAMPLE (column * NC + (c), row)))
#if NC == 1
  return MEAN_SAMPLE (0);
#elif NC == 2
  return (uint2) (MEAN_SAMPLE (0), MEAN_SAMPLE (1));
#elif NC == 3
  return (uint4) (MEAN_SAMPLE (0), MEAN_SAMPLE (1), MEAN_SAMPLE (2), 0);
#else
  return (uint4) (MEAN_SAMPLE (0), MEAN_SAMPLE (1), MEAN_SAMPLE (2), MEAN_SAMPLE (3));
#endif
}

/* Sums of the samples `radius` to the left and right, for the region's columns and the rows of all its windows: row j of sums is row
 * region.y - radius + j of the plane. They are differences of sums from the block's left edge. */
kernel __attribute__ ((reqd_work_group_size (GROUP, 1, 1))) void
row_sums (SRC_PARAM, int src_offset, int src_stride, global line_sum_t *restrict sums, int sums_at, int sums_stride,
    struct region region, struct plane plane, int radius)
{
  local SCANNED before[GROUP * MEAN_PIXELS_PER_ITEM + 1], shared[2 * GROUP];
  const int item = get_local_id (0), j = get_group_id (1), row = row_place (region.y - radius + j, plane);
  const int left = (int) get_group_id (0) * MEAN_BLOCK_PIXELS, n = min (MEAN_BLOCK_PIXELS, region.width / NC - left);
  SCANNED part[MEAN_PIXELS_PER_ITEM], sum = 0, all;
#pragma unroll
  for (int p = 0; p < MEAN_PIXELS_PER_ITEM; p++) {
    const int at = item * MEAN_PIXELS_PER_ITEM + p;
    if (at < n + 2 * radius)
      sum += pixel_at (SRC_ARGS, region.x / NC + left - radius + at, row);
    part[p] = sum;
  }
  const SCANNED earlier = sum_before (shared, sum, &all);
  before[0] = 0;
#pragma unroll
  for (int p = 0; p < MEAN_PIXELS_PER_ITEM; p++)
    before[item * MEAN_PIXELS_PER_ITEM + p + 1] = earlier + part[p];
  barrier (CLK_LOCAL_MEM_FENCE);
  for (int p = item; p < n; p += GROUP) {
    const SCANNED window = before[p + 2 * radius + 1] - before[p];
#pragma unroll
    for (int c = 0; c < NC; c++)
      sums[sums_at + j * sums_stride + (left + p) * NC + c] = (line_sum_t) ((const uint *) &window)[c];
  }
}

#else

/* sums stand as row_sums () left them, with room for an item on either side of each row. */
kernel void
threshold_mean (PLANE_ARGS, MEAN_ARGS, global const line_sum_t *restrict sums, int sums_at, int sums_stride)
{
  GPU_ITEM
  if (!ITEM_IN_REGION)
    return;
  global const line_sum_t *column = sums + sums_at + (item_y - region.y) * sums_stride + item_x - region.x;
  uint sum[ITEM_SAMPLES] = {0};
  for (int j = 0; j < 2 * radius; j++)
#pragma unroll
    for (int i = 0; i < ITEM_SAMPLES; i++)
      sum[i] += column[j * sums_stride + i];
  const int end = min (ITEM_ROWS, region.y + region.height - item_y);
  for (int r = 0; r < end; r++) {
    int v[ITEM_SAMPLES];
    load_point (v, item_x, item_y + r);
#pragma unroll
    for (int i = 0; i < ITEM_SAMPLES; i++) {
      sum[i] += column[(r + 2 * radius) * sums_stride + i];
      v[i] = MEAN_RESULT (v[i], sum[i]);
      sum[i] -= column[r * sums_stride + i];
    }
    store_item (v, item_y + r);
  }
}

#endif
