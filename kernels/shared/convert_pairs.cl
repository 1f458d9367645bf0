/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Bytes from planes of one, two or four bytes a pixel and small windows of positive weights, on the gpu back end: an item makes
 * PAIR_PIXELS neighbours in PAIR_LINES rows, two at a time. Weights have 15 bits, and are multiplied with bytes by the instruction that
 * sums two products. Results differ from those of convert_gpu.cl by what rounding weights makes, a fiftieth of a code at most. Behind
 * shared/convert.clh.
 *
 * Where pixels have one or two bytes, two neighbours' windows lie within two words of a row, which are loaded once; what each pixel is
 * made of is picked from them. An item loads all its words before it uses the first, so that it waits for memory once: window by window
 * it waited ten times.
 *
 * COLUMNS_0, COLUMNS_1   sides of windows: those of the first plane that is read, up to 3, and those of the others, up to 2; planes of
 * ROWS_0, ROWS_1         two bytes a pixel have no more than 2 columns
 *
 * columns   of each pair of columns: the words where their windows begin in the first plane, and in the others (upper half); twice which
 *           bytes from there on, by permute_bytes(), likewise, or how many words further; the weights of both pixels' first samples in
 *           the other planes; then twice the weights of the first two samples in the first plane, and twice that of the third
 * rows      of each row: where its windows begin in the first plane and in the others; what both rows count in the others; then
 *           what the three count in the first plane
 * c         factors are those of sums of weighed bytes and make shares of 256, and constants take the sums' bias off again
 *
 * Wins on the H100 in docs/performance.md: 1920x1080 NV12 to 1280x720 RGBA, and to RGBA.
 */
#define PAIRS (PAIR_PIXELS / 2)
#define PAIR_WORDS (PAIR_PIXELS * OUT_STEP / 4)
#define PAIR_WHOLE_WEIGHT 32768u
/* Lines that are loaded at once: windows of words fill the registers with one. */
#define PAIR_LOADED_LINES (STEP_OF (0) == 4 ? 1 : PAIR_LINES)

/* The axis of a plane's windows: that of the first, or of the others; and their sides. */
#define AXIS_OF(plane) ((plane) > 0)
#define WINDOW_OF(plane) STEP_OF (plane), AXIS_OF (plane) ? COLUMNS_1 : COLUMNS_0, AXIS_OF (plane) ? ROWS_1 : ROWS_0

/* The word below which sums are added: that of a float whose last bits are the sum. */
#define PAIR_BIAS 0x4b000000u

/* Both weights of a window of two. */
INLINE uint two_weights (uint first) { return first | (PAIR_WHOLE_WEIGHT - first) << 16; }

/* Where a pair's windows are in the planes of an axis: its first word; which bytes each pixel is made of, or from how many words further
 * on; and what the first two samples and the third one count. */
struct pair_place
{
  int word;
  uint bytes[2], weights[2], thirds[2];
};

/* What an item reads of a plane: of each row of a pair's windows two words, or those of each pixel. */
struct pair_words
{
  uint rows[3][6];
};

INLINE void
load_pair (struct pair_words *words, global const sample_t *restrict plane, struct source c, int step, int columns, int rows,
    const struct pair_place *place, int row)
{
  global const uint *from = (global const uint *) (plane + (c.offset + row * c.stride)) + place->word;
#pragma unroll
  for (int r = 0; r < rows; r++, from += c.stride / 4) {
    if (step < 4)
      words->rows[r][0] = from[0], words->rows[r][1] = from[1];
    else
#pragma unroll
      for (int i = 0; i < 2 * columns; i++)
        words->rows[r][i] = from[(int) place->bytes[i / columns] + i % columns];
  }
}

/* The window of one pixel in one row, whose samples' bytes are picked, or which has a word for each pixel: sums of the pixel's samples. */
INLINE void
sum_bytes (uint *sums, uint bytes, uint weights, uint third, int columns, int step)
{
  sums[0] = sum_lower (weights, bytes, PAIR_BIAS);
  if (columns == 3)
    sums[0] = sum_upper (third, bytes, sums[0]);
  if (step == 2)
    sums[1] = sum_upper (weights, bytes, PAIR_BIAS);
}

INLINE void
sum_words (uint *sums, const uint *pixels, uint weights, uint third, int columns)
{
  const uint second = columns > 1 ? pixels[1] : 0;
#pragma unroll
  for (int upper = 0; upper < 2; upper++) {
    const uint bytes = permute_bytes (pixels[0], second, upper ? 0x7362 : 0x5140);
    sums[2 * upper] = sum_lower (weights, bytes, PAIR_BIAS);
    sums[2 * upper + 1] = sum_upper (weights, bytes, PAIR_BIAS);
    if (columns == 3) {
      const uint thirds = permute_bytes (pixels[2], 0, upper ? 0x4342 : 0x4140);
      sums[2 * upper] = sum_lower (third, thirds, sums[2 * upper]);
      sums[2 * upper + 1] = sum_upper (third, thirds, sums[2 * upper + 1]);
    }
  }
}

/* A plane's samples of two pixels. */
INLINE void
sum_pair (
    float (*sums)[4], const struct pair_words *words, int step, int columns, int rows, const struct pair_place *place, float4 row_weights)
{
  uint of_row[3][2][4];
#pragma unroll
  for (int r = 0; r < rows; r++)
#pragma unroll
    for (int p = 0; p < 2; p++)
      if (step == 4)
        sum_words (of_row[r][p], words->rows[r] + p * columns, place->weights[p], place->thirds[p], columns);
      else
        sum_bytes (of_row[r][p], permute_bytes (words->rows[r][0], words->rows[r][1], place->bytes[p]), place->weights[p],
            place->thirds[p], columns, step);
#pragma unroll
  for (int i = 0; i < 2 * step; i++) {
    const int p = i / step, s = i % step;
    sums[p][s] = as_float (of_row[0][p][s]);
    if (rows > 1)
      sums[p][s] = fma (row_weights.y, as_float (of_row[1][p][s]), row_weights.x * sums[p][s]);
    if (rows > 2)
      sums[p][s] = fma (row_weights.z, as_float (of_row[2][p][s]), sums[p][s]);
  }
}

/* What an item reads, and where: of each pair of columns and of each line. An axis is that of the first plane, or of the others. */
struct pair_item
{
  struct pair_place places[PAIRS][2];
  int rows[PAIR_LINES][2];
  float4 row_weights[PAIR_LINES][2];
  struct pair_words words[PAIR_LINES][PAIRS][PLANES];
};

INLINE void
place_item (struct pair_item *item, global const uint4 *restrict columns, global const uint4 *restrict rows, int y, int height)
{
#pragma unroll
  for (int pair = 0; pair < PAIRS; pair++) {
    const uint4 v = columns[2 * pair];
    const uint4 w = COLUMNS_0 > 1 ? columns[2 * pair + 1] : (uint4) (PAIR_WHOLE_WEIGHT, PAIR_WHOLE_WEIGHT, 0, 0);
    item->places[pair][0] = (struct pair_place) {(int) (v.x & 0xffff), {v.y & 0xffff, v.z & 0xffff}, {w.x, w.y}, {w.z, w.w}};
    item->places[pair][1] =
        (struct pair_place) {(int) (v.x >> 16), {v.y >> 16, v.z >> 16}, {two_weights (v.w & 0xffff), two_weights (v.w >> 16)}, {0, 0}};
  }
#pragma unroll
  for (int line = 0; line < PAIR_LINES; line++) {
    const int row = 2 * min (y + line, height - 1);
    const uint4 v = rows[row];
    item->rows[line][0] = (int) v.x;
    item->rows[line][1] = (int) v.y;
    item->row_weights[line][0] = ROWS_0 > 1 ? as_float4 (rows[row + 1]) : (float4) (0);
    item->row_weights[line][1] = (float4) (as_float (v.z), as_float (v.w), 0, 0);
  }
}

/* A share of 256 as a byte, in a word's last one. */
INLINE uint round_share (float share) { return as_uint (fma (min (bounded_float (share), 255.0f / 256), 256.0f, ROUNDER)); }

/* An item's pixels in one line, by plane, packed into words. */
INLINE void
convert_line (uint (*results)[PAIR_WORDS], const struct pair_item *item, int line, const struct conversion *c)
{
  uint bytes[WRITTEN][PAIR_PIXELS * OUT_STEP];
#pragma unroll
  for (int pair = 0; pair < PAIRS; pair++) {
    float sums[PLANES][2][4];
#pragma unroll
    for (int i = 0; i < PLANES; i++)
      sum_pair (sums[i], &item->words[line][pair][i], WINDOW_OF (i), &item->places[pair][AXIS_OF (i)], item->row_weights[line][AXIS_OF (i)]);
#pragma unroll
    for (int p = 0; p < 2; p++) {
      float values[INS];
#pragma unroll
      for (int i = 0; i < INS; i++)
        values[i] = sums[IN_PLANE (i)][p][IN_AT (i)];
#pragma unroll
      for (int o = 0; o < OUTS; o++)
        bytes[PLANAR ? o : 0][(2 * pair + p) * OUT_STEP + (PLANAR ? 0 : o)] = round_share (sum_inputs (values, c, o));
    }
  }
#pragma unroll
  for (int plane = 0; plane < WRITTEN; plane++)
#pragma unroll
    for (int w = 0; w < PAIR_WORDS; w++)
      results[plane][w] = pack_bytes (bytes[plane][4 * w], bytes[plane][4 * w + 1], bytes[plane][4 * w + 2], bytes[plane][4 * w + 3]);
}

/* An item's pixels in row y, from x on. */
INLINE void
store_pixels (global out_t *restrict out, int offset, int stride, const uint *words, int x, int y, int width)
{
  global out_t *to = out + (offset + y * stride + x * OUT_STEP);
  if (x + PAIR_PIXELS > width || (offset | stride) % 4) {
#pragma unroll
    for (int i = 0; i < PAIR_PIXELS * OUT_STEP; i++)
      if (x + i / OUT_STEP < width)
        to[i] = (out_t) (words[i / 4] >> 8 * (i % 4));
    return;
  }
#if PAIR_WORDS % 4 == 0
  if ((offset | stride) % 16 == 0) {
#pragma unroll
    for (int w = 0; w < PAIR_WORDS; w += 4)
      *(global uint4 *) (to + 4 * w) = (uint4) (words[w], words[w + 1], words[w + 2], words[w + 3]);
    return;
  }
#endif
#pragma unroll
  for (int w = 0; w < PAIR_WORDS; w++)
    ((global uint *) to)[w] = words[w];
}

kernel void
convert_pairs (CONVERT_PLANES, global const uint4 *restrict columns, global const uint4 *restrict rows, struct conversion c)
{
  const int x = (int) get_global_id (0) * PAIR_PIXELS, y0 = (int) get_global_id (1) * PAIR_LINES;
  if (x >= c.width || y0 >= c.height)
    return;
  CONVERT_ARRAYS
  struct pair_item item;
  uint results[PAIR_LINES][WRITTEN][PAIR_WORDS];
  place_item (&item, columns + x, rows, y0, c.height);
#pragma unroll
  for (int top = 0; top < PAIR_LINES; top += PAIR_LOADED_LINES) {
#pragma unroll
    for (int line = top; line < top + PAIR_LOADED_LINES; line++)
#pragma unroll
      for (int pair = 0; pair < PAIRS; pair++)
#pragma unroll
        for (int i = 0; i < PLANES; i++)
          load_pair (&item.words[line][pair][i], ins[i], c.in[i], WINDOW_OF (i), &item.places[pair][AXIS_OF (i)], item.rows[line][AXIS_OF (i)]);
#pragma unroll
    for (int line = top; line < top + PAIR_LOADED_LINES; line++)
      convert_line (results[line], &item, line, &c);
  }
#pragma unroll
  for (int line = 0; line < PAIR_LINES; line++)
#pragma unroll
    for (int plane = 0; plane < WRITTEN; plane++)
      store_pixels (outs[plane], c.out_offset[plane], c.out_stride[plane], results[line][plane], x, min (y0 + line, c.height - 1), c.width);
}
