/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Erosion or dilation by a rectangle of any size, for the cpu back end: rows by minima of neighbouring windows, columns by van Herk's
 * and Gil and Werman's method with rows as its samples, so that the time hardly depends on the size.
 *
 * The rows of a strip fall into blocks as high as the window. A window that reaches from row k of a block into the next one is the last
 * rows of the former, from k on, and the first of the latter: the minimum of two rows that are minima themselves, of which those of the
 * former block are made when it is complete, and those of the latter as its rows come. A row's place in `ring` is free when the row at
 * the same place of the next block comes. */
enum { LINE_VECTORS = 4096 / LINE_LANES + 64 + 2 };

/* Minima of windows of `width` pixels out of minima of windows of one: as long as it is worth it, minima of three neighbouring windows
 * make one of the threefold width. The last step is left to the caller: of the line that is returned, the minimum at 0, at *middle and
 * at *last. */
static inline line_t *
widen (line_t *line, line_t *spare, int n, int width, int *middle, int *last)
{
  int done = 1;
  for (; 3 * done < width; done *= 3) {
    const int reach = done * NC;
    n -= 2 * reach;
    for (int x = 0; x < n; x += LINE_LANES)
      spare[x / LINE_LANES] = LEAST (LEAST (LINE_AT (line, x), LINE_AT (line, x + reach)), LINE_AT (line, x + 2 * reach));
    line_t *const wider = spare;
    spare = line;
    line = wider;
  }
  *middle = (width - done) / 2 * NC;
  *last = (width - done) * NC;
  return line;
}

kernel void
morphology_herk (PLANE_ARGS, MORPHOLOGY_ARGS, struct window window, struct cut cut POINT_ARGS)
{
  line_t ring[RING_VECTORS], prefix[64], lines[2][LINE_VECTORS];
  const struct strip strip = strip_of (get_global_id (0), region, cut);
  const int height = window.height, vectors = strip.vectors, n = strip.width + (window.width - 1) * NC;

  for (int i = 0; i < strip.rows + height - 1; i++) {
    int middle, last;
    load_line (lines[0], SRC_ARGS, strip.x - window.left * NC, strip.y + i - window.top, n, flip POINT_NAMES);
    line_t *const line = widen (lines[0], lines[1], n, window.width, &middle, &last);
    const int k = i % height;
    line_t *const row = ring + k * vectors;
    for (int v = 0; v < vectors; v++) {
      const int x = v * LINE_LANES;
      const line_t least = LEAST (LEAST (LINE_AT (line, x), LINE_AT (line, x + middle)), LINE_AT (line, x + last));
      row[v] = least;
      prefix[v] = k == 0 ? least : LEAST (prefix[v], least);
    }
    const line_t *const rest = k == height - 1 ? prefix : row + vectors;
    if (i >= height - 1)
      STORE_LINE (i - (height - 1), prefix, rest);
    if (k == height - 1)
      for (int v = (height - 1) * vectors - 1; v >= vectors; v--)
        ring[v] = LEAST (ring[v], ring[v + vectors]);
  }
}
