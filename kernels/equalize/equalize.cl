/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Maps samples for clequalize by the tables of tiles, interpolated between the tiles' centres (shared/lut.cl maps by one table). A cell is
 * the area between four neighbouring centres. The host defines CLAHE, 0 if there is one tile; INTENSITY, 1 for the intensity L of RGB
 * (shared/intensity.clh), where table[L] - L is added to every component, 0 to map each sample separately; TABLES of a tile, 1 or NC.
 * tables[row % tiles.held][column][TABLES][VALUES]: a ring of rows of tiles. */
/* Four ints of the host each. tile_size: width and height in pixels; left, top: the first sample and row of the tiles. */
struct tiles { int columns, rows, unused, held; };
struct tile_size { int width, height, left, top; };
#define EQUALIZE_ARGS uint weights, global const sample_t *restrict tables, struct tiles tiles, struct tile_size size

/* Where column or row i of cells begins, in pixels from the first tile on. */
static inline int cell_begin (int i, int tile_size) { return i == 0 ? 0 : ((2 * i - 1) * tile_size + 1) / 2; }
typedef struct { global const sample_t *at[4]; } corners_t; /* the tables of a cell: upper left, upper right, lower left, lower right */

static inline corners_t corners_of (global const sample_t *restrict tables, struct tiles tiles, int column, int row)
{
  const int left = max (column - 1, 0), right = min (column, tiles.columns - 1);
  const int upper = max (row - 1, 0) % tiles.held * tiles.columns, lower = min (row, tiles.rows - 1) % tiles.held * tiles.columns;
  const size_t of_tile = TABLES * VALUES;
  return (corners_t) {{tables + (upper + left) * of_tile, tables + (upper + right) * of_tile, tables + (lower + left) * of_tile,
    tables + (lower + right) * of_tile}};
}

static inline int saturated (int v) { return v < 0 ? 0 : v > MAX_VALUE ? MAX_VALUE : v; }

#if BACKEND_CPU
enum { EQUALIZE_PIECE = 256 }; /* pixels that stay in the cache from step to step */
typedef struct { ushort values[EQUALIZE_PIECE], results[EQUALIZE_PIECE]; } piece_t;

#if DEPTH < 16
typedef short added_t;
#else
typedef int added_t;
#endif

static inline void load_piece (piece_t *p, global const sample_t *restrict from, int n, int s, uint weights)
{
  for (int i = 0; i < n; i++)
    p->values[i] = (ushort) (INTENSITY ? intensity_at (from + i * NC, weights) : (uint) LOAD (from[i * NC + s]));
}

static inline void store_piece (const piece_t *p, global const sample_t *restrict from, global sample_t *restrict to,
    global const sample_t *restrict keep, int n, int s)
{
#if INTENSITY
  added_t added[EQUALIZE_PIECE * NC];
  for (int i = 0; i < n; i++)
    UNROLL for (int c = 0; c < NC; c++)
      added[i * NC + c] = (added_t) (p->results[i] - p->values[i]);
  for (int i = 0; i < n * NC; i++)
    to[i] = merge_sample (saturated (LOAD (from[i]) + added[i]), from[i], keep[i]);
#else
  for (int i = 0; i < n; i++)
    to[i * NC + s] = (sample_t) (p->results[i] << SHIFT);
#endif
}

/* Maps LOOKUP_WORDS values at once by tables in registers (shared/lookup.clh), or one. */
#if LOOKUP_WORDS
typedef lookup_words_t words_t;
typedef lookup_any_words_t stored_words_t;
typedef float floats_t __attribute__ ((ext_vector_type (LOOKUP_WORDS)));
typedef int ints_t __attribute__ ((ext_vector_type (LOOKUP_WORDS)));
#define TO_FLOATS(words) __builtin_convertvector (words, floats_t)
#define TO_WORDS(ints) __builtin_convertvector (ints, words_t)
#define ENTRIES(table, words) look_up (load_lookup (table), words)
#else
typedef ushort words_t, stored_words_t;
typedef float floats_t;
typedef int ints_t;
#define TO_FLOATS(words) (float) (words)
#define TO_WORDS(ints) (ushort) (ints)
#define ENTRIES(table, words) (table)[words]
#endif
#define AT_ONCE max (LOOKUP_WORDS, 1)

/* Maps n pixels of a cell, from x on, and up to AT_ONCE - 1 more, which are not stored. down: their position, 0 .. 1, between the upper and
 * the lower tables; x * inverse_width - offset: between the left and the right tables. Adding 2^23 rounds half to even. */
static inline void map_piece (piece_t *p, int n, corners_t t, int x, float inverse_width, float offset, float down)
{
  floats_t steps = 0;
  for (int i = 1; i < LOOKUP_WORDS; i++)
    ((float *) &steps)[i] = (float) i;
#pragma clang loop vectorize(disable) unroll_count(8)
  for (int i = 0; i < n; i += AT_ONCE) {
    const words_t v = *(const stored_words_t *) (p->values + i);
#if CLAHE
    floats_t e[4];
    UNROLL for (int c = 0; c < 4; c++)
      e[c] = TO_FLOATS (ENTRIES (t.at[c], v));
    const floats_t part = (steps + (float) (x + i)) * inverse_width - offset;
    const floats_t left = e[0] + down * (e[2] - e[0]), right = e[1] + down * (e[3] - e[1]);
    const words_t result = TO_WORDS (__builtin_astype (left + part * (right - left) + 0x1p23f, ints_t) & 0x3fffff);
#else
    const words_t result = ENTRIES (t.at[0], v);
#endif
    *(stored_words_t *) (p->results + i) = result;
  }
}

ITEM_KERNEL (equalize, (PLANE_ARGS, EQUALIZE_ARGS), (PLANE_NAMES, weights, tables, tiles, size))
{
  const int y = region.y + ITEM (1), pixels = region.width / NC, x0 = (region.x - size.left) / NC;
  global const sample_t *restrict from = SRC_ROW (y) + region.x;
  global sample_t *restrict to = dst + dst_offset + y * dst_stride + region.x;
  const float at = (float) (y - size.top) * (1.0f / size.height) - 0.5f, above = floor (at), inverse_width = 1.0f / size.width;
  piece_t piece;
  int column = -1, end = 0;
  for (int first = 0; first < pixels;) {
    while (end <= x0 + first)
      end = cell_begin (++column + 1, size.width);
    const int n = min (min (end - x0, pixels) - first, EQUALIZE_PIECE);
    corners_t cell = corners_of (tables, tiles, column, (int) above + 1);
    for (int s = 0; s < TABLES; s++) {
      if (INTENSITY || keep[s]) {
        load_piece (&piece, from + first * NC, n, s, weights);
        map_piece (&piece, n, cell, x0 + first, inverse_width, column - 0.5f, at - above);
        store_piece (&piece, from + first * NC, to + first * NC, keep, n, s);
      } else {
        for (int i = first * NC + s; i < (first + n) * NC; i += NC)
          to[i] = from[i];
      }
      for (int c = 0; c < 4; c++)
        cell.at[c] += VALUES;
    }
    first += n;
  }
}
#else
/* A value's entries in the tables at the four corners. With 8 bits, the four entries fit into a word, and all entries into local memory. */
#if DEPTH == 8
typedef local const uint *entries_t;
static inline uint entry (entries_t entries, int v, const int corner) { return entries[v] >> (8 * corner) & 0xff; }
#else
typedef corners_t entries_t;
static inline uint entry (entries_t cell, int v, const int corner) { return cell.at[corner][v]; }
#endif

static inline int mapped (entries_t entries, int v, float down, float across) /* the result for value v */
{
#if CLAHE
  float e[4];
  UNROLL for (int i = 0; i < 4; i++)
    e[i] = as_float (0x4b000000 | entry (entries, v, i));
  const float left = (e[0] - 0x1p23f) + down * (e[2] - e[0]), right = (e[1] - 0x1p23f) + down * (e[3] - e[1]);
  return as_int (left + across * (right - left) + 0x1p23f) & MAX_VALUE;
#else
  return entry (entries, v, 0);
#endif
}

/* Maps an item's words. x: the first pixel; down, inverse_width, offset: as on the cpu back end. */
static inline void
map_words (uint *words, const uint *stored, uint weights, entries_t entries, float down, int x, float inverse_width, float offset)
{
#if INTENSITY && WORD_INTENSITY
  UNROLL for (int w = 0; w < ITEM_WORDS; w++) {
    const int value = word_intensity (stored[w], weights);
    const int added = mapped (entries, value, down, (float) (x + w) * inverse_width - offset) - value;
    words[w] = saturated_sums (stored[w], ((uint) added & 0xffff) * 0x10001);
  }
#else
  int v[ITEM_SAMPLES];
  UNROLL for (int i = 0; i < ITEM_SAMPLES; i++) {
    const float across = (float) (x + i / NC) * inverse_width - offset;
    if (INTENSITY) {
      const int value = pixel_intensity (stored, i - i % NC, weights);
      v[i] = saturated (item_sample (stored, i) + mapped (entries, value, down, across) - value);
    } else {
      v[i] = mapped (entries, (TABLES > 1 ? i % NC * VALUES : 0) + item_sample (stored, i), down, across);
    }
  }
  pack_samples (words, v);
#endif
}

/* A cell has `parts` groups. */
kernel __attribute__ ((reqd_work_group_size (GROUP, 1, 1))) void equalize (PLANE_ARGS, EQUALIZE_ARGS, int parts)
{
  const int group = (int) get_group_id (0), number = group / parts, part = group % parts, lid = (int) get_local_id (0);
  const int column = number % (tiles.columns + 1), row = number / (tiles.columns + 1);
  /* the part of the region in the cell; the last cells have no end */
  struct region inside;
  inside.x = max (region.x, size.left + cell_begin (column, size.width) * NC);
  inside.y = max (region.y, size.top + cell_begin (row, size.height));
  const int right = column < tiles.columns ? size.left + cell_begin (column + 1, size.width) * NC : region.x + region.width;
  const int bottom = row < tiles.rows ? size.top + cell_begin (row + 1, size.height) : region.y + region.height;
  inside.width = min (right, region.x + region.width) - inside.x;
  inside.height = min (bottom, region.y + region.height) - inside.y;
  if (inside.width <= 0 || inside.height <= 0)
    return;

  const corners_t cell = corners_of (tables, tiles, column, row);
#if DEPTH == 8
  local uint entries[TABLES * VALUES];
  for (int v = lid; v < TABLES * VALUES; v += GROUP)
    entries[v] = cell.at[0][v] | (uint) cell.at[1][v] << 8 | (uint) cell.at[2][v] << 16 | (uint) cell.at[3][v] << 24;
  barrier (CLK_LOCAL_MEM_FENCE);
#else
  const corners_t entries = cell;
#endif
  const float inverse_width = 1.0f / size.width, inverse_height = 1.0f / size.height;
  const int first = inside.x / ITEM_SAMPLES, columns = (inside.x + inside.width + ITEM_SAMPLES - 1) / ITEM_SAMPLES - first;
  for (int item = part * GROUP + lid; item < columns * inside.height; item += parts * GROUP) {
    const int x = (first + item % columns) * ITEM_SAMPLES, y = inside.y + item / columns;
    const float down = (float) (y - size.top) * inverse_height - (row - 0.5f);
    uint words[ITEM_WORDS], stored[ITEM_WORDS];
    load_words_at (SRC_ARGS, stored, x, y);
    map_words (words, stored, weights, entries, down, (x - size.left) / NC, inverse_width, column - 0.5f);
    store_row (src, src_offset, src_stride, dst, dst_offset, dst_stride, keep, inside, plane, words, stored, x, y);
  }
}
#endif
