/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Replaces blocks of a plane by their means. Along each axis, block i holds the samples from edge_of (i) to edge_of (i + 1) - 1 of n. */
/* An axis: in pixels of the picture, where block 0 begins, a block's size; log2 of the plane's subsampling; blocks of an item (gpu: a group). */
struct axis { int origin, size, shift, blocks; };
/* A region, in samples, and its blocks; parts of a block (gpu), one below the other; items (gpu: groups). */
struct blocks { struct region region; struct axis across, down; int parts, columns, rows, unused; };

/* A launch has `rows_each` rows of items (gpu: groups) for each region; items beyond a region's own return. */
#define BLOCKS_BEGIN                                                                                                              \
  const int own_column = BACKEND_CPU ? ITEM (0) : (int) get_group_id (0), group_row = BACKEND_CPU ? ITEM (1) : (int) get_group_id (1); \
  const struct blocks own = all[group_row / rows_each];                                                                                \
  const int own_row = group_row % rows_each;                                                                                           \
  if (own_column >= own.columns || own_row >= own.rows)                              \
    return;                                                                          \
  region = own.region;

static inline int edge_of (int block, struct axis axis, int n) { return min ((axis.origin + block * axis.size) >> axis.shift, n); }
static inline int samples_of (int block, struct axis axis, int n) { return edge_of (block + 1, axis, n) - edge_of (block, axis, n); }

/* sum / samples, rounded half to even. The float quotient is off by less than 0.53. */
static inline int mean_of (ulong sum, int samples)
{
  const int count = max (samples, 1), q = as_int ((float) (long) sum / (float) count + 0x1.8p23f) - as_int (0x1.8p23f);
  const long twice = 2 * ((long) sum - (long) q * count), odd = q & 1;
  return q + (twice + odd > count) - (odd - twice > count);
}

#if BACKEND_CPU
/* How many samples are summed side by side: sums stay in the first-level cache. An item has as many blocks as fit, at least one. */
enum { STRIP = 3072 };

ITEM_KERNEL (pixelate, (PLANE_ARGS, global const struct blocks *restrict all, int rows_each), (PLANE_NAMES, all, rows_each))
{
  BLOCKS_BEGIN
  const struct axis across = own.across, down = own.down;
  const int first = own_column * across.blocks, row = own_row, width = plane.width / NC;
  const int left = edge_of (first, across, width) * NC, right = edge_of (first + across.blocks, across, width) * NC;
  const int top = edge_of (row, down, plane.height), bottom = edge_of (row + 1, down, plane.height);
  ulong totals[NC] = {0};
  uint sums[STRIP];
  sample_t line[STRIP];

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
    for (int block = first, begin = 0; block < first + across.blocks; block++) {
      const int end = edge_of (block + 1, across, width) * NC - left;
      UNROLL for (int c = 0; c < NC; c++)
        totals[c] = begin == 0 && x > left ? totals[c] : 0;
      NARROW_LOOP
      for (int i = begin; i < min (end, n); i += NC)
        UNROLL for (int c = 0; c < NC; c++)
          totals[c] += sums[i + c];
      UNROLL for (int c = 0; c < NC; c++) {
        const sample_t mean = (sample_t) mean_of (totals[c], (end - begin) / NC * (bottom - top));
        NARROW_LOOP
        for (int i = begin; i < min (end, STRIP); i += NC)
          line[i + c] = mean;
      }
      begin = end;
    }
  }
  const int begin = max (left, region.x), end = min (right, region.x + region.width);
  for (int y = max (top, region.y); y < min (bottom, region.y + region.height); y++) {
    global const sample_t *restrict from = SRC_ROW (y);
    global sample_t *restrict to = dst + dst_offset + y * dst_stride;
    for (int x = left; x < end; x += STRIP) {
      ROW_LOOP (sizeof (sample_t))
      for (int i = max (begin - x, 0); i < min (end - x, STRIP); i++)
        to[x + i] = merge_sample (line[i], from[x + i], (keep - region.x + x)[i]);
    }
  }
}
#else
/* A group's items divide its blocks into strips of PART_ROWS rows of ITEM_SAMPLES samples. */
enum { PART_ROWS = 16, ROWS_TOGETHER = 4 };
#define EACH(i, n) ROLLED for (int i = (int) get_local_id (0); i < (n); i += (int) get_local_size (0))
static inline struct axis for_group (struct axis axis, int group) { axis.origin += group * axis.blocks * axis.size; return axis; }
/* A strip: its first sample, the end of its rows, and its row of blocks. */
struct strip { int x, y, end, row; };

static inline struct strip find_strip (int n, int first, int columns, int parts, struct axis down, int height)
{
  const int part = n / columns, row = part / parts, y = edge_of (row, down, height) + part % parts * PART_ROWS;
  return (struct strip) {(first + n % columns) * ITEM_SAMPLES, y, min (y + PART_ROWS, edge_of (row + 1, down, height)), row};
}

/* The block of pixel x, or the nearest one. Half a pixel keeps the float quotient away from integers. */
static inline int block_of (int x, struct axis axis)
{ return clamp ((int) floor ((((x + 1) << axis.shift) - axis.origin - 0.5f) / axis.size), 0, axis.blocks - 1); }

/* For each block of a strip, which has the strip's samples from `begin` to end - 1. */
#define EACH_BLOCK(block, strip)                                                                                        \
  ROLLED for (int block = block_of (pixels_of (strip.x, plane), across), end, begin = edge_of (block, across, width) * NC - strip.x; \
      block < across.blocks && begin < ITEM_SAMPLES && (end = edge_of (block + 1, across, width) * NC - strip.x, true); block++, begin = end)

kernel void pixelate (PLANE_ARGS, global const struct blocks *restrict all, int rows_each)
{
  local uint low[MOST_SUMS], high[MOST_SUMS]; /* totals of 64 bits */
  BLOCKS_BEGIN
  const struct axis across = for_group (own.across, own_column), down = for_group (own.down, own_row);
  const int width = pixels_of (plane.width, plane), height = plane.height, n_sums = across.blocks * down.blocks * NC;
  const int left = edge_of (0, across, width) * NC, right = edge_of (across.blocks, across, width) * NC;
  const int first = left / ITEM_SAMPLES, columns = (right + ITEM_SAMPLES - 1) / ITEM_SAMPLES - first;
  EACH (i, n_sums)
    low[i] = high[i] = 0;
  barrier (CLK_LOCAL_MEM_FENCE);
  EACH (n, columns * down.blocks * own.parts) {
    const struct strip strip = find_strip (n, first, columns, own.parts, down, height);
    uint sums[ITEM_SAMPLES] = {0};
    ROLLED for (int y = strip.y; y < strip.end; y += ROWS_TOGETHER) {
      uint words[ROWS_TOGETHER * ITEM_WORDS];
      load_rows (words, ROWS_TOGETHER, ITEM_WORDS, SRC_ARGS, strip.x, y, 0);
      UNROLL for (int w = 0; w < ROWS_TOGETHER * ITEM_WORDS; w++) {
        const uint word = y + w / ITEM_WORDS < strip.end ? words[w] : 0;
        UNROLL for (int i = 0; i < SAMPLES_PER_WORD; i++)
          sums[w % ITEM_WORDS * SAMPLES_PER_WORD + i] += unpack_sample (word, i);
      }
    }
    EACH_BLOCK (block, strip) {
      uint parts[MOST_NC] = {0};
      UNROLL for (int i = 0; i < ITEM_SAMPLES; i++)
        parts[i % MOST_NC] += i >= begin && i < end ? sums[i] : 0;
      UNROLL for (int c = NC; c < MOST_NC; c++)
        parts[0] += parts[c];
      const int at = (strip.row * across.blocks + block) * NC;
      UNROLL for (int c = 0; c < MOST_NC; c++)
        if (c < NC && atomic_add (low + at + c, parts[c]) > ~parts[c])
          atomic_inc (high + at + c);
    }
  }
  barrier (CLK_LOCAL_MEM_FENCE);
  EACH (i, n_sums) {
    const int block = pixels_of (i, plane), y = block / across.blocks, x = block - y * across.blocks;
    low[i] = mean_of (low[i] | (ulong) high[i] << 32, samples_of (x, across, width) * samples_of (y, down, height));
  }
  barrier (CLK_LOCAL_MEM_FENCE);
  region.width = min (right, region.x + region.width) - max (region.x, left);
  region.x = max (region.x, left);
  EACH (n, columns * down.blocks * own.parts) {
    const struct strip strip = find_strip (n, first, columns, own.parts, down, height);
    int values[ITEM_SAMPLES] = {0};
    EACH_BLOCK (block, strip) {
      local const uint *means = low + (strip.row * across.blocks + block) * NC;
      UNROLL for (int i = 0; i < ITEM_SAMPLES; i++)
        values[i] = i >= begin && i < end ? (int) means[NC < MOST_NC ? 0 : i % MOST_NC] : values[i];
    }
    ROLLED for (int y = max (strip.y, region.y); y < min (strip.end, region.y + region.height); y++)
      store_item_at (DST_ARGS, values, strip.x, y);
  }
}
#endif
