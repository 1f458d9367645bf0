/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clmedian, square windows of middle rank, of words that are luma and chroma (packed 4:2:2), both at once: the network of
 * median/median.cl on bytes as they lie. Beside a byte of luma, the window's next column stands one word further, beside one of
 * chroma two. A frame is read and written once, in one launch. PLANE_ARGS are those of luma. beside: the chroma of
 * BORDER_CONSTANT.
 *
 * Wins in docs/performance.md: YUY2, median 3x3. */
#define MEDIAN_CHROMA_SHIFT (8 - SHIFT)

#if BACKEND_CPU

typedef uchar bytes_t __attribute__ ((ext_vector_type (2 * ITEM_SAMPLES)));
typedef ushort words_t __attribute__ ((ext_vector_type (ITEM_SAMPLES)));
typedef bytes_t bytes_anywhere_t __attribute__ ((aligned (2)));

#define MEDIAN_CHROMA_STEP 2
#define MEDIAN_AREA_REACH (MEDIAN_CHROMA_STEP * RADIUS_X)
#define MEDIAN_AREA_PITCH (ITEM_SAMPLES + 2 * MEDIAN_AREA_REACH)
#define MEDIAN_WORDS_AREA_HEIGHT (ITEM_ROWS + 2 * RADIUS_Y)
/* Words beside a tile, and where they stand in a row of the area. */
#define MEDIAN_AREA_SIDES (2 * MEDIAN_AREA_REACH)
#define MEDIAN_SIDE_PLACE(i) ((i) < MEDIAN_AREA_REACH ? (i) : (i) + ITEM_SAMPLES)

static inline bytes_t
bytes_at (global const sample_t *restrict p)
{
  return *(global const bytes_anywhere_t *) p;
}

/* What stands `column` columns of the window from the words at p. */
static inline bytes_t
neighbours (global const sample_t *restrict p, int column)
{
  const bytes_t is_luma = __builtin_astype ((words_t) ((ushort) (0xff << SHIFT)), bytes_t);
  const bytes_t luma = bytes_at (p + column), chroma = bytes_at (p + MEDIAN_CHROMA_STEP * column);
  return (luma & is_luma) | (chroma & ~is_luma);
}

#define MEDIAN_VALUE bytes_t
#define MEDIAN_INPUT(x, y) neighbours (window + (y) *stride, (x) - RADIUS_X)
#define MEDIAN_RESULT(x, y, v) store_words (out + (y) *out_stride, v)

static inline void
store_words (global sample_t *p, bytes_t v)
{
  if (((ulong) p & (sizeof (bytes_t) - 1)) == 0)
    __builtin_nontemporal_store (v, (global bytes_t *) p);
  else
    *(global bytes_anywhere_t *) p = v;
}

/* Not inline: PoCL has several copies of a kernel, and compiling the network takes long. */
__attribute__ ((noinline)) void
write_words (global const sample_t *restrict window, int stride, global sample_t *restrict out, int out_stride)
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
#define MEDIAN_AHEAD 4

kernel void
median_words (PLANE_ARGS, int beside)
{
  const int y = region.y + ITEM_Y;
  sample_t area[MEDIAN_AREA_PITCH * MEDIAN_WORDS_AREA_HEIGHT];
  EACH_VECTOR (x) {
    global const sample_t *window = src + src_offset + (y - RADIUS_Y) * src_stride + x;
    int stride = src_stride;
    if (x < MEDIAN_AREA_REACH || x + ITEM_SAMPLES + MEDIAN_AREA_REACH > plane.width || y < RADIUS_Y || y + ITEM_ROWS + RADIUS_Y > plane.height) {
      copy_words (area, SRC_ARGS, x, y, beside);
      window = (global const sample_t *) (ulong) (area + MEDIAN_AREA_REACH);
      stride = MEDIAN_AREA_PITCH;
    } else {
      for (int row = 0; row < MEDIAN_WORDS_AREA_HEIGHT; row++)
        PREFETCH (window + row * stride + MEDIAN_AHEAD * ITEM_SAMPLES);
    }
    write_words (window, stride, dst + dst_offset + y * dst_stride + x, dst_stride);
  }
}

#else

/* A pixel is a word of 32 bits here: two samples of luma, and chroma. */
#define LUMA_SET (SHIFT / 8)

/* Luma columns of a tile's windows, each beside the one that stands half an item apart; words begin RADIUS_X words before the item. */
static inline void
luma_lanes (SRC_PARAMS, int left, int top, const uint *words, uint *lanes)
{
  if (!has_columns (plane, left)) {
    load_tile_at (SRC_ARGS, COLUMN_SAMPLES * (left + RADIUS_X) - RADIUS_X, top, lanes, 0);
    return;
  }
#pragma unroll
  for (int i = 0; i < TILE_DOWN * TILE_ACROSS; i++) {
    const int column = i % TILE_ACROSS + RADIUS_X, byte = column % 2 * 2 + LUMA_SET;
    const uint *const word = words + i / TILE_ACROSS * TILE_ACROSS + column / 2;
#if PTX_LANES
    lanes[i] = permute_bytes (word[0], word[TILE / 2], byte | (4 + byte) << 8) & 0x00ff00ff;
#else
    lanes[i] = (word[0] >> (8 * byte) & 0xff) | (word[TILE / 2] >> (8 * byte) & 0xff) << 16;
#endif
  }
}

/* The words of a row of a tile from its medians of luma. */
static inline void
words_of_luma (const uint *medians, uint *words)
{
#pragma unroll
  for (int x = 0; x < TILE; x += 2) {
    words[x / 2] = (medians[x] & 0xffff) | medians[x + 1] << 16;
    words[(x + TILE) / 2] = medians[x] >> 16 | (medians[x + 1] & 0xffff0000);
  }
}

/* As many words of a row as there are, up to a tile's. */
static inline void
store_columns (global sample_t *out, const uint *words, int n)
{
#if ALIGNED == 16 && TILE % 4 == 0
  if (n >= TILE) {
#pragma unroll
    for (int x = 0; x < TILE; x += 4)
      *(global uint4 *) (out + x * COLUMN_SAMPLES) = (uint4) (words[x], words[x + 1], words[x + 2], words[x + 3]);
    return;
  }
#endif
#pragma unroll
  for (int x = 0; x < TILE; x++)
    if (x < n)
      store_word (out + x * COLUMN_SAMPLES, words[x]);
}

kernel void
median_words (PLANE_ARGS, int beside)
{
  GPU_ITEM
  if (!ITEM_IN_REGION)
    return;
  uint tile_words[TILE_DOWN * TILE_ACROSS], results[RESULTS];
  load_words (MEDIAN_TILE_ARGS, 0, (uint) (plane.value << SHIFT | beside << MEDIAN_CHROMA_SHIFT) * 0x00010001u, tile_words);
#pragma unroll 1
  for (int set = 0; set < SETS; set++) {
    uint lanes[TILE_DOWN * TILE_ACROSS], medians[ITEM_ROWS * TILE];
    if (set == 0) {
      luma_lanes (MEDIAN_TILE_ARGS, tile_words, lanes);
    } else {
#pragma unroll
      for (int i = 0; i < TILE_DOWN * TILE_ACROSS; i++)
        lanes[i] = word_lanes (tile_words[i], 1 - LUMA_SET);
    }
    tile_medians (lanes, medians);
    if (set == 0) {
#pragma unroll
      for (int y = 0; y < ITEM_ROWS; y++)
        words_of_luma (medians + y * TILE, results + y * TILE);
    } else {
#pragma unroll
      for (int i = 0; i < RESULTS; i++)
        results[i] = results[i] << SHIFT | medians[i] << MEDIAN_CHROMA_SHIFT;
    }
  }
#pragma unroll
  for (int y = 0; y < ITEM_ROWS; y++)
    if (item_y + y < plane.height)
      store_columns (
          dst + dst_offset + (item_y + y) * dst_stride + item_x, results + y * TILE, (plane.width - item_x) / COLUMN_SAMPLES);
}

#endif
