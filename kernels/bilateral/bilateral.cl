/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The bilateral filter on the cpu back end (bilateral/quads.cl is the gpu form): the mean of a window, weighted by exp (-d2 / (2 ss^2)) *
 * exp (-r^2 / (2 sr^2)), with d2 the squared distance in space and r the distance in range. An item filters STRIP pixels in ITEM_ROWS rows.
 * Each row of the window is unpacked to floats once; every tap is a loop over the strip, of vectors for any format and radius. space,
 * range: the factors of d2 and r^2 in a weight's exponent (shared/weight.clh). */
/* STRIP: pixels of a strip; STRIP_LANES: loops take a multiple of it; STRIP_SPAN: the longest row, with the largest window. 16-bit samples
 * need more digits than a float keeps over a large window, so that each row is summed on its own, then added to TOTALS more sums. */
enum { STRIP = 128, STRIP_LANES = 16, STRIP_SPAN = STRIP + 2 * 200, TOTALS = DEPTH > 12 ? SUMS : 0 };
typedef struct { float center[GUIDES][STRIP], sum[SUMS + TOTALS][STRIP]; } strip_t;

ONCE void
unpack_row (float (*row)[STRIP_SPAN], global const sample_t *restrict src, int src_offset, int src_stride GUIDE_ARGS, int x, int y, int n)
{
  for (int i = 0; i < n; i++) {
    float terms[PIXEL_TERMS];
    load_terms (terms, src, src_offset, src_stride GUIDE_NAMES, x + i, y);
    UNROLL for (int v = 0; v < PIXEL_TERMS; v++)
      row[v][i] = terms[v];
  }
}

/* Adds `taps` neighbours, the first of which is dx pixels to the right and at row[...][first], to every pixel of the strip. */
INLINE void
add_taps (strip_t *s, float (*row)[STRIP_SPAN], int lanes, const int taps, int first, int dx, float near_row, float space, float range)
{
  WIDE_LOOP
  for (int i = 0; i < lanes; i++) {
    float sum[SUMS];
    UNROLL for (int m = 0; m < SUMS; m++)
      sum[m] = s->sum[m][i];
    UNROLL for (int t = 0; t < taps; t++) {
      const int at = first + i + t;
      const float near = near_row + (dx + t) * (dx + t) * space;
      float weight[WEIGHTS], d[GUIDES];
      UNROLL for (int g = 0; g < GUIDES; g++)
        d[g] = row[GUIDE + g][at] - s->center[g][i];
      UNROLL for (int w = 0; w < WEIGHTS; w++) {
#if DISTANCE_COLOR
        const float distance2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
#else
        const float distance2 = d[w] * d[w];
#endif
        weight[w] = weight_at (near + range * distance2);
        sum[COMPONENTS + w] += weight[w];
      }
      UNROLL for (int c = 0; c < COMPONENTS; c++)
        sum[c] += weight[weight_for (c)] * row[c][at];
    }
    UNROLL for (int m = 0; m < SUMS; m++)
      s->sum[m][i] = sum[m];
  }
}

/* Adds the taps of one row of the window, which is dy rows below and starts `radius` pixels left of the strip. */
static inline void add_row (strip_t *s, float (*row)[STRIP_SPAN], int lanes, int radius, int dy, float space, float range)
{
  const int half_row = half_width (dy, radius);
  const float near_row = WEIGHT_ONE + dy * dy * space;
  int dx = -half_row;
  for (; dx + 4 <= half_row; dx += 5)
    add_taps (s, row, lanes, 5, radius + dx, dx, near_row, space, range);
  for (; dx + 2 <= half_row; dx += 3)
    add_taps (s, row, lanes, 3, radius + dx, dx, near_row, space, range);
  for (; dx <= half_row; dx++)
    add_taps (s, row, lanes, 1, radius + dx, dx, near_row, space, range);
  for (int m = 0; m < TOTALS; m++)
    for (int i = 0; i < lanes; i++)
      s->sum[SUMS + m][i] += s->sum[m][i], s->sum[m][i] = 0;
}

ITEM_KERNEL (bilateral, (PLANE_ARGS GUIDE_ARGS, float space, float range, int radius), (PLANE_NAMES GUIDE_NAMES, space, range, radius))
{
  const int column = ITEM (0) * STRIP, x = region.x / NC + column, y = region.y + ITEM_Y;
  const int n = min (STRIP, region.width / NC - column), lanes = (n + STRIP_LANES - 1) / STRIP_LANES * STRIP_LANES;
  if (n <= 0)
    return;
  float row[PIXEL_TERMS][STRIP_SPAN]; /* numbers of lanes beyond the strip's end are not used */
  strip_t strip[ITEM_ROWS];
  for (int k = 0; k < ITEM_ROWS; k++) {
    unpack_row (row, src, src_offset, src_stride GUIDE_NAMES, x, y + k, n);
    for (int g = 0; g < GUIDES; g++)
      for (int i = 0; i < STRIP; i++)
        strip[k].center[g][i] = row[GUIDE + g][i];
    for (int m = 0; m < SUMS + TOTALS; m++)
      for (int i = 0; i < STRIP; i++)
        strip[k].sum[m][i] = 0;
  }
  for (int j = -radius; j < radius + ITEM_ROWS; j++) {
    unpack_row (row, src, src_offset, src_stride GUIDE_NAMES, x - radius, y + j, n + 2 * radius);
    for (int k = max (j - radius, 0); k <= min (j + radius, ITEM_ROWS - 1); k++)
      add_row (&strip[k], row, lanes, radius, j - k, space, range);
  }
  for (int k = 0; k < ITEM_ROWS; k++) {
    const float (*sum)[STRIP] = strip[k].sum + TOTALS;
    global const sample_t *restrict from = src + src_offset + (y + k) * src_stride + x * NC;
    global sample_t *restrict to = dst + dst_offset + (y + k) * dst_stride + x * NC;
    for (int i = 0; i < n; i++) {
      const pixel_t original = load_pixel (from + i * NC), mask = load_pixel (keep + (column + i) * NC);
      pixel_t pixel = {0};
      UNROLL for (int c = 0; c < NC; c++) {
        const int at = position (c);
        const uint result = c < COMPONENTS ? round_to_uint (sum[c][i] / sum[COMPONENTS + weight_for (c)][i]) : 0;
        set_sample (&pixel, at, merge_sample (result, PIXEL_SAMPLE (original, at), PIXEL_SAMPLE (mask, at)));
      }
      put_pixel (to + i * NC, pixel);
    }
  }
}
