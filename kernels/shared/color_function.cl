/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A function of a pixel's R'G'B' (color_function.clh) on planes that hold all of it: RGB, and grey, whose three are equal.
 *
 * at   which of a pixel's samples are red, green and blue: an argument, so that orders share a program
 *
 * The function may define CHANGED_WORD (p), the same of a pixel that is a word, where that is shorter.
 */
#define COLOR_TO_UNIT(v) (((float) (v) - space.black) * space.unit)
#define COLOR_FROM_UNIT(v) color_sample (result.black + (v) *result.reach)

/* No index that only the device knows, so that samples stay in registers. */
#define SAMPLE_AT(p, i) ((i) == 0 ? (p)[0] : (i) == 1 ? (p)[1 % NC] : (i) == 2 ? (p)[2 % NC] : (p)[3 % NC])

#if NC == 1
#define COLOR_CHANGE_PIXEL(p)                                                       \
  do {                                                                              \
    float r = COLOR_TO_UNIT ((p)[0]), g = r, b = r;                                 \
    FUNCTION (r, g, b);                                                             \
    (p)[0] = COLOR_FROM_UNIT (result.red * r + result.green * g + result.blue * b); \
  } while (0)
#else
#define COLOR_CHANGE_PIXEL(p)                                                                     \
  do {                                                                                            \
    float r = COLOR_TO_UNIT (SAMPLE_AT (p, at.x)), g = COLOR_TO_UNIT (SAMPLE_AT (p, at.y)),       \
        b = COLOR_TO_UNIT (SAMPLE_AT (p, at.z));                                                  \
    FUNCTION (r, g, b);                                                                           \
    const int red = COLOR_FROM_UNIT (r), green = COLOR_FROM_UNIT (g), blue = COLOR_FROM_UNIT (b); \
    _Pragma ("unroll") for (int c = 0; c < NC; c++)                                               \
        (p)[c] = at.x == c ? red : at.y == c ? green : at.z == c ? blue : (p)[c];                 \
  } while (0)
#endif

#if BACKEND_CPU

#if NC == 4
#define COLOR_WORD_SAMPLE(word, i) ((int) BOUNDED ((sample_t) ((word) >> ((i) *SAMPLE_BITS + SHIFT))))
#define COLOR_IN_WORD(v, i) ((pixel_t) (v) << ((i) *SAMPLE_BITS + SHIFT))
#define COLOR_ALL_OF(i) (((pixel_t) ((1 << SAMPLE_BITS) - 1)) << ((i) *SAMPLE_BITS))
#endif

/* Work item (0, row). */
kernel void
color_function (PLANE_ARGS, int4 at, COLOR_PARAM)
{
  const int y = region.y + (int) get_global_id (1);
  global const sample_t *restrict from = src + (src_offset + y * src_stride + region.x);
  global sample_t *restrict to = dst + (dst_offset + y * dst_stride + region.x);
#if NC == 4
  LOAD_PIXEL (filtered, keep);
  const pixel_t mask = filtered & (COLOR_ALL_OF (at.x) | COLOR_ALL_OF (at.y) | COLOR_ALL_OF (at.z));
#endif
  ROW_LOOP (COLOR_BYTES)
  for (int x = 0; x < region.width; x += NC) {
#if NC == 4
    LOAD_PIXEL (word, from + x);
    float r = COLOR_TO_UNIT (COLOR_WORD_SAMPLE (word, at.x)), g = COLOR_TO_UNIT (COLOR_WORD_SAMPLE (word, at.y)),
        b = COLOR_TO_UNIT (COLOR_WORD_SAMPLE (word, at.z));
    FUNCTION (r, g, b);
    const pixel_t changed = COLOR_IN_WORD (COLOR_FROM_UNIT (r), at.x) | COLOR_IN_WORD (COLOR_FROM_UNIT (g), at.y)
        | COLOR_IN_WORD (COLOR_FROM_UNIT (b), at.z);
    ((global packed_pixel_t *) (to + x))->word = (changed & mask) | (word & ~mask);
#elif NC == 3
    int p[NC];
    p[0] = LOAD (from[x]), p[1] = LOAD (from[x + 1]), p[2] = LOAD (from[x + 2]);
    COLOR_CHANGE_PIXEL (p);
    to[x] = merge_sample (p[0], from[x], keep[0]);
    to[x + 1] = merge_sample (p[1], from[x + 1], keep[1]);
    to[x + 2] = merge_sample (p[2], from[x + 2], keep[2]);
#else
    int p[NC];
    p[0] = LOAD (from[x]);
    COLOR_CHANGE_PIXEL (p);
    to[x] = merge_sample (p[0], from[x], keep[x]);
#endif
  }
}

#else

kernel void
color_function (PLANE_ARGS, int4 at, COLOR_PARAM)
{
  GPU_ITEM
  if (!ITEM_IN_REGION)
    return;
#ifdef CHANGED_WORD
  const uint mask = *(global const uint *) keep;
  uint words[ITEM_WORDS];
  load_words (words, item_y);
#pragma unroll
  for (int w = 0; w < ITEM_WORDS; w++)
    words[w] = CHANGED_WORD (words[w]);
  store_words (words, item_y);
#else
  int v[ITEM_SAMPLES];
  load_point (v, item_x, item_y);
#pragma unroll
  for (int i = 0; i < ITEM_SAMPLES; i += NC)
    COLOR_CHANGE_PIXEL (v + i);
  store_item (v, item_y);
#endif
}

#endif
