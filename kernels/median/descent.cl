/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clmedian, large windows of any rank, 8 bit, gpu: a time that hardly grows with the radius. A group of THREADS items filters a tile of one
 * component: COLUMNS columns of samples, a multiple of THREADS, give TILE_ROWS rows, a multiple of STEP, of COLUMNS - 2 * radius.x results.
 * A pass counts, for every window, the samples up to each of sixteen levels, and finds the first level whose count is above the rank. The
 * first pass counts upper halves, the upper four bits of samples. Each upper half found gets a pass for its results: with the median
 * 0x5a the first pass finds 5, and the pass for 5 counts samples up to 0x50 .. 0x5f, to find 0xa. Neighbours mostly agree: passes are few.
 *
 * The sixteen counts of a column are bytes of one uint4, to which an item adds the row that enters, and from which it subtracts the row
 * that leaves. STEP rows of counts lie in local memory, where an item moves a window along one of RUNS parts of a row. NARROW: 1 where a
 * window has at most 255 samples, whose counts are bytes; BYTE_COLUMNS: a power of two, columns with at most 255 samples together, so
 * that bytes hold their sums. median_planes writes the samples by component to `planes`, with the surroundings that windows reach: rows
 * are `pitch` bytes apart, components plane_bytes. Wins on the H200 in docs/measurements/h200.md: median 15x15 and 31x31. ROW_PITCH is odd,
 * so that items of different rows use different banks. */
enum { ROW_PITCH = COLUMNS + 1, RESULT_PITCH = COLUMNS + 4, COLUMNS_PER_ITEM = COLUMNS / THREADS };
struct tile { int wide, high, pitch, rank; int2 radius; }; /* wide, high: of results */

kernel void median_planes (PLANE_ARGS, int limit, int rank, int2 radius, int pitch, int plane_bytes, global uchar *restrict planes)
{
  const int at = get_global_id (0) * 4, row = at / pitch, column = at % pitch;
  uint words[NC];
  int places[PLACES_OF (NC)];
  if (at >= plane_bytes)
    return;
  find_places (places, NC, region.x + (column - radius.x) * NC, plane);
  load_placed (words, NC, SRC_ARGS, row_place (region.y + row - radius.y, plane), places);
  UNROLL for (int c = 0; c < NC; c++) {
    uint bytes[4];
    UNROLL for (int i = 0; i < 4; i++)
      bytes[i] = words[(c + i * NC) / 4] >> (c + i * NC) % 4 * 8;
    *(global uint *) (planes + c * plane_bytes + at) = pack_bytes (bytes[0], bytes[1], bytes[2], bytes[3]);
  }
}

/* Sixteen counts of a window: bytes, or even and odd counts in 16 bits each. */
#if NARROW
typedef uint4 window_t;
static inline window_t window_of (uint4 counts) { return counts; }
#else
typedef uint8 window_t;
static inline window_t window_of (uint4 counts) { return (uint8) (counts & 0x00ff00ff, counts >> 8 & 0x00ff00ff); }
#endif

/* Which of sixteen rising counts is the first above `rank`, by bisection. */
static inline int counts_up_to (window_t w, uint rank)
{
#if NARROW
  const uint most = rank << 24 | 0xffffff;
  const bool upper = w.y <= most, second = (upper ? w.z : w.x) <= most;
  const uint word = second ? (upper ? w.w : w.y) : (upper ? w.z : w.x);
  const bool third = (word >> 8 & 0xff) <= rank;
  const uint last = third ? word >> 16 & 0xff : word & 0xff;
#else
  const uint most = rank << 16 | 0xffff;
  const uint4 evens = w.lo, odds = w.hi;
  const bool upper = odds.y <= most, second = (upper ? odds.z : odds.x) <= most;
  const uint even_first = upper ? evens.z : evens.x, even_second = upper ? evens.w : evens.y;
  const uint even = second ? even_second : even_first, odd = second ? (upper ? odds.w : odds.y) : (upper ? odds.z : odds.x);
  const bool third = (odd & 0xffff) <= rank;
  const uint last = third ? even >> 16 : even & 0xffff;
#endif
  return upper * 8 + second * 4 + third * 2 + (last <= rank);
}

/* Filters n results of a row from `begin` on: completes the upper half `upper`, or for -1 finds upper halves, and returns a bit each. */
static inline uint filter_run (const struct tile *tile, local const uint4 *row, local uchar *results, int begin, int n, int upper)
{
  const int last = 2 * tile->radius.x;
  window_t w = 0;
  uint4 leaves = 0;
  uint found = 0;
  int i = begin;
  for (; i + BYTE_COLUMNS <= begin + last; i += BYTE_COLUMNS) {
    uint4 sum = row[i];
    UNROLL for (int j = 1; j < BYTE_COLUMNS; j++)
      sum += row[i + j];
    w += window_of (sum);
  }
  for (; i < begin + last; i++)
    w += window_of (row[i]);
  for (int x = begin; x < begin + n; x++) {
    w += window_of (row[x + last]) - window_of (leaves);
    leaves = row[x];
    if (upper < 0) {
      const int value = counts_up_to (w, tile->rank);
      results[x] = value;
      found |= 1u << value;
    } else if (results[x] == upper) {
      results[x] = upper * 16 + counts_up_to (w, tile->rank);
    }
  }
  return found;
}

/* The sixteen counts of one row, for an item's columns: 1 from the sample's own level on. pass: (4, 0) for upper halves, (0, 8 * the first
 * sample) for one upper half. level: 8 times the sample's level, the first bit to set; below 0 all bytes are 1, from 128 on none. */
static inline void count_row (uint4 *counts, global const uchar *restrict samples, int2 pass)
{
  const ulong ones = 0x0101010101010101UL;
  UNROLL for (int k = 0; k < COLUMNS_PER_ITEM; k++) {
    const int level = (samples[k * THREADS] >> pass.x) * 8 - pass.y;
    counts[k] = (uint4) (as_uint2 (shifted_left (ones, max (level, 0))), as_uint2 (shifted_left (ones, max (level - 64, 0))));
  }
}

/* One pass; returns a bit for each upper half that this item has found. found: these bits for each run, so that later passes skip runs. */
static inline uint filter_tile (const struct tile *tile, global const uchar *restrict samples, local uint4 *columns, local uchar *results,
    local ushort *found, int upper)
{
  const int item = get_local_id (0), length = (tile->wide + RUNS - 1) / RUNS, row = item % STEP, begin = item / STEP * length;
  const int2 pass = upper < 0 ? (int2) (4, 0) : (int2) (0, upper * 128);
  uint4 counts[COLUMNS_PER_ITEM] = {0}, enters[COLUMNS_PER_ITEM], leaves[COLUMNS_PER_ITEM] = {0};
  uint all_found = 0;
  samples += item;
#pragma unroll 4
  for (int y = 0; y < 2 * tile->radius.y; y++) {
    count_row (enters, samples + y * tile->pitch, pass);
    UNROLL for (int k = 0; k < COLUMNS_PER_ITEM; k++)
      counts[k] += enters[k];
  }
  for (int top = 0; top < tile->high; top += STEP, found += THREADS) {
#pragma unroll 8
    for (int y = 0; y < STEP; y++) {
      count_row (enters, samples + (top + y + 2 * tile->radius.y) * tile->pitch, pass);
      UNROLL for (int k = 0; k < COLUMNS_PER_ITEM; k++) {
        counts[k] += enters[k] - leaves[k];
        columns[y * ROW_PITCH + k * THREADS + item] = counts[k];
      }
      count_row (leaves, samples + (top + y) * tile->pitch, pass);
    }
    barrier (CLK_LOCAL_MEM_FENCE);
    const bool works = top + row < tile->high && begin < tile->wide && item < STEP * RUNS;
    if (works && (upper < 0 || (found[item] >> upper & 1))) {
      const uint run_found = filter_run (tile, columns + row * ROW_PITCH, results + (top + row) * RESULT_PITCH, begin,
          min (length, tile->wide - begin), upper);
      if (upper < 0)
        found[item] = run_found;
      all_found |= run_found;
    }
    barrier (CLK_LOCAL_MEM_FENCE);
  }
  return all_found;
}

kernel __attribute__ ((reqd_work_group_size (THREADS, 1, 1))) void
median_descent (PLANE_ARGS, int limit, int rank, int2 radius, int pitch, int plane_bytes, global const uchar *restrict planes)
{
  local uint4 columns[STEP * ROW_PITCH];
  local uchar results[TILE_ROWS * RESULT_PITCH];
  local ushort found[TILE_ROWS / STEP * THREADS];
  local uint all_found;
  const int item = get_local_id (0), group = get_group_id (0), wide = COLUMNS - 2 * radius.x, tiles = (region.width / NC + wide - 1) / wide;
  const int component = group % NC, left = group / NC % tiles * wide, top = group / NC / tiles * TILE_ROWS;
  const struct tile tile = {min (wide, region.width / NC - left), min (TILE_ROWS, region.height - top), pitch, rank, radius};

  if (item == 0)
    all_found = 0;
  /* downwards, so that results below 16, which look like upper halves, come last */
  for (int upper = 16; upper >= 0; upper--) {
    const bool first = upper == 16;
    if (first || (all_found >> upper & 1)) {
      const uint item_found = filter_tile (&tile, planes + component * plane_bytes + top * pitch + left, columns, results, found,
          first ? -1 : upper);
      if (first)
        atomic_or (&all_found, item_found);
      barrier (CLK_LOCAL_MEM_FENCE);
    }
  }
  for (int y = 0; y < tile.high; y++)
    for (int x = item; x < tile.wide; x += THREADS) {
      const int sx = region.x + (left + x) * NC + component, sy = region.y + top + y, median = results[y * RESULT_PITCH + x];
      const sample_t mask = keep[sx], original = mask == 0xff && limit == 0 ? 0 : SRC_SAMPLE (sx, sy);
      dst[dst_offset + sy * dst_stride + sx] = merge_sample (limit == 0 ? median : beyond (median, original, limit), original, mask);
    }
}
