/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Histograms of a region's tiles, tile by tile, which are 0 before. Tiles that reach over its right or lower edge go on by reflect101. The
 * host defines
 *
 *   TILED        0 where the region is the only tile
 *   HISTOGRAMS   histograms of a tile: 1, or NC for one a sample of the pixel
 *   INTENSITY    1 where the one is of the intensity of RGB (shared/intensity.clh)
 *   GROUP        the items of a group, 1 on the cpu back end
 *
 * counted    a bit for each sample of the pixel: whether to count it
 * weights    of the intensity
 */

/* Their columns, a tile's width in samples, its height, the first row of tiles to count; four ints of the host. */
struct tiles { int columns, width, height, first_row; };

/* A tile in samples, right and bottom excluded. */
typedef struct { int left, top, right, bottom; } tile_t;

static inline tile_t
tile_at (int tile, struct region region, struct tiles tiles)
{
#if TILED
  const int left = region.x + tile % tiles.columns * tiles.width;
  const int top = region.y + (tile / tiles.columns + tiles.first_row) * tiles.height;
  return (tile_t) {left, top, left + tiles.width, top + tiles.height};
#else
  return (tile_t) {region.x, region.y, region.x + region.width, region.y + region.height};
#endif
}

/* The row of the region that stands for row y. */
static inline int tile_row (int y, struct region region)
{ return TILED ? region.y + border_index (y - region.y, region.height, BORDER_REFLECT101) : y; }

/* The first sample of the pixel of the region that stands for the one at x. */
static inline int tile_column (int x, struct region region)
{ return TILED ? region.x + border_index ((x - region.x) / NC, region.width / NC, BORDER_REFLECT101) * NC : x; }

/* The value of the pixel at x of a row for histogram s. */
static inline uint
pixel_value (SRC_PARAM, source_row_t row, int x, int s, uint weights)
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

enum { HISTOGRAM_CHUNK = 256 };

/* Counts histogram s of the rows first .. end - 1 of a tile. */
static inline void
count_rows (SRC_PARAM, int src_offset, int src_stride, struct region region, tile_t tile, int first, int end, int s,
    uint weights, counters_t counters)
{
  const int right = max (min (tile.right, region.x + region.width), tile.left);
  for (int y = first; y < end; y++) {
    global const sample_t *restrict row = SRC_ROW (tile_row (y, region));
    for (int x = tile.left; x < right; x += HISTOGRAM_CHUNK * NC) {
      sample_t values[HISTOGRAM_CHUNK] __attribute__ ((aligned (64)));
      const int n = min (HISTOGRAM_CHUNK, (right - x) / NC);
      for (int i = 0; i < n; i++)
        values[i] = (sample_t) pixel_value (src, row, x + i * NC, s, weights);
      count_values (values, n, counters);
    }
    for (int x = right; x < tile.right; x += NC)
      counters[SINGLE + pixel_value (src, row, tile_column (x, region), s, weights)]++;
  }
}

/* A work item counts one of `parts` parts of one tile, into counters of its own. */
kernel void
histogram_count (SRC_PARAM, int src_offset, int src_stride, struct region region, struct tiles tiles, int parts,
    int counted, uint weights, global uint *restrict counts)
{
#if PAIRS
  local uint counters[COUNTERS];
#else
  uint counters[COUNTERS];
#endif
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

/* A group counts a part of a tile in local memory and adds that to the result. */
enum { HISTOGRAM_KEYS = HISTOGRAMS * VALUES };

#if DEPTH <= 12

/* A counter for every value, in copies that neighbouring items take in turn: with 32 of them no two items of a warp meet
 * in a memory bank, whatever they count. */
enum { HISTOGRAM_COPIES = HISTOGRAM_KEYS <= 256 ? 32 : HISTOGRAM_KEYS <= 512 ? 16 : HISTOGRAM_KEYS <= 1024 ? 8 : HISTOGRAM_KEYS <= 2048 ? 4 : 1 };
enum { HISTOGRAM_LOCAL_WORDS = HISTOGRAM_KEYS * HISTOGRAM_COPIES };

static inline void add_count (local uint *counters, global uint *counts, uint key, uint n)
{ atomic_add (counters + key * HISTOGRAM_COPIES + get_local_id (0) % HISTOGRAM_COPIES, n); }

static inline void
end_counters (local const uint *counters, global uint *counts)
{
  for (uint key = get_local_id (0); key < HISTOGRAM_KEYS; key += GROUP) {
    uint sum = 0;
    /* from a copy of its own on, so that items of a warp read different banks */
    for (uint i = 0; i < HISTOGRAM_COPIES; i++)
      sum += counters[key * HISTOGRAM_COPIES + (key + i) % HISTOGRAM_COPIES];
    if (sum)
      atomic_add (counts + key, sum);
  }
}

#else

/* Local memory does not hold a counter for every value: each slot counts for the value that came first, and values that find their slot
 * taken are counted in the result. Frames of few values, which would all wait for the same counters there, are counted here. */
enum { HISTOGRAM_SLOTS = 2048, HISTOGRAM_COPIES = 1, HISTOGRAM_LOCAL_WORDS = 2 * HISTOGRAM_SLOTS };

static inline void
add_count (local uint *counters, global uint *counts, uint key, uint n)
{
  const uint slot = (key + 1) * 0x9e3779b1u >> 21, owner = atomic_cmpxchg (counters + slot, 0, key + 1);
  if (!owner || owner == key + 1)
    atomic_add (counters + HISTOGRAM_SLOTS + slot, n);
  else
    atomic_add (counts + key, n);
}

static inline void
end_counters (local const uint *counters, global uint *counts)
{
  for (int slot = get_local_id (0); slot < HISTOGRAM_SLOTS; slot += GROUP)
    if (counters[slot])
      atomic_add (counts + (counters[slot] - 1), counters[HISTOGRAM_SLOTS + slot]);
}

#endif

/* Value i of an item's words for histogram s. */
static inline uint
item_value (const uint *words, const int i, const int s, uint weights)
{
#if INTENSITY
  return pixel_intensity (words, i * NC, weights);
#else
  return (uint) item_sample (words, i * NC + s);
#endif
}

/* All values of an item: at once where they are the same, and items wait for each other's counters. Always inline: LLVM 18, of PoCL 6,
 * crashes when it makes special forms of this function for constant arguments. */
static inline __attribute__ ((always_inline)) void
count_item (const uint *words, local uint *counters, global uint *result, int counted, uint weights)
{
  UNROLL for (int s = 0; s < HISTOGRAMS; s++) {
    if (!(counted >> s & 1))
      continue;
    uint values[ITEM_SAMPLES / NC], different = HISTOGRAM_COPIES == 32;
    UNROLL for (int i = 0; i < ITEM_SAMPLES / NC; i++) {
      values[i] = s * VALUES + item_value (words, i, s, weights);
      different |= values[i] ^ values[0];
    }
    if (!different)
      add_count (counters, result, values[0], ITEM_SAMPLES / NC);
    else {
      UNROLL for (int i = 0; i < ITEM_SAMPLES / NC; i++)
        add_count (counters, result, values[i], 1);
    }
  }
}

/* Items whose loads are under way at once. */
#if SRC_IMAGE
enum { HISTOGRAM_AHEAD = 1 };
#else
enum { HISTOGRAM_AHEAD = HISTOGRAM_COPIES == 32 ? 4 : 1 };
#endif

/* Group (part, tile). */
kernel __attribute__ ((reqd_work_group_size (GROUP, 1, 1))) void
histogram_count (SRC_PARAM, int src_offset, int src_stride, struct region region, struct plane plane, struct tiles tiles,
    int counted, uint weights, global uint *counts FINISH_PARAMS)
{
  local uint counters[HISTOGRAM_LOCAL_WORDS];
  const int tile_index = get_group_id (1), stride = get_num_groups (0) * GROUP;
  const tile_t tile = tile_at (tile_index, region, tiles);
  global uint *result = counts + tile_index * HISTOGRAM_KEYS;
  for (int i = get_local_id (0); i < HISTOGRAM_LOCAL_WORDS; i += GROUP)
    counters[i] = 0;
  barrier (CLK_LOCAL_MEM_FENCE);

  /* whole items inside of the region, on the grid that begins with the plane */
  const int right = min (tile.right, region.x + region.width), bottom = clamp (region.y + region.height, tile.top, tile.bottom);
  const int column = (tile.left + ITEM_SAMPLES - 1) / ITEM_SAMPLES, columns = ALIGNED ? max (right / ITEM_SAMPLES - column, 0) : 0;
  const int items = columns * (bottom - tile.top);
  for (int item = get_global_id (0); item < items; item += HISTOGRAM_AHEAD * stride) {
    uint words[HISTOGRAM_AHEAD][ITEM_WORDS];
    UNROLL for (int i = 0; i < HISTOGRAM_AHEAD; i++) {
      const int at = min (item + i * stride, items - 1);
      load_inside (words[i], SRC_ARGS, (column + at % columns) * ITEM_SAMPLES, tile.top + at / columns);
    }
    UNROLL for (int i = 0; i < HISTOGRAM_AHEAD; i++)
      if (item + i * stride < items)
        count_item (words[i], counters, result, counted, weights);
  }

  /* the pixels left and right of these, and those below the region */
  const int middle = columns * ITEM_SAMPLES / NC, wide = (tile.right - tile.left) / NC, beside = wide - middle;
  const int head = columns ? column * ITEM_SAMPLES - tile.left : 0, n_beside = beside * (bottom - tile.top);
  for (int i = get_global_id (0); i < n_beside + wide * (tile.bottom - bottom); i += stride) {
    const bool below = i >= n_beside;
    const int each = max (below ? wide : beside, 1), n = below ? i - n_beside : i;
    const int x = n % each * NC, moved = tile.left + x + (!below && x >= head ? middle * NC : 0);
    const source_row_t row = SRC_ROW (tile_row ((below ? bottom : tile.top) + n / each, region));
    for (int s = 0; s < HISTOGRAMS; s++)
      if (counted >> s & 1)
        add_count (counters, result, s * VALUES + pixel_value (src, row, tile_column (moved, region), s, weights), 1);
  }
  barrier (CLK_LOCAL_MEM_FENCE);
  end_counters (counters, result);
#if LAST_GROUP
  finish (counters, result, tile_index FINISH_NAMES);
#endif
}

#endif
