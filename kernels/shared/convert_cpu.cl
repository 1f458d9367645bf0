/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A frame to another size, format or colorimetry, on the cpu back end; see convert.clh for the description. */
/* A work item makes sixteen rows, in pieces: sums of columns, sixteen pixels of sixteen rows at once, are laid down so that the
 * rows of a column stand side by side. Then sums along the rows read whole vectors wherever they begin, which gathers would
 * take several times as long for. What was packed of sixteen pixels is turned back to be stored. */
#define CONVERT_LANES 16
typedef number_t lanes_t;
/* To store vectors as a whole: PoCL's vstore16 () takes them apart. */
typedef lanes_t lanes_anywhere_t __attribute__ ((aligned (4)));
typedef sample_t sample16_t __attribute__ ((ext_vector_type (16)));

/* NARROW: rows may have less than sixteen samples. */
INLINE lanes_t
load_values (global const sample_t *row, int x, int samples)
{
#if NARROW
  sample_t all[CONVERT_LANES];
  for (int i = 0; i < CONVERT_LANES; i++)
    all[i] = row[min (x + i, samples - 1)];
  const sample16_t stored = vload16 (0, all) >> (sample16_t) SHIFT;
#else
  const sample16_t stored = vload16 (0, row + x) >> (sample16_t) SHIFT;
#endif
#if SPARE_BITS
  return __builtin_convertvector (__builtin_convertvector (min (stored, (sample16_t) MAX_VALUE), int16), float16);
#else
  return __builtin_convertvector (__builtin_convertvector (stored, int16), float16);
#endif
}

/* Samples from .. from + n - 1 of rows y .. y + 15 of the result, as they will be summed along rows. */
INLINE void
sum_columns (global float *restrict to, global const sample_t *restrict in, struct source c, int samples,
    global const int *restrict starts, global const float *restrict weights, int y, int height, int from, int n)
{
  int places[CONVERT_LANES], counts[CONVERT_LANES];
  for (int r = 0; r < CONVERT_LANES; r++) {
    const int row = min (y + r, height - 1);
    places[r] = c.offset + starts[c.row_starts + row] * c.stride;
    counts[r] = c.row_weights + row * c.rows;
  }
  for (int left = 0; left < n; left += CONVERT_LANES) {
    const int x = NARROW ? left : min (left, n - CONVERT_LANES);
    if (left % (64 / (int) sizeof (sample_t)) == 0)
      for (int r = 0; r < CONVERT_LANES; r++) {
        PREFETCH (in + places[r] + from + x + 256);
        PREFETCH (in + places[r] + c.stride + from + x + 256);
      }
    lanes_t sums[CONVERT_LANES];
#pragma unroll
    for (int r = 0; r < CONVERT_LANES; r++) {
      global const sample_t *restrict row = in + places[r];
      global const float *restrict own = weights + counts[r];
      sums[r] = 0;
      for (int k = 0; k < c.rows; k++, row += c.stride)
        sums[r] = fma ((lanes_t) own[k], load_values (row, from + x, samples), sums[r]);
    }
    TRANSPOSE (sums);
#pragma unroll
    for (int i = 0; i < CONVERT_LANES; i++)
      *(global lanes_anywhere_t *) (to + (x + i) * CONVERT_LANES) = sums[i];
  }
}

/* Of sixteen rows the weighed sum of n pixels' samples, `step` samples apart. */
INLINE lanes_t
sum_row (global const float *restrict columns, global const float *restrict own, int n, int step)
{
  lanes_t sum = 0;
  for (int k = 0; k < n; k++, columns += step * CONVERT_LANES)
    sum = fma ((lanes_t) own[k], vload16 (0, columns), sum);
  return sum;
}

INLINE lanes_t
threshold_at (global const float *restrict thresholds, int x, int y)
{
  const uint16 rows = (uint) y + (uint16) (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  return DITHER == 1 ? vload16 (x & 7, thresholds) : DITHER == 2 ? noise_at ((uint) x, rows) : (lanes_t) 0;
}

/* The words that are turned back: those of each plane, or of the pixels, eight bytes of which are two. */
#if PLANAR
#define CONVERT_TILES OUTS
typedef out_t stored_t;
#else
#define CONVERT_TILES (OUT_BITS * OUT_STEP > 32 ? 2 : 1)
#if OUT_BITS * OUT_STEP == 16
typedef ushort stored_t;
#elif OUT_BITS * OUT_STEP == 64
typedef ulong stored_t;
#else
typedef uint stored_t;
#endif
#endif
typedef stored_t stored16_t __attribute__ ((ext_vector_type (16)));
typedef stored16_t stored16_anywhere_t __attribute__ ((aligned (sizeof (stored_t))));

INLINE void
store_pixels (global out_t *restrict row, int x, int n, stored16_t pixels)
{
#if OUT_STEP == 3
  uint one[CONVERT_LANES];
  vstore16 (pixels, 0, one);
  for (int i = 0; i < n; i++)
    for (int s = 0; s < 3; s++)
      row[3 * (x + i) + s] = (out_t) (one[i] >> (s * OUT_BITS));
#else
  global stored_t *to = (global stored_t *) row + x;
#if NARROW
  stored_t one[CONVERT_LANES];
  vstore16 (pixels, 0, one);
  for (int i = 0; i < n; i++)
    to[i] = one[i];
#else
  *(global stored16_anywhere_t *) to = pixels;
#endif
#endif
}

/* The results of sixteen rows from their inputs. */
INLINE void
make_words (uint16 *words, const lanes_t *values, const struct conversion *c, lanes_t threshold)
{
#pragma unroll
  for (int i = 0; i < CONVERT_TILES; i++)
    words[i] = 0;
#pragma unroll
  for (int o = 0; o < OUTS; o++) {
    const uint16 rounded = round_value (sum_inputs (values, c, o), IS_FIXED (o) ? (lanes_t) 0 : threshold);
#if PLANAR
    words[o] = rounded;
#else
    words[o * OUT_BITS / 32] |= rounded << (uint) (o * OUT_BITS % 32);
#endif
  }
}

#define CONVERT_TILE_AS(t) __builtin_convertvector (__builtin_astype (t, uint16), stored16_t)

/* n pixels of a row, with this distance between their words. */
#if PLANAR
#define CONVERT_STORE_ROW(words, apart, x, y, n)                                             \
  _Pragma ("unroll") for (int i = 0; i < OUTS; i++) store_pixels (                   \
      outs[i] + c.out_offset[i] + (y) *c.out_stride[i], x, n, CONVERT_TILE_AS ((words)[i * apart]))
#elif CONVERT_TILES == 2
#define CONVERT_STORE_ROW(words, apart, x, y, n)                            \
  store_pixels (out_0 + c.out_offset[0] + (y) *c.out_stride[0], x, n, \
      CONVERT_TILE_AS ((words)[0]) | CONVERT_TILE_AS ((words)[apart]) << 32ul)
#else
#define CONVERT_STORE_ROW(words, apart, x, y, n) \
  store_pixels (out_0 + c.out_offset[0] + (y) *c.out_stride[0], x, n, CONVERT_TILE_AS ((words)[0]))
#endif

#if IN_PLACE

/* Columns stay where they are: sixteen of one row at once. */
#define CONVERT_LOAD_WORDS(word, vector, bits) \
  __builtin_convertvector (            \
      vload16 (0, (global const word *) row + x) >> (vector) (at * SAMPLE_BITS) & (vector) ((1 << SAMPLE_BITS) - 1), uint16)
INLINE lanes_t
load_component (global const sample_t *row, int x, int step, int at)
{
  uint16 v;
  if (step == 1)
    return load_values (row, x, 0);
  if (step * SAMPLE_BITS == 16)
    v = CONVERT_LOAD_WORDS (ushort, ushort16, 16);
  else if (step * SAMPLE_BITS == 32)
    v = CONVERT_LOAD_WORDS (uint, uint16, 32);
  else
    v = CONVERT_LOAD_WORDS (ulong, ulong16, 64);
  v >>= (uint) SHIFT;
#if SPARE_BITS
  v = min (v, (uint16) MAX_VALUE);
#endif
  return __builtin_convertvector (__builtin_astype (v, int16), float16);
}

INLINE lanes_t
sum_column (global const sample_t *in, const struct source *c, int step, int at, global const int *restrict starts,
    global const float *restrict weights, int x, int y)
{
  global const sample_t *row = in + c->offset + starts[c->row_starts + y] * c->stride;
  lanes_t sum = 0;
  for (int k = 0; k < c->rows; k++, row += c->stride)
    sum = fma ((lanes_t) weights[c->row_weights + y * c->rows + k], load_component (row, x, step, at), sum);
  return sum;
}

kernel void
convert_frame (CONVERT_ARGS)
{
  const int top = get_global_id (1) * CONVERT_LANES;
#if PLANAR
  global out_t *const outs[4] = {out_0, out_1, out_2, out_3};
#endif
  global const sample_t *const ins[4] = {in_0, in_1, in_2, in_3};
  for (int y = top; y < min (top + CONVERT_LANES, c.height); y++)
    for (int first = 0; first < c.width; first += CONVERT_LANES) {
      const int x = min (first, c.width - CONVERT_LANES);
      lanes_t values[INS];
#define CONVERT_SUM_COLUMN(i) \
  values[i] = sum_column (ins[IN_PLANE_##i], &c.in[IN_PLANE_##i], IN_STEP_##i, IN_AT_##i, starts, weights, x, y);
      EACH_INPUT (CONVERT_SUM_COLUMN)
      uint16 words[CONVERT_TILES];
      make_words (words, values, &c, 0);
      CONVERT_STORE_ROW (words, 1, x, y, CONVERT_LANES);
    }
}

#else

kernel void
convert_frame (CONVERT_ARGS)
{
  const int band = get_global_id (1), y = band * CONVERT_LANES, rows = min (CONVERT_LANES, c.height - y);
#if PLANAR
  global out_t *const outs[4] = {out_0, out_1, out_2, out_3};
#endif
  scratch += (size_t) band * PLANES * c.read * CONVERT_LANES;
  for (int piece = 0; piece < c.width; piece += c.piece) {
    const int right = min (piece + c.piece, c.width), left = max (min (piece, right - CONVERT_LANES), 0);
    int from[PLANES];
#define CONVERT_SUM_COLUMNS(i)                                                                                              \
  const int end_##i = max (starts[c.in[i].column_starts + right - 1] + c.in[i].columns, CONVERT_LANES); /* of strong zooms */  \
  from[i] = max (min (starts[c.in[i].column_starts + left], end_##i - CONVERT_LANES), 0);                                   \
  sum_columns (scratch + i * c.read * CONVERT_LANES, in_##i, c.in[i], c.in[i].width * PLANE_STEP_##i, starts, weights, y,     \
      c.height, from[i] * PLANE_STEP_##i, (end_##i - from[i]) * PLANE_STEP_##i);
    EACH_PLANE (CONVERT_SUM_COLUMNS)
    for (int first = left; first < right; first += CONVERT_LANES) {
      const int x = NARROW ? first : min (first, right - CONVERT_LANES);
      float16 tiles[CONVERT_TILES * CONVERT_LANES];
      for (int p = 0; p < CONVERT_LANES; p++) {
        const int at = min (x + p, right - 1);
        lanes_t values[INS];
        global const float *restrict window[PLANES], *restrict own[PLANES];
#define CONVERT_FIND_WINDOW(i)                                                                                                      \
  window[i] = scratch + (i * c.read + (starts[c.in[i].column_starts + at] - from[i]) * PLANE_STEP_##i) * CONVERT_LANES;             \
  own[i] = weights + c.in[i].column_weights + at * c.in[i].columns;
        EACH_PLANE (CONVERT_FIND_WINDOW)
#define CONVERT_SUM_ROW(i)                                                                                                  \
  values[i] =                                                                                                       \
      sum_row (window[IN_PLANE_##i] + IN_AT_##i * CONVERT_LANES, own[IN_PLANE_##i], c.in[IN_PLANE_##i].columns, IN_STEP_##i);
        EACH_INPUT (CONVERT_SUM_ROW)
        uint16 words[CONVERT_TILES];
        make_words (words, values, &c, threshold_at (thresholds, at, y));
#pragma unroll
        for (int i = 0; i < CONVERT_TILES; i++)
          tiles[i * CONVERT_LANES + p] = __builtin_astype (words[i], float16);
      }
      const int n = min (CONVERT_LANES, right - x);
#pragma unroll
      for (int i = 0; i < CONVERT_TILES; i++)
        TRANSPOSE (tiles + i * CONVERT_LANES);
      for (int r = 0; r < rows; r++)
        CONVERT_STORE_ROW (tiles + r, CONVERT_LANES, x, y + r, n);
    }
  }
}

#endif
