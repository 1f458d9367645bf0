/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Counts histograms of the tiles of a region, in counts that the host sets to 0. Tiles beyond the right or lower edge continue by
 * reflect101. The host defines TILED, 0 if the region is the only tile; HISTOGRAMS of a tile, 1, or NC for one a sample of the pixel;
 * INTENSITY, 1 if the one histogram is of the intensity of RGB; GROUP, items of a group; PAIRS (cpu), 1 to count two values at a time, for
 * 8 bits and many pixels an item; LAST_GROUP (gpu), 1 if the last group of a tile to add also uses the counts, which saves a launch, and
 * leaves zeros in counts and arrivals, a counter for each tile: with EQUALIZE it makes tables (shared/equalized.clh), else it writes
 * `sums`. counted: a bit for each sample of the pixel that is counted. weights: of the intensity. */
/* How many columns of tiles there are; the width of a tile in samples, its height; the first row of tiles to count. */
struct tiles { int columns, width, height, first_row; };
typedef struct { int left, top, right, bottom; } tile_t; /* in samples, without right and bottom */

static inline tile_t tile_at (int tile, struct region region, struct tiles tiles)
{
  const int left = region.x + (TILED ? tile % tiles.columns * tiles.width : 0);
  const int top = region.y + (TILED ? (tile / tiles.columns + tiles.first_row) * tiles.height : 0);
  return (tile_t) {left, top, left + (TILED ? tiles.width : region.width), top + (TILED ? tiles.height : region.height)};
}

static inline int tile_row (int y, struct region region) /* the row that replaces row y */
{ return TILED ? region.y + border_index (y - region.y, region.height, BORDER_REFLECT101) : y; }
static inline int tile_column (int x, struct region region) /* the first sample of the pixel that replaces the pixel of sample x */
{ return TILED ? region.x + border_index ((x - region.x) / NC, region.width / NC, BORDER_REFLECT101) * NC : x; }

static inline uint pixel_value (SRC_PARAM, source_row_t row, int x, int s, uint weights) /* of the pixel at x, for histogram s */
{
#if !INTENSITY
  return (uint) LOAD (ROW_SAMPLE (row, x + s));
#elif SRC_IMAGE
  int values[NC];
  UNROLL for (int c = 0; c < NC; c++)
    values[c] = LOAD (ROW_SAMPLE (row, x + c));
  return rounded_hundredth (weighted_samples (values, weights));
#else
  return intensity_at (row + x, weights);
#endif
}

#if BACKEND_CPU
#if PAIRS
/* One counter for a pair of values halves the increments. A core reuses local memory from part to part, so that counters stay in its
 * second-level cache. Counters of single values, for an odd last one, follow from SINGLE on. */
#define COUNTER_SPACE local
enum { COUNT_BANKS = 1, SINGLE = VALUES * VALUES, COUNTERS = SINGLE + VALUES };
#else
/* Neighbours count in different banks: on a white frame one counter would take four times as long: each add waits. Banks for
 * more than 12 bits would not stay in the cache. */
#define COUNTER_SPACE private
enum { COUNT_BANKS = DEPTH <= 12 ? 4 : 1, SINGLE = 0, COUNTERS = COUNT_BANKS * VALUES };
#endif

/* Adds counters to the result; a pair's counter counts for both values. Several parts of a tile are added at the same time. */
static inline void add_counters (COUNTER_SPACE uint *counters, global uint *result)
{
#if PAIRS
  uint sums[VALUES];
  for (int v = 0; v < VALUES; v++)
    sums[v] = counters[SINGLE + v];
  for (int first = 0; first < VALUES; first++) {
    uint sum = 0;
    for (int second = 0; second < VALUES; second++) {
      const uint n = counters[first * VALUES + second];
      sum += n;
      sums[second] += n;
    }
    sums[first] += sum;
  }
#else
  uint *sums = counters;
  for (int bank = 1; bank < COUNT_BANKS; bank++)
    for (int v = 0; v < VALUES; v++)
      sums[v] += counters[bank * VALUES + v];
#endif
  for (int v = 0; v < VALUES; v++)
    if (sums[v])
      atomic_add (result + v, sums[v]);
}

enum { HISTOGRAM_CHUNK = 256 };

static inline void count_rows (SRC_PARAM, int src_offset, int src_stride, struct region region, tile_t tile, int first, int end, int s,
    uint weights, COUNTER_SPACE uint *counters)
{
  const int right = max (min (tile.right, region.x + region.width), tile.left);
  for (int y = first; y < end; y++) {
    global const sample_t *restrict row = SRC_ROW (tile_row (y, region));
    for (int x = tile.left; x < right; x += HISTOGRAM_CHUNK * NC) {
      sample_t values[HISTOGRAM_CHUNK] __attribute__ ((aligned (64)));
      const int n = min (HISTOGRAM_CHUNK, (right - x) / NC);
      for (int i = 0; i < n; i++)
        values[i] = (sample_t) pixel_value (src, row, x + i * NC, s, weights);
      int counted = 0;
#if PAIRS
#pragma unroll 8
      for (; counted < n / 2; counted++)
        counters[((const ushort *) values)[counted]]++;
      counted *= 2;
#else
      for (; counted + COUNT_BANKS <= n; counted += COUNT_BANKS)
        UNROLL for (int bank = 0; bank < COUNT_BANKS; bank++)
          counters[bank * VALUES + values[counted + bank]]++;
#endif
      for (; counted < n; counted++)
        counters[SINGLE + values[counted]]++;
    }
    for (int x = right; x < tile.right; x += NC)
      counters[SINGLE + pixel_value (src, row, tile_column (x, region), s, weights)]++;
  }
}

/* An item counts one of `parts` parts of a tile in counters of its own. */
kernel void histogram_count (SRC_PARAM, int src_offset, int src_stride, struct region region, struct tiles tiles, int parts,
    int counted, uint weights, global uint *restrict counts)
{
  COUNTER_SPACE uint counters[COUNTERS];
  const int job = get_global_id (0), part = job % parts;
  const tile_t tile = tile_at (job / parts, region, tiles);
  const int first = tile.top + (int) ((long) tiles.height * part / parts);
  const int end = tile.top + (int) ((long) tiles.height * (part + 1) / parts);
  for (int s = 0; s < HISTOGRAMS; s++) {
    if (!(counted >> s & 1))
      continue;
    for (int i = 0; i < COUNTERS; i++)
      counters[i] = 0;
    count_rows (src, src_offset, src_stride, region, tile, first, end, s, weights, counters);
    add_counters (counters, counts + (job / parts * HISTOGRAMS + s) * VALUES);
  }
}
#else
#if LAST_GROUP
#if EQUALIZE
#define FINISH_PARAMS \
  , global uint *arrivals, struct range range, uint total, uint limit, int first_table, int held, global sample_t *restrict tables
#define FINISH_NAMES , arrivals, range, total, limit, first_table, held, tables
#else
#define FINISH_PARAMS , global uint *arrivals, global uint *restrict sums
#define FINISH_NAMES , arrivals, sums
#endif

/* Ends a group of a tile: the last one to arrive uses the counts, and leaves zeros for the next frame. */
static inline void finish (local uint *counters, global uint *counts, int tile FINISH_PARAMS)
{
  device_fence ();
  barrier (CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  if (get_local_id (0) == 0) {
    counters[0] = atomic_inc (arrivals + tile) == get_num_groups (0) - 1;
    if (counters[0])
      atomic_xchg (arrivals + tile, 0);
    device_fence ();
  }
  barrier (CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  if (!counters[0])
    return;
#if EQUALIZE
  for (int s = 0; s < HISTOGRAMS; s++) {
    barrier (CLK_LOCAL_MEM_FENCE);
    ROLLED for (int v = get_local_id (0); v < VALUES; v += GROUP)
      counters[v] = atomic_xchg (counts + s * VALUES + v, 0);
    barrier (CLK_LOCAL_MEM_FENCE);
    make_table (counters, counters + VALUES, range, total, limit,
        tables + (size_t) ((first_table + tile * HISTOGRAMS + s) % held) * VALUES);
  }
#else
  ROLLED for (int i = get_local_id (0); i < HISTOGRAMS * VALUES; i += GROUP)
    sums[tile * HISTOGRAMS * VALUES + i] = atomic_xchg (counts + i, 0);
#endif
}
#else
#define FINISH_PARAMS
#endif

enum { HISTOGRAM_KEYS = HISTOGRAMS * VALUES };

/* Counters have copies that neighbouring items take in turn: with 32 of them no two items of a warp use the same bank. Counters that need
 * more than 32 KiB, of deep samples, are in the result, in global memory. */
enum {
  HISTOGRAM_COPIES = HISTOGRAM_KEYS <= 256 ? 32 : HISTOGRAM_KEYS <= 512 ? 16 : HISTOGRAM_KEYS <= 1024 ? 8 : HISTOGRAM_KEYS <= 2048 ? 4 : 1,
  HISTOGRAM_LOCAL_WORDS = HISTOGRAM_KEYS <= 8192 ? HISTOGRAM_KEYS * HISTOGRAM_COPIES : 0
};

static inline void add_count (local uint *counters, global uint *counts, uint key, uint n)
{
  if (HISTOGRAM_LOCAL_WORDS)
    atomic_add (counters + key * HISTOGRAM_COPIES + get_local_id (0) % HISTOGRAM_COPIES, n);
  else
    atomic_add (counts + key, n);
}

/* Counts an item's values. Equal ones take one add, unless each item of a warp has its own copy of counters. LLVM 18, of PoCL 6, crashes
 * when it makes special forms of this function for constant arguments. */
INLINE void count_item (const uint *words, local uint *counters, global uint *result, int counted, uint weights)
{
  UNROLL for (int s = 0; s < HISTOGRAMS; s++) {
    if (!(counted >> s & 1))
      continue;
    uint values[ITEM_SAMPLES / NC], different = HISTOGRAM_COPIES == 32;
    UNROLL for (int i = 0; i < ITEM_SAMPLES / NC; i++) {
      values[i] = s * VALUES + (INTENSITY ? pixel_intensity (words, i * NC, weights) : (uint) item_sample (words, i * NC + s));
      different |= values[i] ^ values[0];
    }
    if (!different)
      add_count (counters, result, values[0], ITEM_SAMPLES / NC);
    else
      UNROLL for (int i = 0; i < ITEM_SAMPLES / NC; i++)
        add_count (counters, result, values[i], 1);
  }
}

#if SRC_IMAGE
enum { HISTOGRAM_AHEAD = 1 }; /* items that are loaded at the same time */
#else
enum { HISTOGRAM_AHEAD = HISTOGRAM_COPIES == 32 ? 4 : 1 };
#endif

kernel __attribute__ ((reqd_work_group_size (GROUP, 1, 1))) void histogram_count (SRC_PARAM, int src_offset, int src_stride,
    struct region region, struct plane plane, struct tiles tiles, int counted, uint weights, global uint *counts FINISH_PARAMS)
{
  local uint counters[HISTOGRAM_LOCAL_WORDS ? HISTOGRAM_LOCAL_WORDS : 1];
  const int tile_index = get_group_id (1), stride = get_num_groups (0) * GROUP;
  const tile_t tile = tile_at (tile_index, region, tiles);
  global uint *result = counts + tile_index * HISTOGRAM_KEYS;
  ROLLED for (int i = get_local_id (0); i < HISTOGRAM_LOCAL_WORDS; i += GROUP)
    counters[i] = 0;
  barrier (CLK_LOCAL_MEM_FENCE);

  /* whole items, on the grid that begins with the plane */
  const int right = min (tile.right, region.x + region.width), bottom = clamp (region.y + region.height, tile.top, tile.bottom);
  const int column = (tile.left + ITEM_SAMPLES - 1) / ITEM_SAMPLES, columns = ALIGNED ? max (right / ITEM_SAMPLES - column, 0) : 0;
  const int items = columns * (bottom - tile.top);
  for (int item = get_global_id (0); item < items; item += HISTOGRAM_AHEAD * stride) {
    uint words[HISTOGRAM_AHEAD * ITEM_WORDS];
    UNROLL for (int i = 0; i < HISTOGRAM_AHEAD; i++) {
      const int at = min (item + i * stride, items - 1);
      load_inside (words + i * ITEM_WORDS, SRC_ARGS, (column + at % columns) * ITEM_SAMPLES, tile.top + at / columns);
    }
    ROLLED for (int i = 0; i < HISTOGRAM_AHEAD && item + i * stride < items; i++) {
      count_item (words, counters, result, counted, weights);
      UNROLL for (int w = 0; w < (HISTOGRAM_AHEAD - 1) * ITEM_WORDS; w++)
        words[w] = words[w + ITEM_WORDS];
    }
  }

  /* pixels beside whole items, and rows below the region */
  const int middle = columns * ITEM_SAMPLES / NC, wide = (tile.right - tile.left) / NC, beside = wide - middle;
  const int head = columns ? column * ITEM_SAMPLES - tile.left : 0, n_beside = beside * (bottom - tile.top);
  ROLLED for (int i = get_global_id (0); i < n_beside + wide * (tile.bottom - bottom); i += stride) {
    const bool below = i >= n_beside;
    const int each = max (below ? wide : beside, 1), n = below ? i - n_beside : i;
    const int x = n % each * NC, moved = tile.left + x + (!below && x >= head ? middle * NC : 0);
    const source_row_t row = SRC_ROW (tile_row ((below ? bottom : tile.top) + n / each, region));
    ROLLED for (int s = 0; s < HISTOGRAMS; s++)
      if (counted >> s & 1)
        add_count (counters, result, s * VALUES + pixel_value (src, row, tile_column (moved, region), s, weights), 1);
  }
  barrier (CLK_LOCAL_MEM_FENCE);
  /* starts with a different copy in each item, so that items of a warp read different banks */
  ROLLED for (uint key = get_local_id (0); key < HISTOGRAM_LOCAL_WORDS / HISTOGRAM_COPIES; key += GROUP) {
    uint sum = 0;
    _Pragma ("unroll 8") for (uint i = 0; i < HISTOGRAM_COPIES; i++)
      sum += counters[key * HISTOGRAM_COPIES + (key + i) % HISTOGRAM_COPIES];
    if (sum)
      atomic_add (result + key, sum);
  }
#if LAST_GROUP
  finish (counters, result, tile_index FINISH_NAMES);
#endif
}
#endif
