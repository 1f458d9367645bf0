/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clmedian, large windows of any rank, cpu: constant time (Perreault and Hebert, Median filtering in constant time, 2007). Every column of
 * a strip has a histogram of the window's rows, of LANES coarse bins and LANES fine bins in each. Moving down a row adds and takes away a
 * sample a column; moving right adds and takes away a column. Counts are cumulative, so that a sample is entered by one vector operation,
 * and the bin of a rank is the number of lanes at or below it. A coarse bin's fine histogram is brought up to date only when the rank falls
 * into it. An item takes jobs in turn, strips of `strip` results of one component and `band` rows; it has `each` bytes of scratch, a
 * multiple of 64. Wins on the processor in docs/measurements/cpu.md: median 31x31. */
enum { LEVEL = DEPTH == 8 ? 4 : 5, LANES = 1 << LEVEL };
typedef uchar column_t __attribute__ ((ext_vector_type (LANES)));
typedef column_t column_anywhere_t __attribute__ ((aligned (1)));
typedef ushort window_t __attribute__ ((ext_vector_type (LANES)));
typedef short signed_window_t __attribute__ ((ext_vector_type (LANES)));
static inline window_t window_of (column_t column) { return __builtin_convertvector (column, window_t); }
static inline int width_of (int2 radius) { return 2 * radius.x + 1; }
/* The number that histograms count: the sample's value, or its class. */
static inline int counted_value (sample_t v) { return DEPTH > 10 ? v : LOAD (v); }
/* The gap keeps columns' records out of one another's cache sets. */
struct column { column_t coarse; uchar gap[64 - LANES]; column_t fine[LANES]; };
/* coarse: the counts of the window; fine[bin]: of the window that begins at column at[bin], to be brought up to date. */
struct window { window_t coarse, fine[LANES]; int at[LANES]; };

/* A mask of the lanes from `first` on: the LANES bytes that begin `first` bytes before the middle of lane_steps. */
constant column_t lane_steps[2] __attribute__ ((aligned (2 * LANES))) = {0, 0xff};
static inline column_t lanes_from (int first) { return *(constant column_anywhere_t *) ((constant uchar *) lane_steps + LANES - first); }

/* Fills the histograms of n columns around the row of p, whose samples are `step` apart; or, if `moves`, moves them from this row to the
 * next. A set lane of a mask is -1, and so is subtracted. */
static inline void fill_columns (int2 radius, global struct column *columns, int n, global const sample_t *p, int stride, int step, bool moves)
{
  for (int i = 0; i < n; i++, p += step) {
    if (moves) {
      const int old = counted_value (p[-radius.y * stride]), v = counted_value (p[(radius.y + 1) * stride]);
      columns[i].coarse += lanes_from (old >> LEVEL) - lanes_from (v >> LEVEL);
      columns[i].fine[old >> LEVEL] += lanes_from (old & (LANES - 1));
      columns[i].fine[v >> LEVEL] -= lanes_from (v & (LANES - 1));
      continue;
    }
    columns[i].coarse = 0;
    for (int bin = 0; bin < LANES; bin++)
      columns[i].fine[bin] = 0;
    for (int y = -radius.y; y <= radius.y; y++) {
      const int v = counted_value (p[y * stride]);
      columns[i].coarse -= lanes_from (v >> LEVEL);
      columns[i].fine[v >> LEVEL] -= lanes_from (v & (LANES - 1));
    }
  }
}

/* The number of lanes that are at most rank. AVX-512 compares into a word of bits. */
static inline int lanes_up_to (window_t counts, ushort rank)
{
#if defined (__AVX512BW__) && defined (__AVX512VL__)
  const signed_window_t a = __builtin_astype (counts, signed_window_t), b = (signed_window_t) ((short) rank);
#if DEPTH == 8
  return popcount ((uint) (ushort) __builtin_ia32_ucmpw256_mask (a, b, 2, -1));
#else
  return popcount ((uint) __builtin_ia32_ucmpw512_mask (a, b, 2, -1));
#endif
#else
  ulong words[LANES / 8];
  int bits = 0;
  *(column_anywhere_t *) words = __builtin_convertvector (__builtin_astype (counts <= (window_t) (rank), window_t), column_t);
  UNROLL for (int i = 0; i < LANES / 8; i++)
    bits += (int) popcount (words[i]);
  return bits / 8;
#endif
}

/* The value of this rank in the window that begins at column x; *rank becomes the rank among the samples of this value. */
INLINE int ranked (int2 radius, struct window *window, global const struct column *columns, int *rank, int x)
{
  const int bin = lanes_up_to (window->coarse, *rank);
  window_t counts = window->fine[bin];
  int at = window->at[bin];
  if (x - at > width_of (radius) / 2) {
    counts = 0;
    ROLLED for (int i = x; i < x + width_of (radius); i++)
      counts += window_of (columns[i].fine[bin]);
  } else
    for (; at < x; at++)
      counts += window_of (columns[at + width_of (radius)].fine[bin]) - window_of (columns[at].fine[bin]);
  window->fine[bin] = counts;
  window->at[bin] = x;
  *rank -= bin ? window->coarse[bin - 1] : 0;
  const int lane = lanes_up_to (counts, *rank);
  *rank -= lane ? counts[lane - 1] : 0;
  return bin << LEVEL | lane;
}

ITEM_KERNEL (median_histogram, (PLANE_ARGS, int limit, int rank, int2 radius, int strip, int band, global uchar *restrict scratch, int each),
    (PLANE_NAMES, limit, rank, radius, strip, band, scratch, each))
{
  const int pixels = region.width / NC, strips = (pixels + strip - 1) / strip, bands = (region.height + band - 1) / band;
  global struct column *columns = (global struct column *) (scratch + ITEM (0) * (size_t) each);
  struct window window;
  for (int job = ITEM (0); job < strips * bands * NC; job += ITEM_COUNT) {
    const int left = job / NC % strips * strip, top = job / NC / strips * band, first = left * NC + job % NC;
    const int wide = min (strip, pixels - left), high = min (band, region.height - top);
    global const sample_t *in = src + src_offset + (region.y + top) * src_stride + region.x + first;
    global sample_t *out = dst + dst_offset + (region.y + top) * dst_stride + region.x + first;
#if DEPTH > 10
    const struct tile tile = sorted_tile (radius, columns + strip + 2 * radius.x, (strip + 2 * radius.x) * (band + 2 * radius.y),
        in - radius.y * src_stride - radius.x * NC, src_stride, wide + 2 * radius.x, high + 2 * radius.y);
    global const ushort *counted = tile.classes + radius.y * tile.wide;
    const int stride = tile.wide, step = 1;
#else
    global const sample_t *counted = in - radius.x * NC;
    const int stride = src_stride, step = NC;
#endif
    for (int y = 0; y < high; y++, in += src_stride, out += dst_stride) {
      fill_columns (radius, columns, wide + 2 * radius.x, counted + max (y - 1, 0) * stride, stride, step, y > 0);
      window.coarse = 0;
      ROLLED for (int i = 0; i < width_of (radius); i++)
        window.coarse += window_of (columns[i].coarse);
      for (int i = 0; i < LANES; i++)
        window.at[i] = -width_of (radius);
      for (int x = 0; x < wide; x++) {
        if (x > 0)
          window.coarse += window_of (columns[x + width_of (radius) - 1].coarse) - window_of (columns[x - 1].coarse);
        const sample_t original = in[x * NC];
        int rest = rank, median = ranked (radius, &window, columns, &rest, x);
#if DEPTH > 10
        median = value_in_class (radius, &tile, median, rest, x, y);
#endif
        out[x * NC] = merge_sample (beyond (median, LOAD (original), limit), original, keep[first]);
      }
    }
  }
}
