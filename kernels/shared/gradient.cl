/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Filters a sample by its 3x3 window, for edge filters, emboss and sharpening. gx = (right + SIGN * left) of the three rows, times SIDE,
 * MIDDLE, SIDE, with SIGN -1 for a gradient; gy is its transpose; v is the sample. With LANES all three are integers / small_unit (), so
 * formulas multiply by it. The host defines one of
 *
 *   MAGNITUDE   round (scale * sqrt (gx^2 + gy^2) / divisor + offset)
 *   LINES       round (scale * pick / divisor + offset), where pick is gx, gy, their magnitudes, or the sum of these
 *   RELIEF      round (v + along_x * gx + along_y * gy)
 *   LAPLACE     round (v + amount * (4 * v - gx - gy)), where gx and gy are sums of two neighbours
 *
 * SIGN, SIDE and MIDDLE; INTENSITY, 1 to filter a hundred times the intensity of RGB (shared/intensity.clh), for all samples of a pixel;
 * EXACT, 1 with INTENSITY, and where floats might round differently; LANES, 1 for 8 bits on the gpu back end unless EXACT or INTENSITY. */
#if INTENSITY || (EXACT && BACKEND_CPU)
typedef int gradient_t;
#else
typedef float gradient_t;
#endif

#if RELIEF && INTENSITY
/* Factors in units of 1 / one; the quotient (shared/quotient.clh) divides the hundredfold sum. */
typedef struct { sum_t along_x, along_y, one, divisor; float inverse; } settings;

static inline int gradient_result (gradient_t gx, gradient_t gy, gradient_t v, settings s)
{
  const sum_t sum = MULTIPLY_ADD ((sum_t) gx, s.along_x, MULTIPLY_ADD ((sum_t) gy, s.along_y, (sum_t) v * s.one));
  return quotient (sum, s.divisor, s.inverse, 0, 0);
}
#elif RELIEF
typedef struct { float along_x, along_y; } settings;
static inline float gradient_result (gradient_t gx, gradient_t gy, gradient_t v, settings s)
{ return fma (gx, s.along_x * small_unit (), fma (gy, s.along_y * small_unit (), v * small_unit ())); }
#elif LAPLACE
typedef struct { float amount; } settings;
static inline float gradient_result (gradient_t gx, gradient_t gy, gradient_t v, settings s)
{ return fma (4 * v - (gx + gy), s.amount * small_unit (), v * small_unit ()); }
#else
/* scale has 1 / divisor in it unless EXACT; base is the offset then. pick_x, pick_y: 0 drops a gradient, 2^31 - 1 takes its magnitude, -1
 * keeps it. offset = whole + fraction, -1/2 <= fraction < 1/2; start: fraction - 1/4; tie + tie_low: divisor * (fraction - 1/2). */
typedef struct { float scale, base; int pick_x, pick_y; float divisor, inverse, start, tie, tie_low; int whole; } settings;

#if !EXACT && LINES
static inline float gradient_result (gradient_t gx, gradient_t gy, gradient_t v, settings s)
{ return fma (as_float (as_int (gx) & s.pick_x) + as_float (as_int (gy) & s.pick_y), s.scale * small_unit (), s.base); }
#elif !EXACT
static inline float gradient_result (gradient_t gx, gradient_t gy, gradient_t v, settings s)
{ return fma (near_root (fma (gx, gx, gy * gy)), s.scale * small_unit (), s.base); }
#else
/* Rounds a value exactly with floats: a first result is right or 1 too low, and the rest decides. The value high + low exceeds a number c
 * where slope * (high + low - c) + extra > 0. */
static inline int decide (float high, float low, float slope, float extra, settings s)
{
  const int zero = 0x4b400000; /* the bits of 1.5 * 2^23, from which on floats are integers */
  const int bits = clamp (as_int (fma (high, s.inverse, s.start) + as_float (zero)), zero - 1 - s.whole, zero + MAX_VALUE - s.whole);
  const float rest = fma (-s.divisor, as_float (bits) - as_float (zero), high);
  const float above_half = fma ((rest + s.tie) + (low + s.tie_low), slope, extra);
  const int q = bits - zero + s.whole;
  return clamp (q + ((above_half > 0) | ((above_half == 0) & q & 1)), 0, MAX_VALUE);
}

#if LINES
static inline int picked (int g, int pick) /* g, its magnitude or 0, by its mask */
{
  const int sign = (g >> 31) & ~(pick >> 31);
  return ((g ^ sign) - sign) & pick;
}

static inline int gradient_result (gradient_t gx, gradient_t gy, gradient_t v, settings s)
{
  const int line = picked (gx, s.pick_x) + picked (gy, s.pick_y);
  const float high = (float) line, low = (float) (line - (int) high), value = high * s.scale;
  return decide (value, fma (high, s.scale, -value) + low * s.scale, 1, 0, s);
}
#else
/* gx^2 + gy^2 as the sum of two floats. Up to 10 bits one is enough: the sum is below 2^24, or so large that the result is the maximum.
 * With INTENSITY and more bits, squares need integers of 64 bits. */
static inline float2 squares (gradient_t gx, gradient_t gy)
{
#if INTENSITY && DEPTH > 10
  const long n = (long) gx * gx + (long) gy * gy;
  const float high = (float) n;
  return (float2) (high, (float) (n - (long) high));
#elif INTENSITY || DEPTH > 10
  const float x = (float) gx, y = (float) gy, xx = x * x, yy = y * y, high = xx + yy, added = high - xx;
  return (float2) (high, ((xx - (high - added)) + (yy - added)) + (fma (x, x, -xx) + fma (y, y, -yy)));
#else
  return (float2) (fma ((float) gx, (float) gx, (float) gy * (float) gy), 0);
#endif
}

static inline int gradient_result (gradient_t gx, gradient_t gy, gradient_t v, settings s)
{
  const float2 sum = squares (gx, gy);
  const float root = sqrt (sum.x), value = root * s.scale, remainder = fma (-root, root, sum.x) + sum.y;
  /* the remainder corrects the root, which is the nearest float; the slope is not 0 for a root of 0, whose remainder is 0 as well */
  const float slope = 2 * root + 1e-20f;
  return decide (value, fma (root, s.scale, -value), slope, remainder * s.scale, s);
}
#endif
#endif
#endif

/* The number of samples that share a value and a result. */
#define UNIT (INTENSITY ? NC : 1)
/* The result as a sample. INTENSITY and EXACT results are samples already; other floats are rounded and saturated. */
static inline int sample_of (gradient_t gx, gradient_t gy, gradient_t v, settings s)
{ return INTENSITY || EXACT ? (int) gradient_result (gx, gy, v, s) : round_saturate (gradient_result (gx, gy, v, s)); }

#if BACKEND_CPU && !(INTENSITY || EXACT)
#if DEPTH == 8
typedef short difference_t;
#else
typedef int difference_t;
#endif

ITEM_KERNEL (gradient, (PLANE_ARGS, settings s, uint weights), (PLANE_NAMES, s, weights))
{
  PLANE_BEGIN (sizeof (difference_t))
  difference_t across[ITEM_ROWS + 2], sum[ITEM_ROWS + 2], middle[ITEM_ROWS + 2];
  UNROLL for (int r = 0; r < ITEM_ROWS + 2; r++) {
    const difference_t left = PX (-1, r - 1), right = PX (1, r - 1);
    middle[r] = PX (0, r - 1);
    across[r] = right + SIGN * left;
    sum[r] = SIDE * (left + right) + MIDDLE * middle[r];
  }
  UNROLL for (int r = 0; r < ITEM_ROWS; r++) {
    const difference_t gx = SIDE * (across[r] + across[r + 2]) + MIDDLE * across[r + 1], gy = sum[r + 2] + SIGN * sum[r];
    OUT_ROW (r, sample_of ((float) gx, (float) gy, (float) middle[r + 1], s));
  }
  PLANE_END
}
#elif BACKEND_CPU
/* An item filters GRADIENT_STRIP units by several short loops: in one long loop compilers vectorise across a sample's neighbours.
 * left, middle and right are arrays: a value kept from turn to turn would prevent vectors. SIGN is -1 here. */
enum { GRADIENT_STRIP = 128 };

static inline void load_units (int *restrict values, global const sample_t *restrict row, int n, uint weights)
{
  WIDE_LOOP
  for (int i = 0; i < n; i++)
    values[i] = INTENSITY ? (int) weighted_at (row + i * UNIT, weights) : LOAD (row[i]);
}

ITEM_KERNEL (gradient, (PLANE_ARGS, settings s, uint weights), (PLANE_NAMES, s, weights))
{
  const int strip_x = region.x + ITEM (0) * GRADIENT_STRIP * UNIT, y = region.y + ITEM_Y;
  const int n = min (GRADIENT_STRIP, (region.x + region.width - strip_x) / UNIT);
  int left[ITEM_ROWS + 2][GRADIENT_STRIP], middle[ITEM_ROWS + 2][GRADIENT_STRIP], right[ITEM_ROWS + 2][GRADIENT_STRIP];
  for (int r = 0; r < ITEM_ROWS + 2; r++) {
    global const sample_t *line = SRC_ROW (y + r - 1) + strip_x;
    load_units (left[r], line - NC, n, weights);
    load_units (middle[r], line, n, weights);
    load_units (right[r], line + NC, n, weights);
  }
  for (int r = 0; r < ITEM_ROWS; r++) {
    global const sample_t *from = SRC_ROW (y + r) + strip_x;
    global sample_t *to = dst + (dst_offset + (y + r) * dst_stride + strip_x);
    WIDE_LOOP
    for (int i = 0; i < n; i++) {
      const int gx = SIDE * (right[r][i] - left[r][i] + right[r + 2][i] - left[r + 2][i]) + MIDDLE * (right[r + 1][i] - left[r + 1][i]);
      const int gy = SIDE * (left[r + 2][i] - left[r][i] + right[r + 2][i] - right[r][i]) + MIDDLE * (middle[r + 2][i] - middle[r][i]);
      const int result = sample_of (gx, gy, middle[r + 1][i], s);
#if INTENSITY
      store_value (to + i * NC, keep, result, load_pixel (from + i * NC));
#else
      to[i] = merge_sample (result, from[i], keep[strip_x - region.x + i]);
#endif
    }
  }
}
#else
#if LANES
static inline small end_sum (small end, small start) { return SIGN < 0 ? minus (end, start) : plus (end, start); }

/* A lane of SIDE * sides + MIDDLE * middle, which `small` holds for the weights 0 1 0, 1 1 1 and 1 2 1. */
static inline float weighted_lane (small middle, small sides, const int i)
{
  if (SIDE > 1 || MIDDLE > 2)
    return SIDE * float_of (sides, i) + MIDDLE * float_of (middle, i);
  return float_of (SIDE == 0 ? middle : MIDDLE == 1 ? plus (middle, sides) : twice_plus (middle, sides), i);
}

/* A row's part of three results is computed once. With ANY_PIXEL at[r] holds the row three times: moved by -1, 0 and 1 pixels. */
static inline void find_results (uint *words, const uint *window, struct plane plane, settings s, uint weights)
{
  const int step = ANY_PIXEL ? 4 * ITEM_WORDS : NC, first = ANY_PIXEL ? step : 4 * WORDS_BESIDE;
  lanes at[ITEM_ROWS + 2][ANY_PIXEL ? 12 * ITEM_WORDS : 4 * WORDS_AROUND];
  UNROLL for (int r = 0; r < ITEM_ROWS + 2; r++)
    if (!ANY_PIXEL)
      take_apart (at[r], window + r * WORDS_AROUND, WORDS_AROUND);
    else
      UNROLL for (int w = 0; w < 3 * ITEM_WORDS; w++) {
        const uint word = word_beside (window + r * WORDS_AROUND + WORDS_BESIDE + w % ITEM_WORDS, w / ITEM_WORDS - 1, NC);
        take_apart (at[r] + 4 * w, &word, 1);
      }
  UNROLL for (int w = 0; w < ITEM_WORDS; w++) {
    float results[ITEM_ROWS][4];
    UNROLL for (int odd = 0; odd < 2; odd++) {
      const int i = first + 4 * w + odd;
      small across[ITEM_ROWS + 2], sides[ITEM_ROWS + 2];
      UNROLL for (int r = 0; r < ITEM_ROWS + 2; r++) {
        across[r] = end_sum (at[r][i + step], at[r][i - step]);
        sides[r] = plus (at[r][i - step], at[r][i + step]);
      }
      UNROLL for (int r = 0; r < ITEM_ROWS; r++) {
        const small outer = plus (across[r], across[r + 2]), lower = end_sum (sides[r + 2], sides[r]);
        const small below = end_sum (at[r + 2][i], at[r][i]);
        UNROLL for (int n = 0; n < 2; n++)
          results[r][2 * n + odd] = gradient_result (
              weighted_lane (across[r + 1], outer, n), weighted_lane (below, lower, n), float_of (at[r + 1][i], n), s);
      }
    }
    UNROLL for (int r = 0; r < ITEM_ROWS; r++)
      words[r * ITEM_WORDS + w] = word_of_floats (results[r][0], results[r][1], results[r][2], results[r][3]);
  }
}
#else
/* Samples, not intensities, are raised by 2^23: this avoids slow conversions to float. Differences cancel it. */
#define RAISED (INTENSITY ? 0 : 0x1p23f)
static inline gradient_t weighted (gradient_t middle, gradient_t sides) { return (SIDE ? SIDE * sides : 0) + MIDDLE * middle; }

static inline void find_results (uint *words, const uint *window, struct plane plane, settings s, uint weights)
{
  UNROLL for (int r = 0; r < ITEM_ROWS; r++) {
    int values[ITEM_SAMPLES];
    UNROLL for (int i = 0; i < ITEM_SAMPLES; i += UNIT) {
      gradient_t v[3][3];
      const int at = WORDS_BESIDE * SAMPLES_PER_WORD + i;
      UNROLL for (int j = 0; j < 9; j++) {
        const uint *row = window + (r + j / 3) * WORDS_AROUND;
        const int x = at + (j % 3 - 1) * NC;
        const float raised = as_float ((uint) unpack_sample (row[x / SAMPLES_PER_WORD], x % SAMPLES_PER_WORD) | as_uint (0x1p23f));
        v[j / 3][j % 3] = (INTENSITY ? (gradient_t) (int) weighted_pixel (row, x, weights) : (gradient_t) raised) - (SIGN > 0 ? RAISED : 0);
      }
      const gradient_t gx = weighted (v[1][2] + SIGN * v[1][0], v[0][2] + SIGN * v[0][0] + v[2][2] + SIGN * v[2][0]);
      const gradient_t gy = weighted (v[2][1] + SIGN * v[0][1], v[2][0] + SIGN * v[0][0] + v[2][2] + SIGN * v[0][2]);
      const int result = sample_of (gx, gy, v[1][1] - (SIGN > 0 ? 0 : RAISED), s);
      UNROLL for (int c = 0; c < UNIT; c++)
        values[i + c] = result;
    }
    pack_samples (words + r * ITEM_WORDS, values);
  }
}
#endif

kernel void gradient (PLANE_ARGS, settings s, uint weights)
{
  GPU_ITEM_IN_REGION
  uint window[(ITEM_ROWS + 2) * WORDS_AROUND], words[ITEM_ROWS * ITEM_WORDS];
  load_around (window, ITEM_ROWS + 2, SRC_ARGS, item_x, item_y - 1);
  find_results (words, window, plane, s, weights);
  UNROLL for (int r = 0; r < ITEM_ROWS; r++)
    store_row (DST_ARGS, words + r * ITEM_WORDS, window + (r + 1) * WORDS_AROUND + WORDS_BESIDE, item_x, item_y + r);
}
#endif
