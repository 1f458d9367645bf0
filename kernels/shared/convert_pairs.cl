/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Bytes from planes of one, two or four bytes a pixel and small windows of positive weights, on the gpu back end: an item makes
 * PAIR_PIXELS neighbours, two at a time. Weights have 15 bits, and the instruction that sums two products multiplies them with bytes;
 * results are within a fiftieth of a code of convert_gpu.cl's. Behind shared/convert.clh.
 *
 * Where pixels have one or two bytes, two neighbours' windows lie within two words of a row, from which each pixel's bytes are picked. An
 * item loads all its words before it uses the first, so that it waits for memory once.
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
 * Wins on the H100 in docs/performance.md: 1920x1080 NV12 to 1280x720 RGBA, and to RGBA. */
enum { PAIRS = PAIR_PIXELS / 2, PAIR_WORDS = PAIR_PIXELS * OUT_STEP / 4 };
#define PAIR_WHOLE_WEIGHT 32768u
/* The word below which sums are added: that of a float whose last bits are the sum. */
#define PAIR_BIAS 0x4b000000u

/* The axis of a plane's windows: that of the first, or of the others; and their sides. */
#define AXIS_OF(plane) ((plane) > 0)
#define WINDOW_OF(plane) STEP_OF (plane), AXIS_OF (plane) ? COLUMNS_1 : COLUMNS_0, AXIS_OF (plane) ? ROWS_1 : ROWS_0

/* Where a pair's windows are in the planes of an axis: its first word; which bytes each pixel is made of, or from how many words further
 * on; and what the first two samples and the third one count. */
struct pair_place
{
  int word;
  uint bytes[2], weights[2], thirds[2];
};

INLINE void
find_place (struct pair_place *places, global const uint4 *restrict columns)
{
  const uint4 v = columns[0], w = COLUMNS_0 > 1 ? columns[1] : (uint4) (PAIR_WHOLE_WEIGHT, PAIR_WHOLE_WEIGHT, 0, 0);
  const uint first = v.w & 0xffff, second = v.w >> 16;
  places[0] = (struct pair_place) {(int) (v.x & 0xffff), {v.y & 0xffff, v.z & 0xffff}, {w.x, w.y}, {w.z, w.w}};
  places[1] = (struct pair_place) {(int) (v.x >> 16), {v.y >> 16, v.z >> 16},
    {first | (PAIR_WHOLE_WEIGHT - first) << 16, second | (PAIR_WHOLE_WEIGHT - second) << 16}, {0, 0}};
}

/* What an item reads of a plane: of each row of a pair's windows two words, or those of each pixel. */
INLINE void
load_pair (uint (*words)[6], global const sample_t *restrict plane, struct source c, int step, int columns, int rows,
    const struct pair_place *place, int row)
{
  global const uint *from = (global const uint *) (plane + (c.offset + row * c.stride)) + place->word;
#pragma unroll
  for (int r = 0; r < rows; r++, from += c.stride / 4)
#pragma unroll
    for (int i = 0; i < (step < 4 ? 2 : 2 * columns); i++)
      words[r][i] = from[step < 4 ? i : (int) place->bytes[i / columns] + i % columns];
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
#pragma unroll
  for (int upper = 0; upper < 2; upper++) {
    const uint bytes = permute_bytes (pixels[0], columns > 1 ? pixels[1] : 0, upper ? 0x7362 : 0x5140);
    const uint thirds = columns > 2 ? permute_bytes (pixels[2], 0, upper ? 0x4342 : 0x4140) : 0;
    sums[2 * upper] = sum_lower (weights, bytes, PAIR_BIAS);
    sums[2 * upper + 1] = sum_upper (weights, bytes, PAIR_BIAS);
    if (columns > 2) {
      sums[2 * upper] = sum_lower (third, thirds, sums[2 * upper]);
      sums[2 * upper + 1] = sum_upper (third, thirds, sums[2 * upper + 1]);
    }
  }
}

/* A plane's samples of two pixels. */
INLINE void
sum_pair (
    float (*sums)[4], const uint (*words)[6], int step, int columns, int rows, const struct pair_place *place, float4 row_weights)
{
  uint of_row[3][2][4];
#pragma unroll
  for (int i = 0; i < 2 * rows; i++) {
    const int r = i / 2, p = i % 2;
    if (step == 4)
      sum_words (of_row[r][p], words[r] + p * columns, place->weights[p], place->thirds[p], columns);
    else
      sum_bytes (
          of_row[r][p], permute_bytes (words[r][0], words[r][1], place->bytes[p]), place->weights[p], place->thirds[p], columns, step);
  }
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

/* A share of 256 as a byte, in a word's last one. */
INLINE uint round_share (float share) { return as_uint (fma (min (bounded_float (share), 255.0f / 256), 256.0f, ROUNDER)); }

/* An item's pixels of a plane, from x on. */
INLINE void
store_pixels (global out_t *restrict to, const uint *bytes, int x, int width, int alignment)
{
  uint words[PAIR_WORDS];
#pragma unroll
  for (int w = 0; w < PAIR_WORDS; w++)
    words[w] = pack_bytes (bytes[4 * w], bytes[4 * w + 1], bytes[4 * w + 2], bytes[4 * w + 3]);
  if (x + PAIR_PIXELS > width || alignment % 4) {
#pragma unroll
    for (int i = 0; i < PAIR_PIXELS * OUT_STEP; i++)
      if (x + i / OUT_STEP < width)
        to[i] = (out_t) bytes[i];
  } else if (PAIR_WORDS % 4 == 0 && alignment % 16 == 0) {
#pragma unroll
    for (int w = 0; w < PAIR_WORDS; w += 4)
      *(global uint4 *) (to + 4 * w) = vload4 (0, words + w);
  } else {
#pragma unroll
    for (int w = 0; w < PAIR_WORDS; w++)
      ((global uint *) to)[w] = words[w];
  }
}

kernel void
convert_pairs (CONVERT_PLANES, global const uint4 *restrict columns, global const uint4 *restrict rows, struct conversion c)
{
  const int x = (int) get_global_id (0) * PAIR_PIXELS, y = get_global_id (1);
  if (x >= c.width || y >= c.height)
    return;
  CONVERT_ARRAYS
  const uint4 row = rows[2 * y];
  const int first_rows[2] = {(int) row.x, (int) row.y};
  const float4 row_weights[2] = {ROWS_0 > 1 ? as_float4 (rows[2 * y + 1]) : (float4) (0),
    (float4) (as_float (row.z), as_float (row.w), 0, 0)};
  struct pair_place places[PAIRS][2];
  uint words[PAIRS][PLANES][3][6], bytes[WRITTEN][PAIR_PIXELS * OUT_STEP];
#pragma unroll
  for (int pair = 0; pair < PAIRS; pair++)
    find_place (places[pair], columns + x + 2 * pair);
#pragma unroll
  for (int i = 0; i < PAIRS * PLANES; i++) {
    const int pair = i / PLANES, plane = i % PLANES, axis = AXIS_OF (plane);
    load_pair (words[pair][plane], ins[plane], c.in[plane], WINDOW_OF (plane), &places[pair][axis], first_rows[axis]);
  }
#pragma unroll
  for (int pair = 0; pair < PAIRS; pair++) {
    float sums[PLANES][2][4];
#pragma unroll
    for (int i = 0; i < PLANES; i++)
      sum_pair (sums[i], words[pair][i], WINDOW_OF (i), &places[pair][AXIS_OF (i)], row_weights[AXIS_OF (i)]);
#pragma unroll
    for (int p = 0; p < 2; p++) {
      float values[INS];
#pragma unroll
      for (int i = 0; i < INS; i++)
        values[i] = sums[IN_PLANE (i)][p][IN_AT (i)];
#pragma unroll
      for (int o = 0; o < OUTS; o++)
        bytes[PLANAR ? o : 0][(2 * pair + p) * OUT_STEP + (PLANAR ? 0 : o)] = round_share (sum_inputs (values, &c, o));
    }
  }
#pragma unroll
  for (int i = 0; i < WRITTEN; i++)
    store_pixels (
        outs[i] + (c.out_offset[i] + y * c.out_stride[i] + x * OUT_STEP), bytes[i], x, c.width, c.out_offset[i] | c.out_stride[i]);
}
