/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A kernel that makes a sample of the gradient of the 3x3 window around it:
 *
 *   gx = (right - left) of the three rows, times SIDE, MIDDLE, SIDE; gy is its transpose
 *
 * Behind the filter's formula, which defines
 *   GRADIENT_KERNEL      the kernel's name
 *   GRADIENT_ARGS        its parameters behind PLANE_ARGS, and GRADIENT_NAMES, the same as arguments
 *   GRADIENT_FLOATS      1 where results are floats, to be rounded and saturated; else they are samples
 *   gradient_result (gx, gy, v, GRADIENT_NAMES)   of sample v; all three are integers when multiplied by SMALL_UNIT
 *
 * The host defines SIDE and MIDDLE, and
 *   WEIGHT0 .. WEIGHT3   for the intensity of planes of RGB: what each sample of a pixel adds to a hundred times it, 30, 59, 11 or 0;
 *                        v and the gradient are of that, and the result goes to all samples of the pixel
 *   LANES                gpu back end: 1 for samples of 8 bits by lib/lanes.clh
 */
#if BACKEND_CPU

#if GRADIENT_FLOATS

#if DEPTH == 8
typedef short difference_t;
#else
typedef int difference_t;
#endif

/* Each row is read once for the three rows of results that it reaches. */
kernel void
GRADIENT_KERNEL (PLANE_ARGS, GRADIENT_ARGS)
{
  PLANE_BEGIN (sizeof (difference_t))
  difference_t across[ITEM_ROWS + 2], sum[ITEM_ROWS + 2], middle[ITEM_ROWS + 2];
#pragma unroll
  for (int r = 0; r < ITEM_ROWS + 2; r++) {
    const difference_t left = PX (-1, r - 1), right = PX (1, r - 1);
    middle[r] = PX (0, r - 1);
    across[r] = right - left;
    sum[r] = SIDE * (left + right) + MIDDLE * middle[r];
  }
#pragma unroll
  for (int r = 0; r < ITEM_ROWS; r++) {
    const difference_t gx = SIDE * (across[r] + across[r + 2]) + MIDDLE * across[r + 1];
    const difference_t gy = sum[r + 2] - sum[r];
    OUT_ROW (r, round_saturate (gradient_result ((float) gx, (float) gy, (float) middle[r + 1], GRADIENT_NAMES)));
  }
  PLANE_END
}

#else

/* What has a gradient: UNIT samples, whose value is unit_value (), and which all become the result. */
#ifdef WEIGHT0
#define UNIT NC
#else
#define UNIT 1
#endif

#if UNIT == 4
/* read and written as one integer */
#if SAMPLE_BITS == 8
typedef uint __attribute__ ((aligned (1))) unit_t;
#define SAMPLE_MASK 0xff
#define EVERY_SAMPLE 0x01010101u
#else
typedef ulong __attribute__ ((aligned (2))) unit_t;
#define SAMPLE_MASK 0xffff
#define EVERY_SAMPLE 0x0001000100010001ul
#endif

static inline int
unit_value (global const sample_t *row, size_t i)
{
  const unit_t unit = ((global const unit_t *) row)[i];
  return WEIGHT0 * LOAD ((int) unit & SAMPLE_MASK) + WEIGHT1 * LOAD ((int) (unit >> SAMPLE_BITS) & SAMPLE_MASK)
         + WEIGHT2 * LOAD ((int) (unit >> (2 * SAMPLE_BITS)) & SAMPLE_MASK)
         + WEIGHT3 * LOAD ((int) (unit >> (3 * SAMPLE_BITS)) & SAMPLE_MASK);
}

static inline void
store_unit (global sample_t *to, global const sample_t *from, global const sample_t *keep, size_t i, int v)
{
  const unit_t mask = *(global const unit_t *) keep, original = ((global const unit_t *) from)[i];
  ((global unit_t *) to)[i] = ((((unit_t) v << SHIFT) * EVERY_SAMPLE) & mask) | (original & ~mask);
}

#else

static inline int
unit_value (global const sample_t *row, size_t i)
{
#ifdef WEIGHT0
  return WEIGHT0 * LOAD (row[i * NC]) + WEIGHT1 * LOAD (row[i * NC + 1]) + WEIGHT2 * LOAD (row[i * NC + 2]);
#else
  return LOAD (row[i]);
#endif
}

static inline void
store_unit (global sample_t *to, global const sample_t *from, global const sample_t *keep, size_t i, int v)
{
#pragma unroll
  for (int c = 0; c < UNIT; c++)
    to[i * UNIT + c] = merge_sample (v, from[i * UNIT + c], UNIT > 1 ? keep[c] : keep[i]);
}

#endif

/* An item filters a strip of GRADIENT_STRIP units. Loops of its own, since of bodies as long as these the compiler would rather make
 * vectors of neighbours than of the items of a loop over work items. Neighbours stand in arrays of their own at the same index: where
 * it can, the compiler keeps them from one turn to the next, and can then no longer make vectors of the turns. */
#define GRADIENT_STRIP 128

kernel void
GRADIENT_KERNEL (PLANE_ARGS, GRADIENT_ARGS)
{
  const int strip_x = region.x + (int) get_global_id (0) * GRADIENT_STRIP * UNIT, y = region.y + ITEM_Y;
  const int n = min (GRADIENT_STRIP, (region.x + region.width - strip_x) / UNIT);
  int left[ITEM_ROWS + 2][GRADIENT_STRIP], middle[ITEM_ROWS + 2][GRADIENT_STRIP], right[ITEM_ROWS + 2][GRADIENT_STRIP];
  for (int r = 0; r < ITEM_ROWS + 2; r++) {
    global const sample_t *line = src + (src_offset + (y + r - 1) * src_stride + strip_x - NC);
    WIDE_LOOP
    for (int i = 0; i < n; i++)
      left[r][i] = unit_value (line, i);
    WIDE_LOOP
    for (int i = 0; i < n; i++)
      middle[r][i] = unit_value (line + NC, i);
    WIDE_LOOP
    for (int i = 0; i < n; i++)
      right[r][i] = unit_value (line + 2 * NC, i);
  }
  for (int r = 0; r < ITEM_ROWS; r++) {
    global const sample_t *from = src + (src_offset + (y + r) * src_stride + strip_x);
    global sample_t *to = dst + (dst_offset + (y + r) * dst_stride + strip_x);
    WIDE_LOOP
    for (int i = 0; i < n; i++) {
      const int gx = SIDE * (right[r][i] - left[r][i] + right[r + 2][i] - left[r + 2][i])
          + MIDDLE * (right[r + 1][i] - left[r + 1][i]);
      const int gy = SIDE * (left[r + 2][i] - left[r][i] + right[r + 2][i] - right[r][i])
          + MIDDLE * (middle[r + 2][i] - middle[r][i]);
      store_unit (to, from, keep + (UNIT > 1 ? 0 : strip_x - region.x), i,
          gradient_result (gx, gy, middle[r + 1][i], GRADIENT_NAMES));
    }
  }
}

#endif

#else

#if LANES

/* What a row gives to the gradient of a pair: right - left, and SIDE * (left + right) + MIDDLE * middle. */
struct terms
{
  small across, sum;
};

static inline small
weighted (small middle, small sides)
{
#if SIDE == 1 && MIDDLE == 1
  return plus (middle, sides);
#elif SIDE == 1 && MIDDLE == 2
  return twice_plus (middle, sides);
#else
  return as_uint (as_short2 (middle) * (short2) (MIDDLE) + as_short2 (sides) * (short2) (SIDE));
#endif
}

/* The results of a row of the window's middle. */
static inline void
find_results (uint *words, const uint (*window)[WORDS_AROUND], GRADIENT_ARGS)
{
  lanes at[3][4 * WORDS_AROUND];
#pragma unroll
  for (int r = 0; r < 3; r++)
    take_apart (at[r], window[r], WORDS_AROUND);
#pragma unroll
  for (int w = 0; w < ITEM_WORDS; w++) {
    float results[4];
#pragma unroll
    for (int odd = 0; odd < 2; odd++) {
      const int i = 4 * (WORDS_BESIDE + w) + odd;
      struct terms rows[3];
#pragma unroll
      for (int r = 0; r < 3; r++)
        rows[r] = (struct terms) {
            minus (at[r][i + NC], at[r][i - NC]), weighted (at[r][i], plus (at[r][i - NC], at[r][i + NC]))};
      const small gx = weighted (rows[1].across, plus (rows[0].across, rows[2].across)), gy = minus (rows[2].sum, rows[0].sum);
#pragma unroll
      for (int n = 0; n < 2; n++)
        results[2 * n + odd] = gradient_result (float_of (gx, n), float_of (gy, n), float_of (at[1][i], n), GRADIENT_NAMES);
    }
    words[w] = word_of_floats (results[0], results[1], results[2], results[3]);
  }
}

#else

/* What has a gradient: a sample, or a pixel's intensity. */
#ifdef WEIGHT0
#define UNIT NC
typedef int gradient_t;
#define RAISED 0
#define UNIT_VALUE(row, i) \
  (WEIGHT0 * ROW_VALUE (row, i) + WEIGHT1 * ROW_VALUE (row, (i) + 1) + WEIGHT2 * ROW_VALUE (row, (i) + 2) \
      + WEIGHT3 * ROW_VALUE (row, (i) + NC - 1))
#else
#define UNIT 1
typedef float gradient_t;
/* raised by 2^23, which needs no conversion, of which GPUs issue few; differences lose it */
#define RAISED 8388608.0f
#define UNIT_VALUE(row, i) as_float ((uint) ROW_VALUE (row, i) | as_uint (RAISED))
#endif
#define ROW_VALUE(row, i) unpack_sample ((row)[(i) / SAMPLES_PER_WORD], (i) % SAMPLES_PER_WORD)

static inline void
find_results (uint *words, const uint (*window)[WORDS_AROUND], GRADIENT_ARGS)
{
  int values[ITEM_SAMPLES];
#pragma unroll
  for (int s = 0; s < ITEM_SAMPLES; s += UNIT) {
    gradient_t v[3][3];
#pragma unroll
    for (int i = 0; i < 9; i++)
      v[i / 3][i % 3] = UNIT_VALUE (window[i / 3], WORDS_BESIDE * SAMPLES_PER_WORD + s + (i % 3 - 1) * NC);
    const gradient_t gx = SIDE * (v[0][2] - v[0][0] + v[2][2] - v[2][0]) + MIDDLE * (v[1][2] - v[1][0]);
    const gradient_t gy = SIDE * (v[2][0] - v[0][0] + v[2][2] - v[0][2]) + MIDDLE * (v[2][1] - v[0][1]);
#if GRADIENT_FLOATS
    const int result = round_saturate (gradient_result (gx, gy, v[1][1] - RAISED, GRADIENT_NAMES));
#else
    const int result = gradient_result (gx, gy, v[1][1] - RAISED, GRADIENT_NAMES);
#endif
#pragma unroll
    for (int c = 0; c < UNIT; c++)
      values[s + c] = result;
  }
  pack_samples (words, values);
}

#endif

kernel void
GRADIENT_KERNEL (PLANE_ARGS, GRADIENT_ARGS)
{
  GPU_ITEM
  if (!ITEM_IN_REGION)
    return;
  uint window[ITEM_ROWS + 2][WORDS_AROUND], words[ITEM_WORDS];
  load_around (window[0], ITEM_ROWS + 2, SRC_ARGS, item_x, item_y - 1);
#pragma unroll
  for (int r = 0; r < ITEM_ROWS; r++) {
    find_results (words, window + r, GRADIENT_NAMES);
    store_row (DST_ARGS, words, window[r + 1] + WORDS_BESIDE, item_x, item_y + r);
  }
}

#endif
