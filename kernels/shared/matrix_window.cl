/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Gaussians and means of square windows of 8-bit samples as products of matrices of bytes, by the matrix units of lib/lanes.clh. A warp
 * marches down a band, STRIPS strips of 16 pixels wide. Every 16 rows it sums across, and keeps the sums, of 16 bits each, as two bytes;
 * then it sums the last CHUNKS * 16 rows down. The matrices of weights are shifted from row to row, so only frame and result pass through
 * memory:
 *
 *   across   16 pixels x 8 rows    = weights [16 pixels x 16 * CHUNKS pixels]  * samples [pixels x 8 rows]
 *   down     16 pixels x 8 rows    = sums [16 pixels x 16 * CHUNKS rows]       * weights [rows x 8 rows]
 *
 * An item's part of the first product is its part of the second one's operand, with rows in another order, which the weights follow. Item
 * 4 * g + t has of samples pixels 4 * t .. 4 * t + 3 of row g; of sums and results pixels 2 * g and 2 * g + 1 in the rows 2 * t, 2 * t + 1,
 * 8 + 2 * t, 8 + 2 * t + 1 of each 16. The host defines STEPS, for radii up to 8 * STEPS; STRIPS; WARPS, of a group; MAX_BAND, the most
 * rows of a warp; PLANES, bytes of a weight: 2 for gaussians, whose weights have the sum 2^16, 1 for means. Wins on the H200 in
 * docs/measurements/h200.md: clblur sigma 2 and 8, 13 to 49 taps; clconvolve's gaussians of sigma 2 and 8; box r 10. */
#if BACKEND_GPU
enum {
  CHUNKS = STEPS + 1, REACH = 8 * STEPS,
  /* chunks of pixels that a warp loads, and lines of sums: a component of a strip each */
  LOADED = CHUNKS + STRIPS - 1, LINES = STRIPS * NC, FRAGMENTS = PLANES * CHUNKS * 2,
  /* Samples come through local memory, where an item keeps those of STAGES rows that it has asked for; no other item reads them. Copies
   * into it do not wait, and take no registers. */
  STAGES = 4,
  /* rows around a band that may be requested */
  ROWS_AROUND = 16 * CHUNKS + 8 * STAGES,
  TWO_WORDS = NC == 4 ? 2 : NC == 2 ? 1 : NC, /* of two pixels */
  /* halves of what is shifted out, for rounding to the nearest */
  GAUSSIAN_HALF = 128
};

INLINE void add_products (uint *sum, uint a[CHUNKS][2], const uint *b) /* of CHUNKS chunks */
{
  UNROLL for (int c = 0; c + 1 < CHUNKS; c += 2)
    add_product_32 (sum, a[c][0], a[c][1], a[c + 1][0], a[c + 1][1], b[c], b[c + 1]);
  if (CHUNKS % 2)
    add_product_16 (sum, a[CHUNKS - 1][0], a[CHUNKS - 1][1], b[CHUNKS - 1]);
}

#if NC % 2
typedef ushort pair_word_t;
#else
typedef uint pair_word_t;
#endif

struct two_place { int x; bool whole; pair_word_t mask[TWO_WORDS]; }; /* where two pixels of a strip go; whole: both are in the region */
static inline bool is_whole (int x, struct region region) { return ALIGNED && x >= region.x && x + 2 * NC <= region.x + region.width; }

INLINE struct two_place place_at (int x, global const sample_t *restrict keep, struct region region)
{
  struct two_place at;
  at.x = x;
  at.whole = is_whole (x, region);
  UNROLL for (int w = 0; w < TWO_WORDS; w++)
    at.mask[w] = at.whole ? ((global const pair_word_t *) (keep + x))[w] : 0;
  return at;
}

static inline uint result_bytes (uint a, uint b, uint c, uint d) /* byte PLANES - 1 of each */
{
  const uint selector = 0x0040 + (PLANES - 1) * 0x0011;
  return permute_bytes (permute_bytes (a, b, selector), permute_bytes (c, d, selector), 0x5410);
}

INLINE void pack_two (uint *words, const uint *left, const uint *right) /* components of two pixels */
{
  uint bytes[8] = {0};
  UNROLL for (int i = 0; i < NC; i++) {
    bytes[i] = left[i];
    bytes[NC + i] = right[i];
  }
  words[0] = result_bytes (bytes[0], bytes[1], bytes[2], bytes[3]);
  words[1] = NC > 2 ? result_bytes (bytes[4], bytes[5], bytes[6], bytes[7]) : 0;
  RUN_AFTER (words, 2 * NC);
}

INLINE void store_two (DST_PARAMS, const uint *words, struct two_place at, int y) /* to row y */
{
  global const pair_word_t *from = (global const pair_word_t *) (src + src_offset + y * src_stride + at.x);
  global sample_t *to = dst + dst_offset + y * dst_stride + at.x;
  pair_word_t out[TWO_WORDS];
  UNROLL for (int w = 0; w < TWO_WORDS; w++) {
    out[w] = sizeof (pair_word_t) == 4 ? words[w] : words[w / 2] >> 16 * (w % 2);
    if (at.mask[w] != (pair_word_t) -1)
      out[w] = (out[w] & at.mask[w]) | (from[w] & ~at.mask[w]);
  }
#if NC == 4 && ALIGNED == 16
  *(global uint2 *) to = (uint2) (out[0], out[1]);
#else
  UNROLL for (int w = 0; w < TWO_WORDS; w++)
    ((global pair_word_t *) to)[w] = out[w];
#endif
}

/* Splits four adjacent pixels into one word for each component. */
INLINE void split_components (uint *component, local const uint *from)
{
  uint words[NC];
#if NC == 4
  vstore4 (*(local const uint4 *) from, 0, words);
#else
  UNROLL for (int w = 0; w < NC; w++)
    words[w] = from[w];
#endif
#if NC == 1
  component[0] = words[0];
#elif NC == 2
  component[0] = permute_bytes (words[0], words[1], 0x6420);
  component[1] = permute_bytes (words[0], words[1], 0x7531);
#elif NC == 3
  component[0] = permute_bytes (permute_bytes (words[0], words[1], 0x0630), words[2], 0x5210);
  component[1] = permute_bytes (permute_bytes (words[0], words[1], 0x0741), words[2], 0x6210);
  component[2] = permute_bytes (permute_bytes (words[0], words[1], 0x0052), words[2], 0x7410);
#else
  UNROLL for (int i = 0; i < 2; i++) {
    const uint first = permute_bytes (words[0], words[1], i ? 0x7362 : 0x5140);
    const uint last = permute_bytes (words[2], words[3], i ? 0x7362 : 0x5140);
    component[2 * i] = permute_bytes (first, last, 0x5410);
    component[2 * i + 1] = permute_bytes (first, last, 0x7632);
  }
#endif
}

INLINE void copy_inside (local uint *to, global const sample_t *from) /* four pixels inside of the plane */
{
#if ALIGNED
  const int bytes = ALIGNED == 16 && NC % 2 == 0 ? 4 * NC : 4;
  UNROLL for (int i = 0; i < 4 * NC; i += bytes)
    copy_async (to + i / 4, from + i, bytes);
#else
  UNROLL for (int w = 0; w < NC; w++)
    to[w] = from[4 * w] | from[4 * w + 1] << 8 | from[4 * w + 2] << 16 | (uint) from[4 * w + 3] << 24;
#endif
}

/* Copies four pixels of which some are outside of the plane: the columns that replace them, or `outside`. */
INLINE void copy_edge (local uint *to, global const sample_t *row, local const int *columns, uint outside)
{
#if NC == 4 && ALIGNED
  UNROLL for (int p = 0; p < 4; p++)
    if (columns[p] < 0)
      to[p] = outside;
    else
      copy_async (to + p, row + columns[p] * NC, 4);
#else
  uint words[NC] = {0};
  UNROLL for (int i = 0; i < 4 * NC; i++) {
    const int column = columns[i / NC];
    const uint sample = row[max (column, 0) * NC + i % NC];
    words[i / 4] |= (column < 0 ? outside & 0xff : sample) << 8 * (i % 4);
  }
  UNROLL for (int w = 0; w < NC; w++)
    to[w] = words[w];
#endif
}

/* Requests a row from the strip's first chunk on. Unless it is inside the plane, rows and columns say what replaces it. */
INLINE void copy_row (local uint (*to)[32][NC], SRC_PARAMS, int x, int y, local const int *columns, local const int *row, bool inside)
{
  if (inside) {
    global const sample_t *from = src + src_offset + y * src_stride + x * NC;
    UNROLL for (int c = 0; c < LOADED; c++)
      copy_inside (to[c][0], from + c * 16 * NC);
  } else {
    const uint outside = outside_word (plane);
    global const sample_t *from = src + src_offset + *row * src_stride;
    ROLLED for (int c = 0; c < LOADED; c++) {
      const int first = x + c * 16;
      if (*row < 0) {
        UNROLL for (int w = 0; w < NC; w++)
          to[c][0][w] = outside;
      } else if (first >= 0 && (first + 4) * NC <= plane.width) {
        copy_inside (to[c][0], from + first * NC);
      } else {
        copy_edge (to[c][0], from, columns + c * 16, outside);
      }
    }
  }
}

/* What a warp works on: 16 * STRIPS pixels from x on, in rows top .. bottom - 1. between: no window reaches over the left or right edge;
 * else columns and rows say what stands there, those that an item needs first. */
struct strip { int x, load_x, top, bottom, g, t; bool between; local const int *columns, *rows; local uint (*staged)[32][NC]; };

INLINE void request_rows (SRC_PARAMS, struct strip s, int y) /* eight of them */
{
  const int stage = (y - s.top + REACH) / 8 % STAGES;
  if (y < s.bottom + REACH)
    copy_row (s.staged + stage * LOADED, SRC_ARGS, s.load_x, y + s.g, s.columns, s.rows + (y - s.top),
        s.between && y >= 0 && y + 8 <= plane.height);
  end_copies ();
}

typedef uint sums_t[LINES][2][CHUNKS][2]; /* line, byte, chunk, word of the second operand */

/* Sums of 16 bits across: of gaussians 256 * high + low, rounded to multiples of 256. */
INLINE void across (uint *sum, uint samples[LOADED][NC], int strip, int component, uint weights[PLANES][CHUNKS][2])
{
  uint low[4], chunks[CHUNKS];
  UNROLL for (int i = 0; i < 4; i++)
    sum[i] = 0, low[i] = GAUSSIAN_HALF;
  UNROLL for (int c = 0; c < CHUNKS; c++)
    chunks[c] = samples[strip + c][component];
  add_products (sum, weights[0], chunks);
#if PLANES == 2
  add_products (low, weights[1], chunks);
  UNROLL for (int i = 0; i < 4; i++)
    sum[i] += low[i] >> 8;
#endif
}

/* Results from sums across. Of gaussians 2^16 * high + 2^8 * middle + low, rounded to multiples of 2^24. Of means the sum, below 2^23, as
 * the low bits of a float, times the inverse of their number: rounded half to even, and an odd number has no ties. */
INLINE void down (uint *value, uint sums[2][CHUNKS][2], uint weights[PLANES][CHUNKS], float inverse)
{
  const float base = 0x1p23f;
  uint high[4], middle[4] = {0, 0, 0, 0}, low[4];
  UNROLL for (int i = 0; i < 4; i++) {
    high[i] = PLANES == 2 ? GAUSSIAN_HALF : 0;
    low[i] = PLANES == 2 ? 0 : as_uint (base);
  }
  add_products (high, sums[1], weights[0]);
  add_products (low, sums[0], weights[PLANES - 1]);
#if PLANES == 2
  add_products (middle, sums[1], weights[1]);
  add_products (middle, sums[0], weights[0]);
#endif
  UNROLL for (int i = 0; i < 4; i++)
    value[i] = PLANES == 2 ? high[i] + ((middle[i] + (low[i] >> 8)) >> 8)
                           : as_uint (fma (as_float (low[i] + (high[i] << 8)) - base, inverse, base));
}

/* Sums 16 rows across, and asks for those that follow. They become the last chunk, and the first one goes. */
INLINE void sum_across (sums_t sums, SRC_PARAMS, struct strip s, int y, uint weights[PLANES][CHUNKS][2])
{
  uint halves[2][LINES][2];
  UNROLL for (int h = 0; h < 2; h++) {
    uint samples[LOADED][NC];
    wait_for_copies ();
    UNROLL for (int c = 0; c < LOADED; c++)
      split_components (samples[c], s.staged[((y - s.top + REACH) / 8 + h) % STAGES * LOADED + c][0]);
    request_rows (SRC_ARGS, s, y + 8 * (h + STAGES));
    UNROLL for (int line = 0; line < LINES; line++) {
      uint sum[4];
      across (sum, samples, line / NC, line % NC, weights);
      halves[h][line][0] = permute_bytes (sum[0], sum[1], 0x5140);
      halves[h][line][1] = permute_bytes (sum[2], sum[3], 0x5140);
    }
  }
  UNROLL for (int i = 0; i < LINES * CHUNKS * 4; i++) {
    const int line = i / (4 * CHUNKS), chunk = i / 4 % CHUNKS, byte = i / 2 % 2, p = i % 2;
    sums[line][byte][chunk][p] = chunk + 1 < CHUNKS ? sums[line][byte][min (chunk + 1, CHUNKS - 1)][p]
                                                    : permute_bytes (halves[0][line][p], halves[1][line][p], byte ? 0x7632 : 0x5410);
  }
}

/* Sums down, and stores 16 rows from y on. Pixels that are not whole are kept, and stored by one rolled loop, which unrolled would be most
 * of it. */
INLINE void
sum_down (sums_t sums, DST_PARAMS, struct strip s, const struct two_place *places, int y, uint weights[2][PLANES][CHUNKS], float inverse)
{
  uint parts[4 * STRIPS][2];
  bool whole = true;
  UNROLL for (int hs = 0; hs < 2 * STRIPS; hs++) {
    const int h = hs / STRIPS, strip = hs % STRIPS;
    uint result[4][NC];
    UNROLL for (int i = 0; i < NC; i++) {
      uint value[4];
      down (value, sums[strip * NC + i], weights[h], inverse);
      UNROLL for (int v = 0; v < 4; v++)
        result[v][i] = value[v];
    }
    whole &= places[strip].whole;
    UNROLL for (int r = 0; r < 2; r++) {
      const int row = y + 8 * h + 2 * s.t + r;
      uint words[2];
      pack_two (words, result[r], result[2 + r]);
      if (!places[strip].whole)
        parts[2 * hs + r][0] = words[0], parts[2 * hs + r][1] = words[1];
      else if (row < region.y + region.height)
        store_two (DST_ARGS, words, places[strip], row);
    }
  }
  if (whole)
    return;
  ROLLED for (int i = 0; i < 8 * STRIPS * NC; i++) {
    const int n = i / (2 * NC), sample = i % (2 * NC), h = n / 2 / STRIPS, first = places[0].x + n / 2 % STRIPS * 16 * NC;
    const int x = first + sample, row = y + 8 * h + 2 * s.t + n % 2;
    if (is_whole (first, region) || x < region.x || x >= region.x + region.width || row >= region.y + region.height)
      continue;
    const uint result = parts[n][sample / 4] >> 8 * (sample % 4);
    dst[dst_offset + row * dst_stride + x] = merge_sample ((sample_t) result, SRC_SAMPLE (x, row), keep[x]);
  }
}

/* fragments: the weights' matrices as items have them, 32 words each. band: rows of a warp, a multiple of 16. inverse: of a mean's samples. */
kernel __attribute__ ((reqd_work_group_size (32, WARPS, 1))) void
matrix_window (PLANE_ARGS, global const uint *restrict fragments, int band, float inverse)
{
  local uint staged_samples[WARPS][STAGES * LOADED][32][NC] __attribute__ ((aligned (16)));
  local int edge_columns[WARPS][LOADED * 16], edge_rows[MAX_BAND + ROWS_AROUND];
  const int warp = get_local_id (1), lane = get_local_id (0), g = lane / 4, t = lane % 4;
  const int strip_x = (((int) get_group_id (0) * WARPS + warp) * STRIPS + region.x / (16 * NC * STRIPS) * STRIPS) * 16;
  const int width = plane.width / NC, top = region.y + (int) get_group_id (1) * band, bottom = min (top + band, region.y + region.height);
  const bool between = strip_x >= REACH && strip_x + 16 * STRIPS + REACH <= width;
  for (int i = lane; i < LOADED * 16; i += 32)
    edge_columns[warp][i] = pixel_place (strip_x - REACH + i, plane);
  for (int i = warp * 32 + lane; i < band + ROWS_AROUND; i += 32 * WARPS)
    edge_rows[i] = row_place (top - REACH + i, plane);
  barrier (CLK_LOCAL_MEM_FENCE);
  if (strip_x * NC >= region.x + region.width)
    return;

  const struct strip s = {strip_x, strip_x - REACH + 4 * t, top, bottom, g, t, between, edge_columns[warp] + 4 * t,
    edge_rows + REACH + g, (local uint (*)[32][NC]) staged_samples[warp][0][lane]};
  uint weights_across[PLANES][CHUNKS][2], weights_down[2][PLANES][CHUNKS];
  UNROLL for (int i = 0; i < FRAGMENTS; i++) {
    weights_across[i / 2 / CHUNKS][i / 2 % CHUNKS][i % 2] = fragments[i * 32 + lane];
    weights_down[i % 2][i / 2 / CHUNKS][i / 2 % CHUNKS] = fragments[(FRAGMENTS + i) * 32 + lane];
  }
  sums_t sums = {{{{0}}}};
  struct two_place places[STRIPS];
  UNROLL for (int i = 0; i < STRIPS; i++)
    places[i] = place_at ((strip_x + 16 * i + 2 * g) * NC, keep, region);
  ROLLED for (int i = 0; i < STAGES; i++)
    request_rows (SRC_ARGS, s, top - REACH + 8 * i);
  ROLLED for (int y = top - REACH; y < bottom + REACH; y += 16) {
    sum_across (sums, SRC_ARGS, s, y, weights_across);
    if (y - REACH >= top)
      sum_down (sums, DST_ARGS, s, places, y - REACH, weights_down, inverse);
  }
}
#endif
