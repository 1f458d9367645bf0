/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Bilateral filter: the mean of a window, weighted by exp (-d2 / (2 ss^2)) * exp (-r^2 / (2 sr^2)). Of the cpu back end for every
 * radius, of the gpu back end for those that are too large for bilateral/tile.cl.
 *
 * Arguments after the plane: the guide (DISTANCE_GUIDE only), then space and range, the factors of d2 and r^2 in a weight's
 * exponent (shared/weight.clh), then the radius.
 *
 * 16-bit samples need more digits than a float keeps over a large window, so that each row of it is summed on its own. */
#define SUM_BY_ROWS (DEPTH > 12)

/* r^2 for weight w */
static inline float
distance2 (const float *difference, int w)
{
#if DISTANCE == DISTANCE_COLOR
  return difference[0] * difference[0] + difference[1] * difference[1] + difference[2] * difference[2];
#else
  return difference[w] * difference[w];
#endif
}

#if BACKEND_CPU

/* A work item filters BILATERAL_STRIP pixels in ITEM_ROWS rows: global size
 * (ceil (pixels / BILATERAL_STRIP), ceil (rows / ITEM_ROWS)).
 * Each row of the window is unpacked to floats once; every tap is then a loop over the strip that the compiler
 * vectorises, whatever the format and however large the radius. */
#define BILATERAL_STRIP 64
#define BILATERAL_LANES 8
#define BILATERAL_LARGEST_RADIUS 200
#define BILATERAL_SPAN (BILATERAL_STRIP + 2 * BILATERAL_LARGEST_RADIUS)

/* What one row of the strip gathers. */
typedef struct {
  float center[GUIDES][BILATERAL_STRIP];
  float sum[SUMS][BILATERAL_STRIP];
  float total[SUMS][BILATERAL_STRIP];
} strip_t;

/* A pixel is read and written as one integer where there is one of its size. */
#if NC * SAMPLE_BITS == 8
typedef uchar pixel_t;
#elif NC * SAMPLE_BITS == 16
typedef ushort __attribute__ ((aligned (SAMPLE_BITS / 8))) pixel_t;
#elif NC * SAMPLE_BITS == 32
typedef uint __attribute__ ((aligned (SAMPLE_BITS / 8))) pixel_t;
#elif NC * SAMPLE_BITS == 64
typedef ulong __attribute__ ((aligned (SAMPLE_BITS / 8))) pixel_t;
#else
#define BILATERAL_SPLIT_PIXELS 1
#endif

#if BILATERAL_SPLIT_PIXELS
#define BILATERAL_SAMPLE(samples, i, position) LOAD ((samples)[(i) *NC + (position)])
#else
#define BILATERAL_SAMPLE(samples, i, position)                                                                                 \
  LOAD ((int) (((global const pixel_t *) (samples))[i] >> (SAMPLE_BITS * (position))) & ((1 << SAMPLE_BITS) - 1))
#endif

static inline void
unpack_row (float (*row)[BILATERAL_SPAN], global const sample_t *restrict samples, int n)
{
  for (int i = 0; i < n; i++) {
#pragma unroll
    for (int c = 0; c < COMPONENTS; c++)
      row[c][i] = BILATERAL_SAMPLE (samples, i, POSITION (c));
#if DISTANCE == DISTANCE_INTENSITY
    row[GUIDE][i] = 30.0f * row[0][i] + 59.0f * row[1][i] + 11.0f * row[2][i];
#endif
  }
}

/* BILATERAL_UNPACK_ROW (row, dy, dx, n): n pixels from dx to the right and dy below the strip's first. */
#if DISTANCE == DISTANCE_GUIDE
static inline void
unpack_guide (float (*row)[BILATERAL_SPAN], global const guide_t *restrict samples, int n)
{
  for (int i = 0; i < n; i++)
    row[GUIDE][i] = samples[i];
}

#define BILATERAL_UNPACK_ROW(row, dy, dx, n)                                                                                   \
  unpack_row (row, src + at + (dy) *src_stride + (dx) *NC, n);                                                                 \
  unpack_guide (row, guide + guide_at + (dy) *guide_stride + (dx), n)
#else
#define BILATERAL_UNPACK_ROW(row, dy, dx, n) unpack_row (row, src + at + (dy) *src_stride + (dx) *NC, n)
#endif

static inline void
begin_strip (strip_t *s, float (*row)[BILATERAL_SPAN])
{
  for (int g = 0; g < GUIDES; g++)
    for (int i = 0; i < BILATERAL_STRIP; i++)
      s->center[g][i] = row[GUIDE + g][i];
  for (int m = 0; m < SUMS; m++)
    for (int i = 0; i < BILATERAL_STRIP; i++)
      s->sum[m][i] = 0;
  for (int m = 0; m < (SUM_BY_ROWS ? SUMS : 0); m++)
    for (int i = 0; i < BILATERAL_STRIP; i++)
      s->total[m][i] = 0;
}

/* Adds `taps` neighbouring taps, the first dx pixels to the right and at row[...][first], to every pixel of the strip.
 * A macro, because the number of taps has to be known before loops are unrolled. */
#define BILATERAL_ADD_TAPS(taps)                                                                                               \
  for (int i = 0; i < lanes; i++) {                                                                                            \
    float sum[SUMS];                                                                                                           \
    _Pragma ("unroll") for (int m = 0; m < SUMS; m++) sum[m] = s->sum[m][i];                                                   \
    _Pragma ("unroll") for (int t = 0; t < (taps); t++)                                                                        \
    {                                                                                                                          \
      const int at = first + i + t;                                                                                            \
      const float near = near_row + (dx + t) * (dx + t) * space;                                                               \
      float difference[GUIDES], weight[WEIGHTS];                                                                               \
      _Pragma ("unroll") for (int g = 0; g < GUIDES; g++) difference[g] = row[GUIDE + g][at] - s->center[g][i];                \
      _Pragma ("unroll") for (int w = 0; w < WEIGHTS; w++)                                                                     \
      {                                                                                                                        \
        weight[w] = WEIGHT (near + range * distance2 (difference, w));                                                         \
        sum[COMPONENTS + w] += weight[w];                                                                                      \
      }                                                                                                                        \
      _Pragma ("unroll") for (int c = 0; c < COMPONENTS; c++) sum[c] += weight[WEIGHT_FOR (c)] * row[c][at];                   \
    }                                                                                                                          \
    _Pragma ("unroll") for (int m = 0; m < SUMS; m++) s->sum[m][i] = sum[m];                                                   \
  }

/* Adds the taps of one row of the window, which starts `radius` pixels left of the strip. */
static inline void
add_row (strip_t *s, float (*row)[BILATERAL_SPAN], int lanes, int radius, int dy, float space, float range)
{
  const int half_row = half_width (dy, radius);
  const float near_row = WEIGHT_ONE + dy * dy * space;
  int dx = -half_row;
  int first = radius - half_row;
  for (; dx + 3 <= half_row; dx += 4, first += 4)
    BILATERAL_ADD_TAPS (4)
  for (; dx + 2 <= half_row; dx += 3, first += 3)
    BILATERAL_ADD_TAPS (3)
  for (; dx <= half_row; dx++, first++)
    BILATERAL_ADD_TAPS (1)
  for (int m = 0; m < (SUM_BY_ROWS ? SUMS : 0); m++)
    for (int i = 0; i < lanes; i++) {
      s->total[m][i] += s->sum[m][i];
      s->sum[m][i] = 0;
    }
}

static inline void
store_row (const strip_t *s, global const sample_t *restrict from, global sample_t *restrict to,
    global const sample_t *restrict keep, int n)
{
  const float (*sum)[BILATERAL_STRIP] = SUM_BY_ROWS ? s->total : s->sum;
  for (int i = 0; i < n; i++) {
    uint result[NC];
#pragma unroll
    for (int c = 0; c < NC; c++)
      result[POSITION (c)] = c < COMPONENTS ? round_to_uint (sum[c][i] / sum[COMPONENTS + WEIGHT_FOR (c)][i]) : 0;
#if BILATERAL_SPLIT_PIXELS
#pragma unroll
    for (int c = 0; c < NC; c++)
      to[i * NC + c] = merge_sample (result[c], from[i * NC + c], keep[i * NC + c]);
#else
    pixel_t pixel = 0;
#pragma unroll
    for (int c = 0; c < NC; c++)
      pixel |= (pixel_t) (result[c] << SHIFT) << (SAMPLE_BITS * c);
    const pixel_t mask = ((global const pixel_t *) keep)[i];
    ((global pixel_t *) to)[i] = (pixel & mask) | (((global const pixel_t *) from)[i] & ~mask);
#endif
  }
}

kernel void
bilateral (PLANE_ARGS GUIDE_ARGS, float space, float range, int radius)
{
  const int x = (int) get_global_id (0) * BILATERAL_STRIP;
  const int y = ITEM_Y;
  const int n = min (BILATERAL_STRIP, region.width / NC - x);
  if (n <= 0)
    return;
  const int lanes = (n + BILATERAL_LANES - 1) / BILATERAL_LANES * BILATERAL_LANES;
  const int at = src_offset + (region.y + y) * src_stride + region.x + x * NC;
  const int to = dst_offset + (region.y + y) * dst_stride + region.x + x * NC;
#if DISTANCE == DISTANCE_GUIDE
  const int guide_at = guide_offset + (region.y + y) * guide_stride + region.x / NC + x;
#endif
  float row[PIXEL_TERMS][BILATERAL_SPAN];
  strip_t strip[ITEM_ROWS];

  /* Lanes beyond the strip's end compute with zeros; their results are not used. */
  for (int v = 0; v < PIXEL_TERMS; v++)
    for (int i = 0; i < lanes + 2 * radius; i++)
      row[v][i] = 0;
  for (int k = 0; k < ITEM_ROWS; k++) {
    BILATERAL_UNPACK_ROW (row, k, 0, n);
    begin_strip (&strip[k], row);
  }
  for (int j = -radius; j < radius + ITEM_ROWS; j++) {
    BILATERAL_UNPACK_ROW (row, j, -radius, n + 2 * radius);
    for (int k = 0; k < ITEM_ROWS; k++)
      if (j - k >= -radius && j - k <= radius)
        add_row (&strip[k], row, lanes, radius, j - k, space, range);
  }
  for (int k = 0; k < ITEM_ROWS; k++)
    store_row (&strip[k], src + at + k * src_stride, dst + to + k * dst_stride, keep + x * NC, n);
}

#else

/* A work item filters ITEM_PIXELS pixels in ITEM_ROWS rows. It walks over the window in blocks as wide as itself, and each pixel that
 * it has unpacked serves every output whose window it lies in. */
/* near: the exponent that the distance in space gives to the tap. */
static inline void
add_tap (float *sum, const float *center, const float *pixel, float near, float range)
{
  float difference[GUIDES], weight[WEIGHTS];
#pragma unroll
  for (int g = 0; g < GUIDES; g++)
    difference[g] = pixel[GUIDE + g] - center[g];
#pragma unroll
  for (int w = 0; w < WEIGHTS; w++) {
    weight[w] = WEIGHT (near + range * distance2 (difference, w));
    sum[COMPONENTS + w] += weight[w];
  }
#pragma unroll
  for (int c = 0; c < COMPONENTS; c++)
    sum[c] += weight[WEIGHT_FOR (c)] * pixel[c];
}

/* Of a pixel; 0 where a sample is not filtered. */
static inline void
find_results (int *results, const float *sum)
{
#pragma unroll
  for (int c = 0; c < NC; c++)
    results[POSITION (c)] = c < COMPONENTS ? (int) round_to_uint (sum[c] / sum[COMPONENTS + WEIGHT_FOR (c)]) : 0;
}

typedef struct {
  float center[GUIDES];
  float sum[SUMS];
  float total[SUMS];
} output_t;

/* Of words, which are from sample x of row y on. */
static inline void
unpack_words (float (*pixels)[PIXEL_TERMS], const uint *words GUIDE_ARGS, int x, int y)
{
#pragma unroll
  for (int p = 0; p < ITEM_PIXELS; p++) {
    int samples[NC];
#pragma unroll
    for (int c = 0; c < NC; c++)
      samples[c] = unpack_sample (words[(p * NC + c) / SAMPLES_PER_WORD], (p * NC + c) % SAMPLES_PER_WORD);
    unpack_pixel (pixels[p], samples, GUIDE_AT (x / NC + p, y));
  }
}

kernel void
bilateral (PLANE_ARGS GUIDE_ARGS, float space, float range, int radius)
{
  GPU_ITEM
  if (!ITEM_IN_REGION)
    return;
  const float space2 = space / EXPONENT_SCALE, range2 = range / EXPONENT_SCALE;
  const int blocks = (radius + ITEM_PIXELS - 1) / ITEM_PIXELS;
  float pixels[ITEM_PIXELS][PIXEL_TERMS];
  uint words[ITEM_ROWS * ITEM_WORDS];
  output_t outputs[ITEM_ROWS][ITEM_PIXELS] = {{{{0}}}};
  load_rows (words, ITEM_ROWS, ITEM_WORDS, SRC_ARGS, item_x, item_y, 0);
#pragma unroll
  for (int k = 0; k < ITEM_ROWS; k++) {
    unpack_words (pixels, words + k * ITEM_WORDS GUIDE_NAMES, item_x, item_y + k);
#pragma unroll
    for (int i = 0; i < ITEM_PIXELS * GUIDES; i++)
      outputs[k][i / GUIDES].center[i % GUIDES] = pixels[i / GUIDES][GUIDE + i % GUIDES];
  }
  for (int j = -radius; j < radius + ITEM_ROWS; j++) {
    for (int b = -blocks; b <= blocks; b++) {
      load_rows (words, 1, ITEM_WORDS, SRC_ARGS, item_x + b * ITEM_SAMPLES, item_y + j, 0);
      unpack_words (pixels, words GUIDE_NAMES, item_x + b * ITEM_SAMPLES, item_y + j);
#pragma unroll
      for (int k = 0; k < ITEM_ROWS; k++) {
        const int dy = j - k;
        if (dy < -radius || dy > radius)
          continue;
        const int half_row = half_width (dy, radius);
        const float near_row = dy * dy * space2;
#pragma unroll
        for (int i = 0; i < ITEM_PIXELS * ITEM_PIXELS; i++) {
          const int q = i / ITEM_PIXELS, p = i % ITEM_PIXELS, dx = b * ITEM_PIXELS + q - p;
          if (dx >= -half_row && dx <= half_row)
            add_tap (outputs[k][p].sum, outputs[k][p].center, pixels[q], near_row + dx * dx * space2, range2);
        }
      }
    }
#pragma unroll
    for (int i = 0; i < (SUM_BY_ROWS ? ITEM_ROWS * ITEM_PIXELS * SUMS : 0); i++) {
      output_t *o = &outputs[i / SUMS / ITEM_PIXELS][i / SUMS % ITEM_PIXELS];
      o->total[i % SUMS] += o->sum[i % SUMS];
      o->sum[i % SUMS] = 0;
    }
  }
#pragma unroll
  for (int k = 0; k < ITEM_ROWS; k++) {
    int results[ITEM_SAMPLES];
#pragma unroll
    for (int p = 0; p < ITEM_PIXELS; p++)
      find_results (results + p * NC, SUM_BY_ROWS ? outputs[k][p].total : outputs[k][p].sum);
    store_item (results, item_y + k);
  }
}

#endif
