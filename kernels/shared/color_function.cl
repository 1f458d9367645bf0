/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A function of a pixel's R'G'B' (color_function.clh) on planes that hold all of it: RGB, and gray, whose three are equal.
 *
 * The host defines RED_AT, GREEN_AT and BLUE_AT, which of a pixel's samples they are.
 */
#define TO_UNIT(v) (((float) (v) - space.black) * space.unit)
#define FROM_UNIT(v) color_sample (space.black + (v) *space.reach)

#if NC == 1
#define CHANGE_PIXEL(p)                                                              \
  do {                                                                               \
    float r = TO_UNIT ((p)[0]), g = r, b = r;                                        \
    FUNCTION (r, g, b);                                                              \
    (p)[0] = FROM_UNIT (space.red * r + space.green * g + space.blue * b);           \
  } while (0)
#else
#define CHANGE_PIXEL(p)                                                              \
  do {                                                                               \
    float r = TO_UNIT ((p)[RED_AT]), g = TO_UNIT ((p)[GREEN_AT]), b = TO_UNIT ((p)[BLUE_AT]); \
    FUNCTION (r, g, b);                                                              \
    (p)[RED_AT] = FROM_UNIT (r);                                                     \
    (p)[GREEN_AT] = FROM_UNIT (g);                                                   \
    (p)[BLUE_AT] = FROM_UNIT (b);                                                    \
  } while (0)
#endif

#if BACKEND_CPU

#if NC == 4
/* A pixel is a word, wherever it stands, so that neighbouring work items read and write neighbouring words. */
#if SAMPLE_BITS == 8
typedef uint word_t;
#else
typedef ulong word_t;
#endif
typedef struct __attribute__ ((packed))
{
  word_t bits;
} pixel_t;
#define WORD_SAMPLE(word, i) ((int) BOUNDED ((sample_t) ((word) >> ((i) *SAMPLE_BITS + SHIFT))))
#define IN_WORD(v, i) ((word_t) (v) << ((i) *SAMPLE_BITS + SHIFT))
#define ALL_OF(i) (((word_t) ((1 << SAMPLE_BITS) - 1)) << ((i) *SAMPLE_BITS))
#endif

/* Work item (0, row). */
kernel void
color_function (PLANE_ARGS, COLOR_PARAM)
{
  const int y = region.y + (int) get_global_id (1);
  global const sample_t *restrict from = src + (src_offset + y * src_stride + region.x);
  global sample_t *restrict to = dst + (dst_offset + y * dst_stride + region.x);
#if NC == 4
  const word_t mask = ((global const pixel_t *) keep)->bits & (ALL_OF (RED_AT) | ALL_OF (GREEN_AT) | ALL_OF (BLUE_AT));
#endif
  ROW_LOOP (COLOR_BYTES)
  for (int x = 0; x < region.width; x += NC) {
    int p[NC];
#if NC == 4
    const word_t word = ((global const pixel_t *) (from + x))->bits;
    p[RED_AT] = WORD_SAMPLE (word, RED_AT), p[GREEN_AT] = WORD_SAMPLE (word, GREEN_AT), p[BLUE_AT] = WORD_SAMPLE (word, BLUE_AT);
    CHANGE_PIXEL (p);
    const word_t result = IN_WORD (p[RED_AT], RED_AT) | IN_WORD (p[GREEN_AT], GREEN_AT) | IN_WORD (p[BLUE_AT], BLUE_AT);
    ((global pixel_t *) (to + x))->bits = (result & mask) | (word & ~mask);
#elif NC == 3
    p[0] = LOAD (from[x]), p[1] = LOAD (from[x + 1]), p[2] = LOAD (from[x + 2]);
    CHANGE_PIXEL (p);
    to[x] = merge_sample (p[0], from[x], keep[0]);
    to[x + 1] = merge_sample (p[1], from[x + 1], keep[1]);
    to[x + 2] = merge_sample (p[2], from[x + 2], keep[2]);
#else
    p[0] = LOAD (from[x]);
    CHANGE_PIXEL (p);
    to[x] = merge_sample (p[0], from[x], keep[x]);
#endif
  }
}

#else

kernel void
color_function (PLANE_ARGS, COLOR_PARAM)
{
  GPU_ITEM
  if (!ITEM_IN_REGION)
    return;
  int v[ITEM_SAMPLES];
  load_point (v, item_x, item_y);
#pragma unroll
  for (int i = 0; i < ITEM_SAMPLES; i += NC)
    CHANGE_PIXEL (v + i);
  store_item (v, item_y);
}

#endif
