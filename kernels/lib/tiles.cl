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
