/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Symmetric separable smoothing with the same weights down and across, and the use of the smoothed value:
 *
 *   g (x, y) = sum over i, j of weights[i] * weights[j] * in (x + i - radius, y + j - radius)
 *   SHARPEN absent   out = round (g)
 *   SHARPEN 1        out = round (in + amount * (in - g)) where abs (in - g) >= least, else in
 *
 * Wins on the processor in docs/performance.md: clblur sigma 2 and 8, 13 to 49 taps; sharpen, unsharp sigma 1.
 */
#if SHARPEN
#define GAUSSIAN_RESULT_ARGS float amount, float least
#else
#define GAUSSIAN_RESULT_ARGS int unused
#endif

#if SHARPEN
static inline int
result_of (float smooth, int in, GAUSSIAN_RESULT_ARGS)
{
  const float difference = (float) in - smooth;
  /* a float's magnitude has the order of its bits */
  const int chosen = (as_int (difference) & INT_MAX) >= as_int (least) ? -1 : 0;
  return round_saturate ((float) in + as_float (as_int (amount * difference) & chosen));
}
#define GAUSSIAN_RESULT(smooth, in) result_of ((smooth), (in), amount, least)
#else
#define GAUSSIAN_RESULT(smooth, in) round_saturate (smooth)
#endif

#if BACKEND_GPU

/* A loaded sample. The low bits of 2^23 + v are v, which is cheaper than a conversion. */
#define GAUSSIAN_TO_FLOAT(v) (as_float ((uint) (v) | 0x4b000000) - 8388608.0f)

/* The results of an item's row. */
#define GAUSSIAN_STORE_RESULTS(smooth, y)                         \
  do {                                                            \
    int results[ITEM_SAMPLES];                                    \
    GAUSSIAN_ITEM_ORIGINALS (y);                                  \
    _Pragma ("unroll") for (int s = 0; s < ITEM_SAMPLES; s++)     \
        results[s] = GAUSSIAN_RESULT ((smooth)[s], originals[s]); \
    store_item (results, y);                                      \
  } while (0)
#if SHARPEN
#define GAUSSIAN_ITEM_ORIGINALS(y) \
  int originals[ITEM_SAMPLES];     \
  load_span (originals, item_x, ITEM_SAMPLES, (y), 0)
#else
#define GAUSSIAN_ITEM_ORIGINALS(y)
#endif

#endif

#if BACKEND_CPU

typedef float lanes_t __attribute__ ((ext_vector_type (16)));
typedef sample_t stored_lanes_t __attribute__ ((ext_vector_type (16)));
typedef float unaligned_lanes_t __attribute__ ((ext_vector_type (16), aligned (4)));
typedef sample_t unaligned_stored_t __attribute__ ((ext_vector_type (16), aligned (SAMPLE_BITS / 8)));
#define GAUSSIAN_LANES 16
/* Lanes that are summed together down and across: as many registers as there are, with BAND_ROWS of the former. */
#define GAUSSIAN_DOWN_VECTORS 3
#define GAUSSIAN_ACROSS_VECTORS 8
#define GAUSSIAN_DOWN_SAMPLES (GAUSSIAN_DOWN_VECTORS * GAUSSIAN_LANES)
#define GAUSSIAN_ACROSS_SAMPLES (GAUSSIAN_ACROSS_VECTORS * GAUSSIAN_LANES)

static inline lanes_t
load_lanes (global const sample_t *p)
{
  stored_lanes_t values = *(global const unaligned_stored_t *) p >> (sample_t) SHIFT;
#if IN_WORDS
  values &= (sample_t) MAX_VALUE;
#elif SPARE_BITS
  values = __builtin_elementwise_min (values, (stored_lanes_t) ((sample_t) MAX_VALUE));
#endif
  return __builtin_convertvector (__builtin_convertvector (values, int16), lanes_t);
}

/* Adds a row of samples to the sums of those of the band's rows first .. last whose windows it is in; weight belongs to
 * the first row, and that of the next stands before it. */
static inline __attribute__ ((always_inline)) void
add_row (lanes_t sum[BAND_ROWS][GAUSSIAN_DOWN_VECTORS], global const sample_t *row, global const float *restrict weight,
    int first, int last)
{
  lanes_t in[GAUSSIAN_DOWN_VECTORS];
#pragma unroll
  for (int v = 0; v < GAUSSIAN_DOWN_VECTORS; v++)
    in[v] = load_lanes (row + v * GAUSSIAN_LANES);
#pragma unroll
  for (int r = 0; r < BAND_ROWS; r++)
    if (r >= first && r <= last)
#pragma unroll
      for (int v = 0; v < GAUSSIAN_DOWN_VECTORS; v++)
        sum[r][v] = fma (in[v], (lanes_t) weight[first - r], sum[r][v]);
}

/* Column sums of GAUSSIAN_DOWN_SAMPLES samples in BAND_ROWS rows. weights has BAND_ROWS - 1 zeros at either end. */
static inline void
sum_down (global const sample_t *const *rows, int x, global const float *restrict weights, int radius,
    global float *restrict sums, int pitch)
{
  lanes_t sum[BAND_ROWS][GAUSSIAN_DOWN_VECTORS];
  weights += BAND_ROWS - 1;
#pragma unroll
  for (int r = 0; r < BAND_ROWS; r++)
#pragma unroll
    for (int v = 0; v < GAUSSIAN_DOWN_VECTORS; v++)
      sum[r][v] = 0;
  if (2 * radius < BAND_ROWS) {
#pragma unroll 1
    for (int row = 0; row < 2 * radius + BAND_ROWS; row++)
      add_row (sum, rows[row] + x, weights + row, 0, BAND_ROWS - 1);
  } else {
    /* the first and the last rows are not in every window */
#pragma unroll
    for (int row = 0; row < BAND_ROWS - 1; row++)
      add_row (sum, rows[row] + x, weights + row, 0, row);
#pragma unroll 1
    for (int row = BAND_ROWS - 1; row <= 2 * radius; row++)
      add_row (sum, rows[row] + x, weights + row, 0, BAND_ROWS - 1);
#pragma unroll
    for (int first = 1; first < BAND_ROWS; first++)
      add_row (sum, rows[2 * radius + first] + x, weights + 2 * radius, first, BAND_ROWS - 1);
  }
#pragma unroll
  for (int r = 0; r < BAND_ROWS; r++)
#pragma unroll
    for (int v = 0; v < GAUSSIAN_DOWN_VECTORS; v++)
      *(global unaligned_lanes_t *) (sums + r * pitch + x + v * GAUSSIAN_LANES) = sum[r][v];
}

/* The same for the samples of a frame that is narrower. */
static void
sum_down_narrow (global const sample_t *const *rows, int n, global const float *restrict weights, int radius,
    global float *restrict sums, int pitch)
{
  for (int r = 0; r < BAND_ROWS; r++)
    for (int x = 0; x < n; x++) {
      float sum = 0;
      for (int row = 0; row < 2 * radius + BAND_ROWS; row++)
        sum = fma ((float) LOAD (rows[row][x]), weights[BAND_ROWS - 1 + row - r], sum);
      sums[r * pitch + x] = sum;
    }
}

/* A vector of sums serves two taps that stand GAUSSIAN_TAPS_APART, of which the second reads GAUSSIAN_VECTORS_APART further. */
#define GAUSSIAN_VECTORS_APART (NC == 3 ? 3 : 1)
#define GAUSSIAN_TAPS_APART (GAUSSIAN_VECTORS_APART * GAUSSIAN_LANES / NC)

/* Sums across of GAUSSIAN_ACROSS_SAMPLES samples; line stands where the window of the first begins. Up to
   GAUSSIAN_ACROSS_SAMPLES sums
 * behind the last window are read and not used. */
static inline void
sum_across (global const float *restrict line, global const float *restrict weights, int radius, float *restrict smooth)
{
  lanes_t sum[GAUSSIAN_ACROSS_VECTORS];
  weights += BAND_ROWS - 1;
#pragma unroll
  for (int v = 0; v < GAUSSIAN_ACROSS_VECTORS; v++)
    sum[v] = 0;
#pragma unroll 1
  for (int first = 0; first < GAUSSIAN_TAPS_APART; first++) {
    int i = first;
#pragma unroll 1
    for (; i + GAUSSIAN_TAPS_APART <= 2 * radius; i += 2 * GAUSSIAN_TAPS_APART)
#pragma unroll
      for (int v = 0; v < GAUSSIAN_ACROSS_VECTORS + GAUSSIAN_VECTORS_APART; v++) {
        const lanes_t in = *(global const unaligned_lanes_t *) (line + i * NC + v * GAUSSIAN_LANES);
        if (v < GAUSSIAN_ACROSS_VECTORS)
          sum[v] = fma (in, (lanes_t) weights[i], sum[v]);
        if (v >= GAUSSIAN_VECTORS_APART)
          sum[v - GAUSSIAN_VECTORS_APART] = fma (in, (lanes_t) weights[i + GAUSSIAN_TAPS_APART],
              sum[v - GAUSSIAN_VECTORS_APART]);
      }
    if (i <= 2 * radius)
#pragma unroll
      for (int v = 0; v < GAUSSIAN_ACROSS_VECTORS; v++)
        sum[v] = fma (*(global const unaligned_lanes_t *) (line + i * NC + v * GAUSSIAN_LANES), (lanes_t) weights[i], sum[v]);
  }
#pragma unroll
  for (int v = 0; v < GAUSSIAN_ACROSS_VECTORS; v++)
    *(unaligned_lanes_t *) (smooth + v * GAUSSIAN_LANES) = sum[v];
}

kernel void
gaussian (PLANE_ARGS, global const float *restrict weights, BAND_ARGS, GAUSSIAN_RESULT_ARGS)
{
  const struct columns c = columns_of (region, plane, radius);
  const int n = (c.last - c.first) * NC;
  const int pitch = (max (c.last, c.reach_last) - c.base) * NC + GAUSSIAN_ACROSS_SAMPLES;
  global float *restrict sums = (global float *) (scratch + get_global_id (0) * each);
  global sample_t *blank = (global sample_t *) (sums + BAND_ROWS * pitch);
  global const sample_t *rows[2 * MAX_RADIUS + BAND_ROWS];
  float smooth[GAUSSIAN_ACROSS_SAMPLES];

  if (plane.border == BORDER_CONSTANT)
    fill_blank (blank, n, plane);
  for (int top = get_global_id (0) * band; top < region.height; top += get_global_size (0) * band)
    for (int y = top; y < min (top + band, region.height); y += BAND_ROWS) {
      find_rows (rows, SRC_ARGS, c.first * NC, region.y + y - radius, 2 * radius + BAND_ROWS,
          blank);
      global float *inside = sums + (c.first - c.base) * NC;
      if (n < GAUSSIAN_DOWN_SAMPLES)
        sum_down_narrow (rows, n, weights, radius, inside, pitch);
      else
        for (int x = 0; x < n; x += GAUSSIAN_DOWN_SAMPLES)
          sum_down (rows, min (x, n - GAUSSIAN_DOWN_SAMPLES), weights, radius, inside, pitch);

      for (int r = 0; r < BAND_ROWS && y + r < min (top + band, region.height); r++) {
        global float *line = sums + r * pitch;
        FILL_ENDS (float, line, c, plane, (float) plane.value);
        global const sample_t *from = src + src_offset + (region.y + y + r) * src_stride + region.x;
        global sample_t *out = dst + dst_offset + (region.y + y + r) * dst_stride + region.x;
        for (int x = 0; x < region.width; x += GAUSSIAN_ACROSS_SAMPLES) {
          sum_across (line + (c.reach_first - c.base) * NC + x, weights, radius, smooth);
          const int wide = min (GAUSSIAN_ACROSS_SAMPLES, region.width - x);
          WIDE_LOOP
          for (int i = 0; i < wide; i++)
            out[x + i] = merge_sample (GAUSSIAN_RESULT (smooth[i], LOAD (from[x + i])), from[x + i], keep[x + i]);
        }
      }
    }
}

#else

/* Windows of any radius in two passes, through column sums in memory. Weights have WEIGHT_PAD zeros at either end, so
 * that no item has to ask whether a sample is one of its window. */
#define GAUSSIAN_ROUND_UP(n, multiple) (((n) + (multiple) - 1) / (multiple) * (multiple))
/* Samples that are summed across together: whole pixels in whole fours. */
#define GAUSSIAN_CHUNK (NC == 3 ? 12 : 4)

#if COLUMNS

kernel void
gaussian_columns (PLANE_ARGS, constant float *restrict weights, int radius, global float *restrict sums, int pitch)
{
  GPU_ITEM
  if (!ITEM_IN_REGION)
    return;
  float4 sum[ITEM_ROWS];
#pragma unroll
  for (int r = 0; r < ITEM_ROWS; r++)
    sum[r] = 0;
#pragma unroll 2
  for (int row = 0; row < 2 * radius + ITEM_ROWS; row++) {
    int in[4];
    load_span (in, item_x, 4, item_y + row - radius, 0);
    const float4 v = (float4) (
        GAUSSIAN_TO_FLOAT (in[0]), GAUSSIAN_TO_FLOAT (in[1]), GAUSSIAN_TO_FLOAT (in[2]), GAUSSIAN_TO_FLOAT (in[3]));
#pragma unroll
    for (int r = 0; r < ITEM_ROWS; r++)
      sum[r] = fma (v, (float4) weights[WEIGHT_PAD + row - r], sum[r]);
  }
#pragma unroll
  for (int r = 0; r < ITEM_ROWS; r++)
    if (item_y + r < region.y + region.height)
      *(global float4 *) (sums + (item_y + r - region.y) * pitch + item_x) = sum[r];
}

#else

/* Column sums of GAUSSIAN_CHUNK samples from sample x on, a multiple of NC. */
static inline void
load_sums (float *values, global const float *restrict line, int x, struct plane plane)
{
  if (x >= 0 && x + GAUSSIAN_CHUNK <= plane.width) {
#pragma unroll
    for (int i = 0; i < GAUSSIAN_CHUNK; i += 4) {
      const float4 four = *(global const float4 *) (line + x + i);
      values[i] = four.x;
      values[i + 1] = four.y;
      values[i + 2] = four.z;
      values[i + 3] = four.w;
    }
  } else {
#pragma unroll
    for (int i = 0; i < GAUSSIAN_CHUNK; i++) {
      const int component = i % NC, column = pixel_place ((x + i - component) / NC, plane);
      values[i] = column < 0 ? (float) plane.value : line[column * NC + component];
    }
  }
}

kernel void
gaussian_rows (PLANE_ARGS, constant float *restrict weights, int radius, global const float *restrict sums, int pitch,
    GAUSSIAN_RESULT_ARGS)
{
  GPU_ITEM
  if (!ITEM_IN_REGION)
    return;
  const int lead = GAUSSIAN_ROUND_UP (radius * NC, GAUSSIAN_CHUNK);
  global const float *line = sums + (item_y - region.y) * pitch;
  float sum[ITEM_SAMPLES];
#pragma unroll
  for (int s = 0; s < ITEM_SAMPLES; s++)
    sum[s] = 0;
  for (int first = -lead; first < lead + ITEM_SAMPLES; first += GAUSSIAN_CHUNK) {
    float v[GAUSSIAN_CHUNK];
    load_sums (v, line, item_x + first, plane);
    constant float *near = weights + WEIGHT_PAD + radius + first / NC;
#pragma unroll
    for (int s = 0; s < ITEM_SAMPLES; s++)
#pragma unroll
      for (int i = s % NC; i < GAUSSIAN_CHUNK; i += NC)
        sum[s] = fma (v[i], near[i / NC - s / NC], sum[s]);
  }
  GAUSSIAN_STORE_RESULTS (sum, item_y);
}

#endif

#endif
