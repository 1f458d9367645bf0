/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Moves bytes between a plane in tiles and rows. An item moves a row of a tile. tiled_at, rows_at: {offset, stride} in bytes; for tiles the
 * stride is between rows of tiles. tile: a row's bytes, rows, 1 if two rows of tiles alternate, 1 to write `rows`, 0 to write `tiled`.
 * size: bytes of a row and rows of the plane; tiles of a row, and rows of tiles. Bytes of a tile beyond the plane become 0. */
ITEM_KERNEL (move_tiles, (global uchar *restrict tiled, int2 tiled_at, global uchar *restrict rows, int2 rows_at, int4 tile, int4 size), (tiled,
    tiled_at, rows, rows_at, tile, size))
{
  EACH_PLACE (sizeof (uint), size.z, size.w * tile.y)
  {
    /* two alternating rows: four tiles in a Z, four in a Z upside down, and so on; a last row without a partner: tiles in order */
    const int row = y / tile.y, before = !tile.z ? 0 : row % 2 ? 2 + (x & ~3) : row + 1 < size.w ? (x + 2) & ~3 : 0;
    const int in_tile = tiled_at.x + (tile.z ? row & ~1 : row) * tiled_at.y + (x + before) * tile.x * tile.y + y % tile.y * tile.x;
    const int in_row = rows_at.x + y * rows_at.y + x * tile.x, n = y < size.y ? clamp (size.x - x * tile.x, 0, tile.x) : 0;
    for (int i = 0; i < n && tile.w; i++)
      rows[in_row + i] = tiled[in_tile + i];
    for (int i = 0; i < n && !tile.w; i++)
      tiled[in_tile + i] = rows[in_row + i];
    for (int i = n; i < tile.x && !tile.w; i++)
      tiled[in_tile + i] = 0;
  }
}

/* The same between MediaTek's tiles of 16 values of 10 bits a row, and rows with four values in five bytes. An item moves a block: four rows
 * of a tile. It begins with the two low bits of its values, those of four in a byte: four of a row if tile.z, else of a column. Bytes with
 * the upper bits of each value follow. */
enum { LOW_BYTES = 16, BLOCK_BYTES = 80 };
ITEM_KERNEL (move_blocks, (global uchar *restrict tiled, int2 tiled_at, global uchar *restrict rows, int2 rows_at, int4 tile, int4 size), (tiled,
    tiled_at, rows, rows_at, tile, size))
{
  EACH_PLACE (sizeof (uint), size.z, size.w * (tile.y / 4))
  {
    const int blocks = tile.y / 4;
    global uchar *block = tiled + tiled_at.x + y / blocks * tiled_at.y + (x * blocks + y % blocks) * BLOCK_BYTES;
    uchar lows[LOW_BYTES] = {0};
    for (int i = 0; i < LOW_BYTES; i++) { /* four values of row i / 4 */
      const int row = 4 * y + i / 4, at = x * tile.x + i % 4 * 5;
      global uchar *values = rows + rows_at.x + row * rows_at.y + at;
      const int n = row < size.y && at < size.x ? 5 : 0;
      ulong word = 0;
      for (int k = 0; k < n && !tile.w; k++)
        word |= (ulong) values[k] << 8 * k;
      for (int k = 0; k < 4; k++) {
        const int low = tile.z ? i : i % 4 * 4 + k, bit = 2 * (tile.z ? k : i / 4);
        global uchar *high = block + LOW_BYTES + 4 * i + k;
        if (tile.w) {
          word |= (ulong) (*high << 2 | (block[low] >> bit & 3)) << 10 * k;
        } else {
          *high = (uchar) (word >> (10 * k + 2));
          lows[low] |= (uchar) ((word >> 10 * k & 3) << bit);
        }
      }
      for (int k = 0; k < n && tile.w; k++)
        values[k] = (uchar) (word >> 8 * k);
    }
    for (int i = 0; i < LOW_BYTES && !tile.w; i++)
      block[i] = lows[i];
  }
}
