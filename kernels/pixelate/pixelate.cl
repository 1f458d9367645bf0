/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Blocks of a plane become their means. Along each axis block i holds the samples from edge_of (i) up to edge_of (i + 1). */

/* In pixels of the picture: where block 0 begins, and the size of a block; log2 of the plane's subsampling; how many blocks a work item
 * (gpu: a group) has. */
struct axis { int origin, size, shift, blocks; };

/* n: samples of the plane along the axis. */
static inline int edge_of (int block, struct axis axis, int n) { return min ((axis.origin + block * axis.size) >> axis.shift, n); }

/* sum / count, rounded half to even. The quotient of floats is less than 0.53 off. */
static inline int
mean_of (ulong sum, int count)
{
  const int q = convert_int_rte ((float) sum / (float) count);
  const long twice = 2 * ((long) sum - (long) q * count), odd = q & 1;
  return q + (twice + odd > count) - (odd - twice > count);
}

#if BACKEND_CPU
/* Samples that are summed side by side: their sums stay in the first-level cache. A wider block takes several turns. */
enum { STRIP = 3072 };

kernel void
pixelate (PLANE_ARGS, struct axis across, struct axis down)
{
  const int first = get_global_id (0) * across.blocks, row = get_global_id (1), width = plane.width / NC;
  const int left = edge_of (first, across, width) * NC, right = edge_of (first + across.blocks, across, width) * NC;
  const int top = edge_of (row, down, plane.height), bottom = edge_of (row + 1, down, plane.height);
  ulong totals[STRIP];
  uint sums[STRIP];
  sample_t means[STRIP], line[STRIP];

  for (int i = 0; i < across.blocks * NC; i++)
    totals[i] = 0;
  for (int x = left; x < right; x += STRIP) {
    const int n = min (STRIP, right - x);
    for (int i = 0; i < n; i++)
      sums[i] = 0;
    for (int y = top; y < bottom; y++) {
      global const sample_t *from = SRC_ROW (y) + x;
      WIDE_LOOP
      for (int i = 0; i < n; i++)
        sums[i] += LOAD (from[i]);
    }
    for (int block = 0; block < across.blocks; block++) {
      const int end = min (edge_of (first + block + 1, across, width) * NC - x, n);
      for (int i = max (edge_of (first + block, across, width) * NC - x, 0); i < end; i += NC)
        UNROLL for (int c = 0; c < NC; c++)
          totals[block * NC + c] += sums[i + c];
    }
  }
  for (int block = 0; block < across.blocks; block++) {
    const int columns = edge_of (first + block + 1, across, width) - edge_of (first + block, across, width);
    UNROLL for (int c = 0; c < NC; c++)
      means[block * NC + c] = mean_of (totals[block * NC + c], max (columns * (bottom - top), 1));
  }
  for (int x = left; x < right; x += STRIP) {
    for (int block = 0; block < across.blocks; block++) {
      const int end = min (edge_of (first + block + 1, across, width) * NC - x, STRIP);
      for (int i = max (edge_of (first + block, across, width) * NC - x, 0); i < end; i += NC)
        UNROLL for (int c = 0; c < NC; c++)
          line[i + c] = means[block * NC + c];
    }
    const int begin = max (x, region.x), n = min (min (x + STRIP, right), region.x + region.width) - begin;
    for (int y = max (top, region.y); y < min (bottom, region.y + region.height); y++) {
      global const sample_t *restrict from = SRC_ROW (y) + begin;
      global sample_t *restrict to = dst + dst_offset + y * dst_stride + begin;
      ROW_LOOP (sizeof (sample_t))
      for (int i = 0; i < n; i++)
        to[i] = merge_sample (line[begin - x + i], from[i], (keep + begin - region.x)[i]);
    }
  }
}
#else
/* A group has whole blocks. Its items share out strips of PART_ROWS rows of ITEM_SAMPLES samples. */
enum { PART_ROWS = 16, ROWS_TOGETHER = 4 };

/* Of the blocks of a group: the first ones, and in pixels of the plane what they cover. */
struct tile { int column, row, left, right; };
/* The strip's place, and in which of the tile's rows of blocks it is. */
struct strip { int x, y, bottom, row; };

static inline struct strip
find_strip (int n, struct tile tile, int parts, struct axis down, struct plane plane)
{
  const int begin = tile.left * NC / ITEM_SAMPLES, columns = (tile.right * NC + ITEM_SAMPLES - 1) / ITEM_SAMPLES - begin;
  const int part = n / columns, row = part / parts;
  const int y = edge_of (tile.row + row, down, plane.height) + (part - row * parts) * PART_ROWS;
  return (struct strip) {(begin + n - part * columns) * ITEM_SAMPLES, y,
      row < down.blocks ? min (y + PART_ROWS, edge_of (tile.row + row + 1, down, plane.height)) : 0, row};
}

/* Of a pixel, within the tile; a sample that an edge of blocks cuts is in the block that begins there. */
static inline int
block_of (int x, struct tile tile, struct axis across)
{
  const int place = ((x + 1) << across.shift) - 1 - across.origin;
  const int block = (int) (((float) place + 0.5f) / (float) across.size);
  return clamp (block - tile.column, 0, across.blocks - 1);
}

/* Adds n sums to totals of 64 bits, of which those of one pixel stand side by side. */
static inline void
add_sums (local uint *low, local uint *high, const uint *sums)
{
  UNROLL for (int c = 0; c < NC; c++)
    if (atomic_add (low + c, sums[c]) > ~sums[c])
      atomic_inc (high + c);
}

/* To the totals of the tile's blocks. */
static inline void
sum_strip (local uint *low, local uint *high, SRC_PARAMS, struct strip strip, struct tile tile, struct axis across)
{
  uint sums[ITEM_SAMPLES] = {0};
  ROLLED for (int y = strip.y; y < strip.bottom; y += ROWS_TOGETHER) {
    uint words[ROWS_TOGETHER * ITEM_WORDS];
    load_rows (words, ROWS_TOGETHER, ITEM_WORDS, SRC_ARGS, strip.x, y, 0);
    UNROLL for (int i = 0; i < ROWS_TOGETHER * ITEM_SAMPLES; i++)
      sums[i % ITEM_SAMPLES] += y + i / ITEM_SAMPLES < strip.bottom ? unpack_sample (words[i / SAMPLES_PER_WORD], i % SAMPLES_PER_WORD) : 0;
  }
  const int first = strip.x / NC, last = first + ITEM_PIXELS - 1, row = strip.row * across.blocks;
  const int block = block_of (first, tile, across);
  /* mostly all of one block */
  const bool one = first >= tile.left && last < tile.right && block_of (last, tile, across) == block;
  if (one) {
    UNROLL for (int i = NC; i < ITEM_SAMPLES; i++)
      sums[i % NC] += sums[i];
    add_sums (low + (row + block) * NC, high + (row + block) * NC, sums);
  } else {
    UNROLL for (int i = 0; i < ITEM_PIXELS; i++)
      if (first + i >= tile.left && first + i < tile.right) {
        const int at = (row + block_of (first + i, tile, across)) * NC;
        add_sums (low + at, high + at, sums + i * NC);
      }
  }
}

/* The part of the region that is the strip's and the tile's. */
static inline void
fill_strip (DST_PARAMS, local const uint *means, struct strip strip, struct tile tile, struct axis across)
{
  int values[ITEM_SAMPLES];
  UNROLL for (int i = 0; i < ITEM_SAMPLES; i++)
    values[i] = (int) means[(strip.row * across.blocks + block_of (strip.x / NC + i / NC, tile, across)) * NC + i % NC];
  const int right = min (region.x + region.width, tile.right * NC), end = min (strip.bottom, region.y + region.height);
  region.x = max (region.x, tile.left * NC);
  region.width = right - region.x;
  ROLLED for (int y = max (strip.y, region.y); y < end; y++)
    store_item_at (DST_ARGS, values, strip.x, y);
}

kernel void
pixelate (PLANE_ARGS, struct axis across, struct axis down, int parts)
{
  local uint low[MOST_SUMS], high[MOST_SUMS];
  const int column = get_group_id (0) * across.blocks, row = get_group_id (1) * down.blocks, width = plane.width / NC;
  const struct tile tile = {column, row, edge_of (column, across, width), edge_of (column + across.blocks, across, width)};
  const int sums = across.blocks * down.blocks * NC;
  for (int i = get_local_id (0); i < sums; i += get_local_size (0))
    low[i] = high[i] = 0;
  barrier (CLK_LOCAL_MEM_FENCE);
  const int strips = ((tile.right * NC + ITEM_SAMPLES - 1) / ITEM_SAMPLES - tile.left * NC / ITEM_SAMPLES) * down.blocks * parts;
  for (int n = get_local_id (0); n < strips; n += get_local_size (0))
    sum_strip (low, high, SRC_ARGS, find_strip (n, tile, parts, down, plane), tile, across);
  barrier (CLK_LOCAL_MEM_FENCE);
  for (int i = get_local_id (0); i < sums; i += get_local_size (0)) {
    const int block = i / NC, y = row + block / across.blocks, x = column + block % across.blocks;
    const int rows = edge_of (y + 1, down, plane.height) - edge_of (y, down, plane.height);
    low[i] = mean_of (low[i] | (ulong) high[i] << 32, max (rows * (edge_of (x + 1, across, width) - edge_of (x, across, width)), 1));
  }
  barrier (CLK_LOCAL_MEM_FENCE);
  for (int n = get_local_id (0); n < strips; n += get_local_size (0))
    fill_strip (DST_ARGS, low, find_strip (n, tile, parts, down, plane), tile, across);
}
#endif
