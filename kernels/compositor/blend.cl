/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A plane of a picture onto that of another one. Behind lib/pixel.clh.
 *
 * The host defines
 *   ALPHA          where the picture's alpha is: 0: it has none, 1: in its pixels, of four samples, 2: in a plane of its own
 *   ALPHA_AT       which sample of the pixel it is
 *   SUB_X, SUB_Y   0, 1 or 2: by which power of two the plane of alpha has more columns and rows
 *   ROWS_AT_ONCE   of an item of the cpu back end
 *
 * Everything is in numbers of 0 .. MAX_VALUE. w is the weight of the whole picture, a = A * w / max its pixel's alpha, d what is
 * there, with alpha D where that counts:
 *
 *   blend_plain     d + (s - d) * w / (max + 1), rounded down
 *   blend_over      (s * a + d * (max - a)) / max                     on what is opaque, and stays so
 *   blend_overlay   (s * a + d * b) / (a + b), rounded down, b = D * (max - a) / max; alpha a + b
 *   blend_add       the same colours; alpha D + a
 *   blend_source    s; alpha a
 *
 * the others rounded to the nearest: all as compositor does, so that many pictures over one another stay like its own. So do overlay_alpha, add_alpha and source_alpha with a plane of alpha itself, after the others.
 *
 * size: of the plane in pixels, and of the plane of alpha. */
#define COMPOSITOR_BLEND_ARGS                                                                                       \
  global const sample_t *restrict src, int2 src_at, global sample_t *restrict dst, int2 dst_at,                     \
      global const sample_t *restrict alphas, int2 alphas_at, global const sample_t *restrict under, int2 under_at, \
      int4 size, uint weight

#if DEPTH == 8
typedef ushort plain_t;
#else
typedef uint plain_t;
#endif

/* n / MAX_VALUE, rounded, for n up to MAX_VALUE squared. */
static inline uint
share (uint n)
{
  const uint t = n + (1u << (DEPTH - 1));
  return (t + (t >> DEPTH)) >> DEPTH;
}

#define COMPOSITOR_PLAIN(s, d) \
  ((plain_t) ((plain_t) ((plain_t) (d) * (plain_t) (MAX_VALUE + 1 - weight)) + (plain_t) ((plain_t) (s) * (plain_t) weight)) >> DEPTH)

/* Each: a colour from s, d, a and D, and an alpha from a and D. */
#define COMPOSITOR_OVER(s, d, a, D) share ((uint) (s) * (a) + (uint) (d) * (MAX_VALUE - (a)))
#define COMPOSITOR_OVER_ALPHA(a, D) MAX_VALUE
static inline uint
mix_colors (uint s, uint d, uint a, uint D)
{
  const uint b = share (D * (MAX_VALUE - a)), sum = a + b;
  return sum ? (s * a + d * b) / sum : d;
}
#define COMPOSITOR_OVERLAY(s, d, a, D) mix_colors (s, d, a, D)
#define COMPOSITOR_OVERLAY_ALPHA(a, D) ((a) + share ((D) * (MAX_VALUE - (a))))
#define COMPOSITOR_ADD(s, d, a, D) mix_colors (s, d, a, D)
#define COMPOSITOR_ADD_ALPHA(a, D) min ((a) + (D), (uint) MAX_VALUE)
#define COMPOSITOR_SOURCE(s, d, a, D) (s)
#define COMPOSITOR_SOURCE_ALPHA(a, D) (a)

/* COMPOSITOR_ROWS_BEGIN .. COMPOSITOR_ROWS_END around what is done for rows y, from column `left` to `right`. */
#if BACKEND_CPU
#define COMPOSITOR_ROWS_BEGIN                             \
  const int top = (int) get_global_id (1) * ROWS_AT_ONCE; \
  const int left = 0, right = size.x;                     \
  for (int y = top; y < min (top + ROWS_AT_ONCE, size.y); y++) {
#define COMPOSITOR_COLUMNS(from, to, bytes) ROW_LOOP (bytes) for (int x = from; x < to; x++)
#else
#define COMPOSITOR_ROWS_BEGIN                                \
  const int left = get_global_id (0), y = get_global_id (1); \
  const int right = min (left + 1, size.x);                  \
  if (y < size.y) {
#define COMPOSITOR_COLUMNS(from, to, bytes) for (int x = from; x < to; x++)
#endif
#define COMPOSITOR_ROWS_END }

#define COMPOSITOR_SRC_AT (src + src_at.x + y * src_at.y)
#define COMPOSITOR_DST_AT (dst + dst_at.x + y * dst_at.y)
#define COMPOSITOR_STORED(v) ((sample_t) ((v) << SHIFT))

#if ALPHA == 0

kernel void
blend_plain (COMPOSITOR_BLEND_ARGS)
{
  COMPOSITOR_ROWS_BEGIN
  global const sample_t *restrict from = COMPOSITOR_SRC_AT;
  global sample_t *restrict to = COMPOSITOR_DST_AT;
  COMPOSITOR_COLUMNS (left * NC, right * NC, sizeof (plain_t))
    to[x] = COMPOSITOR_STORED (COMPOSITOR_PLAIN (LOAD (from[x]), LOAD (to[x])));
  COMPOSITOR_ROWS_END
}

#elif ALPHA == 1

#if BACKEND_CPU
#define COMPOSITOR_AS_PIXEL(name, p, x) LOAD_PIXEL (name, (p) + (x) *NC)
#define COMPOSITOR_NEW_PIXEL pixel_t result = 0;
#define COMPOSITOR_SET_SAMPLE(c, v) result |= (pixel_t) (v) << ((c) *SAMPLE_BITS);
#define COMPOSITOR_STORE_PIXEL(p, x) ((global packed_pixel_t *) ((p) + (x) *NC))->word = result;
#else
#define COMPOSITOR_AS_PIXEL(name, p, x) \
  uint name[NC];                        \
  for (int i = 0; i < NC; i++) name[i] = (p)[(x) *NC + i]
#define COMPOSITOR_NEW_PIXEL
#define COMPOSITOR_SET_SAMPLE(c, v) to[x * NC + (c)] = (sample_t) (v);
#define COMPOSITOR_STORE_PIXEL(p, x)
#endif

#define COMPOSITOR_BLEND_KERNEL(name, COLOR)                                                             \
  kernel void name (COMPOSITOR_BLEND_ARGS)                                                               \
  {                                                                                                      \
    COMPOSITOR_ROWS_BEGIN                                                                                \
    global const sample_t *restrict from = COMPOSITOR_SRC_AT;                                            \
    global sample_t *restrict to = COMPOSITOR_DST_AT;                                                    \
    COMPOSITOR_COLUMNS (left, right, SAMPLE_BITS / 2)                                                    \
    {                                                                                                    \
      COMPOSITOR_AS_PIXEL (s, from, x);                                                                  \
      COMPOSITOR_AS_PIXEL (d, to, x);                                                                    \
      const uint a = share ((uint) PIXEL_SAMPLE (s, ALPHA_AT) * weight), D = PIXEL_SAMPLE (d, ALPHA_AT); \
      COMPOSITOR_NEW_PIXEL                                                                               \
      _Pragma ("unroll") for (int c = 0; c < NC; c++)                                                    \
        COMPOSITOR_SET_SAMPLE (c, c == ALPHA_AT ? COLOR##_ALPHA (a, D)                                   \
            : COLOR ((uint) PIXEL_SAMPLE (s, c), (uint) PIXEL_SAMPLE (d, c), a, D))                      \
      COMPOSITOR_STORE_PIXEL (to, x)                                                                     \
    }                                                                                                    \
    COMPOSITOR_ROWS_END                                                                                  \
  }

#else

/* The mean of the alphas that a sample stands for; `last` is the column that a block at the edge lacks. */
#define COMPOSITOR_UPPER(p) (p + p##_at.x + (y << SUB_Y) * p##_at.y)
#define COMPOSITOR_LOWER(p) (p + p##_at.x + min ((y << SUB_Y) + SUB_Y, size.w - 1) * p##_at.y)
#if SUB_X > 1 || SUB_Y > 1
static inline uint
mean_of_block (global const sample_t *restrict alphas, int2 at, int left, int top, int2 size)
{
  uint sum = 1 << (SUB_X + SUB_Y - 1);
  for (int y = top; y < top + (1 << SUB_Y); y++)
    for (int x = left; x < left + (1 << SUB_X); x++)
      sum += LOAD (alphas[at.x + min (y, size.y - 1) * at.y + min (x, size.x - 1)]);
  return sum >> (SUB_X + SUB_Y);
}
#define MEAN(p, x, next) mean_of_block (p, p##_at, (x) << SUB_X, y << SUB_Y, size.zw)
#elif SUB_X
#define MEAN(p, x, next)                                                                                                  \
  (((uint) LOAD (p##_up[2 * (x)]) + LOAD (p##_up[2 * (x) + (next)]) + LOAD (p##_low[2 * (x)]) + LOAD (p##_low[2 * (x) + (next)]) + 2) >> 2)
#else
#define MEAN(p, x, next) (((uint) LOAD (p##_up[x]) + LOAD (p##_low[x]) + 1) >> 1)
#endif
#define COMPOSITOR_PIXEL_BLEND(COLOR, x, next)                                                              \
  {                                                                                                         \
    const uint a = share (MEAN (alphas, x, next) * weight), D = MEAN (under, x, next);                      \
    _Pragma ("unroll") for (int c = 0; c < NC; c++)                                                         \
      to[(x) *NC + c] =                                                                                     \
          COMPOSITOR_STORED (COLOR ((uint) LOAD (from[(x) *NC + c]), (uint) LOAD (to[(x) *NC + c]), a, D)); \
  }

#define COMPOSITOR_BLEND_KERNEL(name, COLOR)                                                                                 \
  kernel void name (COMPOSITOR_BLEND_ARGS)                                                                                   \
  {                                                                                                                          \
    COMPOSITOR_ROWS_BEGIN                                                                                                    \
    global const sample_t *restrict from = COMPOSITOR_SRC_AT;                                                                \
    global sample_t *restrict to = COMPOSITOR_DST_AT;                                                                        \
    global const sample_t *restrict alphas_up = COMPOSITOR_UPPER (alphas), *restrict alphas_low = COMPOSITOR_LOWER (alphas); \
    global const sample_t *restrict under_up = COMPOSITOR_UPPER (under), *restrict under_low = COMPOSITOR_LOWER (under);     \
    const int whole = min (right, size.z >> SUB_X);                                                                          \
    COMPOSITOR_COLUMNS (left, whole, sizeof (uint)) COMPOSITOR_PIXEL_BLEND (COLOR, x, 1)                                     \
    for (int x = max (left, whole); x < right; x++)                                                                          \
      COMPOSITOR_PIXEL_BLEND (COLOR, x, 0)                                                                                   \
    COMPOSITOR_ROWS_END                                                                                                      \
  }

#define COMPOSITOR_ALPHA_KERNEL(name, NEW_ALPHA)                               \
  kernel void name (COMPOSITOR_BLEND_ARGS)                                     \
  {                                                                            \
    COMPOSITOR_ROWS_BEGIN                                                      \
    global const sample_t *restrict from = COMPOSITOR_SRC_AT;                  \
    global sample_t *restrict to = COMPOSITOR_DST_AT;                          \
    COMPOSITOR_COLUMNS (left, right, sizeof (uint))                            \
    {                                                                          \
      const uint a = share ((uint) LOAD (from[x]) * weight), D = LOAD (to[x]); \
      to[x] = COMPOSITOR_STORED (NEW_ALPHA (a, D));                            \
    }                                                                          \
    COMPOSITOR_ROWS_END                                                        \
  }

COMPOSITOR_ALPHA_KERNEL (overlay_alpha, COMPOSITOR_OVERLAY_ALPHA)
COMPOSITOR_ALPHA_KERNEL (add_alpha, COMPOSITOR_ADD_ALPHA)
COMPOSITOR_ALPHA_KERNEL (source_alpha, COMPOSITOR_SOURCE_ALPHA)

#endif

#if ALPHA
COMPOSITOR_BLEND_KERNEL (blend_over, COMPOSITOR_OVER)
COMPOSITOR_BLEND_KERNEL (blend_overlay, COMPOSITOR_OVERLAY)
COMPOSITOR_BLEND_KERNEL (blend_add, COMPOSITOR_ADD)
COMPOSITOR_BLEND_KERNEL (blend_source, COMPOSITOR_SOURCE)
#endif
