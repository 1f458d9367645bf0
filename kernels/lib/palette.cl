/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Converts between bytes that are indices into a palette and pixels G B R A. An entry is a word: blue lowest, then green, red and alpha.
 * counts: the indices. counts_at, pixels_at: {offset, stride}, in bytes and in pixels; size: pixels of a row, rows. */
ITEM_KERNEL (look_up, (global const uchar *restrict counts, int2 counts_at, global const uchar *restrict palette, int palette_at,
    global uchar4 *restrict pixels, int2 pixels_at, int2 size), (counts, counts_at, palette, palette_at, pixels, pixels_at, size))
{
  EACH_PLACE (sizeof (uint), size.x, size.y)
  {
    global const uchar *bgra = palette + palette_at + 4 * counts[counts_at.x + y * counts_at.y + x];
    pixels[pixels_at.x + y * pixels_at.y + x] = (uchar4) (bgra[1], bgra[0], bgra[2], bgra[3]);
  }
}

/* Finds indices into GStreamer's palette: six steps each of red, green and blue, then a transparent entry. Row 0 writes the entries. */
ITEM_KERNEL (choose_entries, (global uchar *restrict counts, int2 counts_at, global uchar *restrict palette, int palette_at,
    global const uchar4 *restrict pixels, int2 pixels_at, int2 size, global const uchar *restrict entries, int bytes), (counts, counts_at,
    palette, palette_at, pixels, pixels_at, size, entries, bytes))
{
  EACH_PLACE (sizeof (uint), size.x, size.y)
  {
    const uchar4 gbra = pixels[pixels_at.x + y * pixels_at.y + x];
    const int4 steps = ((int4) (gbra.x, gbra.y, gbra.z, 0) + 25) / 51;
    counts[counts_at.x + y * counts_at.y + x] = (uchar) (gbra.w < 128 ? 216 : steps.z * 36 + steps.x * 6 + steps.y);
    if (y == 0)
      for (int i = x; i < bytes; i += size.x)
        palette[palette_at + i] = entries[i];
  }
}
