/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The maps of clequalize that are more than a table for each sample (shared/lut.cl). The host defines
 *
 *   CLAHE             1 where tables are those of tiles, blended between their centres, 0 for one table
 *   INTENSITY         1 for the intensity L of RGB (shared/intensity.clh): table[L] - L is added to every component. 0 if
 *                     every sample is mapped by itself
 *   TABLES            tables of a tile: 1, or NC for one a sample of the pixel
 *
 * weights    of the intensity
 * tables     one after the other: a tile's, a row of tiles', rows in a ring of tiles.held
 * tiles, size   equalize/tiles.clh; CLAHE only
 */

#if CLAHE
#define EQUALIZE_TABLE_ARGS uint weights, global const sample_t *restrict tables, struct tiles tiles, struct tile_size size

/* What lies between two centres of tiles: from the first to the second, and how far from one to the other. */
typedef struct
{
  int first, second;
  float part;
} between_t;

static inline between_t
between_centers (int x, float inverse_size, int tiles)
{
  between_t b;
  const float at = (float) x * inverse_size - 0.5f, below = floor (at);
  b.part = at - below;
  /* items reach beyond the region */
  b.first = clamp ((int) below, 0, tiles - 1);
  b.second = clamp ((int) below + 1, 0, tiles - 1);
  return b;
}
#else
#define EQUALIZE_TABLE_ARGS uint weights, global const sample_t *restrict tables
#endif

static inline float
blend (float a, float b, float part)
{
  return a + part * (b - a);
}

/* Half to even, for 0 <= v < 2^22. */
static inline int
rounded (float v)
{
  return as_int (v + 8388608.0f) & 0x3fffff;
}

static inline int
saturated (int v)
{
  return v < 0 ? 0 : v > MAX_VALUE ? MAX_VALUE : v;
}

/* The tables of a tile, where tiles are in a ring of rows. */
#if CLAHE
#define EQUALIZE_TILE_TABLES(column, row) \
  (tables + (size_t) ((row) % tiles.held * tiles.columns + (column)) * (TABLES * VALUES))
#endif

#define EQUALIZE_VALUE_OF(samples, s) (samples)[s]
#if INTENSITY
#define EQUALIZE_PIXEL_VALUE(samples, s) INTENSITY_OF (EQUALIZE_VALUE_OF, samples)
#else
#define EQUALIZE_PIXEL_VALUE(samples, s) EQUALIZE_VALUE_OF (samples, s)
#endif

#if BACKEND_CPU

/* A work item maps a row, in pieces that lie between the same centres of tiles. */
#define EQUALIZE_PIECE 256

typedef struct
{
  ushort values[EQUALIZE_PIECE], results[EQUALIZE_PIECE];
} piece_t;

#if DEPTH < 16
typedef short added_t;
#else
typedef int added_t;
#endif

static inline void
load_piece (piece_t *p, global const sample_t *restrict from, int n, int s, uint weights)
{
  for (int i = 0; i < n; i++) {
    global const sample_t *restrict pixel = from + i * NC;
#if INTENSITY
    p->values[i] = (ushort) PIXEL_INTENSITY_AT (pixel);
#else
    p->values[i] = LOAD (pixel[s]);
#endif
  }
}

static inline void
store_piece (const piece_t *p, global const sample_t *restrict from, global sample_t *restrict to,
    global const sample_t *restrict keep, int n, int s)
{
#if INTENSITY
  added_t added[EQUALIZE_PIECE * NC];
  for (int i = 0; i < n; i++)
#pragma unroll
    for (int c = 0; c < NC; c++)
      added[i * NC + c] = (added_t) (p->results[i] - p->values[i]);
  for (int i = 0; i < n * NC; i++)
    to[i] = merge_sample (saturated (LOAD (from[i]) + added[i]), from[i], keep[i]);
#else
  for (int i = 0; i < n; i++)
    to[i * NC + s] = (sample_t) (p->results[i] << SHIFT);
#endif
}

#if CLAHE

#if LOOKUP_WORDS

typedef float floats_t __attribute__ ((ext_vector_type (LOOKUP_WORDS)));
typedef int ints_t __attribute__ ((ext_vector_type (LOOKUP_WORDS)));

static inline floats_t
look_up_floats (global const sample_t *restrict table, lookup_words_t values)
{
  return __builtin_convertvector (look_up (load_lookup (table), values), floats_t);
}

/* As below; what is written behind n stays in the piece. */
static inline void
map_piece (piece_t *p, int n, int x, float inverse_width, float offset, float down,
    global const sample_t *restrict a, global const sample_t *restrict b, global const sample_t *restrict c,
    global const sample_t *restrict d)
{
  floats_t steps;
  for (int i = 0; i < LOOKUP_WORDS; i++)
    steps[i] = (float) i;
  for (int i = 0; i < n; i += LOOKUP_WORDS) {
    const lookup_words_t values = *(const lookup_any_words_t *) (p->values + i);
    const floats_t part = (steps + (float) (x + i)) * inverse_width - offset;
    const floats_t va = look_up_floats (a, values), vc = look_up_floats (c, values), left = va + down * (vc - va);
    const floats_t vb = look_up_floats (b, values), vd = look_up_floats (d, values), right = vb + down * (vd - vb);
    const floats_t result = left + part * (right - left);
    *(lookup_any_words_t *) (p->results + i) =
        __builtin_convertvector (__builtin_astype (result + 8388608.0f, ints_t) & 0x3fffff, lookup_words_t);
  }
}

#else

#if VALUES <= 256
/* Pixels that pay for tables of their own, blended between rows of tiles. */
#define EQUALIZE_WORTH_A_TABLE 32
#endif

/* Pixels x .. x + n - 1 between two columns of tiles, whose tables in the upper row of tiles are a and b, and in the
 * lower one c and d. */
static inline void
map_piece (piece_t *p, int n, int x, float inverse_width, float offset, float down,
    global const sample_t *restrict a, global const sample_t *restrict b, global const sample_t *restrict c,
    global const sample_t *restrict d)
{
#if EQUALIZE_WORTH_A_TABLE
  if (n >= EQUALIZE_WORTH_A_TABLE) {
    /* left and right in one word: one look-up for both, which is faster where nobody makes a gather of it */
    ulong both[VALUES], picked[EQUALIZE_PIECE];
    for (int v = 0; v < VALUES; v++)
      both[v] = as_uint (blend (a[v], c[v], down)) | (ulong) as_uint (blend (b[v], d[v], down)) << 32;
#pragma clang loop vectorize(disable) unroll_count(8)
    for (int i = 0; i < n; i++)
      picked[i] = both[p->values[i]];
    for (int i = 0; i < n; i++) {
      const float part = (float) (x + i) * inverse_width - offset;
      p->results[i] =
          (ushort) rounded (blend (as_float ((uint) picked[i]), as_float ((uint) (picked[i] >> 32)), part));
    }
    return;
  }
#endif
  for (int i = 0; i < n; i++) {
    const int v = p->values[i];
    const float part = (float) (x + i) * inverse_width - offset;
    p->results[i] = (ushort) rounded (blend (blend (a[v], c[v], down), blend (b[v], d[v], down), part));
  }
}

#endif

#else

static inline void
map_piece (piece_t *p, int n, global const sample_t *restrict table)
{
#if LOOKUP_WORDS
  const lookup_t entries = load_lookup (table);
  for (int i = 0; i < n; i += LOOKUP_WORDS)
    *(lookup_any_words_t *) (p->results + i) = look_up (entries, *(const lookup_any_words_t *) (p->values + i));
#else
#pragma clang loop vectorize(disable) unroll_count(8)
  for (int i = 0; i < n; i++)
    p->results[i] = table[p->values[i]];
#endif
}

#endif

/* Work item (0, row). */
kernel void
equalize (PLANE_ARGS, EQUALIZE_TABLE_ARGS)
{
  const int y = region.y + (int) get_global_id (1), pixels = region.width / NC;
  global const sample_t *restrict from = src + src_offset + y * src_stride + region.x;
  global sample_t *restrict to = dst + dst_offset + y * dst_stride + region.x;
  piece_t piece;
#if CLAHE
  const float inverse_width = 1.0f / size.width;
  const between_t down = between_centers (y - size.top, 1.0f / size.height, tiles.rows);
  const int x0 = (region.x - size.left) / NC;
  int column = -1, end = 0;
#endif
  for (int first = 0; first < pixels;) {
#if CLAHE
    /* columns of tiles whose centres are left and right of the piece */
    while (end <= x0 + first) {
      column++;
      end = ((2 * column + 1) * size.width + 1) / 2;
    }
    const int n = min (min (end - x0, pixels) - first, EQUALIZE_PIECE);
    const int left = max (column - 1, 0), right = min (column, tiles.columns - 1);
#else
    const int n = min (pixels - first, EQUALIZE_PIECE);
#endif
    for (int s = 0; s < TABLES; s++) {
#if !INTENSITY
      if (!keep[s]) {
        for (int i = 0; i < n; i++)
          to[(first + i) * NC + s] = from[(first + i) * NC + s];
        continue;
      }
#endif
      load_piece (&piece, from + first * NC, n, s, weights);
#if CLAHE
      map_piece (&piece, n, x0 + first, inverse_width, column - 0.5f, down.part,
          EQUALIZE_TILE_TABLES (left, down.first) + s * VALUES, EQUALIZE_TILE_TABLES (right, down.first) + s * VALUES,
          EQUALIZE_TILE_TABLES (left, down.second) + s * VALUES, EQUALIZE_TILE_TABLES (right, down.second) + s * VALUES);
#else
      map_piece (&piece, n, tables);
#endif
      store_piece (&piece, from + first * NC, to + first * NC, keep, n, s);
    }
    first += n;
  }
}

#elif STAND_IN && INTENSITY && !CLAHE && !SRC_IMAGE && !DST_IMAGE

/* As below, sample by sample: a small program, for first frames. */
kernel void
equalize (PLANE_ARGS, EQUALIZE_TABLE_ARGS)
{
  GPU_ITEM
  const int right = min (item_x + ITEM_SAMPLES, region.x + region.width);
  const int bottom = min (item_y + ITEM_ROWS, region.y + region.height);
  for (int y = item_y; y < bottom; y++) {
    global const sample_t *from = src + src_offset + y * src_stride;
    global sample_t *to = dst + dst_offset + y * dst_stride;
    for (int x = max (item_x, region.x); x < right; x += NC) {
      const int value = PIXEL_INTENSITY_AT (from + x), added = tables[value] - value;
      for (int i = x; i < x + NC; i++)
        to[i] = merge_sample ((sample_t) saturated (LOAD (from[i]) + added), from[i], keep[i]);
    }
  }
}

#elif INTENSITY && WORD_INTENSITY && !CLAHE && !DST_IMAGE

/* Groups from the bottom of the frame upwards: what was counted last is still in the cache. */
kernel void
equalize (PLANE_ARGS, EQUALIZE_TABLE_ARGS)
{
  local uint differences[VALUES];
  const int items = get_local_size (0) * get_local_size (1), group_y = get_num_groups (1) - 1 - get_group_id (1);
  const int item_x = ((int) get_global_id (0) + region.x / ITEM_SAMPLES) * ITEM_SAMPLES;
  const int item_y = region.y + (group_y * (int) get_local_size (1) + (int) get_local_id (1)) * ITEM_ROWS;
  const bool inside = item_x < region.x + region.width && item_y < region.y + region.height;
  uint words[ITEM_ROWS][ITEM_WORDS];
#pragma unroll
  for (int r = 0; r < ITEM_ROWS; r++)
    if (inside)
      load_words (words[r], min (item_y + r, plane.height - 1));
  for (int v = get_local_id (1) * get_local_size (0) + get_local_id (0); v < VALUES; v += items)
    differences[v] = ((uint) (tables[v] - v) & 0xffff) * 0x10001;
  barrier (CLK_LOCAL_MEM_FENCE);
  if (!inside)
    return;
  const uint mask = *(global const uint *) keep;
#pragma unroll
  for (int r = 0; r < ITEM_ROWS; r++) {
#pragma unroll
    for (int w = 0; w < ITEM_WORDS; w++) {
      const uint word = words[r][w], added = differences[word_intensity (word, weights)];
      words[r][w] = (saturated_sums (word, added) & mask) | (word & ~mask);
    }
    store_words (words[r], item_y + r);
  }
}

#else

kernel void
equalize (PLANE_ARGS, EQUALIZE_TABLE_ARGS)
{
  GPU_ITEM
  if (!ITEM_IN_REGION)
    return;
#if CLAHE
  const float inverse_width = 1.0f / size.width;
  const int x0 = (item_x - size.left) / NC;
#endif
#pragma unroll
  for (int r = 0; r < ITEM_ROWS; r++) {
    int v[ITEM_SAMPLES];
    load_point (v, item_x, min (item_y + r, plane.height - 1));
#if CLAHE
    const between_t down = between_centers (item_y + r - size.top, 1.0f / size.height, tiles.rows);
#endif
#pragma unroll
    for (int i = 0; i < ITEM_SAMPLES / NC; i++) {
#if CLAHE
      const between_t across = between_centers (x0 + i, inverse_width, tiles.columns);
#endif
#pragma unroll
      for (int s = 0; s < TABLES; s++) {
        const int value = EQUALIZE_PIXEL_VALUE (v + i * NC, s);
#if CLAHE
        const int at = s * VALUES + value;
        const int result = rounded (blend (
            blend (EQUALIZE_TILE_TABLES (across.first, down.first)[at],
                EQUALIZE_TILE_TABLES (across.first, down.second)[at], down.part),
            blend (EQUALIZE_TILE_TABLES (across.second, down.first)[at],
                EQUALIZE_TILE_TABLES (across.second, down.second)[at], down.part),
            across.part));
#else
        const int result = tables[value];
#endif
#if INTENSITY
#pragma unroll
        for (int c = 0; c < NC; c++)
          v[i * NC + c] = saturated (v[i * NC + c] + result - value);
#else
        v[i * NC + s] = result;
#endif
      }
    }
    store_item (v, item_y + r);
  }
}

#endif
