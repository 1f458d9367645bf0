/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The bilateral filter of bilateral/bilateral.cl on the gpu back end: each item reads its window row by row from its group's tile
 * (bilateral/tile.clh), four pixels at a time, each of which serves all of the outputs that the item computes
 * together.
 *
 * The host defines, beside bilateral/bilateral.clh's values:
 *   CIRCLE            1 for taps with d2 <= radius^2 only
 *   RADIUS            the radius, at most 8, where it is fixed at build time; the results are the same
 *   TILE_RADIUS       else, the largest radius that the tile has room for
 *   GROUP_X, GROUP_Y  the work-group's size; an item writes four pixels in ITEM_ROWS rows, of which there are two
 *
 * Arguments after the plane: the guide (DISTANCE_GUIDE only); space, the factor of d2 in a weight's exponent of 2; the
 * scale of values or guide (bilateral/tile.clh), and its reciprocal; the radius.
 *
 * Wins on the H200 in docs/performance.md: bilateral r 2 and r 4.
 */
#if BACKEND_GPU

/* Windows up to this radius are short enough for a program that knows each of their rows. */
#define BILATERAL_SMALL_RADIUS 2
/* Rows of outputs that an item computes at a time. */
#if defined(RADIUS) && RADIUS <= BILATERAL_SMALL_RADIUS
#define BILATERAL_ROWS ITEM_ROWS
#else
#define BILATERAL_ROWS 1
#endif

/* Sums of 16-bit values need more digits than a float keeps over a large window. */
#define TILE_SUMS (COMPONENTS + WEIGHTS)
#define SUM_BY_ROWS (DEPTH > 12 && !SUM_DIFFERENCES)

/* The exponent of a weight that does not count. */
#define BILATERAL_NO_WEIGHT -1e30f

#if DEPTH <= 12
#define BILATERAL_RECIPROCAL(x) native_recip (x)
#else
#define BILATERAL_RECIPROCAL(x) (1 / (x))
#endif

typedef struct
{
  float middle[PIXEL_VALUES];
  float sum[TILE_SUMS];
#if SUM_BY_ROWS
  float total[TILE_SUMS];
#endif
} output_t;

/* The middle's own taps */
static inline __attribute__ ((always_inline)) void
begin_outputs (output_t *outputs, local const float4 *quad)
{
  float pixels[QUAD][PIXEL_VALUES];
  read_quad (pixels, quad);
#pragma unroll
  for (int p = 0; p < QUAD; p++) {
#pragma unroll
    for (int v = 0; v < PIXEL_VALUES; v++)
      outputs[p].middle[v] = pixels[p][v];
#pragma unroll
    for (int m = 0; m < TILE_SUMS; m++)
      outputs[p].sum[m] = m >= COMPONENTS ? 1 : SUM_DIFFERENCES ? 0 : pixels[p][m];
#if SUM_BY_ROWS
#pragma unroll
    for (int m = 0; m < TILE_SUMS; m++)
      outputs[p].total[m] = 0;
#endif
  }
}

/* near: the exponent that the distance in space gives to the tap */
static inline __attribute__ ((always_inline)) void
add_tap (output_t *o, const float *pixel, float near)
{
  float weight[WEIGHTS], term[COMPONENTS];
#pragma unroll
  for (int c = 0; c < COMPONENTS; c++)
    term[c] = SUM_DIFFERENCES ? pixel[c] - o->middle[c] : pixel[c];
#if PRODUCTS
  /* the inner one serves several taps */
  float e = fma (-0.5f, pixel[EXTRA], fma (-0.5f, o->middle[EXTRA], near));
  e = fma (pixel[0], o->middle[0], e);
  e = fma (pixel[1], o->middle[1], e);
  weight[0] = EXP2 (fma (pixel[2], o->middle[2], e));
#elif !OF_COMPONENTS
  const float difference = pixel[EXTRA] - o->middle[EXTRA];
  weight[0] = EXP2 (fma (-difference, difference, near));
#else
#pragma unroll
  for (int w = 0; w < WEIGHTS; w++) {
    float e = near;
#pragma unroll
    for (int g = w; g < (WEIGHTS == 1 ? GUIDES : w + 1); g++)
      e = fma (-term[g], term[g], e);
    weight[w] = EXP2 (e);
  }
#endif
#pragma unroll
  for (int w = 0; w < WEIGHTS; w++)
    o->sum[COMPONENTS + w] += weight[w];
#pragma unroll
  for (int c = 0; c < COMPONENTS; c++)
    o->sum[c] = fma (weight[WEIGHT_FOR (c)], term[c], o->sum[c]);
}

static inline bool
in_window (int dx, int dy, int radius)
{
#if CIRCLE
  return dx * dx + dy * dy <= radius * radius;
#else
  return dx >= -radius && dx <= radius && dy >= -radius && dy <= radius;
#endif
}

/* Adds the taps of a row of the tile, dy rows above or below the first of BILATERAL_ROWS rows of outputs, to all of these.
 * quad: the pixels of that row in the column of the outputs */
static inline __attribute__ ((always_inline)) void
add_row (output_t (*outputs)[QUAD], local const float4 *quad, int dy, float space, int radius)
{
#pragma unroll
  for (int b = -BLOCKS; b <= BLOCKS; b++) {
    float pixels[QUAD][PIXEL_VALUES];
    if ((b < 0 ? -b : b) * QUAD - (QUAD - 1) > WINDOW_RADIUS)
      continue;
    read_quad (pixels, quad + b);
#pragma unroll
    for (int q = 0; q < QUAD; q++)
#pragma unroll
      for (int i = 0; i < BILATERAL_ROWS * QUAD; i++) {
        const int k = i / QUAD, p = i % QUAD, dx = b * QUAD + q - p, d2 = dx * dx + (dy - k) * (dy - k);
        const bool inside = in_window (dx, dy - k, WINDOW_RADIUS) && d2 != 0;
#ifdef RADIUS
        if (inside)
          add_tap (&outputs[k][p], pixels[q], d2 * space);
#else
        add_tap (&outputs[k][p], pixels[q], inside ? d2 * space : BILATERAL_NO_WEIGHT);
#endif
      }
  }
#if SUM_BY_ROWS
#pragma unroll
  for (int i = 0; i < BILATERAL_ROWS * QUAD; i++) {
    output_t *o = &outputs[i / QUAD][i % QUAD];
#pragma unroll
    for (int m = 0; m < TILE_SUMS; m++) {
      o->total[m] += o->sum[m];
      o->sum[m] = 0;
    }
  }
#endif
}

#if BILATERAL_ROWS == 1
/* The rows dy above and below the middle, by the same instructions: a program that is longer than the cache of
 * instructions runs slower. */
static inline __attribute__ ((always_inline)) void
add_two_rows (output_t (*outputs)[QUAD], local const float4 *quad, int dy, float space, int radius)
{
#pragma unroll 1
  for (int side = -1; side <= 1; side += 2)
    add_row (outputs, quad + side * dy * TILE_QUADS, dy, space, radius);
}
#endif

static inline __attribute__ ((always_inline)) void
add_window (output_t (*outputs)[QUAD], local const float4 *quad, float space, int radius)
{
#if !defined(RADIUS)
  /* in the same order as below */
#pragma unroll 1
  for (int i = 0; i <= 2 * radius; i++) {
    const int outer = i % 2 == 0 ? i / 2 - radius : radius - i / 2, dy = radius <= BILATERAL_SMALL_RADIUS ? i - radius : outer;
    add_row (outputs, quad + dy * TILE_QUADS, dy, space, radius);
  }
#elif BILATERAL_ROWS == 1
#define BILATERAL_TWO_ROWS(dy) \
  if ((dy) <= RADIUS)          \
    add_two_rows (outputs, quad, dy, space, RADIUS);
  BILATERAL_TWO_ROWS (8) BILATERAL_TWO_ROWS (7) BILATERAL_TWO_ROWS (6) BILATERAL_TWO_ROWS (5)
  BILATERAL_TWO_ROWS (4) BILATERAL_TWO_ROWS (3) BILATERAL_TWO_ROWS (2) BILATERAL_TWO_ROWS (1)
  add_row (outputs, quad, 0, space, RADIUS);
#else
#define BILATERAL_ROW(dy)                                \
  if ((dy) >= -RADIUS && (dy) < RADIUS + BILATERAL_ROWS) \
    add_row (outputs, quad + (dy) *TILE_QUADS, dy, space, RADIUS);
  BILATERAL_ROW (-2) BILATERAL_ROW (-1) BILATERAL_ROW (0) BILATERAL_ROW (1) BILATERAL_ROW (2) BILATERAL_ROW (3)
#endif
}

/* The results of four pixels as the words that hold them. */
static inline __attribute__ ((always_inline)) void
finish_quad (uint *words, const output_t *outputs, scaling_t s, float unscale)
{
#pragma unroll
  for (int w = 0; w < QUAD_WORDS; w++)
    words[w] = 0;
#pragma unroll
  for (int p = 0; p < QUAD; p++) {
    const output_t *o = outputs + p;
#if SUM_BY_ROWS
    const float *sum = o->total;
#else
    const float *sum = o->sum;
#endif
    const float value_unscale = OF_COMPONENTS ? unscale : 1;
    float factor[WEIGHTS];
#pragma unroll
    for (int w = 0; w < WEIGHTS; w++)
      factor[w] = BILATERAL_RECIPROCAL (sum[COMPONENTS + w]) * value_unscale;
#pragma unroll
    for (int c = 0; c < COMPONENTS; c++) {
      const int i = p * NC + (NC == 1 ? 0 : POSITION (c));
      const float from = SUM_DIFFERENCES ? fma (o->middle[c], value_unscale, s.middle) : s.middle;
      const uint result = round_to_uint (fma (sum[c], factor[WEIGHT_FOR (c)], from)) & MAX_VALUE;
      words[i / SAMPLES_PER_WORD] |= (result << SHIFT) << (i % SAMPLES_PER_WORD * SAMPLE_BITS);
    }
  }
}

static inline void
store_words (global uint *restrict to, const uint *words)
{
#if ALIGNED == 16 && QUAD_WORDS % 4 == 0
#pragma unroll
  for (int w = 0; w < QUAD_WORDS; w += 4)
    *(global uint4 *) (to + w) = (uint4) (words[w], words[w + 1], words[w + 2], words[w + 3]);
#else
#pragma unroll
  for (int w = 0; w < QUAD_WORDS; w++)
    to[w] = words[w];
#endif
}

#define BILATERAL_QUAD_PARAMS DST_PARAMS, int x, int y
#define BILATERAL_QUAD_ARGS DST_ARGS, item_x

/* BILATERAL_ROWS times four results from sample x of row y on. */
static inline void
store_quads (BILATERAL_QUAD_PARAMS, uint (*words)[QUAD_WORDS])
{
  if (ALIGNED && x >= region.x && x + ITEM_SAMPLES <= region.x + region.width && y + BILATERAL_ROWS <= region.y + region.height) {
    uint mask[QUAD_WORDS];
    load_words (mask, (global const uint *) (keep + x));
#pragma unroll
    for (int k = 0; k < BILATERAL_ROWS; k++) {
      uint result[QUAD_WORDS];
      load_words (result, (global const uint *) (src + src_offset + (y + k) * src_stride + x));
#pragma unroll
      for (int w = 0; w < QUAD_WORDS; w++)
        result[w] = (words[k][w] & mask[w]) | (result[w] & ~mask[w]);
      store_words ((global uint *) (dst + dst_offset + (y + k) * dst_stride + x), result);
    }
    return;
  }
  /* a loop that is not unrolled: it would be most of the program */
#pragma unroll 1
  for (int i = 0; i < BILATERAL_ROWS * ITEM_SAMPLES; i++) {
    const int at = i % ITEM_SAMPLES, column = x + at, row = y + i / ITEM_SAMPLES;
    if (column < region.x || column >= region.x + region.width || row >= region.y + region.height)
      continue;
    const uint word = words[i / ITEM_SAMPLES][at / SAMPLES_PER_WORD];
    const sample_t result = (sample_t) (word >> (at % SAMPLES_PER_WORD * SAMPLE_BITS)), mask = keep[column];
    const sample_t original = src[src_offset + row * src_stride + column];
    dst[dst_offset + row * dst_stride + column] = (result & mask) | (original & ~mask);
  }
}

kernel __attribute__ ((reqd_work_group_size (GROUP_X, GROUP_Y, 1))) void
bilateral (PLANE_ARGS GUIDE_ARGS, float space, float scale, float unscale, int radius)
{
  local float4 tile[PIXEL_VALUES * PLANE_QUADS];
  const int local_x = get_local_id (0), local_y = get_local_id (1);
  const int item = local_y * GROUP_X + local_x;
  const int item_x = ((int) get_global_id (0) + region.x / ITEM_SAMPLES) * ITEM_SAMPLES;
  const int item_y = region.y + (int) get_global_id (1) * ITEM_ROWS;
  const int tile_x = item_x / NC - (local_x + BLOCKS) * QUAD;
  const int tile_y = item_y - local_y * ITEM_ROWS - TILE_RADIUS;
  const scaling_t scaling = make_scaling (scale, unscale);
  if (ALIGNED && tile_x >= 0 && (tile_x + TILE_QUADS * QUAD) * NC <= plane.width && tile_y >= 0
      && tile_y + BILATERAL_TILE_ROWS <= plane.height)
    fill_inside (BILATERAL_TILE_ARGS);
  else
    fill_at_edge (BILATERAL_TILE_ARGS);
  barrier (CLK_LOCAL_MEM_FENCE);
  if (item_x >= region.x + region.width)
    return;

#pragma unroll 1
  for (int y = item_y; y < min (item_y + ITEM_ROWS, region.y + region.height); y += BILATERAL_ROWS) {
    local const float4 *quad = tile + (y - tile_y) * TILE_QUADS + local_x + BLOCKS;
    output_t outputs[BILATERAL_ROWS][QUAD];
    uint words[BILATERAL_ROWS][QUAD_WORDS];
#pragma unroll
    for (int k = 0; k < BILATERAL_ROWS; k++)
      begin_outputs (outputs[k], quad + k * TILE_QUADS);
    add_window (outputs, quad, space, radius);
#pragma unroll
    for (int k = 0; k < BILATERAL_ROWS; k++)
      finish_quad (words[k], outputs[k], scaling, unscale);
    store_quads (BILATERAL_QUAD_ARGS, y, words);
  }
}

#endif
