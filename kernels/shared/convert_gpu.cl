/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A frame to another size, format or colorimetry, on the gpu back end; see convert.clh for the description.
 *
 * WINDOW_0 ..    of small windows, the longer side for each plane: an item makes as many neighbouring pixels as fill a word, each from
 *                its own window
 * TILE_SAMPLES   1 or more for large windows: a work-group of GROUP_COLUMNS x GROUP_ROWS items makes a tile of the result, an item one
 *                column in ITEM_LINES rows. Its items first sum columns, of each plane that is read, into local memory, then along the
 *                rows: so many operations a sample as a window's sides have samples, not as the window has. A row of the tile
 *                there holds so many sums. Four samples are loaded at once, for all rows that they count in, by weights that stand
 *                side by side; so do weights of neighbouring columns, tap by tap. `rows` is how many rows count in any of those.
 * TILE_SPLIT     1 where neighbours' windows are about two pixels apart: then a row's pixels stand there with even ones first, so that
 *                items beside each other read neighbours, which local memory gives in one access
 * BYTE_COLUMNS   1 where columns of bytes are summed by lib/lanes.clh, two rows at once: their weights are of 1/8192, pairs
 *                in a word, and those along the rows as much smaller
 * QUADS          1 where the rows of all planes that are read stand on a boundary of four samples */
typedef sample_t sample2_t __attribute__ ((ext_vector_type (2)));
typedef sample_t sample4_t __attribute__ ((ext_vector_type (4)));

#if TILE_SAMPLES

#define CONVERT_PIXELS 1

/* What a row of the source counts in each row of an item. */
#if BYTE_COLUMNS && ITEM_LINES == 4
typedef uint4 lines_t;
#elif BYTE_COLUMNS
typedef uint lines_t;
#elif ITEM_LINES == 4
typedef float4 lines_t;
#else
typedef float lines_t;
#endif
#if ITEM_LINES == 4
#define OF_LINE(v, line) ((line) == 0 ? (v).x : (line) == 1 ? (v).y : (line) == 2 ? (v).z : (v).w)
#else
#define OF_LINE(v, line) (v)
#endif

/* An integer below 2^23: GPUs add faster than they convert. */
#define TO_FLOAT(v) (as_float ((uint) (v) | 0x4b000000u) - 8388608.0f)

#if BYTE_COLUMNS

/* Sums are added to the last bits of a float. */
#define SUM_BIAS 12582912.0f

INLINE uint
load_bytes (global const sample_t *restrict row, int x, int samples)
{
#if QUADS
  if (x + 4 <= samples)
    return *(global const uint *) (row + x);
#endif
  uint v[4];
#pragma unroll
  for (int i = 0; i < 4; i++)
    v[i] = row[min (x + i, samples - 1)];
  return pack_bytes (v[0], v[1], v[2], v[3]);
}

/* Four samples of each line, from c.rows rows of the source from top on. */
INLINE void
sum_column (float4 *sums, global const sample_t *restrict in, struct source c, global const lines_t *restrict own, int top, int x,
    int samples)
{
  uint4 biased[ITEM_LINES];
#pragma unroll
  for (int line = 0; line < ITEM_LINES; line++)
    biased[line] = as_uint (SUM_BIAS);
  for (int r = 0; r < c.rows; r += 2) {
    global const sample_t *restrict row = in + (c.offset + min (top + r, c.height - 1) * c.stride);
    const uint first = load_bytes (row, x, samples);
    const uint second = load_bytes (top + r + 1 < c.height ? row + c.stride : row, x, samples);
    const uint lower = permute_bytes (first, second, 0x5140), upper = permute_bytes (first, second, 0x7362);
    const lines_t weights = own[r / 2];
#pragma unroll
    for (int line = 0; line < ITEM_LINES; line++) {
      const uint weight = OF_LINE (weights, line);
      biased[line].x = sum_lower_signed (weight, lower, biased[line].x);
      biased[line].y = sum_upper_signed (weight, lower, biased[line].y);
      biased[line].z = sum_lower_signed (weight, upper, biased[line].z);
      biased[line].w = sum_upper_signed (weight, upper, biased[line].w);
    }
  }
#pragma unroll
  for (int line = 0; line < ITEM_LINES; line++)
    sums[line] = as_float4 (biased[line]) - SUM_BIAS;
}

#else

INLINE float4
load_quad (global const sample_t *restrict row, int x, int samples)
{
#if QUADS
  if (x + 4 <= samples) {
    const sample4_t v = *(global const sample4_t *) (row + x);
    return (float4) (TO_FLOAT (LOAD (v.x)), TO_FLOAT (LOAD (v.y)), TO_FLOAT (LOAD (v.z)), TO_FLOAT (LOAD (v.w)));
  }
#endif
  float v[4];
#pragma unroll
  for (int i = 0; i < 4; i++)
    v[i] = TO_FLOAT (LOAD (row[min (x + i, samples - 1)]));
  return (float4) (v[0], v[1], v[2], v[3]);
}

/* Four samples of each line, from c.rows rows of the source from top on. */
INLINE void
sum_column (float4 *sums, global const sample_t *restrict in, struct source c, global const lines_t *restrict own, int top, int x,
    int samples)
{
#pragma unroll
  for (int line = 0; line < ITEM_LINES; line++)
    sums[line] = 0;
  for (int r = 0; r < c.rows; r++) {
    const float4 v = load_quad (in + (c.offset + min (top + r, c.height - 1) * c.stride), x, samples);
    const lines_t weight = own[r];
#pragma unroll
    for (int line = 0; line < ITEM_LINES; line++)
      sums[line] = fma ((float4) OF_LINE (weight, line), v, sums[line]);
  }
}

#endif

/* Where the sums of a pixel stand in a row of the tile. */
INLINE int
tile_place (int pixel, int step)
{
#if TILE_SPLIT
  if (step != 3)
    return (pixel & 1) * (TILE_SAMPLES / 2) + (pixel >> 1) * step;
#endif
  return pixel * step;
}

/* Sums of four samples, which are whole pixels unless these have three. */
INLINE void
store_sums (local float *restrict row, int sample, float4 sums, int step)
{
#if TILE_SPLIT
  if (step == 1 || step == 2) {
    *(local float2 *) (row + tile_place (sample / step, step)) = step == 1 ? sums.xz : sums.xy;
    *(local float2 *) (row + tile_place (sample / step + 1, step)) = step == 1 ? sums.yw : sums.zw;
    return;
  }
#endif
  *(local float4 *) (row + (step == 4 ? tile_place (sample / 4, 4) : sample)) = sums;
}

/* A plane of `step` samples a pixel in columns left .. right - 1 of the result, for ITEM_LINES rows from y on. Returns which sample is
 * the tile's first. */
INLINE int
sum_columns (local float *restrict tile, global const sample_t *restrict in, struct source c, int step,
    global const int *restrict starts, global const float *restrict weights, int left, int right, int y)
{
  const int from = starts[c.column_starts + left] * step & ~3;
  const int end = (starts[c.column_starts + right - 1] + c.columns) * step;
  const int top = starts[c.row_starts + y];
  global const lines_t *restrict own =
      (global const lines_t *) (weights + c.row_weights) + y / ITEM_LINES * (c.rows / (BYTE_COLUMNS ? 2 : 1));
  for (int x = from + 4 * (int) get_local_id (0); x < end; x += 4 * GROUP_COLUMNS) {
    float4 sums[ITEM_LINES];
    sum_column (sums, in, c, own, top, x, c.width * step);
#pragma unroll
    for (int line = 0; line < ITEM_LINES; line++)
      store_sums (tile + line * TILE_SAMPLES, x - from, sums[line], step);
  }
  return from;
}

/* The sums of a pixel: pixels of two and of four samples stand on a boundary of as many. */
INLINE float4
load_sums (local const float *restrict sums, int step)
{
  if (step == 1)
    return (float4) (*sums, 0, 0, 0);
  if (step == 2)
    return (float4) (*(local const float2 *) sums, 0, 0);
  if (step == 3)
    return (float4) (sums[0], sums[1], sums[2], 0);
  return *(local const float4 *) sums;
}

INLINE void
sum_rows (float4 *sums, local const float *restrict tile, struct source c, int step, int from, global const int *restrict starts,
    global const float *restrict weights, int x, int width)
{
  const int first = starts[c.column_starts + x];
#pragma unroll
  for (int line = 0; line < ITEM_LINES; line++)
    sums[line] = 0;
  for (int h = 0; h < c.columns; h++) {
    const float4 weight = weights[c.column_weights + h * width + x];
    const int at = step == 3 ? (first + h) * step - from : tile_place (first + h - from / step, step);
#pragma unroll
    for (int line = 0; line < ITEM_LINES; line++)
      sums[line] = fma (weight, load_sums (tile + (line * TILE_SAMPLES + at), step), sums[line]);
  }
}

#define TILE                                                              \
  local float tiles[GROUP_ROWS][ITEM_LINES * TILE_SAMPLES] __attribute__ ((aligned (16))); \
  local float *const tile = tiles[get_local_id (1)];                      \
  const int left = (int) get_group_id (0) * GROUP_COLUMNS, right = min (left + GROUP_COLUMNS, c.width);
#define SUM_PLANE(i)                                                                                                     \
  float4 sums_##i[ITEM_LINES];                                                                                           \
  barrier (CLK_LOCAL_MEM_FENCE);                                                                                         \
  const int from_##i = sum_columns (tile, in_##i, c.in[i], PLANE_STEP_##i, starts, weights, left, right, min (y, (c.height - 1) / ITEM_LINES * ITEM_LINES));   \
  barrier (CLK_LOCAL_MEM_FENCE);                                                                                         \
  sum_rows (sums_##i, tile, c.in[i], PLANE_STEP_##i, from_##i, starts, weights, min (x, c.width - 1), c.width);
#else

#define ITEM_LINES 1
#define CONVERT_PIXELS (4 / (OUT_STEP * (OUT_BITS / 8)) > 1 ? 4 / (OUT_STEP * (OUT_BITS / 8)) : 1)

/* Small windows have loops that are unrolled. */
#ifdef WINDOW_0
#define WINDOW_LOOP(i, n, most) _Pragma ("unroll") for (int i = 0; i < (most); i++) if (i < (n))
#define WINDOW_OF_PLANE(plane) WINDOW_##plane
#define CONVERT_MOST_OF_PLANE(plane) WINDOW_OF_PLANE (plane)
#else
#define WINDOW_LOOP(i, n, most) for (int i = 0; i < (n); i++)
#define CONVERT_MOST_OF_PLANE(plane) 0
#endif

/* A pixel's samples. */
INLINE float4
load_pixel (global const sample_t *restrict p, int step)
{
#if QUADS
  if (step == 2) {
    const sample2_t v = *(global const sample2_t *) p;
    return (float4) (LOAD (v.x), LOAD (v.y), 0, 0);
  }
  if (step == 4) {
    const sample4_t v = *(global const sample4_t *) p;
    return (float4) (LOAD (v.x), LOAD (v.y), LOAD (v.z), LOAD (v.w));
  }
#endif
  return (float4) (LOAD (p[0]), step > 1 ? LOAD (p[1]) : 0, step > 2 ? LOAD (p[2]) : 0, step > 3 ? LOAD (p[3]) : 0);
}

/* A plane of `step` samples a pixel. */
INLINE float4
sum_window (global const sample_t *restrict in, struct source c, int step, global const int *restrict starts,
    global const float *restrict weights, int x, int y, int most)
{
  const int column = starts[c.column_starts + x], row = starts[c.row_starts + y];
  float4 sum = 0;
  WINDOW_LOOP (h, c.columns, most)
  {
    float4 of_column = 0;
    global const sample_t *restrict pixel = in + (c.offset + row * c.stride + (column + h) * step);
    WINDOW_LOOP (v, c.rows, most)
    {
      of_column = fma ((float4) weights[c.row_weights + y * c.rows + v], load_pixel (pixel, step), of_column);
      pixel += c.stride;
    }
    sum = fma ((float4) weights[c.column_weights + x * c.columns + h], of_column, sum);
  }
  return sum;
}

#define SUM_PLANE(i) \
  const float4 sums_##i[1] = {sum_window (in_##i, c.in[i], PLANE_STEP_##i, starts, weights, x + p, y, CONVERT_MOST_OF_PLANE (i))};

#endif

#define SAMPLE_OF(v, at) ((at) == 0 ? (v).x : (at) == 1 ? (v).y : (at) == 2 ? (v).z : (v).w)
#define NAME_OF_SUMS(plane) sums_##plane
#define SUMS_OF(plane) NAME_OF_SUMS (plane)
#define TAKE_SUMS(i)                                               \
  _Pragma ("unroll") for (int line = 0; line < ITEM_LINES; line++) \
      values[line][i] = SAMPLE_OF (SUMS_OF (IN_PLANE_##i)[line], IN_AT_##i);

/* Whether an item's results are one word of each plane that is written. */
#define CONVERT_FILLS_WORD (CONVERT_PIXELS * OUT_STEP * OUT_BITS == 32)
#define CONVERT_WRITTEN (PLANAR ? OUTS : 1)

INLINE float
threshold_at (global const float *restrict thresholds, int x, int y)
{
  return DITHER == 1 ? thresholds[(x & 7) * 16 + (y & 15)] : DITHER == 2 ? noise_at ((uint) x, (uint) y) : 0;
}

kernel void
convert_frame (CONVERT_ARGS)
{
  const int x = (int) get_global_id (0) * CONVERT_PIXELS, y = (int) get_global_id (1) * ITEM_LINES;
#if TILE_SAMPLES
  TILE
#else
  if (x >= c.width || y >= c.height)
    return;
#endif
  global out_t *const outs[4] = {out_0, out_1, out_2, out_3};
#if CONVERT_FILLS_WORD
  bool whole = x + CONVERT_PIXELS <= c.width;
#pragma unroll
  for (int plane = 0; plane < CONVERT_WRITTEN; plane++)
    whole = whole && (c.out_offset[plane] | c.out_stride[plane]) % (4 * 8 / OUT_BITS) == 0;
  uint words[ITEM_LINES][CONVERT_WRITTEN];
#pragma unroll
  for (int i = 0; i < ITEM_LINES * CONVERT_WRITTEN; i++)
    words[i / CONVERT_WRITTEN][i % CONVERT_WRITTEN] = 0;
#else
  const bool whole = false;
#endif
#pragma unroll
  for (int p = 0; p < CONVERT_PIXELS; p++) {
#if !TILE_SAMPLES
    if (x + p >= c.width)
      break;
#endif
    float values[ITEM_LINES][INS];
    EACH_PLANE (SUM_PLANE)
    EACH_INPUT (TAKE_SUMS)
#pragma unroll
    for (int line = 0; line < ITEM_LINES; line++) {
      const float threshold = threshold_at (thresholds, x + p, y + line);
#pragma unroll
      for (int o = 0; o < OUTS; o++) {
        const int plane = PLANAR ? o : 0, at = p * OUT_STEP + (PLANAR ? 0 : o);
        const uint result = round_value (sum_inputs (values[line], &c, o), IS_FIXED (o) ? 0 : threshold);
#if CONVERT_FILLS_WORD
        words[line][plane] |= result << (at * OUT_BITS % 32);
#endif
        if (!whole && x + p < c.width && y + line < c.height)
          outs[plane][c.out_offset[plane] + (y + line) * c.out_stride[plane] + x * OUT_STEP + at] = (out_t) result;
      }
    }
  }
#if CONVERT_FILLS_WORD
  if (whole)
#pragma unroll
    for (int i = 0; i < ITEM_LINES * CONVERT_WRITTEN; i++) {
      const int line = i / CONVERT_WRITTEN, plane = i % CONVERT_WRITTEN;
      if (y + line < c.height)
        *(global uint *) (outs[plane] + (c.out_offset[plane] + (y + line) * c.out_stride[plane] + x * OUT_STEP)) =
            words[line][plane];
    }
#endif
}
