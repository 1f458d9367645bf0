/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A frame to another size, format or colorimetry, on the gpu back end; see convert.clh for the description.
 *
 * WINDOWS        of small windows, the longer side for each plane in four bits: an item makes as many neighbouring pixels as fill a word,
 *                each from its own window, in loops that are unrolled. 0: others, where no tile holds them
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

/* An integer below 2^23: GPUs add faster than they convert. */
INLINE float to_float (uint v) { return as_float (v | 0x4b000000u) - 8388608.0f; }
INLINE float4 to_floats (sample4_t v)
{ return (float4) (to_float (LOAD (v.x)), to_float (LOAD (v.y)), to_float (LOAD (v.z)), to_float (LOAD (v.w))); }

#if TILE_SAMPLES

#define CONVERT_PIXELS 1

/* Weights of a row of the source in each row of an item, and sums of four samples: BYTE_COLUMNS adds to the last bits of floats. */
#if BYTE_COLUMNS
typedef uint weight_t;
typedef uint4 weight4_t;
typedef uint4 sum_t;
#define SUM_BIAS 12582912.0f
#define NO_SUM ((sum_t) as_uint (SUM_BIAS))
#define SUM_VALUE(sum) (as_float4 (sum) - SUM_BIAS)
#define ROWS_TOGETHER 2
INLINE sum_t
plus_quads (sum_t sum, uint weights, sample4_t first, sample4_t second)
{
  const uint a = as_uint (first), b = as_uint (second), lower = permute_bytes (a, b, 0x5140), upper = permute_bytes (a, b, 0x7362);
  return (sum_t) (sum_lower_signed (weights, lower, sum.x), sum_upper_signed (weights, lower, sum.y),
      sum_lower_signed (weights, upper, sum.z), sum_upper_signed (weights, upper, sum.w));
}
#else
typedef float weight_t;
typedef float4 weight4_t;
typedef float4 sum_t;
#define NO_SUM ((sum_t) 0)
#define SUM_VALUE(sum) (sum)
#define ROWS_TOGETHER 1
#define plus_quads(sum, weight, first, second) fma ((float4) (weight), to_floats (first), sum)
#endif
#if ITEM_LINES == 4
typedef weight4_t lines_t;
#define OF_LINE(v, line) ((line) == 0 ? (v).x : (line) == 1 ? (v).y : (line) == 2 ? (v).z : (v).w)
#else
typedef weight_t lines_t;
#define OF_LINE(v, line) (v)
#endif

INLINE sample4_t
load_quad (global const sample_t *restrict row, int x, int samples)
{
  const int last = samples - 1;
  if (QUADS && x + 4 <= samples)
    return *(global const sample4_t *) (row + x);
  return (sample4_t) (row[min (x, last)], row[min (x + 1, last)], row[min (x + 2, last)], row[min (x + 3, last)]);
}

/* Where the sums of a pixel stand in a row of the tile. */
INLINE int tile_place (int pixel, int step)
{ return TILE_SPLIT && step != 3 ? (pixel & 1) * (TILE_SAMPLES / 2) + (pixel >> 1) * step : pixel * step; }

/* Sums of four samples, which are whole pixels unless these have three. */
INLINE void
store_sums (local float *restrict row, int sample, float4 sums, int step)
{
  if (TILE_SPLIT && step < 3) {
    *(local float2 *) (row + tile_place (sample / step, step)) = step == 1 ? sums.xz : sums.xy;
    *(local float2 *) (row + tile_place (sample / step + 1, step)) = step == 1 ? sums.yw : sums.zw;
  } else {
    *(local float4 *) (row + (step == 4 ? tile_place (sample / 4, 4) : sample)) = sums;
  }
}

/* Columns left .. right - 1 of the result, for ITEM_LINES rows from y on. Returns which sample is the tile's first. */
INLINE int
sum_columns (local float *restrict tile, global const sample_t *restrict in, struct source c, int step,
    global const int *restrict starts, global const float *restrict weights, int left, int right, int y)
{
  const int from = starts[c.column_starts + left] * step & ~3, samples = c.width * step;
  const int end = (starts[c.column_starts + right - 1] + c.columns) * step;
  const int top = starts[c.row_starts + y];
  global const lines_t *restrict own = (global const lines_t *) (weights + c.row_weights) + y / ITEM_LINES * (c.rows / ROWS_TOGETHER);
  for (int x = from + 4 * (int) get_local_id (0); x < end; x += 4 * GROUP_COLUMNS) {
    sum_t sums[ITEM_LINES];
#pragma unroll
    for (int line = 0; line < ITEM_LINES; line++)
      sums[line] = NO_SUM;
    for (int r = 0; r < c.rows; r += ROWS_TOGETHER) {
      global const sample_t *restrict row = in + (c.offset + min (top + r, c.height - 1) * c.stride);
      const sample4_t first = load_quad (row, x, samples);
      const sample4_t second = ROWS_TOGETHER == 1 ? first : load_quad (top + r + 1 < c.height ? row + c.stride : row, x, samples);
      const lines_t line_weights = own[r / ROWS_TOGETHER];
#pragma unroll
      for (int line = 0; line < ITEM_LINES; line++)
        sums[line] = plus_quads (sums[line], OF_LINE (line_weights, line), first, second);
    }
#pragma unroll
    for (int line = 0; line < ITEM_LINES; line++)
      store_sums (tile + line * TILE_SAMPLES, x - from, SUM_VALUE (sums[line]), step);
  }
  return from;
}

/* The sums of a pixel: pixels of two and of four samples stand on a boundary of as many. */
INLINE float4
load_sums (local const float *restrict sums, int step)
{
  return step == 1 ? (float4) (*sums, 0, 0, 0) : step == 2 ? (float4) (*(local const float2 *) sums, 0, 0)
      : step == 3 ? (float4) (sums[0], sums[1], sums[2], 0) : *(local const float4 *) sums;
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

#else

#define ITEM_LINES 1
#define CONVERT_PIXELS (4 / (OUT_STEP * (OUT_BITS / 8)) > 1 ? 4 / (OUT_STEP * (OUT_BITS / 8)) : 1)
#if WINDOWS
#define WINDOW_LOOP(i, n, most) _Pragma ("unroll") for (int i = 0; i < (most); i++) if (i < (n))
#else
#define WINDOW_LOOP(i, n, most) for (int i = 0; i < (n); i++)
#endif

/* A pixel's samples. */
INLINE float4
load_pixel (global const sample_t *restrict p, int step)
{
  if (QUADS && step == 4)
    return to_floats (*(global const sample4_t *) p);
  if (QUADS && step == 2)
    return to_floats ((sample4_t) (*(global const sample2_t *) p, 0, 0));
  return to_floats ((sample4_t) (p[0], p[step > 1 ? 1 : 0], p[step > 2 ? 2 : 0], p[step > 3 ? 3 : 0]));
}

/* The window of a pixel, in a plane of `step` samples a pixel. */
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

#endif

#define SAMPLE_OF(v, at) ((at) == 0 ? (v).x : (at) == 1 ? (v).y : (at) == 2 ? (v).z : (v).w)
/* Whether an item's results are one word of each plane that is written. */
#define FILLS_WORD (CONVERT_PIXELS * OUT_STEP * OUT_BITS == 32)

INLINE float threshold_at (global const float *restrict thresholds, int x, int y)
{ return DITHER == 1 ? thresholds[(x & 7) * 16 + (y & 15)] : DITHER == 2 ? noise_at ((uint) x, (uint) y) : 0; }

kernel void
convert_frame (CONVERT_ARGS)
{
  const int x = (int) get_global_id (0) * CONVERT_PIXELS, y = (int) get_global_id (1) * ITEM_LINES;
  CONVERT_ARRAYS
#if TILE_SAMPLES
  local float tiles[GROUP_ROWS][ITEM_LINES * TILE_SAMPLES] __attribute__ ((aligned (16)));
  local float *const tile = tiles[get_local_id (1)];
  const int left = (int) get_group_id (0) * GROUP_COLUMNS, right = min (left + GROUP_COLUMNS, c.width);
#else
  if (x >= c.width || y >= c.height)
    return;
#endif
  bool whole = FILLS_WORD && x + CONVERT_PIXELS <= c.width;
  uint words[ITEM_LINES][WRITTEN];
#pragma unroll
  for (int i = 0; i < ITEM_LINES * WRITTEN; i++) {
    whole = whole && (c.out_offset[i % WRITTEN] | c.out_stride[i % WRITTEN]) % (4 * 8 / OUT_BITS) == 0;
    words[i / WRITTEN][i % WRITTEN] = 0;
  }
#pragma unroll
  for (int p = 0; p < CONVERT_PIXELS; p++) {
    if (!TILE_SAMPLES && x + p >= c.width)
      break;
    float4 sums[PLANES][ITEM_LINES];
#pragma unroll
    for (int i = 0; i < PLANES; i++) {
#if TILE_SAMPLES
      barrier (CLK_LOCAL_MEM_FENCE);
      const int from = sum_columns (
          tile, ins[i], c.in[i], STEP_OF (i), starts, weights, left, right, min (y, (c.height - 1) / ITEM_LINES * ITEM_LINES));
      barrier (CLK_LOCAL_MEM_FENCE);
      sum_rows (sums[i], tile, c.in[i], STEP_OF (i), from, starts, weights, min (x, c.width - 1), c.width);
#else
      sums[i][0] = sum_window (ins[i], c.in[i], STEP_OF (i), starts, weights, x + p, y, FOUR_BITS (WINDOWS, i));
#endif
    }
#pragma unroll
    for (int line = 0; line < ITEM_LINES; line++) {
      float values[INS];
#pragma unroll
      for (int i = 0; i < INS; i++)
        values[i] = SAMPLE_OF (sums[IN_PLANE (i)][line], IN_AT (i));
      const float threshold = threshold_at (thresholds, x + p, y + line);
#pragma unroll
      for (int o = 0; o < OUTS; o++) {
        const int plane = PLANAR ? o : 0, at = p * OUT_STEP + (PLANAR ? 0 : o);
        const uint result = make_sample (values, &c, o, threshold);
        if (FILLS_WORD)
          words[line][plane] |= result << (at * OUT_BITS % 32);
        if (!whole && x + p < c.width && y + line < c.height)
          outs[plane][c.out_offset[plane] + (y + line) * c.out_stride[plane] + x * OUT_STEP + at] = (out_t) result;
      }
    }
  }
#pragma unroll
  for (int i = 0; i < ITEM_LINES * WRITTEN; i++) {
    const int line = i / WRITTEN, plane = i % WRITTEN;
    if (whole && y + line < c.height)
      *(global uint *) (outs[plane] + (c.out_offset[plane] + (y + line) * c.out_stride[plane] + x * OUT_STEP)) = words[line][plane];
  }
}
