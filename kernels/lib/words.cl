/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Between frames whose words hold several values, and planes or pixels that have a sample for each.
 *
 * The host defines
 *   PACKING        which packing it is, as memory/format.hpp counts them; 0: whole samples, of which a word has one for each of PLANES,
 *                  at the bits SHIFT_0 ..
 *   GROUP_PIXELS, GROUP_WORDS, WORD_BYTES   a group is the fewest whole words that hold whole pixels
 *   stored_t, word_t   words as they lie, and as numbers
 *   PIXEL_SAMPLES  of plane a; CHROMA_PIXELS: how many pixels share a sample of planes b and c
 *   SWAPPED        1 where the bytes of 16 bits are not in the processor's order, else 0
 *   DEPTH_OF_SEEN  how many bits the samples of the planes have
 *   ROWS_AT_ONCE
 *
 * EACH_VALUE (F) calls F (plane, number of the sample in the group's part of it, word, lowest bit, bits). A value of fewer bits than a
 * sample stands for the same share of the most.
 *
 * Places are {offset, stride}, in words (in bytes where a word has five of them) and in samples. size: pixels of a row that words hold,
 * rows, and how many a row of the planes has: one more where GStreamer's rows of chroma lack the last sample. */
#define DEPTH_ALL DEPTH_OF_SEEN
#define HIGH (16 - DEPTH_OF_SEEN)
#define IS_BIG (PACKING == 7 || PACKING == 10 || PACKING == 11)
#if PACKING == 0
#define WORDS_SAMPLE_OF(F, plane, n) F (plane, 0, 0, SHIFT_##n, DEPTH_ALL)
#if PLANES == 1
#define EACH_VALUE(F) WORDS_SAMPLE_OF (F, a, 0)
#elif PLANES == 3
#define EACH_VALUE(F) WORDS_SAMPLE_OF (F, a, 0) WORDS_SAMPLE_OF (F, b, 1) WORDS_SAMPLE_OF (F, c, 2)
#else
#define EACH_VALUE(F) WORDS_SAMPLE_OF (F, a, 0) WORDS_SAMPLE_OF (F, b, 1) WORDS_SAMPLE_OF (F, c, 2) WORDS_SAMPLE_OF (F, d, 3)
#endif
#elif PACKING == 1 /* v210 */
#define EACH_VALUE(F)                                                                                                \
  F (b, 0, 0, 0, 10) F (a, 0, 0, 10, 10) F (c, 0, 0, 20, 10) F (a, 1, 1, 0, 10) F (b, 1, 1, 10, 10) F (a, 2, 1, 20, 10) \
  F (c, 1, 2, 0, 10) F (a, 3, 2, 10, 10) F (b, 2, 2, 20, 10) F (a, 4, 3, 0, 10) F (c, 2, 3, 10, 10) F (a, 5, 3, 20, 10)
#elif PACKING <= 3 /* Y210, Y212, Y216; v216 begins with U */
#define LUMA_WORD (PACKING == 2 ? 0 : 1)
#define EACH_VALUE(F)                                                           \
  F (a, 0, LUMA_WORD, HIGH, DEPTH_ALL) F (b, 0, 1 - LUMA_WORD, HIGH, DEPTH_ALL) \
  F (a, 1, 2 + LUMA_WORD, HIGH, DEPTH_ALL) F (c, 0, 3 - LUMA_WORD, HIGH, DEPTH_ALL)
#elif PACKING == 4 /* Y410 */
#define EACH_VALUE(F) F (b, 0, 0, 0, 10) F (a, 0, 0, 10, 10) F (c, 0, 0, 20, 10) F (d, 0, 0, 30, 2)
#elif PACKING <= 7 /* BGR10A2, RGB10A2, and r210 without alpha; the pixels are G B R A, here and below */
#define FIRST_LOWEST (PACKING == 6 ? 2 : 1)
#define EACH_VALUE(F) \
  F (a, FIRST_LOWEST, 0, 0, 10) F (a, 0, 0, 10, 10) F (a, 3 - FIRST_LOWEST, 0, 20, 10) F (a, 3, 0, 30, (PACKING == 7 ? 0 : 2))
#elif PACKING == 8 /* GRAY10, and planes of NV12_10LE32 */
#define EACH_VALUE(F) F (a, 0, 0, 0, 10) F (a, 1, 0, 10, 10) F (a, 2, 0, 20, 10)
#elif PACKING <= 10 /* planes of NV12_10LE40, and of NV12_10BE_8L128 from the other end */
#define FROM_END(i) (IS_BIG ? 3 - (i) : (i))
#define EACH_VALUE(F) \
  F (a, FROM_END (0), 0, 0, 10) F (a, FROM_END (1), 0, 10, 10) F (a, FROM_END (2), 0, 20, 10) F (a, FROM_END (3), 0, 30, 10)
#elif PACKING == 11 /* UYVP */
#define EACH_VALUE(F) F (a, 1, 0, 0, 10) F (c, 0, 0, 10, 10) F (a, 0, 0, 20, 10) F (b, 0, 0, 30, 10)
#elif PACKING <= 13 /* v308, IYU2 */
#define EACH_VALUE(F) F (a, 0, PACKING - 12, 0, 8) F (b, 0, 13 - PACKING, 0, 8) F (c, 0, 2, 0, 8)
#elif PACKING == 14 /* IYU1 */
#define EACH_VALUE(F) F (b, 0, 0, 0, 8) F (a, 0, 1, 0, 8) F (a, 1, 2, 0, 8) F (c, 0, 3, 0, 8) F (a, 2, 4, 0, 8) F (a, 3, 5, 0, 8)
#else /* RGB16, BGR16, RGB15, BGR15 */
#define FIRST_LOWEST (PACKING % 2 ? 1 : 2)
#define GREEN_BITS (PACKING <= 16 ? 6 : 5)
#define EACH_VALUE(F) \
  F (a, FIRST_LOWEST, 0, 0, 5) F (a, 0, 0, 5, GREEN_BITS) F (a, 3 - FIRST_LOWEST, 0, 5 + GREEN_BITS, 5) F (a, 3, 0, 0, 0)
#endif

/* Of a group, and of a row. */
#define PART_a (GROUP_PIXELS * PIXEL_SAMPLES)
#define PART_b (GROUP_PIXELS / CHROMA_PIXELS)
#define PART_c PART_b
#define PART_d 1
#define ROW_a (size.x * PIXEL_SAMPLES)
#define ROW_b ((size.x + CHROMA_PIXELS - 1) / CHROMA_PIXELS)
#define ROW_c ROW_b
#define ROW_d size.x

enum { WORD_UNITS = WORD_BYTES == 5 ? 5 : 1 };
#if WORD_BYTES == 5
#define FIVE_BYTE(i) (8 * (IS_BIG ? 4 - (i) : (i)))
static inline ulong
load_word (global const uchar *p)
{
  ulong word = 0;
#pragma unroll
  for (int i = 0; i < WORD_UNITS; i++)
    word |= (ulong) p[i] << FIVE_BYTE (i);
  return word;
}

static inline void
store_word (global uchar *p, ulong word)
{
#pragma unroll
  for (int i = 0; i < WORD_UNITS; i++)
    p[i] = (uchar) (word >> FIVE_BYTE (i));
}
#else
#define EVEN_BYTES (word_t) 0x00ff00ff00ff00ff
#define BYTES_IN_TURN(word) (((word) & (EVEN_BYTES)) << 8 | ((word) >> 8 & (EVEN_BYTES)))
#define IN_ORDER(word) (IS_BIG ? BYTES_IN_TURN ((word) << 16 | (word) >> 16) : SWAPPED ? BYTES_IN_TURN (word) : (word))
#define load_word(p) IN_ORDER ((word_t) *(p))
#define store_word(p, word) (*(p) = (stored_t) IN_ORDER (word))
#endif

#define MOST_OF(bits) (((word_t) 1 << (bits)) - 1)
/* The upper bits again below the value; two bits five times. */
#define SPREAD(v, bits)                            \
  ((bits) == DEPTH_OF_SEEN || (bits) == 0 ? (v)    \
      : (bits) == 2                       ? (v) *341 \
                                          : (v) << (DEPTH_OF_SEEN - (bits)) | (v) >> (2 * (bits) - DEPTH_OF_SEEN))
/* The nearest. */
#define NARROWED(v, bits)                                    \
  ((bits) == DEPTH_OF_SEEN ? (word_t) (v) & MOST_OF (bits)   \
                           : ((word_t) (v) *2 * MOST_OF (bits) + MOST_OF (DEPTH_OF_SEEN)) / (2 * MOST_OF (DEPTH_OF_SEEN)))

#define PLANE_SAMPLE(plane, i) plane[plane##_at.x + y * plane##_at.y + g * PART_##plane + (i)]
#define WORD_AT(w) (words + words_at.x + y * words_at.y + (g * GROUP_WORDS + (w)) * WORD_UNITS)
#define EXISTS(plane, i) (!checks || g * PART_##plane + (i) < ROW_##plane)

/* the last sample, where no word has it, is that of the pixel before it */
#define TAKE_VALUE(plane, i, w, bit, bits)                                                                                      \
  if (EXISTS (plane, i)) {                                                                                                \
    PLANE_SAMPLE (plane, i) = (sample_t) SPREAD ((uint) (load_word (WORD_AT (w)) >> (bit)) & (uint) MOST_OF (bits), bits);   \
    if (checks && size.z > size.x && g * PART_##plane + (i) == size.z - 3)                                                \
      PLANE_SAMPLE (plane, (i) + 2) = PLANE_SAMPLE (plane, i);                                                                  \
  }
/* what stands beyond the row is 0 */
#define PLACE(plane, i, w, bit, bits) \
  if (EXISTS (plane, i))              \
    group[w] |= NARROWED (PLANE_SAMPLE (plane, i), bits) << (bit);
#define PUT_TOGETHER                    \
  word_t group[GROUP_WORDS] = {0};      \
  EACH_VALUE (PLACE)                    \
  _Pragma ("unroll")                    \
  for (int w = 0; w < GROUP_WORDS; w++) \
    store_word (WORD_AT (w), group[w]);

/* All groups of a row; the last one checks where the row ends. */
#if BACKEND_CPU
#define EACH_GROUP(MOVE)                                                                          \
  const int top = get_global_id (1) * ROWS_AT_ONCE, bottom = min (top + ROWS_AT_ONCE, size.y);    \
  for (int y = top; y < bottom; y++) {                                                            \
    const int last = (size.x - 1) / GROUP_PIXELS;                                                 \
    ROW_LOOP (PACKING ? sizeof (word_t) : WORD_BYTES)                                             \
    for (int g = 0; g < last; g++) {                                                              \
      const bool checks = false;                                                                  \
      MOVE                                                                                        \
    }                                                                                             \
    const int g = last;                                                                           \
    const bool checks = true;                                                                     \
    MOVE                                                                                          \
  }
#else
#define EACH_GROUP(MOVE)                                      \
  const int g = get_global_id (0), y = get_global_id (1);     \
  const bool checks = (g + 1) * GROUP_PIXELS >= size.x;       \
  if (y < size.y && g * GROUP_PIXELS < size.x) {              \
    MOVE                                                      \
  }
#endif

#define WORDS_ARGS(qualifier, other) \
  global qualifier stored_t *restrict words, int2 words_at, global other sample_t *restrict a, int2 a_at, global other sample_t *restrict b,\
      int2 b_at, global other sample_t *restrict c, int2 c_at, global other sample_t *restrict d, int2 d_at, int4 size

kernel void
unpack_words (WORDS_ARGS (const, ))
{
  EACH_GROUP (EACH_VALUE (TAKE_VALUE))
}

kernel void
pack_words (WORDS_ARGS (, const))
{
  EACH_GROUP (PUT_TOGETHER)
}
