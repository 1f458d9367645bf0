/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clmedian, square windows of middle rank, of words that are luma and chroma (packed 4:2:2), both at once, on the cpu back end.
 *
 * The words of a tile with its surroundings are taken apart into the first-level cache, where the network of median/median.cl
 * finds vectors of bytes, and results are put together again: a frame is read and written once, and in one launch. PLANE_ARGS
 * are those of luma. A pixel's chroma stands two words apart.
 *
 * Wins in docs/performance.md: YUY2, median 3x3. */
#if BACKEND_CPU

typedef uchar bytes_t __attribute__ ((ext_vector_type (ITEM_SAMPLES)));
typedef bytes_t bytes_anywhere_t __attribute__ ((aligned (1)));
typedef ushort words_t __attribute__ ((ext_vector_type (ITEM_SAMPLES)));
typedef words_t words_anywhere_t __attribute__ ((aligned (2)));

#define CHROMA_STEP 2
#define CHROMA_SHIFT (8 - SHIFT)
/* Words beside a tile, in whole vectors, so that luma and chroma of a word have the same place. */
#define AREA_REACH (CHROMA_STEP * RADIUS_X)
#define AREA_PITCH ((ITEM_SAMPLES + 2 * AREA_REACH + ITEM_SAMPLES - 1) / ITEM_SAMPLES * ITEM_SAMPLES)
#define AREA_HEIGHT (ITEM_ROWS + 2 * RADIUS_Y)

#define PART_OF(words, shift) __builtin_convertvector ((words) >> (words_t) ((ushort) (shift)), bytes_t)

/* Words first .. first + AREA_PITCH - 1 of a row. Where some of them are not the plane's, n are taken by the border's rule; those
 * behind them are not used. */
static inline void
take_row (uchar *restrict luma, uchar *restrict chroma, global const sample_t *restrict row, int first, bool inside, int n,
    struct plane plane, int beside)
{
  if (inside) {
#pragma unroll
    for (int i = 0; i < AREA_PITCH; i += ITEM_SAMPLES) {
      const words_t words = *(global const words_anywhere_t *) (row + first + i);
      *(bytes_anywhere_t *) (luma + i) = PART_OF (words, SHIFT);
      *(bytes_anywhere_t *) (chroma + i) = PART_OF (words, CHROMA_SHIFT);
    }
    return;
  }
  for (int i = 0; i < n; i++) {
    const int x = first + i, pixel = border_index (x >> 1, plane.width / CHROMA_STEP, plane.border);
    const int place = border_index (x, plane.width, plane.border);
    luma[i] = place < 0 ? plane.value : LOAD (row[place]);
    chroma[i] = pixel < 0 ? beside : row[pixel * CHROMA_STEP + (x & 1)] >> CHROMA_SHIFT;
  }
}

static inline void
take_area (uchar *restrict luma, uchar *restrict chroma, SRC_PARAMS, int x, int y, int beside)
{
  const int first = x - AREA_REACH;
  const bool inside = first >= 0 && first + AREA_PITCH <= plane.width;
  for (int r = 0; r < AREA_HEIGHT; r++, luma += AREA_PITCH, chroma += AREA_PITCH) {
    const int row = row_place (y - RADIUS_Y + r, plane);
    if (row >= 0) {
      take_row (luma, chroma, src + src_offset + row * src_stride, first, inside, ITEM_SAMPLES + 2 * AREA_REACH, plane, beside);
      continue;
    }
    for (int i = 0; i < AREA_PITCH; i++) {
      luma[i] = plane.value;
      chroma[i] = beside;
    }
  }
}

#define VALUE bytes_t
#define MEDIAN_INPUT(x, y) *(const bytes_anywhere_t *) (window + (y) *AREA_PITCH + (x) *step)
#define MEDIAN_RESULT(x, y, v) *(bytes_anywhere_t *) (results + (y) *ITEM_SAMPLES) = (v)

/* Not inline: compiling the network takes long. */
__attribute__ ((noinline)) void
find_medians (const uchar *restrict window, int step, uchar *restrict results)
{
  MEDIAN_NETWORK (MEDIAN_INPUT, MEDIAN_RESULT);
}

#define WORDS_OF(bytes, shift) (__builtin_convertvector (bytes, words_t) << (words_t) ((ushort) (shift)))

kernel void
median_words (PLANE_ARGS, int beside)
{
  const int y = region.y + ITEM_Y;
  uchar luma[AREA_PITCH * AREA_HEIGHT], chroma[AREA_PITCH * AREA_HEIGHT];
  uchar luma_medians[ITEM_SAMPLES * ITEM_ROWS], chroma_medians[ITEM_SAMPLES * ITEM_ROWS];
  EACH_VECTOR (x) {
    take_area (luma, chroma, SRC_ARGS, x, y, beside);
    find_medians (luma + AREA_REACH - RADIUS_X, 1, luma_medians);
    find_medians (chroma, CHROMA_STEP, chroma_medians);
    for (int r = 0; r < ITEM_ROWS; r++)
      *(global words_anywhere_t *) (dst + dst_offset + (y + r) * dst_stride + x)
          = WORDS_OF (*(const bytes_anywhere_t *) (luma_medians + r * ITEM_SAMPLES), SHIFT)
            | WORDS_OF (*(const bytes_anywhere_t *) (chroma_medians + r * ITEM_SAMPLES), CHROMA_SHIFT);
  }
}

#endif
