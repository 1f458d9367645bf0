/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* CLAHE's map of 8-bit samples on the gpu back end, cell by cell: what lies between the same centres of tiles is a cell,
 * whose four tables fit into local memory, the four entries of a value in one word. Tiles and tables as in equalize/equalize.cl,
 * with one table for a tile: of samples where a pixel has one, else of the intensity of RGB.
 *
 * parts   groups of GROUP items a cell
 *
 * Wins on the H200 in docs/performance.md: equalize, clahe, gray.
 */

/* Where column or row i of cells begins, from the first tile on. */
static inline int
cell_begin (int i, int tile_size)
{
  return i == 0 ? 0 : ((2 * i - 1) * tile_size + 1) / 2;
}

static inline float
byte_as_float (uint word, int i)
{
  return as_float (0x4b000000 | (word >> (8 * i) & 0xff));
}

/* The entries of a corner's word blended: bytes 0 and 1 of the upper row of tiles, 2 and 3 of the lower one. */
static inline uint
blended (uint corners, float down, float across)
{
  const float a = byte_as_float (corners, 0), b = byte_as_float (corners, 1);
  const float left = (a - 0x1p23f) + down * (byte_as_float (corners, 2) - a);
  const float right = (b - 0x1p23f) + down * (byte_as_float (corners, 3) - b);
  return as_uint (left + across * (right - left) + 0x1p23f) & 0xff;
}

/* A word of samples from x on, counted from the first tile in pixels, or of one pixel. */
static inline uint
mapped_word (uint word, uint weights, local const uint *corners, float down, int x, float inverse_width, float offset)
{
#if NC == 1
  uint result = 0;
#pragma unroll
  for (int i = 0; i < SAMPLES_PER_WORD; i++)
    result |= blended (corners[unpack_sample (word, i)], down, (float) (x + i) * inverse_width - offset)
              << (SAMPLE_BITS * i + SHIFT);
  return result;
#else
  const uint intensity = word_intensity (word, weights);
  const uint added = blended (corners[intensity], down, (float) x * inverse_width - offset) - intensity;
  return saturated_sums (word, (added & 0xffff) * 0x10001);
#endif
}

/* weights, tables, tiles, size: as in equalize/equalize.cl */
kernel __attribute__ ((reqd_work_group_size (GROUP, 1, 1))) void
equalize_cells (PLANE_ARGS, uint weights, global const sample_t *restrict tables, struct tiles tiles, struct tile_size size, int parts)
{
  local uint corners[VALUES];
  const int cell = get_group_id (0) / parts, part = get_group_id (0) % parts, lid = get_local_id (0);
  const int column = cell % (tiles.columns + 1), row = cell / (tiles.columns + 1);
  /* what of the region lies in the cell, the last of which have no end */
  struct region inside;
  inside.x = max (region.x, size.left + cell_begin (column, size.width) * NC);
  inside.y = max (region.y, size.top + cell_begin (row, size.height));
  const int right = column < tiles.columns ? size.left + cell_begin (column + 1, size.width) * NC : region.x + region.width;
  const int bottom = row < tiles.rows ? size.top + cell_begin (row + 1, size.height) : region.y + region.height;
  inside.width = min (right, region.x + region.width) - inside.x;
  inside.height = min (bottom, region.y + region.height) - inside.y;
  if (inside.width <= 0 || inside.height <= 0)
    return;

  const int first_column = max (column - 1, 0), second_column = min (column, tiles.columns - 1);
  global const sample_t *upper = tables + (size_t) (max (row - 1, 0) % tiles.held * tiles.columns) * VALUES;
  global const sample_t *lower = tables + (size_t) (min (row, tiles.rows - 1) % tiles.held * tiles.columns) * VALUES;
  for (int v = lid; v < VALUES; v += GROUP)
    corners[v] = upper[first_column * VALUES + v] | (uint) upper[second_column * VALUES + v] << 8
                 | (uint) lower[first_column * VALUES + v] << 16 | (uint) lower[second_column * VALUES + v] << 24;
  barrier (CLK_LOCAL_MEM_FENCE);

  const float inverse_width = 1.0f / size.width, inverse_height = 1.0f / size.height;
  const float offset = column - 0.5f, row_offset = row - 0.5f;
  uint masks[PHASES];
  find_masks (masks, keep);
  const int column0 = inside.x / ITEM_SAMPLES;
  const int columns = (inside.x + inside.width + ITEM_SAMPLES - 1) / ITEM_SAMPLES - column0, items = columns * inside.height;
  const int stride = parts * GROUP, columns_on = stride % columns, rows_on = stride / columns;
  int item = part * GROUP + lid, c = item % columns, y = inside.y + item / columns;
  for (; item < items; item += stride) {
    const int x = (column0 + c) * ITEM_SAMPLES;
    const float down = (float) (y - size.top) * inverse_height - row_offset;
    uint words[ITEM_WORDS];
    load_words_at (SRC_ARGS, words, x, y);
#pragma unroll
    for (int w = 0; w < ITEM_WORDS; w++) {
      const int at = (x + w * SAMPLES_PER_WORD - size.left) / NC;
      const uint mask = masks[w % PHASES];
      const uint result = mapped_word (words[w], weights, corners, down, at, inverse_width, offset);
      words[w] = (result & mask) | (words[w] & ~mask);
    }
    store_words_at (dst, dst_offset, dst_stride, inside, words, x, y);
    c += columns_on;
    y += rows_on + (c >= columns);
    c -= c >= columns ? columns : 0;
  }
}
