/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A frame to another size, format or colorimetry, on the gpu back end; see convert.clh for the description.
 *
 * TWO_PASSES   1 where large windows are summed in two passes: sum_columns leaves the sums of columns in `scratch`, in which
 *              the `offset` and `stride` of each plane are then; and weights of columns stand side by side, tap by tap
 * QUADS        then 1 where the rows of all planes stand on a boundary of four samples
 *
 * An item makes as many neighbouring pixels as fill a word, or one in ITEM_LINES rows, so that neighbouring items read what stands
 * side by side. */
#if TWO_PASSES
#define PIXELS 1
#else
#define PIXELS (4 / (OUT_STEP * (OUT_BITS / 8)) > 1 ? 4 / (OUT_STEP * (OUT_BITS / 8)) : 1)
#endif

/* Small windows have loops that are unrolled. */
#ifdef WINDOW_0
#define WINDOW_LOOP(i, n, most) _Pragma ("unroll") for (int i = 0; i < (most); i++) if (i < (n))
#define WINDOW_OF_PLANE(plane) WINDOW_##plane
#define MOST_OF_PLANE(plane) WINDOW_OF_PLANE (plane)
#else
#define WINDOW_LOOP(i, n, most) for (int i = 0; i < (n); i++)
#define MOST_OF_PLANE(plane) 0
#endif

#if TWO_PASSES

#define ITEM_LINES 4

typedef sample_t sample4_t __attribute__ ((ext_vector_type (4)));

INLINE float4
load_four (global const sample_t *restrict row, int x, int samples)
{
#if QUADS
  if (x + 4 <= samples) {
    const sample4_t v = *(global const sample4_t *) (row + x);
    return (float4) (LOAD (v.x), LOAD (v.y), LOAD (v.z), LOAD (v.w));
  }
#endif
  float one[4];
#pragma unroll
  for (int i = 0; i < 4; i++)
    one[i] = (float) LOAD (row[min (x + i, samples - 1)]);
  return (float4) (one[0], one[1], one[2], one[3]);
}

/* An item sums four columns for ITEM_LINES rows of the result, whose windows overlap: each sample is read once. `to` and pitch: where
 * sums stand in scratch. */
kernel void
sum_columns (global const sample_t *restrict in, global float *restrict scratch, global const int *restrict starts,
    global const float *restrict weights, struct source c, int samples, int height, int to, int pitch)
{
  const int x = (int) get_global_id (0) * 4, y = (int) get_global_id (1) * ITEM_LINES;
  if (x >= samples || y >= height)
    return;
  float4 sums[ITEM_LINES];
  int first[ITEM_LINES];
#pragma unroll
  for (int line = 0; line < ITEM_LINES; line++) {
    sums[line] = 0;
    first[line] = starts[c.row_starts + min (y + line, height - 1)];
  }
  for (int row = first[0]; row < first[ITEM_LINES - 1] + c.rows; row++) {
    const float4 v = load_four (in + (c.offset + row * c.stride), x, samples);
#pragma unroll
    for (int line = 0; line < ITEM_LINES; line++) {
      const int tap = row - first[line];
      if (tap >= 0 && tap < c.rows)
        sums[line] = fma ((float4) weights[c.row_weights + min (y + line, height - 1) * c.rows + tap], v, sums[line]);
    }
  }
#pragma unroll
  for (int line = 0; line < ITEM_LINES; line++)
    if (y + line < height)
      *(global float4 *) (scratch + (to + (y + line) * pitch + x)) = sums[line];
}

/* A pixel's sums in a row of scratch: pixels of two and of four samples stand on a boundary of as many. */
INLINE float4
load_sums (global const float *restrict sums, int step)
{
  if (step == 1)
    return (float4) (*sums, 0, 0, 0);
  if (step == 2)
    return (float4) (*(global const float2 *) sums, 0, 0);
  if (step == 3)
    return (float4) (sums[0], sums[1], sums[2], 0);
  return *(global const float4 *) sums;
}

/* Sums of a column's pixels along ITEM_LINES rows. */
INLINE void
sum_rows (float4 *sums, global const float *restrict scratch, struct source c, int step, global const int *restrict starts,
    global const float *restrict weights, int x, int y, int width, int height)
{
  const int column = starts[c.column_starts + x];
#pragma unroll
  for (int line = 0; line < ITEM_LINES; line++)
    sums[line] = 0;
  for (int h = 0; h < c.columns; h++) {
    const float4 weight = weights[c.column_weights + h * width + x];
#pragma unroll
    for (int line = 0; line < ITEM_LINES; line++) {
      const int row = min (y + line, height - 1);
      sums[line] = fma (weight, load_sums (scratch + (c.offset + row * c.stride + (column + h) * step), step), sums[line]);
    }
  }
}

#define SUM_ROWS(i)                                                                                               \
  float4 sums_##i[ITEM_LINES];                                                                                    \
  sum_rows (sums_##i, scratch, c.in[i], PLANE_STEP_##i, starts, weights, x + p, y, c.width, c.height);
#define SAMPLE_OF(v, at) ((at) == 0 ? (v).x : (at) == 1 ? (v).y : (at) == 2 ? (v).z : (v).w)
#define NAME_OF_SUMS(plane) sums_##plane
#define SUMS_OF(plane) NAME_OF_SUMS (plane)
#define TAKE_SUMS(i)                                 \
  _Pragma ("unroll") for (int line = 0; line < ITEM_LINES; line++) \
      values[line][i] = SAMPLE_OF (SUMS_OF (IN_PLANE_##i)[line], IN_AT_##i);
#define FIND_VALUES          \
  EACH_PLANE (SUM_ROWS)      \
  EACH_INPUT (TAKE_SUMS)

#else

#define ITEM_LINES 1

INLINE float
sum_window (global const sample_t *restrict in, struct source c, int step, int at, global const int *restrict starts,
    global const float *restrict weights, int x, int y, int most)
{
  const int column = starts[c.column_starts + x], row = starts[c.row_starts + y];
  float sum = 0;
  WINDOW_LOOP (h, c.columns, most)
  {
    float of_column = 0;
    global const sample_t *restrict sample = in + (c.offset + row * c.stride + (column + h) * step + at);
    WINDOW_LOOP (v, c.rows, most)
    {
      of_column = fma (weights[c.row_weights + y * c.rows + v], (float) LOAD (*sample), of_column);
      sample += c.stride;
    }
    sum = fma (weights[c.column_weights + x * c.columns + h], of_column, sum);
  }
  return sum;
}

#define FIND_VALUES EACH_INPUT (SUM_WINDOW)
#define SUM_WINDOW(i) \
  values[0][i] = sum_window (ins[IN_PLANE_##i], c.in[IN_PLANE_##i], IN_STEP_##i, IN_AT_##i, starts, weights, x + p, y, \
      MOST_OF_PLANE (IN_PLANE_##i));

#endif

/* Whether an item's results are one word of each plane that is written. */
#define FILLS_WORD (PIXELS * OUT_STEP * OUT_BITS == 32)
#define WRITTEN (PLANAR ? OUTS : 1)

INLINE uint
round_value (float v, float threshold)
{
  v += threshold;
  v = v > 0.0f ? v : 0.0f;
  v = v < OUT_MAX ? v : OUT_MAX;
  return (as_uint (v + ROUNDER) & 0xffffu) << OUT_SHIFT;
}

INLINE float
threshold_at (global const float *restrict thresholds, int x, int y)
{
#if DITHER == 1
  return thresholds[(x & 7) * 16 + (y & 15)];
#elif DITHER == 2
  uint h;
  NOISE_BITS ((uint) x, (uint) y, h)
  return (float) (int) (h >> 8) * 0x1p-24f - 0.5f;
#else
  return 0;
#endif
}

kernel void
convert_frame (CONVERT_ARGS)
{
  const int x = (int) get_global_id (0) * PIXELS, y = (int) get_global_id (1) * ITEM_LINES;
  if (x >= c.width || y >= c.height)
    return;
  global out_t *const outs[4] = {out_0, out_1, out_2, out_3};
  global const sample_t *const ins[4] = {in_0, in_1, in_2, in_3};
#if FILLS_WORD
  bool whole = x + PIXELS <= c.width;
#pragma unroll
  for (int plane = 0; plane < WRITTEN; plane++)
    whole = whole && (c.out_offset[plane] | c.out_stride[plane]) % (4 * 8 / OUT_BITS) == 0;
  uint words[ITEM_LINES][WRITTEN];
#pragma unroll
  for (int i = 0; i < ITEM_LINES * WRITTEN; i++)
    words[i / WRITTEN][i % WRITTEN] = 0;
#else
  const bool whole = false;
#endif
#pragma unroll
  for (int p = 0; p < PIXELS; p++) {
    if (x + p >= c.width)
      break;
    float values[ITEM_LINES][INS];
    FIND_VALUES
#pragma unroll
    for (int line = 0; line < ITEM_LINES; line++) {
      const float threshold = threshold_at (thresholds, x + p, y + line);
#pragma unroll
      for (int o = 0; o < OUTS; o++) {
        float sum = c.constants[o];
#pragma unroll
        for (int i = 0; i < INS; i++)
          if (DEPENDS (o, i))
            sum = fma (c.factors[o][i], values[line][i], sum);
        const int plane = PLANAR ? o : 0, at = p * OUT_STEP + (PLANAR ? 0 : o);
        const uint result = round_value (sum, IS_FIXED (o) ? 0 : threshold);
#if FILLS_WORD
        words[line][plane] |= result << (at * OUT_BITS % 32);
#endif
        if (!whole && y + line < c.height)
          outs[plane][c.out_offset[plane] + (y + line) * c.out_stride[plane] + x * OUT_STEP + at] = (out_t) result;
      }
    }
  }
#if FILLS_WORD
  if (whole)
#pragma unroll
    for (int i = 0; i < ITEM_LINES * WRITTEN; i++) {
      const int line = i / WRITTEN, plane = i % WRITTEN;
      if (y + line < c.height)
        *(global uint *) (outs[plane] + (c.out_offset[plane] + (y + line) * c.out_stride[plane] + x * OUT_STEP)) =
            words[line][plane];
    }
#endif
}
