/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clmedian, square windows of middle rank, of words that are luma and chroma (packed 4:2:2), both at once, on the cpu back end:
 * the network of median/median.cl, whose vectors of bytes are every second byte of twice as many. A frame is read and written
 * once, in one launch. PLANE_ARGS are those of luma. A pixel's chroma stands two words apart.
 *
 * Vectors are put together from words, and taken apart again, in lanes of 16 bytes, which takes one instruction of AVX-512.
 *
 * Wins in docs/performance.md: YUY2, median 3x3. */
#if BACKEND_CPU

typedef uchar bytes_t __attribute__ ((ext_vector_type (64)));
typedef bytes_t bytes_anywhere_t __attribute__ ((aligned (1)));
typedef ushort words_t __attribute__ ((ext_vector_type (32)));
typedef words_t words_anywhere_t __attribute__ ((aligned (1)));

#define MEDIAN_CHROMA_STEP 2
#define MEDIAN_CHROMA_SHIFT (8 - SHIFT)
#define MEDIAN_AREA_REACH (MEDIAN_CHROMA_STEP * RADIUS_X)
/* Loads of the upper bytes of words end a byte behind them. */
#define MEDIAN_AREA_PITCH (ITEM_SAMPLES + 2 * MEDIAN_AREA_REACH + 1)
#define MEDIAN_WORDS_AREA_HEIGHT (ITEM_ROWS + 2 * RADIUS_Y)
/* Words beside a tile, and where they stand in a row of the area. */
#define MEDIAN_AREA_SIDES (2 * MEDIAN_AREA_REACH + 1)
#define MEDIAN_SIDE_PLACE(i) ((i) < MEDIAN_AREA_REACH ? (i) : (i) + ITEM_SAMPLES)

/* Eight bytes of a lane, `step` apart. */
#define MEDIAN_EIGHT(i, step) \
  i, (i) + (step), (i) + 2 * (step), (i) + 3 * (step), (i) + 4 * (step), (i) + 5 * (step), (i) + 6 * (step), (i) + 7 * (step)
#define MEDIAN_EVEN_BYTES(lane) MEDIAN_EIGHT (lane, 2), MEDIAN_EIGHT (64 + (lane), 2)
#define MEDIAN_PAIRED(i) i, 64 + (i)
#define MEDIAN_PAIRED_EIGHT(i)                                                                                           \
  MEDIAN_PAIRED (i), MEDIAN_PAIRED ((i) + 1), MEDIAN_PAIRED ((i) + 2), MEDIAN_PAIRED ((i) + 3), MEDIAN_PAIRED ((i) + 4), \
      MEDIAN_PAIRED ((i) + 5), MEDIAN_PAIRED ((i) + 6),                                                                  \
      MEDIAN_PAIRED ((i) + 7)

/* Every second byte of 128, and two such vectors back in turn: half 0 is the first 64 of them. */
static inline bytes_t
every_second (global const uchar *restrict p)
{
  const words_t a = *(global const words_anywhere_t *) p & (words_t) ((ushort) 0xff);
  const words_t b = *(global const words_anywhere_t *) (p + 64) & (words_t) ((ushort) 0xff);
  return __builtin_shufflevector (__builtin_astype (a, bytes_t), __builtin_astype (b, bytes_t), MEDIAN_EVEN_BYTES (0),
      MEDIAN_EVEN_BYTES (16),
      MEDIAN_EVEN_BYTES (32), MEDIAN_EVEN_BYTES (48));
}

#define MEDIAN_IN_TURN(a, b, half)                                                                        \
  __builtin_shufflevector (a, b, MEDIAN_PAIRED_EIGHT (8 * (half)), MEDIAN_PAIRED_EIGHT (8 * (half) + 16), \
      MEDIAN_PAIRED_EIGHT (8 * (half) + 32),                                                              \
      MEDIAN_PAIRED_EIGHT (8 * (half) + 48))

#define MEDIAN_VALUE bytes_t
#define MEDIAN_INPUT(x, y) every_second (window + (y) *stride + (x) *step)
#define MEDIAN_RESULT(x, y, v) results[y] = (v)

/* Not inline: compiling the network takes long. stride and step are bytes. */
__attribute__ ((noinline)) void
find_medians (global const uchar *restrict window, int stride, int step, bytes_t *restrict results)
{
  MEDIAN_NETWORK (MEDIAN_INPUT, MEDIAN_RESULT);
}

/* A word whose parts come from other places by the border's rule. */
static inline sample_t
word_from (global const sample_t *restrict row, int luma_place, int chroma_place, struct plane plane, int beside)
{
  const int luma = luma_place < 0 ? plane.value : LOAD (row[luma_place]);
  const int chroma = chroma_place < 0 ? beside : row[chroma_place] >> MEDIAN_CHROMA_SHIFT & 0xff;
  return (sample_t) (luma << SHIFT | chroma << MEDIAN_CHROMA_SHIFT);
}

/* What a tile at the frame's edge reads. */
static inline void
copy_words (sample_t *restrict area, SRC_PARAMS, int x, int y, int beside)
{
  int luma[MEDIAN_AREA_SIDES], chroma[MEDIAN_AREA_SIDES];
  for (int i = 0; i < MEDIAN_AREA_SIDES; i++) {
    const int at = x - MEDIAN_AREA_REACH + MEDIAN_SIDE_PLACE (i);
    const int pixel = border_index (at >> 1, plane.width / MEDIAN_CHROMA_STEP, plane.border);
    luma[i] = border_index (at, plane.width, plane.border);
    chroma[i] = pixel < 0 ? -1 : pixel * MEDIAN_CHROMA_STEP + (at & 1);
  }
  for (int r = 0; r < MEDIAN_WORDS_AREA_HEIGHT; r++, area += MEDIAN_AREA_PITCH) {
    const int row = row_place (y - RADIUS_Y + r, plane);
    if (row < 0) {
      for (int i = 0; i < MEDIAN_AREA_PITCH; i++)
        area[i] = (sample_t) (plane.value << SHIFT | beside << MEDIAN_CHROMA_SHIFT);
      continue;
    }
    global const sample_t *restrict from = src + src_offset + row * src_stride;
    for (int i = 0; i < ITEM_SAMPLES; i++)
      area[MEDIAN_AREA_REACH + i] = from[x + i];
    for (int i = 0; i < MEDIAN_AREA_SIDES; i++)
      area[MEDIAN_SIDE_PLACE (i)] = word_from (from, luma[i], chroma[i], plane, beside);
  }
}

/* Items ahead whose samples are asked for: see median/median.cl. */
#define WORDS_AHEAD 2

kernel void
median_words (PLANE_ARGS, int beside)
{
  const int y = region.y + ITEM_Y;
  sample_t area[MEDIAN_AREA_PITCH * MEDIAN_WORDS_AREA_HEIGHT];
  EACH_VECTOR (x) {
    global const sample_t *window = src + src_offset + (y - RADIUS_Y) * src_stride + x;
    int stride = src_stride;
    if (x < MEDIAN_AREA_REACH || x + ITEM_SAMPLES + MEDIAN_AREA_REACH >= plane.width || y < RADIUS_Y
        || y + ITEM_ROWS + RADIUS_Y > plane.height) {
      copy_words (area, SRC_ARGS, x, y, beside);
      window = (global const sample_t *) (ulong) (area + MEDIAN_AREA_REACH);
      stride = MEDIAN_AREA_PITCH;
    } else {
      for (int row = 0; row < MEDIAN_WORDS_AREA_HEIGHT; row++) {
        PREFETCH (window + row * stride + WORDS_AHEAD * ITEM_SAMPLES);
        PREFETCH (window + row * stride + WORDS_AHEAD * ITEM_SAMPLES + ITEM_SAMPLES / 2);
      }
    }
    bytes_t luma[ITEM_ROWS], chroma[ITEM_ROWS];
    find_medians ((global const uchar *) (window - RADIUS_X) + SHIFT / 8, stride * 2, 2, luma);
    find_medians ((global const uchar *) (window - MEDIAN_AREA_REACH) + MEDIAN_CHROMA_SHIFT / 8, stride * 2,
        2 * MEDIAN_CHROMA_STEP, chroma);
    for (int r = 0; r < ITEM_ROWS; r++) {
      global uchar *out = (global uchar *) (dst + dst_offset + (y + r) * dst_stride + x);
      const bytes_t lower = SHIFT ? chroma[r] : luma[r], upper = SHIFT ? luma[r] : chroma[r];
      const bytes_t first = MEDIAN_IN_TURN (lower, upper, 0), second = MEDIAN_IN_TURN (lower, upper, 1);
      if (((ulong) out & 63) == 0) {
        __builtin_nontemporal_store (first, (global bytes_t *) out);
        __builtin_nontemporal_store (second, (global bytes_t *) (out + 64));
      } else {
        *(global bytes_anywhere_t *) out = first;
        *(global bytes_anywhere_t *) (out + 64) = second;
      }
    }
  }
}

#endif
