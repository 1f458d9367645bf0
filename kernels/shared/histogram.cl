/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Histograms of a region's tiles (shared/histogram_tiles.clh). The host defines
 *
 *   HISTOGRAMS        histograms of a tile: 1, or NC for one a sample of the pixel
 *   INTENSITY         1 where the one is of the intensity of RGB (shared/intensity.clh)
 *
 * parts      into so many parts a tile is cut, which are counted side by side
 * counted    a bit for each sample of the pixel: whether to count it
 * weights    of the intensity
 */

/* The value of a pixel for histogram s. */
#if !INTENSITY
#define HISTOGRAM_PIXEL_VALUE(row, x, s) (uint) LOAD (ROW_SAMPLE (row, (x) + (s)))
#elif BACKEND_CPU
#define HISTOGRAM_PIXEL_VALUE(row, x, s) PIXEL_INTENSITY_AT ((row) + (x))
#else
#define HISTOGRAM_PIXEL_VALUE(row, x, s) row_intensity (src, row, x, weights)

static inline uint
row_intensity (SRC_PARAM, source_row_t row, int x, uint weights)
{
#define HISTOGRAM_SAMPLE_OF_ROW(x, c) LOAD (ROW_SAMPLE (row, (x) + (c)))
  return INTENSITY_OF (HISTOGRAM_SAMPLE_OF_ROW, x);
}
#endif

#if BACKEND_CPU

#define HISTOGRAM_CHUNK 256

static inline void
count_row (global const sample_t *restrict row, int pixels, int s, uint weights, counters_t counters)
{
  sample_t values[HISTOGRAM_CHUNK] __attribute__ ((aligned (64)));
  for (int first = 0; first < pixels; first += HISTOGRAM_CHUNK) {
    const int n = min (HISTOGRAM_CHUNK, pixels - first);
    global const sample_t *restrict from = row + first * NC;
    for (int i = 0; i < n; i++)
      values[i] = (sample_t) HISTOGRAM_PIXEL_VALUE (from, i * NC, s);
    count_values (values, n, counters);
  }
}

/* Counts histogram s of the rows first .. end - 1 of a tile. */
static inline void
count_rows (SRC_PARAM, int src_offset, int src_stride, struct region region, tile_t tile, int first, int end, int s,
    uint weights, counters_t counters)
{
  const int right = max (min (tile.right, region.x + region.width), tile.left);
  for (int y = first; y < end; y++) {
    global const sample_t *row = SRC_ROW (tile_row (y, region));
    count_row (row + tile.left, (right - tile.left) / NC, s, weights, counters);
    for (int x = right; x < tile.right; x += NC)
      counters[SINGLE + HISTOGRAM_PIXEL_VALUE (row, tile_column (x, region), s)]++;
  }
}

/* A work item counts one part of one tile, into counters of its own: the result where there is but one part, in a ring
 * of `held` rows of tiles, else for histogram_sum. */
kernel void
histogram_count (SRC_PARAM, int src_offset, int src_stride, struct region region, struct tiles tiles, int parts,
    int held, int counted, uint weights, global uint *restrict counts)
{
#if PAIRS
  local uint counters[COUNTERS];
#elif defined COUNTERS
  uint counters[COUNTERS];
#endif
  const int job = get_global_id (0), part = job % parts;
  const tile_t tile = tile_at (job / parts, region, tiles);
  const size_t histogram = parts == 1 ? tile_histogram (job, tiles, held) : (size_t) job * HISTOGRAMS;
  const int first = tile.top + (int) ((long) tiles.height * part / parts);
  const int end = tile.top + (int) ((long) tiles.height * (part + 1) / parts);

  for (int s = 0; s < HISTOGRAMS; s++) {
    global uint *result = counts + (histogram + s) * VALUES;
    for (int i = 0; i < VALUES; i++)
      result[i] = 0;
    if (!(counted >> s & 1))
      continue;
#ifdef COUNTERS
    for (int i = 0; i < COUNTERS; i++)
      counters[i] = 0;
    count_rows (src, src_offset, src_stride, region, tile, first, end, s, weights, counters);
    add_counters (counters, result);
#else
    count_rows (src, src_offset, src_stride, region, tile, first, end, s, weights, result);
#endif
  }
}

/* Adds up parts: an item a value (dimension 0) of a histogram (dimension 1) of the only tile. */
kernel void
histogram_sum (global const uint *restrict counts, int parts, global uint *restrict sums)
{
  const int value = get_global_id (0), s = get_global_id (1);
  uint sum = 0;
  for (int part = 0; part < parts; part++)
    sum += counts[(part * HISTOGRAMS + s) * VALUES + value];
  sums[s * VALUES + value] = sum;
}

#else

/* A work-group of GROUP items, which the host defines, counts a part of a tile in local memory and adds that to the
 * result. */

/* Values of an item for each histogram. */
#define HISTOGRAM_PER_ITEM (ITEM_SAMPLES / NC)

#if DEPTH <= 12

/* A counter for every value, in copies that neighbouring items take in turn: with 32 of them no two items of a warp meet
 * in a memory bank, whatever they count. */
#define HISTOGRAM_LOCAL_COUNTERS 8192
#define HISTOGRAM_KEYS (HISTOGRAMS * VALUES)
#define HISTOGRAM_COPIES                                      \
  (HISTOGRAM_KEYS * 32 <= HISTOGRAM_LOCAL_COUNTERS       ? 32 \
      : HISTOGRAM_KEYS * 16 <= HISTOGRAM_LOCAL_COUNTERS  ? 16 \
      : HISTOGRAM_KEYS * 8 <= HISTOGRAM_LOCAL_COUNTERS   ? 8  \
      : HISTOGRAM_KEYS * 4 <= HISTOGRAM_LOCAL_COUNTERS   ? 4 : 1)
#define HISTOGRAM_LOCAL_WORDS (HISTOGRAM_KEYS * HISTOGRAM_COPIES)

static inline void
begin_counters (local uint *counters)
{
  for (int i = get_local_id (0); i < HISTOGRAM_LOCAL_WORDS; i += GROUP)
    counters[i] = 0;
}

static inline void
add_count (local uint *counters, global uint *counts, int s, uint value, uint n)
{
  atomic_add (counters + (s * VALUES + value) * HISTOGRAM_COPIES + get_local_id (0) % HISTOGRAM_COPIES, n);
}

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

/* Local memory does not hold a counter for every value: each slot counts for the value that came first, and values that
 * find their slot taken are counted in the result. Frames of few values, which would all wait for the same counters
 * there, are counted here. */
#define HISTOGRAM_SLOT_BITS 11
#define HISTOGRAM_SLOTS (1 << HISTOGRAM_SLOT_BITS)
#define HISTOGRAM_LOCAL_WORDS (2 * HISTOGRAM_SLOTS)

static inline void
begin_counters (local uint *counters)
{
  for (int i = get_local_id (0); i < HISTOGRAM_LOCAL_WORDS; i += GROUP)
    counters[i] = 0;
}

static inline void
add_count (local uint *counters, global uint *counts, int s, uint value, uint n)
{
  const uint key = (s << DEPTH | value) + 1;
  const uint slot = key * 0x9e3779b1u >> (32 - HISTOGRAM_SLOT_BITS);
  uint owner = ((volatile local uint *) counters)[slot];
  if (!owner)
    owner = atomic_cmpxchg (counters + slot, 0, key);
  if (!owner || owner == key)
    atomic_add (counters + HISTOGRAM_SLOTS + slot, n);
  else
    atomic_add (counts + (s * VALUES + value), n);
}

static inline void
end_counters (local const uint *counters, global uint *counts)
{
  for (int slot = get_local_id (0); slot < HISTOGRAM_SLOTS; slot += GROUP)
    if (counters[slot])
      atomic_add (counts + (counters[slot] - 1), counters[HISTOGRAM_SLOTS + slot]);
}

#endif

#if !LAST_GROUP
/* Sets n counters from first on to 0. */
kernel void
histogram_clear (global uint *restrict counts, uint first, uint n)
{
  if (get_global_id (0) < n)
    counts[first + get_global_id (0)] = 0;
}
#endif

#if !STAND_IN
/* Whether runs of a value are counted at once, and no two items of a warp wait for one counter by other means. */
#if DEPTH <= 12 && HISTOGRAMS * (1 << DEPTH) * 32 <= 8192
#define HISTOGRAM_COUNT_RUNS 0
#else
#define HISTOGRAM_COUNT_RUNS 1
#endif

/* What an item has loaded, and value i of it for histogram s. */
#if SRC_IMAGE || DST_IMAGE || SAMPLE_BITS != 8 || (INTENSITY && !WORD_INTENSITY)
typedef struct
{
  int samples[ITEM_SAMPLES];
} loaded_t;

static inline void
load_samples (loaded_t *loaded, SRC_PARAMS, int x, int y)
{
  load_point (loaded->samples, x, y);
}

#define HISTOGRAM_LOAD_ITEM(loaded, inside, x, y) load_samples (loaded, SRC_ARGS, x, y)

static inline uint
loaded_value (const loaded_t *loaded, int i, int s, uint weights)
{
  const int *pixel = loaded->samples + i * NC;
#if INTENSITY
#define HISTOGRAM_LOADED_SAMPLE(pixel, c) (pixel)[c]
  return INTENSITY_OF (HISTOGRAM_LOADED_SAMPLE, pixel);
#else
  return (uint) pixel[s];
#endif
}
#else
typedef struct
{
  uint words[ITEM_WORDS];
} loaded_t;

#define HISTOGRAM_LOAD_ITEM(loaded, inside, x, y)         \
  do {                                                    \
    if (inside)                                           \
      load_vectors ((loaded)->words, (global const uint *) (SRC_ROW (y) + (x))); \
    else                                                  \
      load_words_at (SRC_ARGS, (loaded)->words, x, y);    \
  } while (0)

static inline uint
loaded_value (const loaded_t *loaded, int i, int s, uint weights)
{
#if INTENSITY
  return word_intensity (loaded->words[i], weights);
#else
  const int at = i * NC + s;
  return loaded->words[at / 4] >> (8 * (at % 4)) & 0xff;
#endif
}
#endif

/* An item's values on the way into the counters, and the run that it is in. */
typedef struct
{
  uint run_value[HISTOGRAMS], run[HISTOGRAMS];
} runs_t;

#define HISTOGRAM_COUNT_PARAMS local uint *counters, global uint *result, int counted, uint weights
#define HISTOGRAM_COUNT_ARGS counters, result, counted, weights

/* Always inline: LLVM 18, of PoCL 6, crashes when it makes special forms of this function for constant arguments. */
static inline __attribute__ ((always_inline)) void
count_item (HISTOGRAM_COUNT_PARAMS, runs_t *runs, const loaded_t *loaded, int x, int left, int right)
{
  const bool whole = x >= left && x + ITEM_SAMPLES <= right;
#pragma unroll
  for (int s = 0; s < HISTOGRAMS; s++) {
    if (!(counted >> s & 1))
      continue;
    uint values[HISTOGRAM_PER_ITEM], different = !HISTOGRAM_COUNT_RUNS;
#pragma unroll
    for (int i = 0; i < HISTOGRAM_PER_ITEM; i++) {
      values[i] = loaded_value (loaded, i, s, weights);
#if HISTOGRAM_COUNT_RUNS
      different |= values[i] ^ values[0];
#endif
    }
    if (whole && !different) {
      if (runs->run[s] && runs->run_value[s] != values[0]) {
        add_count (counters, result, s, runs->run_value[s], runs->run[s]);
        runs->run[s] = 0;
      }
      runs->run_value[s] = values[0];
      runs->run[s] += HISTOGRAM_PER_ITEM;
    } else if (whole) {
#pragma unroll
      for (int i = 0; i < HISTOGRAM_PER_ITEM; i++)
        add_count (counters, result, s, values[i], 1);
    } else {
#pragma unroll
      for (int i = 0; i < HISTOGRAM_PER_ITEM; i++)
        if (x + i * NC >= left && x + i * NC < right)
          add_count (counters, result, s, values[i], 1);
    }
  }
}

/* Items whose loads are under way at once. */
#define HISTOGRAM_AHEAD (HISTOGRAM_COUNT_RUNS ? 1 : 4)

/* Counts the columns of items from column0 on, row by row, and every item that is a multiple of `stride` from the first.
 * inside: a constant, whether rows are those of the region, and items words inside the plane. */
static inline __attribute__ ((always_inline)) void
count_columns (SRC_PARAMS, struct region region, tile_t tile, int right, int column0, int columns, bool inside,
    HISTOGRAM_COUNT_PARAMS)
{
  const int items = columns * (tile.bottom - tile.top);
  const int stride = get_num_groups (0) * GROUP, columns_on = stride % columns, rows_on = stride / columns;
  int item = get_group_id (0) * GROUP + get_local_id (0), column = item % columns, row = item / columns;
  runs_t runs;
#pragma unroll
  for (int s = 0; s < HISTOGRAMS; s++)
    runs.run_value[s] = runs.run[s] = 0;
  while (item < items) {
    loaded_t loaded[HISTOGRAM_AHEAD];
    int x[HISTOGRAM_AHEAD];
#pragma unroll
    for (int i = 0; i < HISTOGRAM_AHEAD; i++) {
      const int y = tile.top + row;
      x[i] = (column0 + column) * ITEM_SAMPLES;
      if (item + i * stride < items)
        HISTOGRAM_LOAD_ITEM (loaded + i, inside, x[i], inside ? y : tile_row (y, region));
      column += columns_on;
      row += rows_on + (column >= columns);
      column -= column >= columns ? columns : 0;
    }
#pragma unroll
    for (int i = 0; i < HISTOGRAM_AHEAD; i++)
      if (item + i * stride < items)
        count_item (HISTOGRAM_COUNT_ARGS, &runs, loaded + i, x[i], tile.left, right);
    item += HISTOGRAM_AHEAD * stride;
  }
#pragma unroll
  for (int s = 0; s < HISTOGRAMS; s++)
    if (runs.run[s])
      add_count (counters, result, s, runs.run_value[s], runs.run[s]);
}

#endif

/* Group (part, tile), of GROUP items. The counters of the tiles' histograms are 0 before. */
kernel __attribute__ ((reqd_work_group_size (GROUP, 1, 1))) void
histogram_count (SRC_PARAM, int src_offset, int src_stride, struct region region, struct plane plane, struct tiles tiles,
    int held, int counted, uint weights, global uint *counts FINISH_PARAMS)
{
  local uint counters[HISTOGRAM_LOCAL_WORDS];
  const int tile_index = get_group_id (1);
  const tile_t tile = tile_at (tile_index, region, tiles);
  const size_t histogram = tile_histogram (tile_index, tiles, held);
  global uint *result = counts + histogram * VALUES;
  begin_counters (counters);
  barrier (CLK_LOCAL_MEM_FENCE);

#if STAND_IN
  const int beyond = tile.left;
#else
  /* Items on the grid that begins with the plane. Whole ones of a single value add up while it lasts. */
  const int right = min (tile.right, region.x + region.width);
  const int column0 = tile.left / ITEM_SAMPLES, columns = (right + ITEM_SAMPLES - 1) / ITEM_SAMPLES - column0;
  if (right > tile.left && ALIGNED && (column0 + columns) * ITEM_SAMPLES <= plane.width
      && tile.bottom <= region.y + region.height)
    count_columns (SRC_ARGS, region, tile, right, column0, columns, true, HISTOGRAM_COUNT_ARGS);
  else if (right > tile.left)
    count_columns (SRC_ARGS, region, tile, right, column0, columns, false, HISTOGRAM_COUNT_ARGS);
  const int beyond = max (right, tile.left);
#endif

  /* Pixels beyond the region's right edge. In a stand-in, which has to be built fast, these are all. */
  const int more = (tile.right - beyond) / NC;
  for (int i = get_group_id (0) * GROUP + get_local_id (0); i < more * (tile.bottom - tile.top);
       i += get_num_groups (0) * GROUP) {
    const source_row_t from = SRC_ROW (tile_row (tile.top + i / more, region));
    const int at = tile_column (beyond + i % more * NC, region);
    for (int s = 0; s < HISTOGRAMS; s++)
      if (counted >> s & 1)
        add_count (counters, result, s, HISTOGRAM_PIXEL_VALUE (from, at, s), 1);
  }
  barrier (CLK_LOCAL_MEM_FENCE);
  end_counters (counters, result);
#if LAST_GROUP
  if (is_last_group (arrivals + histogram / HISTOGRAMS, counters))
    finish (counters, result, histogram FINISH_RESULT_ARGS);
#endif
}

#endif
