/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Blends a plane of a picture onto the same plane of another one. ALPHA: the place of the picture's alpha: 0: none, 1: sample ALPHA_AT of
 * its pixels of four, 2: a separate plane, 3: this plane, which comes last. OPERATOR: 0 over, 1 overlay, 2 add, 3 source. SUB_X, SUB_Y:
 * log2 of how many more columns and rows alpha has. plain_t holds a product of two samples. With the weight w of the picture, its sample s,
 * a = A * w / max of its alpha A, the sample d below and its alpha D, GStreamer's compositor and this calculate
 *
 *   without alpha   d + (s - d) * w / (max + 1), rounded down
 *   over            (s * a + d * (max - a)) / max                     on opaque pixels, which stay opaque
 *   overlay         (s * a + d * b) / (a + b), rounded down, b = D * (max - a) / max; alpha a + b
 *   add             the same colours; alpha D + a, at most max
 *   source          s; alpha a
 *
 * other results rounded to the nearest. size: of the plane in pixels, then of the plane of alpha. */
/* n / MAX_VALUE, rounded, for n up to MAX_VALUE squared. */
static inline uint share (uint n)
{
  const uint t = n + (1u << (DEPTH - 1));
  return (t + (t >> DEPTH)) >> DEPTH;
}

/* The formulas above: without alpha; of a colour; of alpha. */
static inline sample_t weighed (sample_t s, sample_t d, uint weight)
{
  const plain_t old = (plain_t) LOAD (d) * (plain_t) (MAX_VALUE + 1 - weight), new = (plain_t) LOAD (s) * (plain_t) weight;
  return (sample_t) ((plain_t) (old + new) >> DEPTH << SHIFT);
}

static inline uint blended (uint s, uint d, uint a, uint D)
{
  if (OPERATOR == 0)
    return share (s * a + d * (MAX_VALUE - a));
  if (OPERATOR == 3)
    return s;
  const uint b = share (D * (MAX_VALUE - a)), sum = a + b;
  return sum ? (s * a + d * b) / sum : d;
}

static inline uint blended_alpha (uint a, uint D)
{ return OPERATOR == 0 ? MAX_VALUE : OPERATOR == 1 ? a + share (D * (MAX_VALUE - a)) : OPERATOR == 2 ? min (a + D, (uint) MAX_VALUE) : a; }

/* The mean of a block of a plane of alpha. Missing rows repeat the last one, and so do missing columns; a whole block has all. */
static inline uint mean_alpha (global const sample_t *restrict plane, int2 at, int2 size, int x, int y, const bool whole)
{
  uint sum = 1 << (SUB_X + SUB_Y) >> 1;
  UNROLL for (int r = 0; r < 1 << SUB_Y; r++) {
    global const sample_t *restrict from = plane + (at.x + min ((y << SUB_Y) + r, size.y - 1) * at.y);
    UNROLL for (int c = 0, column = x << SUB_X; c < 1 << SUB_X; c++)
      sum += LOAD (from[whole ? column + c : min (column + c, size.x - 1)]);
  }
  return sum >> (SUB_X + SUB_Y);
}

#define MEAN_ALPHA(plane, whole) mean_alpha (plane, plane##_at, size.zw, x, y, whole)

static inline void blend_pixel (global sample_t *restrict to, global const sample_t *restrict from, uint a, uint D)
{
  UNROLL for (int c = 0; c < NC; c++)
    to[c] = (sample_t) (blended (LOAD (from[c]), LOAD (to[c]), a, D) << SHIFT);
}

ITEM_KERNEL (blend, (global const sample_t *restrict src, int2 src_at, global sample_t *restrict dst, int2 dst_at,
    global const sample_t *restrict alphas, int2 alphas_at, global const sample_t *restrict under, int2 under_at, int4 size, uint weight), (src,
    src_at, dst, dst_at, alphas, alphas_at, under, under_at, size, weight))
{
  const int rows = BACKEND_CPU ? ROWS_AT_ONCE : 1, top = ITEM (1) * rows, bottom = min (top + rows, size.y);
  const int left = BACKEND_CPU ? 0 : ITEM (0), right = BACKEND_CPU ? size.x : min (left + 1, size.x);
  for (int y = top; y < bottom; y++) {
    global const sample_t *restrict from = src + src_at.x + y * src_at.y;
    global sample_t *restrict to = dst + dst_at.x + y * dst_at.y;
#if ALPHA == 0
    ROW_LOOP (sizeof (plain_t))
    for (int x = left * NC; x < right * NC; x++)
      to[x] = weighed (from[x], to[x], weight);
#elif ALPHA == 1
    ROW_LOOP (SAMPLE_BITS / 2)
    for (int x = left; x < right; x++) {
      const pixel_t s = load_pixel (from + x * NC), d = load_pixel (to + x * NC);
      const uint a = share ((uint) PIXEL_SAMPLE (s, ALPHA_AT) * weight), D = PIXEL_SAMPLE (d, ALPHA_AT);
      pixel_t result = {0};
      UNROLL for (int c = 0; c < NC; c++)
        set_sample (
            &result, c, (sample_t) (c == ALPHA_AT ? blended_alpha (a, D) : blended (PIXEL_SAMPLE (s, c), PIXEL_SAMPLE (d, c), a, D)));
      put_pixel (to + x * NC, result);
    }
#elif ALPHA == 2
    const int end = min (right, size.z >> SUB_X); /* of the pixels whose blocks are whole */
    ROW_LOOP (sizeof (uint))
    for (int x = left; x < end; x++)
      blend_pixel (to + x * NC, from + x * NC, share (MEAN_ALPHA (alphas, true) * weight), MEAN_ALPHA (under, true));
    for (int x = max (left, end); x < right; x++)
      blend_pixel (to + x * NC, from + x * NC, share (MEAN_ALPHA (alphas, false) * weight), MEAN_ALPHA (under, false));
#else
    ROW_LOOP (sizeof (uint))
    for (int x = left; x < right; x++)
      to[x] = (sample_t) (blended_alpha (share ((uint) LOAD (from[x]) * weight), LOAD (to[x])) << SHIFT);
#endif
  }
}
