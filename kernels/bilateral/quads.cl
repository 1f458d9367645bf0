/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The bilateral filter on the gpu back end. An item computes QUAD pixels in ITEM_ROWS rows; each quad that it reads serves all of them.
 * With TILE_RADIUS, the radius where that is at most 8, a group unpacks its windows into local memory once; larger windows are read from
 * the plane. Values are scale * (v - 2^(DEPTH - 1)), so that a weight is 2^x, with x = space * d2 - sum ((p - q)^2); for colours of 8 bits
 * x = space * d2 + sum (p q - p^2 / 2 - q^2 / 2), with squares taken once a pixel: a float's last bits there are a hundredth of a step.
 * space: the factor of d2 in the exponent. Functions with pointers to local memory are inlined by attribute: PoCL 3.1 gets others wrong.
 * Wins on the H200 in docs/measurements/h200.md: bilateral r 2 and r 4. */
#pragma OPENCL FP_CONTRACT OFF

/* SUM_DIFFERENCES: if distances are of components, their differences are summed. SUM_BY_ROWS: sums of 16-bit values need more digits than a
 * float keeps over a large window. EXTRA: the scaled guide, or p^2. */
enum {
  QUAD = 4, PRODUCTS = DISTANCE_COLOR && DEPTH <= 8, OF_COMPONENTS = GUIDE == 0, SUM_DIFFERENCES = OF_COMPONENTS && !PRODUCTS,
  SUM_BY_ROWS = DEPTH > 12 && !SUM_DIFFERENCES, EXTRA = COMPONENTS, PIXEL_VALUES = COMPONENTS + (PRODUCTS || !OF_COMPONENTS)
};

typedef struct { float middle[PIXEL_VALUES], sum[SUMS], total[SUMS]; } output_t;
/* A value is factor * (2^23 + sample) - offset, whose rounding moves all values alike: `middle` is the sample whose value is 0. */
typedef struct { float factor, offset, middle, scale, unscale; } scaling_t;

static inline scaling_t make_scaling (float scale, float unscale)
{
  const float raised_middle = 0x1p23f + (1 << (DEPTH - 1)), factor = OF_COMPONENTS ? scale : 1, offset = factor * raised_middle;
  return (scaling_t){factor, offset, (1 << (DEPTH - 1)) - fma (factor, raised_middle, -offset) * unscale, scale, unscale};
}

static inline void
make_quad (float (*pixels)[PIXEL_VALUES], const uint *words GUIDE_ARGS, struct plane plane, int radius, int x, int y, scaling_t s)
{
#if DISTANCE_GUIDE
  const int guide_x = min (x, (pixels_of (plane.width, plane) + radius) & -QUAD), guide_y = min (y, plane.height + radius - 1);
  const guide4_t four = *(global const guide4_t *) &GUIDE_AT (guide_x, guide_y);
  const guide_t guides[QUAD] = {four.x, four.y, four.z, four.w};
#endif
  UNROLL for (int p = 0; p < QUAD; p++) {
    float *pixel = pixels[p];
    UNROLL for (int c = 0; c < COMPONENTS; c++)
      pixel[c] = fma (raised_sample (words, p * NC + position (c)), s.factor, -s.offset);
#if DISTANCE_COLOR && DEPTH <= 8
    pixel[EXTRA] = fma (pixel[0], pixel[0], fma (pixel[1], pixel[1], pixel[2] * pixel[2]));
#elif DISTANCE_INTENSITY
    pixel[EXTRA] = fma (30 * s.scale, pixel[0], fma (59 * s.scale, pixel[1], 11 * s.scale * pixel[2]));
#elif DISTANCE_GUIDE
    pixel[EXTRA] = s.scale * small_to_float (guides[p]);
#endif
  }
}

static inline void begin_outputs (output_t *outputs, float (*pixels)[PIXEL_VALUES]) /* with the middle's own taps */
{
  UNROLL for (int p = 0; p < QUAD; p++) {
    UNROLL for (int v = 0; v < PIXEL_VALUES; v++)
      outputs[p].middle[v] = pixels[p][v];
    UNROLL for (int m = 0; m < SUMS; m++) {
      outputs[p].sum[m] = m >= COMPONENTS ? 1 : SUM_DIFFERENCES ? 0 : pixels[p][m];
      outputs[p].total[m] = 0;
    }
  }
}

static inline void add_tap (output_t *o, const float *pixel, float near) /* near: the part of the exponent by distance in space */
{
  float weight[WEIGHTS], term[COMPONENTS];
  UNROLL for (int c = 0; c < COMPONENTS; c++)
    term[c] = SUM_DIFFERENCES ? pixel[c] - o->middle[c] : pixel[c];
  UNROLL for (int w = 0; w < WEIGHTS; w++) {
    float e = PRODUCTS ? fma (-0.5f, pixel[EXTRA], fma (-0.5f, o->middle[EXTRA], near)) : near;
    UNROLL for (int g = w; g < (WEIGHTS == 1 ? GUIDES : w + 1); g++) {
      const float difference = OF_COMPONENTS ? term[g] : pixel[EXTRA] - o->middle[EXTRA];
      e = PRODUCTS ? fma (pixel[g], o->middle[g], e) : fma (-difference, difference, e);
    }
    weight[w] = weight_at (e);
  }
  UNROLL for (int w = 0; w < WEIGHTS; w++)
    o->sum[COMPONENTS + w] += weight[w];
  UNROLL for (int c = 0; c < COMPONENTS; c++)
    o->sum[c] = fma (weight[weight_for (c)], term[c], o->sum[c]);
}

static inline void end_row (output_t *outputs, const int n) /* with SUM_BY_ROWS its sums go to the totals */
{
  UNROLL for (int i = 0; i < (SUM_BY_ROWS ? n * SUMS : 0); i++) {
    outputs[i / SUMS].total[i % SUMS] += outputs[i / SUMS].sum[i % SUMS];
    outputs[i / SUMS].sum[i % SUMS] = 0;
  }
}

static inline void store_outputs (DST_PARAMS, const output_t *outputs, scaling_t s, int item_x, int item_y)
{
  const float unscale = OF_COMPONENTS ? s.unscale : 1;
  int results[ITEM_SAMPLES];
  UNROLL for (int i = 0; i < ITEM_SAMPLES; i++) {
    const int c = i % NC, at = i / NC * NC + position (c);
    const output_t *o = &outputs[i / NC];
    const float *sum = SUM_BY_ROWS ? o->total : o->sum;
    results[at] = 0;
    if (c < COMPONENTS) {
      const float weights = sum[COMPONENTS + weight_for (c)], factor = (DEPTH <= 12 ? native_recip (weights) : 1 / weights) * unscale;
      results[at] = (int) round_to_uint (fma (sum[c], factor, SUM_DIFFERENCES ? fma (o->middle[c], unscale, s.middle) : s.middle));
    }
  }
  store_item (results, item_y);
}

#ifdef TILE_RADIUS
enum {
  BLOCKS = (TILE_RADIUS + QUAD - 1) / QUAD, TILE_QUADS = GROUP_X + 2 * BLOCKS, TILE_HEIGHT = GROUP_Y * ITEM_ROWS + 2 * TILE_RADIUS,
  PLANE_QUADS = TILE_HEIGHT * TILE_QUADS, ITEMS = GROUP_X * GROUP_Y,
  /* rows that an item loads together: as many as give all items something to do, four at most */
  LOADED_ROWS = PLANE_QUADS >= 4 * ITEMS ? 4 : (PLANE_QUADS + ITEMS - 1) / ITEMS,
  /* rows of outputs that an item computes together: of small windows most rows serve both */
  OUTPUT_ROWS = TILE_RADIUS <= 2 ? ITEM_ROWS : 1
};

INLINE void read_quad (float (*pixels)[PIXEL_VALUES], local const float4 *quad) /* from the tile */
{
  UNROLL for (int v = 0; v < PIXEL_VALUES; v++) {
    const float4 values = quad[v * PLANE_QUADS];
    pixels[0][v] = values.x, pixels[1][v] = values.y, pixels[2][v] = values.z, pixels[3][v] = values.w;
  }
}

/* Adds the taps of a row that is dy below the first of OUTPUT_ROWS rows of outputs. quad: its pixels in the column of the outputs. */
INLINE void add_row (output_t (*outputs)[QUAD], local const float4 *quad, int dy, float space)
{
  float pixels[(2 * BLOCKS + 1) * QUAD][PIXEL_VALUES];
  UNROLL for (int b = -BLOCKS; b <= BLOCKS; b++)
    read_quad (pixels + (BLOCKS + b) * QUAD, quad + b);
  UNROLL for (int i = 0; i < (2 * TILE_RADIUS + 1) * OUTPUT_ROWS; i++) {
    const int k = i % OUTPUT_ROWS, dx = i / OUTPUT_ROWS - TILE_RADIUS, y = dy - k;
    const float y2 = y * y;
    if (((CIRCLE || OUTPUT_ROWS > 1) && abs (y) > half_width (dx, TILE_RADIUS)) || (dx == 0 && y == 0))
      continue;
    UNROLL for (int p = 0; p < QUAD; p++)
      add_tap (&outputs[k][p], pixels[BLOCKS * QUAD + p + dx], (dx * dx + y2) * space);
  }
  end_row (outputs[0], OUTPUT_ROWS * QUAD);
}

kernel __attribute__ ((reqd_work_group_size (GROUP_X, GROUP_Y, 1))) void
bilateral (PLANE_ARGS GUIDE_ARGS, float space, float scale, float unscale, int radius)
{
  local float4 tile[PIXEL_VALUES * PLANE_QUADS];
  GPU_ITEM
  const int left = get_local_id (0) + BLOCKS, top = get_local_id (1) * ITEM_ROWS + TILE_RADIUS;
  const scaling_t scaling = make_scaling (scale, unscale);
  const int first = get_local_id (1) * GROUP_X + get_local_id (0);
  ROLLED for (int i = first; i < (TILE_HEIGHT + LOADED_ROWS - 1) / LOADED_ROWS * TILE_QUADS; i += ITEMS) {
    const int quad = i % TILE_QUADS, row = min (i / TILE_QUADS * LOADED_ROWS, TILE_HEIGHT - LOADED_ROWS);
    const int x = item_x / NC + (quad - left) * QUAD, y = item_y - top + row;
    uint words[LOADED_ROWS * ITEM_WORDS];
    load_rows (words, LOADED_ROWS, ITEM_WORDS, SRC_ARGS, x * NC, y, 0);
    UNROLL for (int r = 0; r < LOADED_ROWS; r++) {
      float pixels[QUAD][PIXEL_VALUES];
      make_quad (pixels, words + r * ITEM_WORDS GUIDE_NAMES, plane, TILE_RADIUS, x, y + r, scaling);
      UNROLL for (int v = 0; v < PIXEL_VALUES; v++)
        tile[v * PLANE_QUADS + (row + r) * TILE_QUADS + quad] = (float4) (pixels[0][v], pixels[1][v], pixels[2][v], pixels[3][v]);
    }
  }
  barrier (CLK_LOCAL_MEM_FENCE);
  if (item_x >= region.x + region.width)
    return;
  ROLLED for (int row = 0; row < ITEM_ROWS; row += OUTPUT_ROWS) {
    local const float4 *quad = tile + (top + row) * TILE_QUADS + left;
    output_t outputs[OUTPUT_ROWS][QUAD];
    float pixels[QUAD][PIXEL_VALUES];
    UNROLL for (int k = 0; k < OUTPUT_ROWS; k++) {
      read_quad (pixels, quad + k * TILE_QUADS);
      begin_outputs (outputs[k], pixels);
    }
    /* rows of larger windows from both ends; small ones would take a fifth longer in a loop on an H100 */
#if TILE_RADIUS <= 4
#pragma unroll
#else
#pragma unroll 1
#endif
    for (int i = 0; i < 2 * TILE_RADIUS + OUTPUT_ROWS; i++) {
      const int dy = OUTPUT_ROWS > 1 || i % 2 == 0 ? (OUTPUT_ROWS > 1 ? i : i / 2) - TILE_RADIUS : TILE_RADIUS - i / 2;
      add_row (outputs, quad + dy * TILE_QUADS, dy, space);
    }
    UNROLL for (int k = 0; k < OUTPUT_ROWS; k++)
      store_outputs (DST_ARGS, outputs[k], scaling, item_x, item_y + row + k);
  }
}
#else
kernel void bilateral (PLANE_ARGS GUIDE_ARGS, float space, float scale, float unscale, int radius)
{
  GPU_ITEM_IN_REGION
  const scaling_t scaling = make_scaling (scale, unscale);
  const int blocks = (radius + QUAD - 1) / QUAD, turns = 2 * blocks + 1;
  float pixels[QUAD][PIXEL_VALUES];
  uint words[ITEM_WORDS];
  output_t outputs[QUAD];
  /* first the middle, then all quads of the window, row by row */
  ROLLED for (int i = -1; i < (2 * radius + 1) * turns; i++) {
    const int dy = i < 0 ? 0 : i / turns - radius, b = i < 0 ? 0 : i % turns - blocks, half_row = half_width (dy, radius);
    load_rows (words, 1, ITEM_WORDS, SRC_ARGS, item_x + b * ITEM_SAMPLES, item_y + dy, 0);
    make_quad (pixels, words GUIDE_NAMES, plane, radius, item_x / NC + b * QUAD, item_y + dy, scaling);
    if (i < 0) {
      begin_outputs (outputs, pixels);
      continue;
    }
    UNROLL for (int t = 0; t < QUAD * QUAD; t++) {
      const int p = t % QUAD, dx = b * QUAD + t / QUAD - p;
      if (abs (dx) <= half_row && (dx != 0 || dy != 0))
        add_tap (&outputs[p], pixels[t / QUAD], (dx * dx + dy * dy) * space);
    }
    if (b == blocks)
      end_row (outputs, QUAD);
  }
  store_outputs (DST_ARGS, outputs, scaling, item_x, item_y);
}
#endif
