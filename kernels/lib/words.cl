/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Between frames whose 32-bit words hold values of ten bits, and planes or pixels that have 16 bits for each.
 *
 * The host defines
 *   PACKING        which format it is, as memory/format.hpp counts them
 *   ROWS_AT_ONCE   cpu back end: how many rows an item moves
 *
 * A group is the fewest whole words that hold whole pixels: WORDS_GROUP_PIXELS in WORDS_GROUP_WORDS. PART_a .. PART_d say
 * how many samples of it a plane has, and ROW_a .. ROW_d how many a row has. EACH_VALUE (F) calls F (plane,
 * number of the sample in that part, word, lowest bit).
 * Two bits of alpha stand for the same share of their most: 0, 341, 682, 1023.
 *
 * Places are {offset, stride}, in words and in samples. size: pixels of a row, and rows. */
#if PACKING == 1 /* v210 */
#define WORDS_GROUP_PIXELS 6
#define WORDS_GROUP_WORDS 4
#define EACH_VALUE(F)                                                                            \
  F (b, 0, 0, 0) F (a, 0, 0, 10) F (c, 0, 0, 20) F (a, 1, 1, 0) F (b, 1, 1, 10) F (a, 2, 1, 20) \
  F (c, 1, 2, 0) F (a, 3, 2, 10) F (b, 2, 2, 20) F (a, 4, 3, 0) F (c, 2, 3, 10) F (a, 5, 3, 20)
#elif PACKING == 2 /* Y210 */
#define WORDS_GROUP_PIXELS 2
#define WORDS_GROUP_WORDS 2
#define EACH_VALUE(F) F (a, 0, 0, 6) F (b, 0, 0, 22) F (a, 1, 1, 6) F (c, 0, 1, 22)
#elif PACKING == 3 /* Y410 */
#define WORDS_GROUP_PIXELS 1
#define WORDS_GROUP_WORDS 1
#define EACH_VALUE(F) F (b, 0, 0, 0) F (a, 0, 0, 10) F (c, 0, 0, 20) F (d, 0, 0, 30)
#elif PACKING == 4 /* BGR10A2: the pixels are G B R A */
#define WORDS_GROUP_PIXELS 1
#define WORDS_GROUP_WORDS 1
#define PIXEL_SAMPLES 4
#define EACH_VALUE(F) F (a, 1, 0, 0) F (a, 0, 0, 10) F (a, 2, 0, 20) F (a, 3, 0, 30)
#else /* GRAY10 */
#define WORDS_GROUP_PIXELS 3
#define WORDS_GROUP_WORDS 1
#define EACH_VALUE(F) F (a, 0, 0, 0) F (a, 1, 0, 10) F (a, 2, 0, 20)
#endif

#ifndef PIXEL_SAMPLES
#define PIXEL_SAMPLES 1
#endif
#define WORDS_CHROMA_PIXELS (PACKING <= 2 ? 2 : 1)
#define PART_a (WORDS_GROUP_PIXELS * PIXEL_SAMPLES)
#define PART_b (WORDS_GROUP_PIXELS / WORDS_CHROMA_PIXELS)
#define PART_c PART_b
#define PART_d 1
#define ROW_a (size.x * PIXEL_SAMPLES)
#define ROW_b ((size.x + WORDS_CHROMA_PIXELS - 1) / WORDS_CHROMA_PIXELS)
#define ROW_c ROW_b
#define ROW_d size.x

#define WORDS_IS_ALPHA(bit) ((bit) == 30)
#define WORDS_TAKEN(word, bit) ((ushort) (WORDS_IS_ALPHA (bit) ? ((word) >> 30) * 341 : (word) >> (bit) & 1023))
#define WORDS_PLACED(value, bit) ((WORDS_IS_ALPHA (bit) ? (uint) (value) *3 + 513 >> 10 : (uint) (value) &1023) << (bit))

#define WORDS_SAMPLE(plane, i) plane[plane##_at.x + y * plane##_at.y + g * PART_##plane + (i)]
#define WORD(w) words[words_at.x + y * words_at.y + g * WORDS_GROUP_WORDS + (w)]
#define WORDS_IS_INSIDE(plane, i) (g * PART_##plane + (i) < ROW_##plane)

#define WORDS_TAKE(plane, i, w, bit) WORDS_SAMPLE (plane, i) = WORDS_TAKEN (WORD (w), bit);
#define WORDS_TAKE_INSIDE(plane, i, w, bit) \
  if (WORDS_IS_INSIDE (plane, i))           \
  WORDS_TAKE (plane, i, w, bit)
#define WORDS_PLACE(plane, i, w, bit) group[w] |= WORDS_PLACED (WORDS_SAMPLE (plane, i), bit);
/* what stands beyond the row is 0 */
#define WORDS_PLACE_INSIDE(plane, i, w, bit) \
  if (WORDS_IS_INSIDE (plane, i))            \
  WORDS_PLACE (plane, i, w, bit)

#define WORDS_UNPACK(F) EACH_VALUE (F)
#define PACK(F)                               \
  uint group[WORDS_GROUP_WORDS];              \
  _Pragma ("unroll")                          \
  for (int w = 0; w < WORDS_GROUP_WORDS; w++) \
    group[w] = 0;                             \
  EACH_VALUE (F)                              \
  _Pragma ("unroll")                          \
  for (int w = 0; w < WORDS_GROUP_WORDS; w++) \
    WORD (w) = group[w];

/* MOVE with a value of all groups that are whole, and with one that looks where the row ends of the last one. */
#if BACKEND_CPU
#define EACH_GROUP(MOVE, F, F_INSIDE)                                                          \
  const int top = get_global_id (1) * ROWS_AT_ONCE, bottom = min (top + ROWS_AT_ONCE, size.y); \
  const int whole = size.x / WORDS_GROUP_PIXELS;                                               \
  for (int y = top; y < bottom; y++) {                                                         \
    ROW_LOOP (sizeof (uint))                                                                   \
    for (int g = 0; g < whole; g++) {                                                          \
      MOVE (F)                                                                                 \
    }                                                                                          \
    for (int g = whole; g * WORDS_GROUP_PIXELS < size.x; g++) {                                \
      MOVE (F_INSIDE)                                                                          \
    }                                                                                          \
  }
#else
#define EACH_GROUP(MOVE, F, F_INSIDE)                         \
  const int g = get_global_id (0), y = get_global_id (1);     \
  if (y < size.y && (g + 1) * WORDS_GROUP_PIXELS <= size.x) { \
    MOVE (F)                                                  \
  } else if (y < size.y && g * WORDS_GROUP_PIXELS < size.x) { \
    MOVE (F_INSIDE)                                           \
  }
#endif

kernel void
unpack_words (global const uint *restrict words, int2 words_at, global ushort *restrict a, int2 a_at, global ushort *restrict b,
    int2 b_at, global ushort *restrict c, int2 c_at, global ushort *restrict d, int2 d_at, int2 size)
{
  EACH_GROUP (WORDS_UNPACK, WORDS_TAKE, WORDS_TAKE_INSIDE)
}

kernel void
pack_words (global uint *restrict words, int2 words_at, global const ushort *restrict a, int2 a_at,
    global const ushort *restrict b, int2 b_at, global const ushort *restrict c, int2 c_at, global const ushort *restrict d,
    int2 d_at, int2 size)
{
  EACH_GROUP (PACK, WORDS_PLACE, WORDS_PLACE_INSIDE)
}
