/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Erosion or dilation by a rectangle of any size, for the cpu back end: rows by minima of neighbouring windows, columns
 * by van Herk's and Gil and Werman's method with rows as its samples, so that the time hardly depends on the size.
 *
 * The rows of a strip fall into blocks as high as the window. A window that reaches from row k of a block into the
 * next one is the last rows of the former, from k on, and the first of the latter: the minimum of two rows that are
 * minima themselves, of which those of the former block are made when it is complete, and those of the latter as its
 * rows come. A row's place in `ring` is free when the row at the same place of the next block comes. */
#define RING_VECTORS 2048
#define MORPHOLOGY_LINE_VECTORS (4096 / MORPHOLOGY_LANES + 64 + 2)

kernel void
morphology (PLANE_ARGS, MORPHOLOGY_ARGS, struct window window, struct cut cut POINT_ARGS)
{
  row_t ring[RING_VECTORS], prefix[64], lines[2][MORPHOLOGY_LINE_VECTORS];
  const struct strip strip = strip_of (get_global_id (0), region, cut);
  const int height = window.height, vectors = strip.vectors;
  const int n = strip.width + (window.width - 1) * NC;

  for (int i = 0; i < strip.rows + height - 1; i++) {
    int middle, last;
    load_line (lines[0], SRC_ARGS, strip.x - window.left * NC, strip.y + i - window.top, n, flip POINT_NAMES);
    row_t *const line = widen (lines[0], lines[1], n, window.width, &middle, &last);
    const int k = i % height;
    row_t *const row = ring + k * vectors;
    for (int v = 0; v < vectors; v++) {
      const int x = v * MORPHOLOGY_LANES;
      const row_t least = LEAST (LEAST (MORPHOLOGY_ROW_AT (line, x), MORPHOLOGY_ROW_AT (line, x + middle)),
          MORPHOLOGY_ROW_AT (line, x + last));
      row[v] = least;
      prefix[v] = k == 0 ? least : LEAST (prefix[v], least);
    }
    const row_t *const rest = k == height - 1 ? prefix : row + vectors;
    if (i >= height - 1)
      store_line (dst, dst_offset, dst_stride, keep, region, src, src_offset, src_stride, flip, finish, joined,
          joined_place, other, other_place, strip, strip.y + i - (height - 1), prefix, rest);
    if (k == height - 1)
      for (int b = height - 2; b > 0; b--)
        for (int v = 0; v < vectors; v++)
          ring[b * vectors + v] = LEAST (ring[b * vectors + v], ring[(b + 1) * vectors + v]);
  }
}
