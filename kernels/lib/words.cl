/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Converts between frames whose words hold several values and planes with a sample for each value. The host defines
 *
 *   GROUP_PIXELS, GROUP_WORDS, GROUP_VALUES   of a group, the fewest words that hold whole pixels; WORD_BYTES, of a word
 *   VALUE_0 .. VALUE_11   each value in hexadecimal digits, the lowest first: the plane, the sample among the group's of that plane, the
 *   word, in two digits the lowest bit, and its bits
 *   stored_t, word_t   words as they lie, and as numbers; LOOP_BYTES: the size that a CPU's vectors are made for
 *   PIXEL_SAMPLES, CHROMA_PIXELS   of plane a; how many pixels share a sample of planes b and c
 *   SWAPPED, IS_BIG   1 if 16-bit numbers, or whole words, are not in the processor's byte order
 *   DEPTH_OF_SEEN   bits of the planes' samples; a value of fewer bits becomes the same share of the largest number
 *   LAST_AGAIN   1 if a missing sample of a row of plane a repeats the last one
 *
 * Places are {offset, stride}, in words (in bytes where a word has five) and in samples. size: pixels of a row of words, rows, pixels of a
 * row of the planes (one more where GStreamer's chroma lacks the last sample), and samples of a row of planes b and c. */
enum { WORD_UNITS = WORD_BYTES == 5 ? 5 : 1 };
#if WORD_BYTES == 5
static inline ulong load_word (global const uchar *p)
{
  ulong word = 0;
  UNROLL for (int i = 0; i < 5; i++)
    word |= (ulong) p[i] << 8 * (IS_BIG ? 4 - i : i);
  return word;
}

static inline void store_word (global uchar *p, ulong word)
{
  UNROLL for (int i = 0; i < 5; i++)
    p[i] = (uchar) (word >> 8 * (IS_BIG ? 4 - i : i));
}
#else
static inline word_t bytes_in_turn (word_t word)
{ return (word & (word_t) 0x00ff00ff00ff00ff) << 8 | (word >> 8 & (word_t) 0x00ff00ff00ff00ff); }
static inline word_t in_order (word_t word)
{ return IS_BIG ? bytes_in_turn (word << 16 | word >> 16) : SWAPPED ? bytes_in_turn (word) : word; }
static inline word_t load_word (global const stored_t *p) { return in_order (*p); }
static inline void store_word (global stored_t *p, word_t word) { *p = (stored_t) in_order (word); }
#endif

struct value { int plane, sample, word, bit, bits; }; /* the digits of VALUE_0 .. VALUE_11 */

static inline struct value value_of (const int i)
{
  const uint values[] = {VALUE_0, VALUE_1, VALUE_2, VALUE_3, VALUE_4, VALUE_5, VALUE_6, VALUE_7, VALUE_8, VALUE_9, VALUE_10, VALUE_11};
  return (struct value) {values[i] & 15, values[i] >> 4 & 15, values[i] >> 8 & 15, values[i] >> 12 & 255, values[i] >> 20};
}

/* part_of (): a plane's samples in a group; row_of (): in a row; most_of (): the largest number of so many bits. */
static inline int part_of (int plane) { return plane == 0 ? GROUP_PIXELS * PIXEL_SAMPLES : plane == 3 ? 1 : GROUP_PIXELS / CHROMA_PIXELS; }
static inline int row_of (int plane, int4 size) { return plane == 0 ? size.x * PIXEL_SAMPLES : plane == 3 ? size.x : size.w; }
static inline word_t most_of (int bits) { return ((word_t) 1 << bits) - 1; }
#define WORDS_PARAMS(of_words, of_planes) global of_words stored_t *restrict words, int2 words_at, global of_planes sample_t *restrict a, \
    int2 a_at, global of_planes sample_t *restrict b, int2 b_at, global of_planes sample_t *restrict c, int2 c_at, \
    global of_planes sample_t *restrict d, int2 d_at, int4 size
#define WORDS_NAMES words, words_at, a, a_at, b, b_at, c, c_at, d, d_at, size
#define PLANE_PLACES const int2 places[4] = {a_at, b_at, c_at, d_at};

/* Unpacks group g of row y. checks: whether the row may end in it. If no word holds the last sample, it repeats the pixel before. */
INLINE void unpack_group (WORDS_PARAMS (const, ), int g, int y, const bool checks)
{
  global sample_t *const planes[4] = {a, b, c, d};
  PLANE_PLACES
  global const stored_t *from = words + (words_at.x + y * words_at.y + g * GROUP_WORDS * WORD_UNITS);
  UNROLL for (int i = 0; i < GROUP_VALUES; i++) {
    const struct value v = value_of (i);
    const int first = g * part_of (v.plane), row = row_of (v.plane, size);
    global sample_t *to = planes[v.plane] + (places[v.plane].x + y * places[v.plane].y + first);
    if (checks && first + v.sample >= row)
      continue;
    /* a value of fewer bits has its upper bits again below it; one of two bits is repeated five times */
    const uint whole = (uint) (load_word (from + v.word * WORD_UNITS) >> v.bit & most_of (v.bits));
    to[v.sample] = (sample_t) (v.bits == DEPTH_OF_SEEN || v.bits == 0 ? whole : v.bits == 2 ? whole * 341
        : whole << (DEPTH_OF_SEEN - v.bits) | whole >> (2 * v.bits - DEPTH_OF_SEEN));
    if (checks && size.z > size.x && first + v.sample == size.z - 3)
      to[v.sample + 2] = to[v.sample];
  }
}

/* Packs group g of row y. Samples beyond the row are 0, or with LAST_AGAIN repeat the last one. */
INLINE void pack_group (WORDS_PARAMS (, const), int g, int y, const bool checks)
{
  global const sample_t *const planes[4] = {a, b, c, d};
  PLANE_PLACES
  word_t group[GROUP_WORDS] = {0};
  UNROLL for (int i = 0; i < GROUP_VALUES; i++) {
    const struct value v = value_of (i);
    const int first = g * part_of (v.plane);
    global const sample_t *from = planes[v.plane] + (places[v.plane].x + y * places[v.plane].y + first);
    const int last = row_of (v.plane, size) - 1 - first;
    if (checks && v.sample > last && !LAST_AGAIN)
      continue;
    const word_t sample = from[checks ? min (v.sample, last) : v.sample], most = most_of (DEPTH_OF_SEEN);
    group[v.word] |= (v.bits == DEPTH_OF_SEEN ? sample & most : (sample * 2 * most_of (v.bits) + most) / (2 * most)) << v.bit;
  }
  global stored_t *to = words + (words_at.x + y * words_at.y + g * GROUP_WORDS * WORD_UNITS);
  UNROLL for (int w = 0; w < GROUP_WORDS; w++)
    store_word (to + w * WORD_UNITS, group[w]);
}

/* Moves all groups of rows; only the last one of a row checks where that ends. */
#if BACKEND_CPU
#define EACH_GROUP(MOVE)                                                                          \
  const int top = get_global_id (1) * ROWS_AT_ONCE, bottom = min (top + ROWS_AT_ONCE, size.y);    \
  for (int y = top; y < bottom; y++) {                                                            \
    const int last = (size.x - 1) / GROUP_PIXELS;                                                 \
    ROW_LOOP (LOOP_BYTES)                                                                         \
    for (int g = 0; g < last; g++)                                                                \
      MOVE (WORDS_NAMES, g, y, false);                                                            \
    MOVE (WORDS_NAMES, last, y, true);                                                            \
  }
#else
#define EACH_GROUP(MOVE)                                      \
  const int g = get_global_id (0), y = get_global_id (1);     \
  if (y < size.y && g * GROUP_PIXELS < size.x)                \
    MOVE (WORDS_NAMES, g, y, (g + 1) * GROUP_PIXELS >= size.x);
#endif

kernel void unpack_words (WORDS_PARAMS (const, )) { EACH_GROUP (unpack_group) }
kernel void pack_words (WORDS_PARAMS (, const)) { EACH_GROUP (pack_group) }
