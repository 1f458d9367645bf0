/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Draws boxes and texts onto a plane. An item draws all marks on its own pixels, in their order, so that no result depends on which item is
 * faster. SUB_X, SUB_Y: log2 of the subsampling, 0 to 2; FIELDS: 1 if rows belong to two fields alternately. marks: of each x, y, width and
 * height in pixels of the frame; the first of its bits, or -1; bits in a row; the width of a bit. bits: 1 for letters. size: of the plane
 * in pixels; number of marks. ink: stored samples of boxes and backgrounds; dark: of letters. */
enum { MARK_NUMBERS = 8, MARK_SPAN = 64 };

kernel void draw_marks (global sample_t *restrict to, int2 at, int4 size, global const int *restrict marks,
    global const uchar *restrict bits, int4 ink, int4 dark)
{
  const int y = get_global_id (1), lane = BACKEND_CPU ? 0 : (int) get_global_id (0), step = BACKEND_CPU ? 1 : MARK_SPAN;
  if (y >= size.y)
    return;
  const int inks[4] = {ink.x, ink.y, ink.z, ink.w}, darks[4] = {dark.x, dark.y, dark.z, dark.w};
  global sample_t *row = to + at.x + y * at.y;
  const int luma_row = FIELDS ? (y >> 1 << (SUB_Y + 1)) + (y & 1) : y << SUB_Y;
  for (int m = 0; m < size.z; m++) {
    global const int *mark = marks + m * MARK_NUMBERS;
    const int line = luma_row - mark[1];
    if (line < 0 || line >= mark[3])
      continue;
    const int left = max ((mark[0] + (1 << SUB_X) - 1) >> SUB_X, 0), right = min ((mark[0] + mark[2] + (1 << SUB_X) - 1) >> SUB_X, size.x);
    for (int x = left + (lane - left % step + step) % step; x < right; x += step) {
      const int column = (x << SUB_X) - mark[0];
      const bool is_dark = mark[4] >= 0 && bits[mark[4] + line / mark[6] * mark[5] + column / mark[6]];
      for (int c = 0; c < NC; c++)
        row[x * NC + c] = (sample_t) (is_dark ? darks[c] : inks[c]);
    }
  }
}
