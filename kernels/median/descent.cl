/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clmedian, large windows of any rank on the gpu back end, 8 bit: a time that hardly grows with the radius.
 *
 * A work-group filters a tile of one component in passes. A pass counts, for every window, the samples that are not
 * above each of sixteen levels. The first pass counts the upper four bits of the samples, which gives those of every
 * result; then one pass for each of the values that were found gives the lower four bits. Neighbouring windows mostly
 * have results near each other, so that passes are few.
 *
 * The sixteen counts of a column of the window's height are bytes of one uint4, which a work item moves down the
 * column. STEP rows of them lie in local memory; there items move windows along the rows.
 *
 * COLUMNS        columns of samples of a tile, a multiple of THREADS, the size of a work-group
 * TILE_ROWS      rows of results of a tile, a multiple of STEP
 * RUNS           parts of a row that items divide among themselves; STEP * RUNS <= THREADS
 * NARROW         1 where a window has at most 255 samples
 * BYTE_COLUMNS   so many columns, a power of two, have at most 255 samples inside the window's height
 * BLOCKS         1 where counts of sixteen columns each are added up, for wide windows to begin with
 * FAR_RESULTS    1 where a tile's results are in `far` until it is done, 0 if in local memory; then tiles can be as
 *                high as high windows need, whose columns take long to begin
 *
 * median_planes writes the samples by component, with what windows reach outside the region, to `planes`; rows are
 * `pitch` bytes apart and components plane_bytes.
 *
 * Wins on the H200 in docs/performance.md: median 15x15 and 31x31. */
#if BACKEND_GPU

#define MEDIAN_ROW_PITCH (COLUMNS + 1)      /* odd, so that items of different rows use different banks */
#define DESCENT_BLOCK 16
#define MEDIAN_ROW_BLOCKS (COLUMNS / DESCENT_BLOCK | 1)    /* odd likewise */
#if FAR_RESULTS
typedef global uchar *results_t;
#define MEDIAN_NEXT_RESULT TILE_ROWS        /* items of different rows work at the same time */
#define MEDIAN_RESULT_PITCH 1
#else
typedef local uchar *results_t;
#define MEDIAN_NEXT_RESULT 1
#define MEDIAN_RESULT_PITCH (COLUMNS + 4)
#endif
#define MEDIAN_COLUMNS_PER_ITEM (COLUMNS / THREADS)
#define MEDIAN_ABOVE_ALL 128

kernel void
median_planes (PLANE_ARGS, int limit, int rank, int2 radius, int pitch, int plane_bytes,
    global uchar *restrict planes, global uchar *restrict far)
{
  const int at = get_global_id (0) * 4;
  const int row = at / pitch, column = at % pitch;
  if (row * pitch + column >= plane_bytes)
    return;
  const int y = region.y + row - radius.y, x = region.x + (column - radius.x) * NC;
  const bool inside = y >= 0 && y < plane.height && x >= 0 && x + 4 * NC <= plane.width;
#pragma unroll 1
  for (int c = 0; c < NC; c++) {
    uchar values[4];
#pragma unroll 1
    for (int i = 0; i < 4; i++)
      values[i] = inside ? SRC_SAMPLE (x + i * NC + c, y) : (uchar) load_sample (SRC_ARGS, x + i * NC + c, y);
    *(global uchar4 *) (planes + c * plane_bytes + at) = vload4 (0, values);
  }
}

/* Bytes of two words are 1 from bit `shift` on. */
static inline uint2
ones_from (int shift)
{
  shift = max (shift, 0);
#if PTX_LANES
  ulong v;
  asm ("shl.b64 %0, %1, %2;" : "=l"(v) : "l"(0x0101010101010101UL), "r"(shift));
  return as_uint2 (v);
#else
  return as_uint2 (shift > 63 ? 0 : 0x0101010101010101UL << shift);
#endif
}

/* What one sample adds to sixteen counts; level: eight times the first level that the sample is not above. */
static inline uint4
counts_of (int level)
{
  return (uint4) (ones_from (level), ones_from (level - 64));
}

#if NARROW

/* Sixteen counts of a window: bytes. */
typedef uint4 window_t;
#define WINDOW_EMPTY (uint4) (0)

static inline window_t
window_add (window_t w, uint4 enters, uint4 leaves)
{
  return w + enters - leaves;
}

static inline window_t
window_sum (window_t a, window_t b)
{
  return a + b;
}

/* The number of counts that are at most `rank`; 15 stands for 16 too. Counts do not decrease. */
static inline int
counts_up_to (window_t w, uint rank)
{
  const uint most = rank << 24 | 0xffffff;
  const bool upper = w.y <= most;
  uint word = upper ? w.z : w.x;
  const uint next = upper ? w.w : w.y;
  const bool second = word <= most;
  word = second ? next : word;
  const bool third = (word >> 8 & 0xff) <= rank;
  word = third ? word >> 16 : word;
  return upper * 8 + second * 4 + third * 2 + ((word & 0xff) <= rank);
}

#else

/* Even and odd counts, in 16 bits each. */
typedef struct { uint4 even, odd; } window_t;
#define WINDOW_EMPTY {(uint4) (0), (uint4) (0)}

static inline window_t
window_add (window_t w, uint4 enters, uint4 leaves)
{
  w.even += (enters & 0x00ff00ff) - (leaves & 0x00ff00ff);
  w.odd += (enters >> 8 & 0x00ff00ff) - (leaves >> 8 & 0x00ff00ff);
  return w;
}

static inline window_t
window_sum (window_t a, window_t b)
{
  a.even += b.even;
  a.odd += b.odd;
  return a;
}

static inline int
counts_up_to (window_t w, uint rank)
{
  const uint most = rank << 16 | 0xffff;
  const bool upper = w.odd.y <= most;
  uint odd = upper ? w.odd.z : w.odd.x, even = upper ? w.even.z : w.even.x;
  const bool second = odd <= most;
  odd = second ? (upper ? w.odd.w : w.odd.y) : odd;
  even = second ? (upper ? w.even.w : w.even.y) : even;
  const bool third = (odd & 0xffff) <= rank;
  const uint last = third ? even >> 16 : even & 0xffff;
  return upper * 8 + second * 4 + third * 2 + (last <= rank);
}

#endif

struct tile
{
  int wide, high;            /* results */
  int pitch, rank;
  int2 radius;
};

/* Adds the counts of n columns. */
static inline window_t
add_columns (window_t w, local const uint4 *columns, int n)
{
  int i = 0;
  for (; i + BYTE_COLUMNS <= n; i += BYTE_COLUMNS) {
    uint4 sum = columns[i];
#pragma unroll
    for (int j = 1; j < BYTE_COLUMNS; j++)
      sum += columns[i + j];
    w = window_add (w, sum, (uint4) (0));
  }
  for (; i < n; i++)
    w = window_add (w, columns[i], (uint4) (0));
  return w;
}

#if BLOCKS

static inline void
sum_blocks (local const uint4 *columns, local window_t *blocks)
{
  for (int i = get_local_id (0); i < STEP * COLUMNS / DESCENT_BLOCK; i += THREADS) {
    const window_t none = WINDOW_EMPTY;
    const int row = i % STEP, block = i / STEP;
    blocks[row * MEDIAN_ROW_BLOCKS + block] = add_columns (none,
        columns + row * MEDIAN_ROW_PITCH + block * DESCENT_BLOCK, DESCENT_BLOCK);
  }
}

#endif

/* Counts of n columns of a row, from `begin` on. */
static inline window_t
first_columns (local const uint4 *row, local const window_t *blocks, int begin, int n)
{
  window_t w = WINDOW_EMPTY;
#if BLOCKS
  const int end = begin + n, first = (begin + DESCENT_BLOCK - 1) / DESCENT_BLOCK, last = end / DESCENT_BLOCK;
  if (first < last) {
    w = add_columns (w, row + begin, first * DESCENT_BLOCK - begin);
    for (int i = first; i < last; i++)
      w = window_sum (w, blocks[i]);
    return add_columns (w, row + last * DESCENT_BLOCK, end - last * DESCENT_BLOCK);
  }
#endif
  return add_columns (w, row + begin, n);
}

/* A run of n results of a row of columns; the window of the first begins at column `begin`. */
static inline uint
filter_run (const struct tile *tile, local const uint4 *row, local const window_t *blocks, int begin, results_t results,
    int n, int upper)
{
  const int last = 2 * tile->radius.x;
  local const uint4 *columns = row + begin;
  window_t w = first_columns (row, blocks, begin, last);
  uint4 leaves = (uint4) (0);
  uint found = 0;
  for (int x = 0; x < n; x++, results += MEDIAN_NEXT_RESULT) {
    w = window_add (w, columns[x + last], leaves);
    leaves = columns[x];
    if (upper < 0) {
      const int value = counts_up_to (w, tile->rank);
      *results = value;
      found |= 1u << value;
    } else if (*results == upper) {
      *results = upper * 16 + counts_up_to (w, tile->rank);
    }
  }
  return found;
}

/* Eight times the first level of a pass that a sample is not above. pass: (4, 0) for upper halves, else 0 and eight times the first
 * sample of that upper half. */
static inline int
level_of (int sample, int2 pass)
{
  return (sample >> pass.x) * 8 - pass.y;
}

/* Counts of the first 2 * radius.y rows. */
static inline void
first_rows (const struct tile *tile, global const uchar *restrict samples, uint4 *counts, int2 pass)
{
#pragma unroll
  for (int k = 0; k < MEDIAN_COLUMNS_PER_ITEM; k++)
    counts[k] = (uint4) (0);
#pragma unroll 4
  for (int y = 0; y < 2 * tile->radius.y; y++)
#pragma unroll
    for (int k = 0; k < MEDIAN_COLUMNS_PER_ITEM; k++)
      counts[k] += counts_of (level_of (samples[y * tile->pitch + k * THREADS], pass));
}

/* Moves counts down through STEP rows, from row `top` on, and leaves them in `columns`. */
static inline void
next_rows (const struct tile *tile, global const uchar *restrict samples, uint4 *counts, local uint4 *columns, int top,
    int2 pass)
{
  const int below = 2 * tile->radius.y * tile->pitch;
#pragma unroll
  for (int y = 0; y < STEP; y++)
#pragma unroll
    for (int k = 0; k < MEDIAN_COLUMNS_PER_ITEM; k++) {
      global const uchar *p = samples + (top + y) * tile->pitch + k * THREADS;
      const int leaves = top + y > 0 ? level_of (p[-tile->pitch], pass) : MEDIAN_ABOVE_ALL;
      counts[k] += counts_of (level_of (p[below], pass)) - counts_of (leaves);
      columns[y * MEDIAN_ROW_PITCH + k * THREADS] = counts[k];
    }
}

/* One pass; upper: the upper half of the results to find, or -1 to find all upper halves. Returns those that this
 * item has found, as bits. */
static inline uint
filter_tile (const struct tile *tile, global const uchar *restrict samples, local uint4 *columns,
    local window_t *blocks, results_t results, local ushort *found, int upper)
{
  const int item = get_local_id (0);
  const int length = (tile->wide + RUNS - 1) / RUNS;
  const int row = item % STEP, begin = item / STEP * length;
  uint4 counts[MEDIAN_COLUMNS_PER_ITEM];
  uint all_found = 0;
  const int2 pass = upper < 0 ? (int2) (4, 0) : (int2) (0, upper * 128);
  first_rows (tile, samples + item, counts, pass);

  for (int top = 0; top < tile->high; top += STEP, found += THREADS) {
    next_rows (tile, samples + item, counts, columns + item, top, pass);
    barrier (CLK_LOCAL_MEM_FENCE);
#if BLOCKS
    sum_blocks (columns, blocks);
    barrier (CLK_LOCAL_MEM_FENCE);
#endif
    const bool works = top + row < tile->high && begin < tile->wide && item < STEP * RUNS;
    if (works && (upper < 0 || (found[item] >> upper & 1))) {
      const uint run_found = filter_run (tile, columns + row * MEDIAN_ROW_PITCH, blocks + row * MEDIAN_ROW_BLOCKS, begin,
          results + (top + row) * MEDIAN_RESULT_PITCH + begin * MEDIAN_NEXT_RESULT, min (length, tile->wide - begin), upper);
      if (upper < 0) {
        found[item] = run_found;
        all_found |= run_found;
      }
    }
    barrier (CLK_LOCAL_MEM_FENCE);
  }
  return all_found;
}

kernel __attribute__ ((reqd_work_group_size (THREADS, 1, 1))) void
median_descent (PLANE_ARGS, int limit, int rank, int2 radius, int pitch, int plane_bytes,
    global const uchar *restrict planes, global uchar *restrict far)
{
  local uint4 columns[STEP * MEDIAN_ROW_PITCH];
#if BLOCKS
  local window_t blocks[STEP * MEDIAN_ROW_BLOCKS];
#else
  local window_t *blocks = 0;
#endif
  local ushort found[TILE_ROWS / STEP * THREADS];
  local uint all_found;
  const int item = get_local_id (0), group = get_group_id (0);
  const int wide = COLUMNS - 2 * radius.x, tiles = (region.width / NC + wide - 1) / wide;
  const int component = group % NC, left = group / NC % tiles * wide, top = group / NC / tiles * TILE_ROWS;
  struct tile tile;
  tile.wide = min (wide, region.width / NC - left);
  tile.high = min (TILE_ROWS, region.height - top);
  tile.pitch = pitch;
  tile.rank = rank;
  tile.radius = radius;
#if FAR_RESULTS
  results_t results = far + group * wide * TILE_ROWS;
#else
  local uchar results[TILE_ROWS * MEDIAN_RESULT_PITCH];
#endif
  global const uchar *samples = planes + component * plane_bytes + top * pitch + left;

  if (item == 0)
    all_found = 0;
  /* downwards, so that results below 16 come last: they would pass for upper halves */
  for (int upper = 16; upper >= 0; upper--) {
    const bool first = upper == 16;
    if (first || (all_found >> upper & 1)) {
      const uint item_found = filter_tile (&tile, samples, columns, blocks, results, found, first ? -1 : upper);
      if (first)
        atomic_or (&all_found, item_found);
      barrier (CLK_LOCAL_MEM_FENCE);
    }
  }

#if FAR_RESULTS
  barrier (CLK_GLOBAL_MEM_FENCE);
#endif
  for (int y = 0; y < tile.high; y++)
    for (int x = item; x < tile.wide; x += THREADS) {
      const int sx = region.x + (left + x) * NC + component, sy = region.y + top + y;
      const int median = results[y * MEDIAN_RESULT_PITCH + x * MEDIAN_NEXT_RESULT];
      const sample_t mask = keep[sx];
      global sample_t *out = dst + dst_offset + sy * dst_stride + sx;
      if (mask == 0xff && limit == 0) {
        *out = median;
      } else {
        const sample_t original = src[src_offset + sy * src_stride + sx];
        *out = merge_sample (beyond (median, original, limit), original, mask);
      }
    }
}

#endif
