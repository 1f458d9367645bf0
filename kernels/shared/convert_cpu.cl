/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Converts a frame to another size, format or colorimetry on the cpu back end (convert.clh). NARROW: 1 if rows may have fewer than sixteen
 * samples; IN_PLACE: 1 if every column of the result is the same one of the planes; stored_t: a word of the result, a sample or a pixel. An
 * item makes sixteen rows; unless IN_PLACE in pieces, by transposed sums of columns, so that sums along rows read vectors. */
enum { ROW_LANES = 16 };
typedef number_t lanes_t;
typedef lanes_t lanes_anywhere_t __attribute__ ((aligned (4))); /* PoCL's vstore16 () splits vectors */
typedef sample_t sample16_t __attribute__ ((ext_vector_type (16)));
/* TILES of 16 x 16 words are transposed back: one for each plane; for packed results one, or two if a pixel has more than four bytes. */
enum { TILES = PLANAR ? OUTS : OUT_BITS * OUT_STEP > 32 ? 2 : 1 };
typedef stored_t stored16_t __attribute__ ((ext_vector_type (16)));
typedef stored16_t stored16_anywhere_t __attribute__ ((aligned (sizeof (stored_t))));

INLINE lanes_t values_of (sample16_t stored)
{
  stored >>= (sample16_t) SHIFT;
  if (SPARE_BITS)
    stored = min (stored, (sample16_t) MAX_VALUE);
  return __builtin_convertvector (__builtin_convertvector (stored, int16), float16);
}

/* Sums columns of samples from .. from + n - 1, for rows y .. y + 15 of the result, transposed for the sums along rows. */
ONCE void sum_columns (global float *restrict to, global const sample_t *restrict in, struct source c, int samples,
    global const int *restrict starts, global const float *restrict weights, int y, int height, int from, int n)
{
  int places[ROW_LANES], counts[ROW_LANES];
  for (int r = 0; r < ROW_LANES; r++) {
    const int row = min (y + r, height - 1);
    places[r] = c.offset + starts[c.row_starts + row] * c.stride;
    counts[r] = c.row_weights + row * c.rows;
  }
  for (int left = 0; left < n; left += ROW_LANES) {
    const int x = NARROW ? left : min (left, n - ROW_LANES);
    if (left % (64 / (int) sizeof (sample_t)) == 0)
      for (int r = 0; r < ROW_LANES; r++) {
        prefetch_line (in + places[r] + from + x + 256);
        prefetch_line (in + places[r] + c.stride + from + x + 256);
      }
    lanes_t sums[ROW_LANES];
    UNROLL for (int r = 0; r < ROW_LANES; r++) {
      global const sample_t *restrict row = in + places[r];
      global const float *restrict own = weights + counts[r];
      sums[r] = 0;
      for (int k = 0; k < c.rows; k++, row += c.stride) {
        sample_t all[ROW_LANES];
        for (int i = 0; NARROW && i < ROW_LANES; i++)
          all[i] = row[min (from + x + i, samples - 1)];
        sums[r] = fma ((lanes_t) own[k], values_of (NARROW ? vload16 (0, all) : vload16 (0, row + from + x)), sums[r]);
      }
    }
    transpose (sums);
    UNROLL for (int i = 0; i < ROW_LANES; i++)
      *(global lanes_anywhere_t *) (to + (x + i) * ROW_LANES) = sums[i];
  }
}

INLINE lanes_t sum_row (global const float *restrict columns, global const float *restrict own, int n, int step)
{
  lanes_t sum = 0;
  for (int k = 0; k < n; k++, columns += step * ROW_LANES)
    sum = fma ((lanes_t) own[k], vload16 (0, columns), sum);
  return sum;
}

INLINE lanes_t threshold_at (global const float *restrict thresholds, int x, int y)
{
  const uint16 rows = (uint) y + (uint16) (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  return DITHER == 1 ? vload16 (x & 7, thresholds) : DITHER == 2 ? noise_at ((uint) x, rows) : (lanes_t) 0;
}

/* Makes the results of sixteen rows from their inputs; the words of different tiles are `apart` vectors from each other. */
INLINE void make_words (lanes_t *words, int apart, const lanes_t *values, const struct conversion *c, lanes_t threshold)
{
  uint16 packed[TILES] = {0};
  UNROLL for (int o = 0; o < OUTS; o++)
    packed[PLANAR ? o : o * OUT_BITS / 32] |= make_sample (values, c, o, threshold) << (uint) (PLANAR ? 0 : o * OUT_BITS % 32);
  UNROLL for (int i = 0; i < TILES; i++)
    words[i * apart] = __builtin_astype (packed[i], float16);
}

INLINE void store_row (global out_t *const *outs, const lanes_t *words, int apart, const struct conversion *c, int x, int y, int n)
{
  UNROLL for (int p = 0; p < WRITTEN; p++) {
    stored16_t pixels = __builtin_convertvector (__builtin_astype (words[p * apart], uint16), stored16_t);
    if (!PLANAR && TILES == 2)
      pixels |= __builtin_convertvector (__builtin_astype (words[apart], uint16), stored16_t) << (stored_t) 32;
    global out_t *restrict row = outs[p] + c->out_offset[p] + y * c->out_stride[p];
    global stored_t *to = (global stored_t *) row + x;
    if (OUT_STEP != 3 && !NARROW) {
      *(global stored16_anywhere_t *) to = pixels;
      continue;
    }
    stored_t one[ROW_LANES];
    vstore16 (pixels, 0, one);
    for (int i = 0; i < n; i++)
      if (OUT_STEP != 3)
        to[i] = one[i];
      else
        for (int s = 0; s < 3; s++)
          row[3 * (x + i) + s] = (out_t) (one[i] >> (s * OUT_BITS));
  }
}

#if IN_PLACE
/* Sixteen samples of a component, which is the `at`th sample of its pixel; word: a type with a pixel's size. */
#define LOAD_WORDS(word) __builtin_convertvector (vload16 (0, (global const word *) row + x) >> (word) (at * SAMPLE_BITS), sample16_t)

ITEM_KERNEL (convert_frame, (CONVERT_ARGS), (in_0, in_1, in_2, in_3, out_0, out_1, out_2, out_3, starts, weights, thresholds, scratch, c))
{
  const int top = ITEM (1) * ROW_LANES;
  CONVERT_ARRAYS
  for (int y = top; y < min (top + ROW_LANES, c.height); y++)
    for (int first = 0; first < c.width; first += ROW_LANES) {
      const int x = min (first, c.width - ROW_LANES);
      lanes_t values[INS], words[TILES];
      UNROLL for (int i = 0; i < INS; i++) {
        const int plane = in_plane (i), step = step_of (plane), at = in_at (i), bits = step * SAMPLE_BITS, n = c.in[plane].rows;
        global const sample_t *row = ins[plane] + c.in[plane].offset + starts[c.in[plane].row_starts + y] * c.in[plane].stride;
        values[i] = 0;
        for (int k = 0; k < n; k++, row += c.in[plane].stride) {
          const sample16_t stored = step == 1 ? vload16 (0, row + x) : bits == 16 ? LOAD_WORDS (ushort)
              : bits == 32 ? LOAD_WORDS (uint) : LOAD_WORDS (ulong);
          values[i] = fma ((lanes_t) weights[c.in[plane].row_weights + y * n + k], values_of (stored), values[i]);
        }
      }
      make_words (words, 1, values, &c, 0);
      store_row (outs, words, 1, &c, x, y, ROW_LANES);
    }
}
#else
ITEM_KERNEL (convert_frame, (CONVERT_ARGS), (in_0, in_1, in_2, in_3, out_0, out_1, out_2, out_3, starts, weights, thresholds, scratch, c))
{
  const int band = ITEM (1), y = band * ROW_LANES, rows = min (ROW_LANES, c.height - y);
  CONVERT_ARRAYS
  scratch += (size_t) band * PLANES * c.read * ROW_LANES;
  for (int piece = 0; piece < c.width; piece += c.piece) {
    const int right = min (piece + c.piece, c.width), left = max (min (piece, right - ROW_LANES), 0);
    int from[PLANES];
    UNROLL for (int i = 0; i < PLANES; i++) {
      const int step = step_of (i), end = max (starts[c.in[i].column_starts + right - 1] + c.in[i].columns, ROW_LANES);
      from[i] = max (min (starts[c.in[i].column_starts + left], end - ROW_LANES), 0);
      sum_columns (scratch + i * c.read * ROW_LANES, ins[i], c.in[i], c.in[i].width * step, starts, weights, y, c.height, from[i] * step,
          (end - from[i]) * step);
    }
    for (int first = left; first < right; first += ROW_LANES) {
      const int x = NARROW ? first : min (first, right - ROW_LANES);
      float16 tiles[TILES * ROW_LANES];
      for (int p = 0; p < ROW_LANES; p++) {
        const int at = min (x + p, right - 1);
        lanes_t values[INS];
        UNROLL for (int i = 0; i < INS; i++) {
          const int plane = in_plane (i), step = step_of (plane);
          const int place = plane * c.read + (starts[c.in[plane].column_starts + at] - from[plane]) * step + in_at (i);
          values[i] = sum_row (scratch + place * ROW_LANES, weights + c.in[plane].column_weights + at * c.in[plane].columns,
              c.in[plane].columns, step);
        }
        make_words (tiles + p, ROW_LANES, values, &c, threshold_at (thresholds, at, y));
      }
      UNROLL for (int i = 0; i < TILES; i++)
        transpose (tiles + i * ROW_LANES);
      for (int r = 0; r < rows; r++)
        store_row (outs, tiles + r, ROW_LANES, &c, x, y + r, min (ROW_LANES, right - x));
    }
  }
}
#endif
