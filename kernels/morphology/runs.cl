/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Erosion or dilation by any element, as runs of samples side by side, for the cpu back end.
 *
 *   levels   the number of levels of `runs`, of which there are n_runs
 *
 * For every row of the source there are rows of the minima of windows of 1, 2, 4 .. pixels. Each run is then taken into the result of
 * that row that the run's row of the element belongs to; a result is complete with its element's last row. */
enum { RUN_LEVELS = 8, RUN_VECTORS = 1024 / LINE_LANES + 32 + 2 };

/* In row `row` of the element, counted from its top, the run is the union of two windows of 2^level pixels that begin `first` and
 * `second` samples from its left edge. */
struct run
{
  int row, level, first, second;
};

kernel void
morphology_runs (PLANE_ARGS, MORPHOLOGY_ARGS, struct window window, struct cut cut, global const struct run *restrict runs, int n_runs,
    int levels)
{
  line_t ring[RING_VECTORS], lines[RUN_LEVELS][RUN_VECTORS];
  const struct strip strip = strip_of (get_global_id (0), region, cut);
  const int height = window.height, vectors = strip.vectors, n = strip.width + (window.width - 1) * NC;

  for (int i = 0; i < strip.rows + height - 1; i++) {
    load_line (lines[0], SRC_ARGS, strip.x - window.left * NC, strip.y + i - window.top, n, flip);
    for (int level = 1; level < levels; level++)
      for (int x = 0, reach = NC << (level - 1); x < n - 2 * reach + NC; x += LINE_LANES)
        lines[level][x / LINE_LANES] = LEAST (LINE_AT (lines[level - 1], x), LINE_AT (lines[level - 1], x + reach));
    for (int v = 0; v < vectors; v++)
      ring[i % height * vectors + v] = line_of (VALUE_BITS);
    for (int r = 0; r < n_runs; r++) {
      const struct run run = runs[r];
      const int y = i - run.row;
      if (y < 0 || y >= strip.rows)
        continue;
      line_t *const result = ring + y % height * vectors;
      for (int v = 0; v < vectors; v++)
        result[v] = LEAST (result[v], LEAST (LINE_AT (lines[run.level], v * LINE_LANES + run.first),
                                          LINE_AT (lines[run.level], v * LINE_LANES + run.second)));
    }
    const int done = i - (height - 1);
    if (done >= 0)
      STORE_LINE (done, ring + done % height * vectors, ring + done % height * vectors);
  }
}
