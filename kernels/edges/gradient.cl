/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Makes a sample of the gradient of the 3x3 window around it:
 *
 *   gx = (right - left) of the three rows, times SIDE, MIDDLE, SIDE; gy is its transpose
 *
 * Behind edges/edges.clh, which has gradient_result () of these, of sample v and of the settings; all three are integers when multiplied by
 * SMALL_UNIT. The host defines SIDE and MIDDLE, and
 *   INTENSITY   1 for the intensity of planes of RGB (shared/intensity.clh): v and the gradient are of a hundred times it, and the
 *               result goes to all samples of the pixel
 *   LANES       gpu back end: 1 for samples of 8 bits by lib/lanes.clh
 */

/* What has a gradient: so many samples, whose value is a number, and which all become the result. */
enum { UNIT = INTENSITY ? NC : 1 };

/* A result is a float, to be rounded and saturated, or else a sample. */
static inline int
sample_of (gradient_t gx, gradient_t gy, gradient_t v, settings s)
{
#if INTENSITY || EXACT
  return gradient_result (gx, gy, v, s);
#else
  return round_saturate (gradient_result (gx, gy, v, s));
#endif
}

#if BACKEND_CPU && !(INTENSITY || EXACT)

#if DEPTH == 8
typedef short difference_t;
#else
typedef int difference_t;
#endif

/* Each row is read once for the three rows of results that it reaches. */
kernel void
gradient (PLANE_ARGS, settings s, uint weights)
{
  PLANE_BEGIN (sizeof (difference_t))
  difference_t across[ITEM_ROWS + 2], sum[ITEM_ROWS + 2], middle[ITEM_ROWS + 2];
  UNROLL for (int r = 0; r < ITEM_ROWS + 2; r++) {
    const difference_t left = PX (-1, r - 1), right = PX (1, r - 1);
    middle[r] = PX (0, r - 1);
    across[r] = right - left;
    sum[r] = SIDE * (left + right) + MIDDLE * middle[r];
  }
  UNROLL for (int r = 0; r < ITEM_ROWS; r++) {
    const difference_t gx = SIDE * (across[r] + across[r + 2]) + MIDDLE * across[r + 1];
    const difference_t gy = sum[r + 2] - sum[r];
    OUT_ROW (r, sample_of ((float) gx, (float) gy, (float) middle[r + 1], s));
  }
  PLANE_END
}

#elif BACKEND_CPU

/* An item filters a strip of GRADIENT_STRIP units. Loops of its own, since of bodies as long as these the compiler would rather make
 * vectors of neighbours than of the items of a loop over work items. Neighbours stand in arrays of their own at the same index: where
 * it can, the compiler keeps them from one turn to the next, and can then no longer make vectors of the turns. */
enum { GRADIENT_STRIP = 128 };

static inline void
load_units (int *restrict values, global const sample_t *restrict row, int n, uint weights)
{
  WIDE_LOOP
  for (int i = 0; i < n; i++)
    values[i] = INTENSITY ? (int) weighted_at (row + i * UNIT, weights) : LOAD (row[i]);
}

kernel void
gradient (PLANE_ARGS, settings s, uint weights)
{
  const int strip_x = region.x + (int) get_global_id (0) * GRADIENT_STRIP * UNIT, y = region.y + ITEM_Y;
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

/* A lane of SIDE * sides + MIDDLE * middle, which `small` holds for the weights 1 1 1 and 1 2 1. */
static inline float
weighted_lane (small middle, small sides, const int i)
{
  if (SIDE == 1 && MIDDLE <= 2)
    return float_of (MIDDLE == 1 ? plus (middle, sides) : twice_plus (middle, sides), i);
  return SIDE * float_of (sides, i) + MIDDLE * float_of (middle, i);
}

/* The results of a row of the window's middle. */
static inline void
find_results (uint *words, const uint (*window)[WORDS_AROUND], settings s, uint weights)
{
  lanes at[3][4 * WORDS_AROUND];
  UNROLL for (int r = 0; r < 3; r++)
    take_apart (at[r], window[r], WORDS_AROUND);
  UNROLL for (int w = 0; w < ITEM_WORDS; w++) {
    float results[4];
    UNROLL for (int odd = 0; odd < 2; odd++) {
      const int i = 4 * (WORDS_BESIDE + w) + odd;
      small across[3], sides[3];
      UNROLL for (int r = 0; r < 3; r++) {
        across[r] = minus (at[r][i + NC], at[r][i - NC]);
        sides[r] = plus (at[r][i - NC], at[r][i + NC]);
      }
      const small outer = plus (across[0], across[2]), lower = minus (sides[2], sides[0]), below = minus (at[2][i], at[0][i]);
      UNROLL for (int n = 0; n < 2; n++)
        results[2 * n + odd] =
            gradient_result (weighted_lane (across[1], outer, n), weighted_lane (below, lower, n), float_of (at[1][i], n), s);
    }
    words[w] = word_of_floats (results[0], results[1], results[2], results[3]);
  }
}

#else

/* Raised by 2^23 but for intensities, which needs no conversion, of which GPUs issue few; differences lose it. */
#define RAISED (INTENSITY ? 0 : 8388608.0f)

static inline gradient_t
unit_value (const uint *row, const int i, uint weights)
{
#if INTENSITY
  return (int) weighted_pixel (row, i, weights);
#else
  return as_float ((uint) unpack_sample (row[i / SAMPLES_PER_WORD], i % SAMPLES_PER_WORD) | as_uint (8388608.0f));
#endif
}

static inline void
find_results (uint *words, const uint (*window)[WORDS_AROUND], settings s, uint weights)
{
  int values[ITEM_SAMPLES];
  UNROLL for (int i = 0; i < ITEM_SAMPLES; i += UNIT) {
    gradient_t v[3][3];
    UNROLL for (int j = 0; j < 9; j++)
      v[j / 3][j % 3] = unit_value (window[j / 3], WORDS_BESIDE * SAMPLES_PER_WORD + i + (j % 3 - 1) * NC, weights);
    const gradient_t gx = SIDE * (v[0][2] - v[0][0] + v[2][2] - v[2][0]) + MIDDLE * (v[1][2] - v[1][0]);
    const gradient_t gy = SIDE * (v[2][0] - v[0][0] + v[2][2] - v[0][2]) + MIDDLE * (v[2][1] - v[0][1]);
    const int result = sample_of (gx, gy, v[1][1] - RAISED, s);
    UNROLL for (int c = 0; c < UNIT; c++)
      values[i + c] = result;
  }
  pack_samples (words, values);
}

#endif

kernel void
gradient (PLANE_ARGS, settings s, uint weights)
{
  GPU_ITEM_IN_REGION
  uint window[ITEM_ROWS + 2][WORDS_AROUND], words[ITEM_WORDS];
  load_around (window[0], ITEM_ROWS + 2, SRC_ARGS, item_x, item_y - 1);
  UNROLL for (int r = 0; r < ITEM_ROWS; r++) {
    find_results (words, window + r, s, weights);
    store_row (DST_ARGS, words, window[r + 1] + WORDS_BESIDE, item_x, item_y + r);
  }
}

#endif
