/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Erosion or dilation (an erosion of complements), cpu, after morphology/morphology.clh: an item goes down a strip by lines of vectors.
 * morphology_herk takes a rectangle: rows by minima of neighbouring windows, columns by van Herk's and Gil and Werman's method with rows as
 * its samples, so that the time hardly depends on the size. morphology_runs takes any structuring element, as n_runs runs (struct run). */
/* A strip has at most 64 vectors, and its window reaches 4096 samples farther; for runs these are 32 and 1024. Two vectors are spare.
 * gst/morphology/step.cpp keeps these limits. */
enum {
  LINE_LANES = 512 / SAMPLE_BITS, RING_VECTORS = 2048, LINE_VECTORS = 4096 / LINE_LANES + 64 + 2, RUN_LEVELS = 8,
  RUN_VECTORS = 1024 / LINE_LANES + 32 + 2
};
#define LEAST(a, b) __builtin_elementwise_min (a, b)
typedef sample_t line_t __attribute__ ((ext_vector_type (LINE_LANES)));
typedef line_t line_anywhere_t __attribute__ ((aligned (SAMPLE_BITS / 8)));
/* A private line is an array of vectors, read from any sample on. */
#define LINE_AT(line, x) (*(const line_anywhere_t *) ((const sample_t *) (line) + (x)))
#define PLANE_LINE(p) (*(global const line_anywhere_t *) (p))
/* An item's strip: `vectors` vectors from sample x of row y on, of which `width` samples exist. */
struct strip { int x, y, width, rows, vectors; };
/* How far a structuring element reaches to the left of and above the sample, in pixels (negative: without the sample), and its size. */
struct window { int left, top, width, height; };
/* How a plane is cut: strips of `samples` samples in bands of `rows` rows; a job is one strip of one band. */
struct cut { int samples, rows, strips, jobs; };
/* In row `row` of the element a run is the union of two windows of 2^level pixels that begin `first` and `second` samples from its left. */
struct run { int row, level, first, second; };
static inline line_t line_of (int v) { return (line_t) ((sample_t) v); }
static inline line_t values_of (line_t stored)
{ return (SPARE_BITS ? LEAST (stored, line_of (VALUE_BITS)) : stored) & line_of (VALUE_BITS); }

/* The last strip and the last band start earlier, to end with the region; overlaps are written twice with the same values. */
static inline struct strip strip_of (int item, struct region region, struct cut cut)
{
  const int width = min (cut.samples, region.width), rows = min (cut.rows, region.height);
  return (struct strip) {region.x + min (item % cut.strips * cut.samples, region.width - width),
      region.y + min (item / cut.strips * cut.rows, region.height - rows), width, rows, (width + LINE_LANES - 1) / LINE_LANES};
}

/* Loads n samples, whole pixels, by the border rule, in the form in which they are compared; writes up to a vector more. */
ONCE void load_line (line_t *to, SRC_PARAMS, int x, int y, int n, int flip BEFORE_ARGS)
{
  const int row = row_place (y, plane), vectors = (n + LINE_LANES - 1) / LINE_LANES;
  global const sample_t *restrict from = src + src_offset + row * src_stride, *line = from + x;
  const int left = clamp (-x, 0, n), right = clamp (plane.width - x, left, n);
  sample_t *const samples = (sample_t *) to;
  if (row < 0) {
    for (int v = 0; v < vectors; v++)
      to[v] = line_of ((plane.value << SHIFT) ^ flip);
    return;
  }
  const bool wide = right - left >= LINE_LANES;
  for (int i = left; i < right && wide; i += LINE_LANES) {
    const int at = min (i, right - LINE_LANES);
    const line_t stored = PLANE_LINE (line + at);
    *(line_anywhere_t *) (samples + at) = POINTS ? stored : values_of (stored) ^ line_of (flip);
  }
  /* samples outside the plane, or all samples of a line that is narrower than a vector */
  for (int i = wide && !left ? right : 0; i < n; i = wide && i + 1 == left ? right : i + 1) {
    const sample_t stored = stored_sample (from, x + i, plane);
    samples[i] = POINTS ? stored : (LOAD (stored) << SHIFT) ^ flip;
  }
#if POINTS
  const bool all = plane.border != BORDER_CONSTANT;
  WIDE_LOOP
  for (int i = all ? 0 : left; i < (all ? n : right); i += NC)
    *(pixel_t *) (samples + i) = run_pixel (*(const pixel_t *) (samples + i) BEFORE_NAMES);
  for (int v = 0; v < vectors; v++)
    to[v] = values_of (to[v]) ^ line_of (flip);
#endif
}

/* The result of the last step, by `finish`, in place of the extremum v. */
static inline line_t finished (line_t v, MORPHOLOGY_ARGS, line_t with)
{
  with = values_of (with);
  if (finish & FINISH_LEAST)
    v = LEAST (v, with ^ line_of (flip));
  v ^= line_of (flip);
  if (finish & FINISH_ABOVE)
    v -= LEAST (v, with);
  if (finish & FINISH_BELOW)
    v = with - LEAST (v, with);
  if (finish & FINISH_SIGNED)
    v = LEAST (v, line_of (VALUE_BITS - NEUTRAL_SAMPLE)) + line_of (NEUTRAL_SAMPLE);
  return v;
}

/* Stores the minimum of two lines, finished, in row y of the strip. */
ONCE void store_line (PLANE_ARGS, MORPHOLOGY_ARGS, struct strip strip, int y, const line_t *p, const line_t *q)
{
  y += strip.y;
  global sample_t *restrict to = dst + dst_offset + y * dst_stride + strip.x;
  global const sample_t *restrict from = src + src_offset + y * src_stride + strip.x;
  global const sample_t *restrict mask = keep + (strip.x - region.x);
  global const sample_t *restrict with = other + other_place.x + y * other_place.y + strip.x;
  if (strip.width < LINE_LANES) {
    line_t with_line = 0;
    for (int i = 0; i < strip.width; i++)
      ((sample_t *) &with_line)[i] = with[i];
    const line_t v = finished (LEAST (p[0], q[0]), MORPHOLOGY, with_line);
    for (int i = 0; i < strip.width; i++)
      to[i] = (((const sample_t *) &v)[i] & mask[i]) | (from[i] & ~mask[i]);
    return;
  }
  for (int v = 0; v < strip.vectors; v++) {
    const int x = min (v * LINE_LANES, strip.width - LINE_LANES);
    const line_t least = LEAST (LINE_AT (p, x), LINE_AT (q, x)), keeps = PLANE_LINE (mask + x);
    const line_t result = finish ? finished (least, MORPHOLOGY, PLANE_LINE (with + x)) : least ^ line_of (flip);
    const line_t stored = (result & keeps) | (PLANE_LINE (from + x) & ~keeps);
    /* writing past the caches saves reading the lines first, a fifth of the time of small windows */
    if (((ulong) (to + x) & (sizeof (line_t) - 1)) == 0)
      __builtin_nontemporal_store (stored, (global line_t *) (to + x));
    else
      *(global line_anywhere_t *) (to + x) = stored;
  }
}
#define STORE_LINE(row, p, q) store_line (PLANE_NAMES, MORPHOLOGY, strip, row, p, q)

/* Makes minima of wider windows from windows of one pixel: triples them while three times the width is below `width`. The caller makes the
 * last step: the minimum of the returned line at x, x + *middle and x + *last is the minimum of `width` pixels. */
ONCE line_t * widen (line_t *line, line_t *spare, int n, int width, int step, int *middle, int *last)
{
  int done = 1;
  for (; 3 * done < width; done *= 3) {
    const int reach = done * step;
    n -= 2 * reach;
    for (int x = 0; x < n; x += LINE_LANES)
      spare[x / LINE_LANES] = LEAST (LEAST (LINE_AT (line, x), LINE_AT (line, x + reach)), LINE_AT (line, x + 2 * reach));
    line_t *const wider = spare;
    spare = line;
    line = wider;
  }
  *middle = (width - done) / 2 * step;
  *last = (width - done) * step;
  return line;
}

/* Rows form blocks as high as the window. A window from row k of a block on has the last rows of this block and the first rows of the next;
 * its minimum is the lesser of two: the minimum of the first block's end, made when the block is complete, and of the next block's
 * beginning, made row by row. A row's place in `ring` is free when the same row of the next block comes. */
kernel void morphology_herk (PLANE_ARGS, MORPHOLOGY_ARGS, struct window window, struct cut cut BEFORE_ARGS)
{
  line_t ring[RING_VECTORS], prefix[64], lines[2][LINE_VECTORS];
  const struct strip strip = strip_of (get_global_id (0), region, cut);
  const int height = window.height, vectors = strip.vectors, n = strip.width + (window.width - 1) * NC;
  for (int i = 0; i < strip.rows + height - 1; i++) {
    int middle, last;
    load_line (lines[0], SRC_ARGS, strip.x - window.left * NC, strip.y + i - window.top, n, flip BEFORE_NAMES);
    line_t *const line = widen (lines[0], lines[1], n, window.width, NC, &middle, &last);
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

#if !POINTS
/* Finds minima of windows of 1, 2, 4 .. pixels for each source row. A run in row r of the element takes them into the result r rows higher;
 * a result is complete after the last row of its element. */
kernel void morphology_runs (PLANE_ARGS, MORPHOLOGY_ARGS, struct window window, struct cut cut, global const struct run *restrict runs,
    int n_runs, int levels)
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
      line_t *const result = ring + y % height * vectors, *const line = lines[run.level];
      for (int v = 0; v < vectors; v++)
        result[v] = LEAST (result[v], LEAST (LINE_AT (line, v * LINE_LANES + run.first), LINE_AT (line, v * LINE_LANES + run.second)));
    }
    const int done = i - (height - 1);
    if (done >= 0)
      STORE_LINE (done, ring + done % height * vectors, ring + done % height * vectors);
  }
}
#endif
