/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Between frames whose words hold several values, and planes or pixels that have a sample for each.
 *
 * The host defines
 *   PACKING        which packing it is, as memory/format.hpp counts them
 *   SWAPPED        1 where the bytes of words of 16 bits are not in the processor's order, else 0
 *   DEPTH_OF_SEEN  how many bits the samples of the planes have
 *   ROWS_AT_ONCE   cpu back end: how many rows an item moves
 *
 * A group is the fewest whole words that hold whole pixels: WORDS_GROUP_PIXELS in WORDS_GROUP_WORDS. A word is a number of
 * WORD_BYTES bytes. PART_a .. PART_d say how many samples of a group a plane has, and ROW_a .. ROW_d how many a row has.
 * EACH_VALUE (F) calls F (plane, number of the sample in that part, word, lowest bit, bits).
 * A value of fewer bits than a sample stands for the same share of the most: two bits of alpha are 0, 341, 682, 1023.
 *
 * Places are {offset, stride}, in words (in bytes where a word has five of them) and in samples. size: pixels of a row that words hold,
 * rows, and how many a row of the planes has: one more where GStreamer's rows of chroma lack the last sample. */
#define DEPTH_ALL DEPTH_OF_SEEN
#define HIGH (16 - DEPTH_OF_SEEN)
#if PACKING == 1 /* v210 */
#define WORDS_GROUP_PIXELS 6
#define WORDS_GROUP_WORDS 4
#define WORD_BYTES 4
#define WORDS_CHROMA_PIXELS 2
#define EACH_VALUE(F)                                                                                                \
  F (b, 0, 0, 0, 10) F (a, 0, 0, 10, 10) F (c, 0, 0, 20, 10) F (a, 1, 1, 0, 10) F (b, 1, 1, 10, 10) F (a, 2, 1, 20, 10) \
  F (c, 1, 2, 0, 10) F (a, 3, 2, 10, 10) F (b, 2, 2, 20, 10) F (a, 4, 3, 0, 10) F (c, 2, 3, 10, 10) F (a, 5, 3, 20, 10)
#elif PACKING <= 3 /* Y210, Y212, Y216; v216 begins with U */
#define WORDS_GROUP_PIXELS 2
#define WORDS_GROUP_WORDS 4
#define WORD_BYTES 2
#define WORDS_CHROMA_PIXELS 2
#define LUMA_WORD (PACKING == 2 ? 0 : 1)
#define EACH_VALUE(F)                                                                                 \
  F (a, 0, LUMA_WORD, HIGH, DEPTH_ALL) F (b, 0, 1 - LUMA_WORD, HIGH, DEPTH_ALL)                       \
  F (a, 1, 2 + LUMA_WORD, HIGH, DEPTH_ALL) F (c, 0, 3 - LUMA_WORD, HIGH, DEPTH_ALL)
#elif PACKING == 4 /* Y410 */
#define WORD_BYTES 4
#define EACH_VALUE(F) F (b, 0, 0, 0, 10) F (a, 0, 0, 10, 10) F (c, 0, 0, 20, 10) F (d, 0, 0, 30, 2)
#elif PACKING <= 7 /* BGR10A2, RGB10A2, and r210 without alpha; the pixels are G B R A, here and below */
#define WORD_BYTES 4
#define BIG_WORDS (PACKING == 7)
#define PIXEL_SAMPLES 4
#define LOWEST (PACKING == 6 ? 2 : 1)
#define EACH_VALUE(F) \
  F (a, LOWEST, 0, 0, 10) F (a, 0, 0, 10, 10) F (a, 3 - LOWEST, 0, 20, 10) F (a, 3, 0, 30, (PACKING == 7 ? 0 : 2))
#elif PACKING == 8 /* GRAY10, and planes of NV12_10LE32 */
#define WORDS_GROUP_PIXELS 3
#define WORD_BYTES 4
#define EACH_VALUE(F) F (a, 0, 0, 0, 10) F (a, 1, 0, 10, 10) F (a, 2, 0, 20, 10)
#elif PACKING <= 10 /* planes of NV12_10LE40, and of NV12_10BE_8L128 from the other end */
#define WORDS_GROUP_PIXELS 4
#define WORD_BYTES 5
#define BIG_WORDS (PACKING == 10)
#define FROM_END(i) (BIG_WORDS ? 3 - (i) : (i))
#define EACH_VALUE(F) \
  F (a, FROM_END (0), 0, 0, 10) F (a, FROM_END (1), 0, 10, 10) F (a, FROM_END (2), 0, 20, 10) F (a, FROM_END (3), 0, 30, 10)
#elif PACKING == 11 /* UYVP */
#define WORDS_GROUP_PIXELS 2
#define WORD_BYTES 5
#define BIG_WORDS 1
#define WORDS_CHROMA_PIXELS 2
#define EACH_VALUE(F) F (a, 1, 0, 0, 10) F (c, 0, 0, 10, 10) F (a, 0, 0, 20, 10) F (b, 0, 0, 30, 10)
#elif PACKING <= 13 /* v308, IYU2 */
#define WORDS_GROUP_WORDS 3
#define WORD_BYTES 1
#define LUMA_WORD (PACKING == 12 ? 0 : 1)
#define EACH_VALUE(F) F (a, 0, LUMA_WORD, 0, 8) F (b, 0, 1 - LUMA_WORD, 0, 8) F (c, 0, 2, 0, 8)
#elif PACKING == 14 /* IYU1 */
#define WORDS_GROUP_PIXELS 4
#define WORDS_GROUP_WORDS 6
#define WORD_BYTES 1
#define WORDS_CHROMA_PIXELS 4
#define EACH_VALUE(F) \
  F (b, 0, 0, 0, 8) F (a, 0, 1, 0, 8) F (a, 1, 2, 0, 8) F (c, 0, 3, 0, 8) F (a, 2, 4, 0, 8) F (a, 3, 5, 0, 8)
#else /* RGB16, BGR16, RGB15, BGR15 */
#define WORD_BYTES 2
#define PIXEL_SAMPLES 4
#define LOWEST (PACKING % 2 ? 1 : 2)
#define GREEN_BITS (PACKING <= 16 ? 6 : 5)
#define EACH_VALUE(F) \
  F (a, LOWEST, 0, 0, 5) F (a, 0, 0, 5, GREEN_BITS) F (a, 3 - LOWEST, 0, 5 + GREEN_BITS, 5) F (a, 3, 0, 0, 0)
#endif

#ifndef WORDS_GROUP_PIXELS
#define WORDS_GROUP_PIXELS 1
#endif
#ifndef WORDS_GROUP_WORDS
#define WORDS_GROUP_WORDS 1
#endif
#ifndef WORDS_CHROMA_PIXELS
#define WORDS_CHROMA_PIXELS 1
#endif
#ifndef PIXEL_SAMPLES
#define PIXEL_SAMPLES 1
#endif
#ifndef BIG_WORDS
#define BIG_WORDS 0
#endif
#define PART_a (WORDS_GROUP_PIXELS * PIXEL_SAMPLES)
#define PART_b (WORDS_GROUP_PIXELS / WORDS_CHROMA_PIXELS)
#define PART_c PART_b
#define PART_d 1
#define ROW_a (size.x * PIXEL_SAMPLES)
#define ROW_b ((size.x + WORDS_CHROMA_PIXELS - 1) / WORDS_CHROMA_PIXELS)
#define ROW_c ROW_b
#define ROW_d size.x

/* Words as they lie, and as numbers. */
#if WORD_BYTES == 5
typedef uchar stored_t;
typedef ulong word_t;
#define WORD_UNITS 5
static inline ulong
load_word (global const uchar *p)
{
  ulong word = 0;
#pragma unroll
  for (int i = 0; i < WORD_UNITS; i++)
    word |= (ulong) p[i] << 8 * (BIG_WORDS ? WORD_UNITS - 1 - i : i);
  return word;
}

static inline void
store_word (global uchar *p, ulong word)
{
#pragma unroll
  for (int i = 0; i < WORD_UNITS; i++)
    p[i] = (uchar) (word >> 8 * (BIG_WORDS ? WORD_UNITS - 1 - i : i));
}
#else
#define WORD_UNITS 1
typedef uint word_t;
#if WORD_BYTES == 4
typedef uint stored_t;
#define IN_ORDER(word) (BIG_WORDS ? (word) << 24 | ((word) &0xff00) << 8 | ((word) >> 8 & 0xff00) | (word) >> 24 : (word))
#elif WORD_BYTES == 2
typedef ushort stored_t;
#define IN_ORDER(word) (SWAPPED ? ((word) << 8 & 0xff00) | ((word) >> 8 & 0xff) : (word))
#else
typedef uchar stored_t;
#define IN_ORDER(word) (word)
#endif
#define load_word(p) IN_ORDER ((word_t) *(p))
#define store_word(p, word) (*(p) = (stored_t) IN_ORDER (word))
#endif

#define WORDS_MOST(bits) ((1 << (bits)) - 1)
/* The upper bits again below the value; two bits five times. */
#define WORDS_SPREAD(v, bits)                          \
  ((bits) == DEPTH_OF_SEEN || (bits) == 0 ? (v)        \
      : (bits) == 2                       ? (v) *341   \
                                          : (v) << (DEPTH_OF_SEEN - (bits)) | (v) >> (2 * (bits) - DEPTH_OF_SEEN))
/* The nearest. */
#define WORDS_NARROWED(v, bits)                                       \
  ((bits) == DEPTH_OF_SEEN ? (word_t) (v) & WORDS_MOST (bits)         \
                           : ((word_t) (v) *2 * WORDS_MOST (bits) + WORDS_MOST (DEPTH_OF_SEEN)) / (2 * WORDS_MOST (DEPTH_OF_SEEN)))
#define WORDS_TAKEN(word, bit, bits) ((sample_t) WORDS_SPREAD ((uint) ((word) >> (bit)) & WORDS_MOST (bits), bits))
#define WORDS_PLACED(value, bit, bits) (WORDS_NARROWED (value, bits) << (bit))

#define WORDS_SAMPLE(plane, i) plane[plane##_at.x + y * plane##_at.y + g * PART_##plane + (i)]
#define WORD_PLACE(w) (words + words_at.x + y * words_at.y + (g * WORDS_GROUP_WORDS + (w)) * WORD_UNITS)
#define WORDS_IS_INSIDE(plane, i) (g * PART_##plane + (i) < ROW_##plane)

#define WORDS_TAKE(plane, i, w, bit, bits) WORDS_SAMPLE (plane, i) = WORDS_TAKEN (load_word (WORD_PLACE (w)), bit, bits);
/* the last sample, where no word has it, is that of the pixel before it */
#define WORDS_TAKE_INSIDE(plane, i, w, bit, bits)                                    \
  if (WORDS_IS_INSIDE (plane, i)) {                                                  \
    WORDS_TAKE (plane, i, w, bit, bits)                                              \
    if (size.z > size.x && g * PART_##plane + (i) == size.z - 3)                     \
      WORDS_SAMPLE (plane, (i) + 2) = WORDS_SAMPLE (plane, i);                       \
  }
#define WORDS_PLACE(plane, i, w, bit, bits) group[w] |= WORDS_PLACED (WORDS_SAMPLE (plane, i), bit, bits);
/* what stands beyond the row is 0 */
#define WORDS_PLACE_INSIDE(plane, i, w, bit, bits) \
  if (WORDS_IS_INSIDE (plane, i))                  \
  WORDS_PLACE (plane, i, w, bit, bits)

#define WORDS_UNPACK(F) EACH_VALUE (F)
#define PACK(F)                               \
  word_t group[WORDS_GROUP_WORDS];            \
  _Pragma ("unroll")                          \
  for (int w = 0; w < WORDS_GROUP_WORDS; w++) \
    group[w] = 0;                             \
  EACH_VALUE (F)                              \
  _Pragma ("unroll")                          \
  for (int w = 0; w < WORDS_GROUP_WORDS; w++) \
    store_word (WORD_PLACE (w), group[w]);

/* MOVE with a value of all groups before the last one, and with one that looks where the row ends of that. */
#if BACKEND_CPU
#define EACH_GROUP(MOVE, F, F_INSIDE)                                                          \
  const int top = get_global_id (1) * ROWS_AT_ONCE, bottom = min (top + ROWS_AT_ONCE, size.y); \
  const int whole = (size.x - 1) / WORDS_GROUP_PIXELS;                                         \
  for (int y = top; y < bottom; y++) {                                                         \
    ROW_LOOP (sizeof (word_t))                                                                 \
    for (int g = 0; g < whole; g++) {                                                          \
      MOVE (F)                                                                                 \
    }                                                                                          \
    const int g = whole;                                                                       \
    MOVE (F_INSIDE)                                                                            \
  }
#else
#define EACH_GROUP(MOVE, F, F_INSIDE)                        \
  const int g = get_global_id (0), y = get_global_id (1);    \
  if (y < size.y && (g + 1) * WORDS_GROUP_PIXELS < size.x) { \
    MOVE (F)                                                 \
  } else if (y < size.y && g * WORDS_GROUP_PIXELS < size.x) { \
    MOVE (F_INSIDE)                                          \
  }
#endif

kernel void
unpack_words (global const stored_t *restrict words, int2 words_at, global sample_t *restrict a, int2 a_at,
    global sample_t *restrict b, int2 b_at, global sample_t *restrict c, int2 c_at, global sample_t *restrict d, int2 d_at,
    int4 size)
{
  EACH_GROUP (WORDS_UNPACK, WORDS_TAKE, WORDS_TAKE_INSIDE)
}

kernel void
pack_words (global stored_t *restrict words, int2 words_at, global const sample_t *restrict a, int2 a_at,
    global const sample_t *restrict b, int2 b_at, global const sample_t *restrict c, int2 c_at,
    global const sample_t *restrict d, int2 d_at, int4 size)
{
  EACH_GROUP (PACK, WORDS_PLACE, WORDS_PLACE_INSIDE)
}
