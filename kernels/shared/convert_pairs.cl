/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Bytes from planes of one, two or four bytes a pixel and small windows of positive weights, on the gpu back end: an item makes
 * PAIR_PIXELS neighbours in PAIR_LINES rows, two at a time. Weights have 15 bits, and are multiplied with bytes by the instruction that
 * sums two products. Results differ from those of convert_gpu.cl by what rounding weights makes, a fiftieth of a code at most. Behind
 * shared/convert.clh and shared/byte_products.clh.
 *
 * Where pixels have one or two bytes, two neighbours' windows lie within two words of a row, which are loaded once; what each pixel is
 * made of is picked from them.
 *
 * COLUMNS_0, COLUMNS_1   sides of windows: those of the first plane that is read, up to 3, and those of the others, up to 2; planes of
 * ROWS_0, ROWS_1         two bytes a pixel have no more than 2 columns
 *
 * columns   of each pair of columns: the words where their windows begin in the first plane, and in the others (upper half); twice which
 *           bytes from there on, by permute_bytes(), likewise, or how many words further; the weights of both pixels' first samples in
 *           the other planes; then twice the weights of the first two samples in the first plane
 * rows      of each row: where its windows begin in the first plane and in the others; what the first row counts in the others; then
 *           what the first two count in the first plane
 * c         factors are those of sums of weighed bytes, and constants take the sums' bias off again
 *
 * Wins on the H100 in docs/performance.md: 1920x1080 NV12 to 1280x720 RGBA, and to RGBA.
 */
#define PAIR_WORDS (PAIR_PIXELS * OUT_STEP / 4)
#define PAIR_WRITTEN (PLANAR ? OUTS : 1)
#define PAIR_WHOLE_WEIGHT 32768u

/* The word below which sums are added: that of a float whose last bits are the sum. */
#define PAIR_BIAS 0x4b000000u

/* Both weights of a window of two. */
INLINE uint
two_weights (uint first)
{
  return first | (PAIR_WHOLE_WEIGHT - first) << 16;
}

/* Where a pair's windows are in the planes of an axis: its first word; which bytes each pixel is made of, or from how many words further
 * on; and their weights. */
struct pair_place
{
  int word;
  uint bytes[2], weights[2];
};

/* What a window's first two samples count, and the third one. */
INLINE uint2
window_weights (uint weights, int columns)
{
  if (columns == 3)
    return (uint2) (weights, PAIR_WHOLE_WEIGHT - (weights & 0xffff) - (weights >> 16));
  return (uint2) (columns == 2 ? two_weights (weights & 0xffff) : PAIR_WHOLE_WEIGHT, 0);
}

/* The window of one pixel in one row, whose samples' bytes are picked: sums of the pixel's samples. */
INLINE void
sum_bytes (uint *sums, uint bytes, uint weights, int columns, int step)
{
  const uint2 count = window_weights (weights, columns);
  sums[0] = sum_lower (count.x, bytes, PAIR_BIAS);
  if (columns == 3)
    sums[0] = sum_upper (count.y, bytes, sums[0]);
  if (step == 2)
    sums[1] = sum_upper (count.x, bytes, PAIR_BIAS);
}

/* The same where each pixel is a word. */
INLINE void
sum_words (uint *sums, global const uint *restrict pixels, uint weights, int columns)
{
  const uint2 count = window_weights (weights, columns);
  const uint first = pixels[0], second = columns > 1 ? pixels[1] : 0;
  const uint lower = permute_bytes (first, second, 0x5140), upper = permute_bytes (first, second, 0x7362);
  sums[0] = sum_lower (count.x, lower, PAIR_BIAS);
  sums[1] = sum_upper (count.x, lower, PAIR_BIAS);
  sums[2] = sum_lower (count.x, upper, PAIR_BIAS);
  sums[3] = sum_upper (count.x, upper, PAIR_BIAS);
  if (columns == 3) {
    const uint third_lower = permute_bytes (pixels[2], 0, 0x4140), third_upper = permute_bytes (pixels[2], 0, 0x4342);
    sums[0] = sum_lower (count.y, third_lower, sums[0]);
    sums[1] = sum_upper (count.y, third_lower, sums[1]);
    sums[2] = sum_lower (count.y, third_upper, sums[2]);
    sums[3] = sum_upper (count.y, third_upper, sums[3]);
  }
}

/* A plane's samples of two pixels. */
INLINE void
sum_pair (float (*sums)[4], global const sample_t *restrict plane, struct source c, int step, int columns, int rows,
    const struct pair_place *place, int row, float first, float second)
{
  uint of_row[3][2][4];
  global const uint *words = (global const uint *) (plane + (c.offset + row * c.stride)) + place->word;
#pragma unroll
  for (int r = 0; r < rows; r++) {
    const uint lower = step < 4 ? words[0] : 0, upper = step < 4 ? words[1] : 0;
#pragma unroll
    for (int p = 0; p < 2; p++)
      if (step == 4)
        sum_words (of_row[r][p], words + place->bytes[p], place->weights[p], columns);
      else
        sum_bytes (of_row[r][p], permute_bytes (lower, upper, place->bytes[p]), place->weights[p], columns, step);
    words += c.stride / 4;
  }
#pragma unroll
  for (int i = 0; i < 2 * step; i++) {
    const int p = i / step, s = i % step;
    const float last = as_float (of_row[rows - 1][p][s]);
    sums[p][s] = last;
    if (rows > 1)
      sums[p][s] = fma (first, as_float (of_row[0][p][s]) - last, sums[p][s]);
    if (rows > 2)
      sums[p][s] = fma (second, as_float (of_row[1][p][s]) - last, sums[p][s]);
  }
}

#define PAIR_AXIS_0 0
#define PAIR_AXIS_1 1
#define PAIR_AXIS_2 1
#define PAIR_AXIS_3 1
#define PAIR_SUM_PLANE(i)                                                                                                      \
  float sums_##i[2][4];                                                                                                        \
  if (PAIR_AXIS_##i)                                                                                                           \
    sum_pair (sums_##i, in_##i, c->in[i], PLANE_STEP_##i, COLUMNS_1, ROWS_1, &others, (int) row.y, as_float (row.z), 0);         \
  else                                                                                                                         \
    sum_pair (sums_##i, in_##i, c->in[i], PLANE_STEP_##i, COLUMNS_0, ROWS_0, &first, (int) row.x, row_weights.x, row_weights.y);
#define PAIR_SUMS_OF(plane) PAIR_NAME_OF_SUMS (plane)
#define PAIR_NAME_OF_SUMS(plane) sums_##plane
#define PAIR_TAKE_SUMS(i) values[i] = PAIR_SUMS_OF (IN_PLANE_##i)[p][IN_AT_##i];

/* Pixels at, at + 1 of an item: results stand by plane, each in the last byte of a word. */
INLINE void
convert_pair (uint (*results)[PAIR_PIXELS * OUT_STEP], int at, global const sample_t *restrict in_0, global const sample_t *restrict in_1,
    global const sample_t *restrict in_2, global const sample_t *restrict in_3, global const uint4 *restrict columns, uint4 row,
    float2 row_weights, const struct conversion *c)
{
  const uint4 places = columns[0];
  const uint4 weights = COLUMNS_0 > 1 ? columns[1] : (uint4) (0);
  const struct pair_place first = {(int) (places.x & 0xffff), {places.y & 0xffff, places.z & 0xffff}, {weights.x, weights.y}};
  const struct pair_place others = {(int) (places.x >> 16), {places.y >> 16, places.z >> 16}, {places.w & 0xffff, places.w >> 16}};
  EACH_PLANE (PAIR_SUM_PLANE)
#pragma unroll
  for (int p = 0; p < 2; p++) {
    float values[INS];
    EACH_INPUT (PAIR_TAKE_SUMS)
#pragma unroll
    for (int o = 0; o < OUTS; o++)
      results[PLANAR ? o : 0][(at + p) * OUT_STEP + (PLANAR ? 0 : o)] = as_uint (clamp (sum_inputs (values, c, o), 0.0f, 255.0f) + ROUNDER);
  }
}

/* An item's pixels in row y, from x on. */
INLINE void
store_pixels (global out_t *restrict out, int offset, int stride, const uint *bytes, int x, int y, int width)
{
  global out_t *to = out + (offset + y * stride + x * OUT_STEP);
  if (x + PAIR_PIXELS > width || (offset | stride) % 4) {
#pragma unroll
    for (int i = 0; i < PAIR_PIXELS * OUT_STEP; i++)
      if (x + i / OUT_STEP < width)
        to[i] = (out_t) bytes[i];
    return;
  }
  uint words[PAIR_WORDS];
#pragma unroll
  for (int w = 0; w < PAIR_WORDS; w++)
    words[w] = pack_bytes (bytes[4 * w], bytes[4 * w + 1], bytes[4 * w + 2], bytes[4 * w + 3]);
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
convert_pairs (global const sample_t *restrict in_0, global const sample_t *restrict in_1, global const sample_t *restrict in_2,
    global const sample_t *restrict in_3, global out_t *restrict out_0, global out_t *restrict out_1, global out_t *restrict out_2,
    global out_t *restrict out_3, global const uint4 *restrict columns, global const uint4 *restrict rows, struct conversion c)
{
  const int x = (int) get_global_id (0) * PAIR_PIXELS, y0 = (int) get_global_id (1) * PAIR_LINES;
  if (x >= c.width || y0 >= c.height)
    return;
  global out_t *const outs[4] = {out_0, out_1, out_2, out_3};
#pragma unroll
  for (int line = 0; line < PAIR_LINES; line++) {
    const int y = min (y0 + line, c.height - 1);
    const uint4 row = rows[2 * y];
    const float2 row_weights = ROWS_0 > 1 ? as_float4 (rows[2 * y + 1]).xy : (float2) (0);
    uint results[PAIR_WRITTEN][PAIR_PIXELS * OUT_STEP];
#pragma unroll
    for (int at = 0; at < PAIR_PIXELS; at += 2)
      convert_pair (results, at, in_0, in_1, in_2, in_3, columns + (x + at), row, row_weights, &c);
#pragma unroll
    for (int plane = 0; plane < PAIR_WRITTEN; plane++)
      store_pixels (outs[plane], c.out_offset[plane], c.out_stride[plane], results[plane], x, y, c.width);
  }
}
