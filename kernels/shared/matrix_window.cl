/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Gaussians and means of square windows of 8-bit samples as products of matrices of bytes, by the matrix units of lib/lanes.clh. A warp
 * marches down a strip of a band of rows, LINES lines wide: a line, which runs down, is one component of 16 adjacent pixels. Every 8 rows
 * it sums across, and keeps the sums, of 16 bits each, as two bytes; every 16 rows it sums the last CHUNKS * 16 rows down, from registers:
 *
 *   across   16 pixels x 8 rows    = weights [16 pixels x 16 * CHUNKS pixels]  * samples [pixels x 8 rows]
 *   down     16 pixels x 8 rows    = sums [16 pixels x 16 * CHUNKS rows]       * weights [rows x 8 rows]
 *
 * An item's sums are its operand of the second product. The sums' rows are permuted, and the weights in the same way. Item 4 * g + t has of
 * samples pixels 4 * t .. 4 * t + 3 of row g; of sums and results pixels 2 * g and 2 * g + 1 in the rows 2 * t, 2 * t + 1, 2 * t + 8 and
 * 2 * t + 9 of each 16. The host defines STEPS, for radii up to 8 * STEPS; WARPS, warps a group; MAX_BAND, most rows a warp; PLANES, bytes a
 * weight: 2 for gaussians, whose weights have the sum 2^16, 1 for means. Wins on the H200 in docs/measurements/h200.md: clblur sigma 2 and
 * 8, 13 to 49 taps; clconvolve's gaussians of sigma 2 and 8; box r 10. */
#if BACKEND_GPU
/* Before a loop over the halves of 16 rows. Rolled, small windows build in half the time; larger ones would run a third longer. */
#if STEPS == 1
#define EACH_HALF ROLLED
#else
#define EACH_HALF UNROLL
#endif

enum {
  CHUNKS = STEPS + 1, REACH = 8 * STEPS,
  /* A line is one component of 16 pixels. UNIT lines are adjacent: all components of 16 pixels or, if NC is 1, 16 pixels and the next 16.
   * An item loads UNIT words of each of LOADED units. */
  UNIT = MOST_NC > 2 ? MOST_NC : 2, UNITS = MOST_NC > 2 ? 1 : 2, LINES = UNITS * UNIT,
  LOADED = MOST_NC == 1 ? (CHUNKS + LINES) / 2 : CHUNKS + UNITS - 1,
  FRAGMENTS = PLANES * CHUNKS * 2,
  /* Samples come through local memory, where an item keeps its words of STAGES requests, of one row in eight each; no other item reads them.
   * Copying takes no registers and does not stop the item. STAGES is 4 because wait_for_copies () leaves three requests open. */
  STAGES = 4, ROWS_AROUND = 16 * CHUNKS, /* beside a band's own */
  GAUSSIAN_HALF = 128 /* half of the unit to which a shift by 8 rounds */
};

/* How many samples an item's word stands behind its first word. */
static inline int word_place (int word, struct plane plane) { return NC == 1 ? 16 * word : word / UNIT * 16 * NC + word % UNIT * 4; }

INLINE void add_products (uint *sum, uint a[CHUNKS][2], const uint *b) /* of CHUNKS chunks */
{
  UNROLL for (int c = 0; c + 1 < CHUNKS; c += 2)
    add_product_32 (sum, a[c][0], a[c][1], a[c + 1][0], a[c + 1][1], b[c], b[c + 1]);
  if (CHUNKS % 2)
    add_product_16 (sum, a[CHUNKS - 1][0], a[CHUNKS - 1][1], b[CHUNKS - 1]);
}

/* An item's results in a row: two pixels of each line of a unit, in two words at most. They are stored in parts. */
#if MOST_NC == 4
typedef uint part_t;
#else
typedef ushort part_t;
#endif
enum { PART = sizeof (part_t), PARTS = 2 * UNIT / PART };
static inline int part_place (int part, struct plane plane) { return NC == 1 ? 16 * part : PART * part; }

struct place { int x; bool whole; part_t mask[PARTS]; }; /* x: of the first part; whole: all parts are in the region, and aligned */
static inline bool is_whole (int x, struct region region, struct plane plane)
{ return ALIGNED && x >= region.x && x + part_place (PARTS - 1, plane) + PART <= region.x + region.width; }

static inline uint result_bytes (uint a, uint b, uint c, uint d) /* byte PLANES - 1 of each */
{
  const uint selector = 0x0040 + (PLANES - 1) * 0x0011;
  return permute_bytes (permute_bytes (a, b, selector), permute_bytes (c, d, selector), 0x5410);
}

INLINE void pack_results (uint *words, const uint *left, const uint *right, struct plane plane) /* two pixels of each line */
{
#if MOST_NC <= 2
  words[0] = NC == 1 ? result_bytes (left[0], right[0], left[1], right[1]) : result_bytes (left[0], left[1], right[0], right[1]);
#else
  uint bytes[8] = {0};
  UNROLL for (int i = 0; i < NC; i++)
    bytes[i] = left[i], bytes[NC + i] = right[i];
  words[0] = result_bytes (bytes[0], bytes[1], bytes[2], bytes[3]);
  words[1] = result_bytes (bytes[4], bytes[5], bytes[6], bytes[7]);
#endif
}

INLINE void store_results (DST_PARAMS, const uint *words, struct place at, int y) /* to row y */
{
  part_t out[PARTS];
  UNROLL for (int p = 0; p < PARTS; p++) {
    out[p] = PART == 4 ? words[p] : words[p / 2] >> 16 * (p % 2);
    if (at.mask[p] != (part_t) -1)
      out[p] = (out[p] & at.mask[p])
               | (*(global const part_t *) (src + src_offset + y * src_stride + at.x + part_place (p, plane)) & ~at.mask[p]);
  }
  global sample_t *to = dst + dst_offset + y * dst_stride + at.x;
  if (MOST_NC == 4 && ALIGNED == 16)
    *(global uint2 *) to = (uint2) (out[0], out[1]);
  else if (MOST_NC == 2 && NC == 2)
    *(global uint *) to = out[0] | (uint) out[1] << 16;
  else
    UNROLL for (int p = 0; p < PARTS; p++)
      *(global part_t *) (to + part_place (p, plane)) = out[p];
}

/* Makes one word for each line of a unit. */
INLINE void split_components (uint *line, local const uint *from, struct plane plane)
{
  uint words[UNIT];
#if MOST_NC == 4
  vstore4 (*(local const uint4 *) from, 0, words);
  UNROLL for (int i = 0; i < 2; i++) {
    const uint first = permute_bytes (words[0], words[1], i ? 0x7362 : 0x5140);
    const uint last = permute_bytes (words[2], words[3], i ? 0x7362 : 0x5140);
    line[2 * i] = permute_bytes (first, last, 0x5410);
    line[2 * i + 1] = permute_bytes (first, last, 0x7632);
  }
#else
  UNROLL for (int w = 0; w < UNIT; w++)
    words[w] = from[w];
#endif
#if MOST_NC == 3
  line[0] = permute_bytes (permute_bytes (words[0], words[1], 0x0630), words[2], 0x5210);
  line[1] = permute_bytes (permute_bytes (words[0], words[1], 0x0741), words[2], 0x6210);
  line[2] = permute_bytes (permute_bytes (words[0], words[1], 0x0052), words[2], 0x7410);
#elif MOST_NC <= 2
  line[0] = permute_bytes (words[0], words[1], NC == 1 ? 0x3210 : 0x6420);
  line[1] = permute_bytes (words[0], words[1], NC == 1 ? 0x7654 : 0x7531);
#endif
}

INLINE void copy_unit (local uint *to, global const sample_t *from, struct plane plane) /* inside of the plane */
{
#if MOST_NC == 4 && ALIGNED == 16
  copy_async (to, from, 16);
#else
  UNROLL for (int w = 0; w < UNIT; w++) {
    global const sample_t *word = from + word_place (w, plane);
#if ALIGNED
    copy_async (to + w, word, 4);
#else
    to[w] = word[0] | word[1] << 8 | word[2] << 16 | (uint) word[3] << 24;
#endif
  }
#endif
}

/* Copies a unit that crosses the plane's edge; an outside pixel comes from its column, or is `outside`. */
INLINE void copy_edge (local uint *to, global const sample_t *row, local const int *columns, uint outside, struct plane plane)
{
#if MOST_NC == 4 && ALIGNED
  UNROLL for (int p = 0; p < 4; p++)
    if (columns[p] < 0)
      to[p] = outside;
    else
      copy_async (to + p, row + columns[p] * NC, 4);
#else
  uint words[UNIT] = {0};
  UNROLL for (int i = 0; i < 4 * UNIT; i++) {
    const int column = columns[NC == 1 ? i / 4 * 16 + i % 4 : i / MOST_NC], component = NC == 1 ? 0 : i % MOST_NC;
    const uint sample = row[max (column, 0) * NC + component];
    words[i / 4] |= (column < 0 ? outside & 0xff : sample) << 8 * (i % 4);
  }
  UNROLL for (int w = 0; w < UNIT; w++)
    to[w] = words[w];
#endif
}

/* Requests an item's words of a row, from sample x on; a negative row is `outside`. Unless `between`, columns has the plane's pixel at each
 * place, or -1 for `outside`. */
INLINE void copy_row (local uint (*to)[32][UNIT], SRC_PARAMS, int x, int row, local const int *columns, bool between)
{
  global const sample_t *from = src + src_offset + row * src_stride;
  if (between && row >= 0) {
    UNROLL for (int u = 0; u < LOADED; u++)
      copy_unit (to[u][0], from + x + word_place (u * UNIT, plane), plane);
    return;
  }
  const uint outside = outside_word (plane);
  ROLLED for (int u = 0; u < LOADED; u++) {
    const int first = x + word_place (u * UNIT, plane);
    if (row < 0)
      UNROLL for (int w = 0; w < UNIT; w++)
        to[u][0][w] = outside;
    else if (first >= 0 && first + word_place (UNIT - 1, plane) + 4 <= plane.width)
      copy_unit (to[u][0], from + first, plane);
    else
      copy_edge (to[u][0], from, columns + u * (NC == 1 ? 32 : 16), outside, plane);
  }
}

/* A warp's strip: LINES lines from sample x on, in rows top .. bottom - 1. load_x: the first sample that the item loads. g, t: of the item.
 * columns, rows: the plane's pixel and row at each place that it loads. between: the warp loads no column outside the plane. */
struct strip { int x, load_x, top, bottom, g, t; bool between; local const int *columns, *rows; local uint (*staged)[32][UNIT]; };

INLINE void request_rows (SRC_PARAMS, struct strip s, int step) /* eight of them */
{
  if (8 * step < s.bottom - s.top + 2 * REACH)
    copy_row (s.staged + step % STAGES * LOADED, SRC_ARGS, s.load_x, s.rows[8 * step], s.columns, s.between);
  end_copies ();
}

typedef uint halves_t[LINES][2]; /* of rows 2 * t and 2 * t + 1 of eight: a word for each of two pixels, low bytes below high ones */
typedef uint sums_t[LINES][2][CHUNKS][2]; /* line, byte, chunk, pixel: a word of the second product's operand */

/* Sums of 16 bits across: of gaussians (256 * high + low) / 256, rounded. */
INLINE void across (uint *sum, const uint *samples, int line, uint weights[PLANES][CHUNKS][2], struct plane plane)
{
  uint low[4], chunks[CHUNKS];
  UNROLL for (int i = 0; i < 4; i++)
    sum[i] = 0, low[i] = GAUSSIAN_HALF;
  UNROLL for (int c = 0; c < CHUNKS; c++)
    chunks[c] = NC == 1 ? samples[line + c] : samples[line + c * UNIT];
  add_products (sum, weights[0], chunks);
#if PLANES == 2
  add_products (low, weights[1], chunks);
  UNROLL for (int i = 0; i < 4; i++)
    sum[i] += low[i] >> 8;
#endif
}

/* Results from sums across. Of gaussians (2^16 * high + 2^8 * middle + low) / 2^16, rounded in byte 1. Means: a float's low bits hold the
 * sum, below 2^23; the float is multiplied by 1 / number. The number is odd, so there are no ties. */
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

/* Drops the first chunk and appends 16 rows as the last one. */
INLINE void append (sums_t sums, halves_t upper, halves_t lower)
{
  UNROLL for (int i = 0; i < LINES * CHUNKS * 4; i++) {
    const int line = i / (4 * CHUNKS), chunk = i / 4 % CHUNKS, byte = i / 2 % 2, p = i % 2;
    sums[line][byte][chunk][p] = chunk + 1 < CHUNKS ? sums[line][byte][min (chunk + 1, CHUNKS - 1)][p]
                                                    : permute_bytes (upper[line][p], lower[line][p], byte ? 0x7632 : 0x5410);
  }
}

/* Sums columns, and stores 8 rows from y on. A unit that reaches beyond the region is stored by one rolled loop, whose text is short. */
INLINE void sum_down (sums_t sums, DST_PARAMS, struct strip s, const struct place *places, int y, uint weights[PLANES][CHUNKS], float inverse)
{
  uint kept[2 * UNITS][2];
  bool whole = true;
  UNROLL for (int unit = 0; unit < UNITS; unit++) {
    uint result[4][UNIT];
    UNROLL for (int i = 0; i < UNIT; i++) {
      uint value[4];
      down (value, sums[unit * UNIT + i], weights, inverse);
      UNROLL for (int v = 0; v < 4; v++)
        result[v][i] = value[v];
    }
    whole &= places[unit].whole;
    UNROLL for (int r = 0; r < 2; r++) {
      const int row = y + 2 * s.t + r;
      uint words[2] = {0};
      pack_results (words, result[r], result[2 + r], plane);
      RUN_AFTER (words, 2 * UNIT);
      if (!places[unit].whole)
        kept[2 * unit + r][0] = words[0], kept[2 * unit + r][1] = words[1];
      else if (row < region.y + region.height)
        store_results (DST_ARGS, words, places[unit], row);
    }
  }
  if (whole)
    return;
  ROLLED for (int i = 0; i < 4 * LINES; i++) {
    const int n = i / (2 * UNIT), sample = i % (2 * UNIT), first = places[0].x + n / 2 * 16 * UNIT;
    const int x = first + (NC == 1 ? sample / 2 * 16 + sample % 2 : sample), row = y + 2 * s.t + n % 2;
    if (is_whole (first, region, plane) || x < region.x || x >= region.x + region.width || row >= region.y + region.height)
      continue;
    const uint result = kept[n][sample / 4] >> 8 * (sample % 4);
    dst[dst_offset + row * dst_stride + x] = merge_sample ((sample_t) result, SRC_SAMPLE (x, row), keep[x]);
  }
}

/* fragments: the weights' matrices as items have them, 32 words each (matrix_fragments () in gst/shared). band: rows of a warp, a multiple
 * of 16. inverse: of a mean's samples. */
kernel __attribute__ ((reqd_work_group_size (32, WARPS, 1))) void
matrix_window (PLANE_ARGS, global const uint *restrict fragments, int band, float inverse)
{
  local uint staged_samples[WARPS][STAGES * LOADED][32][UNIT] __attribute__ ((aligned (16)));
  local int edge_columns[WARPS][LOADED * 32], edge_rows[MAX_BAND + ROWS_AROUND];
  const int warp = get_local_id (1), lane = get_local_id (0), g = lane / 4, t = lane % 4, width = LINES * 16;
  const int x = (((int) get_group_id (0) * WARPS + warp) + region.x / width) * width, first = x - REACH * NC;
  const int top = region.y + (int) get_group_id (1) * band, bottom = min (top + band, region.y + region.height);
  for (int i = lane; i < LOADED * 32; i += 32)
    edge_columns[warp][i] = pixel_place (pixels_of (x, plane) - REACH + i, plane);
  for (int i = warp * 32 + lane; i < band + ROWS_AROUND; i += 32 * WARPS)
    edge_rows[i] = row_place (top - REACH + i, plane);
  barrier (CLK_LOCAL_MEM_FENCE);
  if (x >= region.x + region.width)
    return;

  const bool between = first >= 0 && first + LOADED * word_place (UNIT, plane) <= plane.width;
  const struct strip s = {x, first + 4 * t * NC, top, bottom, g, t, between,
    edge_columns[warp] + 4 * t, edge_rows + g, (local uint (*)[32][UNIT]) staged_samples[warp][0][lane]};
  uint weights_across[PLANES][CHUNKS][2], weights_down[2][PLANES][CHUNKS];
  UNROLL for (int i = 0; i < FRAGMENTS; i++) {
    weights_across[i / 2 / CHUNKS][i / 2 % CHUNKS][i % 2] = fragments[i * 32 + lane];
    weights_down[i % 2][i / 2 / CHUNKS][i / 2 % CHUNKS] = fragments[(FRAGMENTS + i) * 32 + lane];
  }
  sums_t sums = {{{{0}}}};
  halves_t upper, lower = {{0}};
  struct place places[UNITS];
  UNROLL for (int i = 0; i < UNITS * PARTS; i++) {
    struct place *at = places + i / PARTS;
    at->x = x + i / PARTS * 16 * UNIT + 2 * g * NC;
    at->whole = is_whole (at->x, region, plane);
    at->mask[i % PARTS] = at->whole ? *(global const part_t *) (keep + at->x + part_place (i % PARTS, plane)) : 0;
  }
  ROLLED for (int step = 0; step < STAGES; step++)
    request_rows (SRC_ARGS, s, step);
  ROLLED for (int step = 0; step < (bottom - top + 2 * REACH + 15) / 16 * 2; step += 2) {
    EACH_HALF for (int i = 0; i < 2; i++) {
      uint samples[LOADED * UNIT];
      wait_for_copies ();
      UNROLL for (int u = 0; u < LOADED; u++)
        split_components (samples + u * UNIT, s.staged[(step + i) % STAGES * LOADED + u][0], plane);
      request_rows (SRC_ARGS, s, step + i + STAGES);
      UNROLL for (int line = 0; line < LINES; line++) {
        uint sum[4];
        across (sum, samples, line, weights_across, plane);
        upper[line][0] = lower[line][0], upper[line][1] = lower[line][1];
        lower[line][0] = permute_bytes (sum[0], sum[1], 0x5140);
        lower[line][1] = permute_bytes (sum[2], sum[3], 0x5140);
      }
    }
    append (sums, upper, lower);
    const int y = top + 8 * step - 2 * REACH;
    if (y >= top) EACH_HALF for (int h = 0; h < 2; h++) {
      uint weights[PLANES][CHUNKS];
      UNROLL for (int i = 0; i < PLANES * CHUNKS; i++)
        weights[i / CHUNKS][i % CHUNKS] = h ? weights_down[1][i / CHUNKS][i % CHUNKS] : weights_down[0][i / CHUNKS][i % CHUNKS];
      sum_down (sums, DST_ARGS, s, places, y + 8 * h, weights, inverse);
    }
  }
}
#endif
