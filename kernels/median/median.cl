/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clmedian, square windows of side 2 * RADIUS_X + 1 and middle rank: a selection network without a branch (written by
 * networks.py). One work item writes a tile of outputs, since windows of neighbours share most of their
 * samples.
 *
 * Wins in docs/performance.md: median 3x3 to 15x15 on CPUs, 3x3 to 7x7 on the H200. */
#if BACKEND_CPU

#define MEDIAN_VALUE row_t
#define MEDIAN_INPUT(x, y) MEDIAN_VALUES (load_row (window + (y) *src_stride + (x) *NC))
#define MEDIAN_RESULT(x, y, v) \
  store_median (out + (y) *dst_stride, v, load_row (sample + (y) *src_stride), mask, limit)

#if ITEM_SAMPLES > 1 && ITEM_ROWS == MEDIAN_ROWS

/* Not inline: PoCL has several copies of a kernel, and compiling the network takes long. */
__attribute__ ((noinline)) void
write_tile (global const sample_t *restrict sample, int src_stride, global sample_t *restrict out, int dst_stride,
    row_t mask, int limit)
{
  global const sample_t *window = sample - RADIUS_Y * src_stride - RADIUS_X * NC;
  MEDIAN_NETWORK (MEDIAN_INPUT, MEDIAN_RESULT);
}

#else

/* A frame smaller than one tile is not worth a network of its own. */
static inline void
write_tile (global const sample_t *restrict sample, int src_stride, global sample_t *restrict out, int dst_stride,
    row_t mask, int limit)
{
  const int middle = (2 * RADIUS_X + 1) * (2 * RADIUS_Y + 1) / 2;
  counted_rows ((int2) (RADIUS_X, RADIUS_Y), sample, src_stride, out, dst_stride, mask, limit, middle);
}

#endif

/* Items ahead whose samples are asked for: a tile reads more rows at once than CPUs follow by themselves. */
#define MEDIAN_AHEAD 4

/* A tile at the frame's edge reads from a copy in private memory, to which a pointer to global memory can point: both are the
 * processor's. Copies of whole edges, made before, cost a miss for every row of the frame, and five launches. */
kernel void
median_network (PLANE_ARGS, int limit)
{
  const int y = region.y + ITEM_Y;
  global sample_t *out = dst + dst_offset + y * dst_stride + region.x;
  sample_t area[AREA_WIDTH * MEDIAN_AREA_HEIGHT];
  EACH_VECTOR (item_x) {
    const int x = region.x + item_x;
    global const sample_t *from = src + src_offset + y * src_stride + x;
    int stride = src_stride;
    if (reaches_over (x, y, plane)) {
      copy_area (area, src + src_offset, src_stride, x, y, plane);
      from = (global const sample_t *) (ulong) (area + RADIUS_Y * AREA_WIDTH + PADDED_REACH);
      stride = AREA_WIDTH;
    } else {
      for (int row = -RADIUS_Y; row < ITEM_ROWS + RADIUS_Y; row++)
        PREFETCH (from + row * stride + MEDIAN_AHEAD * ITEM_SAMPLES);
    }
    write_tile (from, stride, out + item_x, dst_stride, load_row (keep + item_x), limit);
  }
}

#else

kernel void
median_network (PLANE_ARGS, int limit)
{
  GPU_ITEM
  if (!ITEM_IN_REGION)
    return;
  uint results[RESULTS];
#pragma unroll
  for (int i = 0; i < RESULTS; i++)
    results[i] = 0;
  SETS_BEGIN
#pragma unroll 1
  for (int set = 0; set < SETS; set++) {
    uint lanes[TILE_DOWN * TILE_ACROSS], medians[ITEM_ROWS * TILE];
    load_tile (lanes, set);
    tile_medians (lanes, medians);
    add_medians (medians, results, set);
  }
  store_tile (results);
}

#endif
