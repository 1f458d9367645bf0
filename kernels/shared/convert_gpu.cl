/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Converts a frame to another size, format or colorimetry on the gpu back end (convert.clh). An item makes CONVERT_PIXELS neighbours in
 * ITEM_LINES rows, and reads windows in one of three ways:
 *
 *   TILE_SAMPLES   for large windows, else 0: a group of GROUP_COLUMNS x GROUP_ROWS sums columns into local memory, TILE_SAMPLES sums a
 *   row, then along rows: the work grows with a window's sides, not its area. Four samples are loaded at once, for all rows of results,
 *   with weights side by side. TILE_SPLIT: neighbours' windows are about two pixels apart, and even pixels come first. BYTE_COLUMNS:
 *   two rows of bytes at once, by weights of 1/8192 in pairs
 *   IN_PAIRS       for bytes and small windows of positive weights: pixels by twos, with weights of 15 bits; within a fiftieth of a code
 *   of the exact results. All words are loaded before the first is used. COLUMNS_0, ROWS_0 (3 at most), COLUMNS_1, ROWS_1 (2): sides of
 *   the first plane's windows and the others'. Wins on the H100 in docs/measurements/h100.md: 1920x1080 NV12 to 1280x720 RGBA, and to RGBA
 *   WINDOWS        of other small windows the longer side for each plane in four bits, for unrolling; 0: others, where no tile holds them
 *
 * QUADS: 1 where rows of all planes that are read stand on a boundary of four samples. */
typedef sample_t sample2_t __attribute__ ((ext_vector_type (2)));
typedef sample_t sample4_t __attribute__ ((ext_vector_type (4)));
INLINE float vector_part (float4 v, int at) { return at == 0 ? v.x : at == 1 ? v.y : at == 2 ? v.z : v.w; }
INLINE float to_float (uint v) { return as_float (v | 0x4b000000u) - 8388608.0f; } /* below 2^23; faster than to convert */
INLINE float4 to_floats (sample4_t v)
{ return (float4) (to_float (LOAD (v.x)), to_float (LOAD (v.y)), to_float (LOAD (v.z)), to_float (LOAD (v.w))); }

/* Component o of a result of IN_PAIRS: 0 .. 255/256 becomes 0 .. 255, in the lowest byte of the word. */
INLINE uint pair_sample (const float *values, const struct conversion *c, int o)
{ return as_uint (fma (min (bounded_float (sum_inputs (values, c, o)), 255.0f / 256), 256.0f, 0x1.8p23f)); }

#if TILE_SAMPLES
enum { CONVERT_PIXELS = 1 };

/* weight_t: of a source row (BYTE_COLUMNS: of two) in a row of results; sum_t: of four samples (BYTE_COLUMNS: in floats' last bits). */
#if BYTE_COLUMNS
typedef uint weight_t;
typedef uint4 weight4_t;
typedef uint4 sum_t;
enum { ROWS_TOGETHER = 2 };
INLINE sum_t no_sum (void) { return (sum_t) as_uint (0x1.8p23f); }
INLINE float4 sum_value (sum_t sum) { return as_float4 (sum) - 0x1.8p23f; }
INLINE sum_t plus_quads (sum_t sum, uint weights, sample4_t first, sample4_t second)
{
  const uint a = as_uint (first), b = as_uint (second), lower = permute_bytes (a, b, 0x5140), upper = permute_bytes (a, b, 0x7362);
  return (sum_t) (sum_lower_signed (weights, lower, sum.x), sum_upper_signed (weights, lower, sum.y),
      sum_lower_signed (weights, upper, sum.z), sum_upper_signed (weights, upper, sum.w));
}
#else
typedef float weight_t;
typedef float4 weight4_t;
typedef float4 sum_t;
enum { ROWS_TOGETHER = 1 };
INLINE sum_t no_sum (void) { return (sum_t) 0; }
INLINE float4 sum_value (sum_t sum) { return sum; }
INLINE sum_t plus_quads (sum_t sum, float weight, sample4_t first, sample4_t second)
{ return fma ((float4) weight, to_floats (first), sum); }
#endif
#if ITEM_LINES == 4
typedef weight4_t lines_t;
#else
typedef weight_t lines_t;
#endif

INLINE sample4_t load_quad (global const sample_t *restrict row, int x, int samples)
{
  const int last = samples - 1;
  if (QUADS && x + 4 <= samples)
    return *(global const sample4_t *) (row + x);
  return (sample4_t) (row[min (x, last)], row[min (x + 1, last)], row[min (x + 2, last)], row[min (x + 3, last)]);
}

INLINE int tile_place (int pixel, int step) /* the place of a pixel's sums in a row of the tile */
{ return TILE_SPLIT && step != 3 ? (pixel & 1) * (TILE_SAMPLES / 2) + (pixel >> 1) * step : pixel * step; }

INLINE void store_sums (local float *restrict row, int sample, float4 sums, int step) /* four sums, whole pixels but for three samples */
{
  if (TILE_SPLIT && step < 3) {
    *(local float2 *) (row + tile_place (sample / step, step)) = step == 1 ? sums.xz : sums.xy;
    *(local float2 *) (row + tile_place (sample / step + 1, step)) = step == 1 ? sums.yw : sums.zw;
  } else {
    *(local float4 *) (row + (step == 4 ? tile_place (sample / 4, 4) : sample)) = sums;
  }
}

INLINE float4 load_sums (local const float *restrict sums, int step) /* of a pixel, aligned if it has two or four samples */
{
  return step == 1 ? (float4) (*sums, 0, 0, 0) : step == 2 ? (float4) (*(local const float2 *) sums, 0, 0)
      : step == 3 ? (float4) (sums[0], sums[1], sums[2], 0) : *(local const float4 *) sums;
}

/* Sums the columns that results left .. right - 1 read, for ITEM_LINES rows from y on. Returns the tile's first source sample. */
INLINE int sum_columns (local float *restrict tile, global const sample_t *restrict in, struct source c, int step,
    global const int *restrict starts, global const float *restrict weights, int left, int right, int y)
{
  const int from = starts[c.column_starts + left] * step & ~3, samples = c.width * step;
  const int end = (starts[c.column_starts + right - 1] + c.columns) * step, top = starts[c.row_starts + y];
  global const lines_t *restrict own = (global const lines_t *) (weights + c.row_weights) + y / ITEM_LINES * (c.rows / ROWS_TOGETHER);
  for (int x = from + 4 * (int) get_local_id (0); x < end; x += 4 * GROUP_COLUMNS) {
    sum_t sums[ITEM_LINES];
    UNROLL for (int line = 0; line < ITEM_LINES; line++)
      sums[line] = no_sum ();
    for (int r = 0; r < c.rows; r += ROWS_TOGETHER) {
      global const sample_t *restrict row = in + (c.offset + min (top + r, c.height - 1) * c.stride);
      const sample4_t first = load_quad (row, x, samples);
      const sample4_t second = ROWS_TOGETHER == 1 ? first : load_quad (top + r + 1 < c.height ? row + c.stride : row, x, samples);
      const lines_t line_weights = own[r / ROWS_TOGETHER];
      UNROLL for (int line = 0; line < ITEM_LINES; line++)
        sums[line] = plus_quads (sums[line], ((const weight_t *) &line_weights)[line], first, second);
    }
    UNROLL for (int line = 0; line < ITEM_LINES; line++)
      store_sums (tile + line * TILE_SAMPLES, x - from, sum_value (sums[line]), step);
  }
  return from;
}

typedef local float *own_t;
/* Sums a plane's window for a pixel in each row of an item; the other ways to read windows define it below. */
INLINE void sum_plane (float4 *sums, const own_t *tile, global const sample_t *restrict in, int plane, const struct conversion *conversion,
    global const int *restrict starts, global const float *restrict weights, int x, int y, int p)
{
  const struct source c = conversion->in[plane];
  const int width = conversion->width, last_lines = (conversion->height - 1) / ITEM_LINES * ITEM_LINES, step = step_of (plane);
  const int left = (int) get_group_id (0) * GROUP_COLUMNS, right = min (left + GROUP_COLUMNS, width);
  const int column = min (x, width - 1), first = starts[c.column_starts + column];
  barrier (CLK_LOCAL_MEM_FENCE);
  const int from = sum_columns (*tile, in, c, step, starts, weights, left, right, min (y, last_lines));
  barrier (CLK_LOCAL_MEM_FENCE);
  UNROLL for (int line = 0; line < ITEM_LINES; line++)
    sums[line] = 0;
  for (int h = 0; h < c.columns; h++) {
    const float4 weight = weights[c.column_weights + h * width + column];
    const int at = step == 3 ? (first + h) * step - from : tile_place (first + h - from / step, step);
    UNROLL for (int line = 0; line < ITEM_LINES; line++)
      sums[line] = fma (weight, load_sums (*tile + (line * TILE_SAMPLES + at), step), sums[line]);
  }
}
#elif IN_PAIRS
enum { ITEM_LINES = 1, CONVERT_PIXELS = PAIR_PIXELS, PAIRS = PAIR_PIXELS / 2 };
/* PAIR_BIAS: the initial word of sums, a float whose last bits are the sum. */
enum { PAIR_WHOLE_WEIGHT = 32768, PAIR_BIAS = 0x4b000000 };
INLINE int axis_of (int plane) { return plane > 0; } /* the windows of the first plane, or of the others */
INLINE int columns_of (int plane) { return plane > 0 ? COLUMNS_1 : COLUMNS_0; }
INLINE int rows_of (int plane) { return plane > 0 ? ROWS_1 : ROWS_0; }

/* A pair's windows: the first word; each pixel's bytes, or by how many words it lies further; weights of two samples, and of the third. */
struct pair_place { int word; uint bytes[2], weights[2], thirds[2]; };
/* An item's places and row weights, for the first plane and the others; of each row of a pair two words, or each pixel's words. */
struct pair_item { struct pair_place places[PAIRS][2]; float4 row_weights[2]; uint words[PAIRS][PLANES][3][6]; };

/* columns: two uint4 for each pair. The first uint4 has lower halves for the first plane and upper halves for the others: the first word;
 * for either pixel its bytes by permute_bytes (), or by how many words it lies further; but in w both pixels' weights of the first sample
 * in the others. The second uint4 is for the first plane: for either pixel the weights of two samples, then of the third. rows: where a
 * row's windows begin in the first plane and in the others; two weights in the others; then three weights in the first plane. */
INLINE void load_pairs (struct pair_item *item, global const sample_t *const *ins, const struct conversion *c,
    global const uint4 *restrict columns, global const uint4 *restrict rows)
{
  const uint4 row = rows[0];
  item->row_weights[0] = ROWS_0 > 1 ? as_float4 (rows[1]) : (float4) (0);
  item->row_weights[1] = (float4) (as_float (row.z), as_float (row.w), 0, 0);
  UNROLL for (int pair = 0; pair < PAIRS; pair++) {
    const uint4 v = columns[2 * pair], w = COLUMNS_0 > 1 ? columns[2 * pair + 1] : (uint4) (PAIR_WHOLE_WEIGHT, PAIR_WHOLE_WEIGHT, 0, 0);
    const uint first = v.w & 0xffff, second = v.w >> 16;
    item->places[pair][0] = (struct pair_place) {(int) (v.x & 0xffff), {v.y & 0xffff, v.z & 0xffff}, {w.x, w.y}, {w.z, w.w}};
    item->places[pair][1] = (struct pair_place) {(int) (v.x >> 16), {v.y >> 16, v.z >> 16},
      {first | (PAIR_WHOLE_WEIGHT - first) << 16, second | (PAIR_WHOLE_WEIGHT - second) << 16}, {0, 0}};
  }
  UNROLL for (int i = 0; i < PAIRS * PLANES; i++) {
    const int pair = i / PLANES, plane = i % PLANES, step = step_of (plane), width = columns_of (plane);
    const struct pair_place *place = &item->places[pair][axis_of (plane)];
    const int first = c->in[plane].offset + (int) (axis_of (plane) ? row.y : row.x) * c->in[plane].stride;
    global const uint *from = (global const uint *) (ins[plane] + first) + place->word;
    UNROLL for (int r = 0; r < rows_of (plane); r++, from += c->in[plane].stride / 4)
      UNROLL for (int w = 0; w < (step < 4 ? 2 : 2 * width); w++)
        item->words[pair][plane][r][w] = from[step < 4 ? w : (int) place->bytes[w / width] + w % width];
  }
}

/* Sums a row of a pixel's window, for each of its samples. words: of the pair, or of the pixel if it has four samples. */
INLINE void sum_row (uint *sums, const uint *words, const struct pair_place *place, int p, int columns, int step)
{
  const uint weights = place->weights[p], third = place->thirds[p];
  if (step < 4) {
    const uint bytes = permute_bytes (words[0], words[1], place->bytes[p]);
    sums[0] = sum_lower (weights, bytes, PAIR_BIAS);
    sums[1] = sum_upper (step == 2 ? weights : third, bytes, step == 2 ? PAIR_BIAS : sums[0]);
    sums[0] = columns == 3 ? sums[1] : sums[0];
    return;
  }
  UNROLL for (int s = 0; s < 4; s++) {
    const uint bytes = permute_bytes (words[0], columns > 1 ? words[1] : 0, s < 2 ? 0x5140 : 0x7362);
    sums[s] = s % 2 ? sum_upper (weights, bytes, PAIR_BIAS) : sum_lower (weights, bytes, PAIR_BIAS);
    if (columns > 2)
      sums[s] = s < 2 ? sum_lower (third, words[2] >> 8 * s, sums[s]) : sum_upper (third, words[2] >> 8 * (s % 2), sums[s]);
  }
}

typedef struct pair_item own_t;
INLINE void sum_plane (float4 *sums, const own_t *own, global const sample_t *restrict in, int plane, const struct conversion *c,
    global const int *restrict starts, global const float *restrict weights, int x, int y, int p)
{
  const float4 row_weights = own->row_weights[axis_of (plane)];
  const int step = step_of (plane), columns = columns_of (plane), rows = rows_of (plane);
  uint of_row[3][4] = {{0}};
  UNROLL for (int r = 0; r < rows; r++)
    sum_row (of_row[r], own->words[p / 2][plane][r] + (step == 4 ? p % 2 * columns : 0), &own->places[p / 2][axis_of (plane)], p % 2,
        columns, step);
  *sums = as_float4 (vload4 (0, of_row[0]));
  if (rows > 1)
    *sums = fma (row_weights.y, as_float4 (vload4 (0, of_row[1])), row_weights.x * *sums);
  if (rows > 2)
    *sums = fma (row_weights.z, as_float4 (vload4 (0, of_row[2])), *sums);
}
#else
enum { ITEM_LINES = 1, CONVERT_PIXELS = OUT_STEP * OUT_BITS > 16 ? 1 : 32 / (OUT_STEP * OUT_BITS) };
#if WINDOWS
#define WINDOW_LOOP(i, n, most) _Pragma ("unroll") for (int i = 0; i < (most); i++) if (i < (n))
#else
#define WINDOW_LOOP(i, n, most) for (int i = 0; i < (n); i++)
#endif

INLINE float4 load_pixel (global const sample_t *restrict p, int step)
{
  if (QUADS && step == 4)
    return to_floats (*(global const sample4_t *) p);
  if (QUADS && step == 2)
    return to_floats ((sample4_t) (*(global const sample2_t *) p, 0, 0));
  return to_floats ((sample4_t) (p[0], p[step > 1 ? 1 : 0], p[step > 2 ? 2 : 0], p[step > 3 ? 3 : 0]));
}

typedef int own_t;
INLINE void sum_plane (float4 *sums, const own_t *own, global const sample_t *restrict in, int plane, const struct conversion *conversion,
    global const int *restrict starts, global const float *restrict weights, int x, int y, int p)
{
  const struct source c = conversion->in[plane];
  const int at = min (x + p, conversion->width - 1), step = step_of (plane), most = four_bits (WINDOWS, plane);
  const int column = starts[c.column_starts + at], row = starts[c.row_starts + y];
  *sums = 0;
  WINDOW_LOOP (h, c.columns, most)
  {
    float4 of_column = 0;
    global const sample_t *restrict pixel = in + (c.offset + row * c.stride + (column + h) * step);
    WINDOW_LOOP (v, c.rows, most)
    {
      of_column = fma ((float4) weights[c.row_weights + y * c.rows + v], load_pixel (pixel, step), of_column);
      pixel += c.stride;
    }
    *sums = fma ((float4) weights[c.column_weights + at * c.columns + h], of_column, *sums);
  }
}
#endif

INLINE float threshold_at (global const float *restrict thresholds, int x, int y)
{ return DITHER == 1 ? thresholds[(x & 7) * 16 + (y & 15)] : DITHER == 2 ? noise_at ((uint) x, (uint) y) : 0; }
/* Writes an item's results in a row, the lowest bits of numbers, of which n exist. alignment: of the row, in bytes. */
enum { RESULTS = CONVERT_PIXELS * OUT_STEP, RESULT_WORDS = (RESULTS * OUT_BITS + 31) / 32 };
INLINE void store_results (global out_t *restrict to, const uint *results, int n, int alignment)
{
  if (RESULTS * OUT_BITS % 32 == 0 && n >= RESULTS && alignment % 4 == 0) {
    uint words[RESULT_WORDS];
    UNROLL for (int w = 0; w < RESULT_WORDS; w++)
      words[w] = OUT_BITS == 8 ? pack_bytes (results[4 * w], results[4 * w + 1], results[4 * w + 2], results[4 * w + 3])
                               : results[2 * w] | results[2 * w + 1] << 16;
    UNROLL for (int w = 0; w < RESULT_WORDS; w++)
      if (RESULT_WORDS % 4 || alignment % 16)
        ((global uint *) to)[w] = words[w];
      else if (w % 4 == 0)
        ((global uint4 *) to)[w / 4] = vload4 (w / 4, words);
  } else {
    UNROLL for (int i = 0; i < RESULTS; i++)
      if (i < n)
        to[i] = (out_t) results[i];
  }
}

kernel void convert_frame (CONVERT_ARGS)
{
  const int x = (int) get_global_id (0) * CONVERT_PIXELS, y = (int) get_global_id (1) * ITEM_LINES;
  CONVERT_ARRAYS
#if TILE_SAMPLES
  local float tiles[GROUP_ROWS][ITEM_LINES * TILE_SAMPLES] __attribute__ ((aligned (16)));
  const own_t own = tiles[get_local_id (1)];
#else
  if (x >= c.width || y >= c.height)
    return;
  own_t own;
#endif
#if IN_PAIRS
  load_pairs (&own, ins, &c, (global const uint4 *) starts + x, (global const uint4 *) weights + 2 * y);
#endif
  uint results[ITEM_LINES][WRITTEN][RESULTS];
  UNROLL for (int p = 0; p < CONVERT_PIXELS; p++) {
    float4 sums[PLANES][ITEM_LINES];
    UNROLL for (int i = 0; i < PLANES; i++)
      sum_plane (sums[i], &own, ins[i], i, &c, starts, weights, x, y, p);
    UNROLL for (int line = 0; line < ITEM_LINES; line++) {
      float values[INS];
      UNROLL for (int i = 0; i < INS; i++)
        values[i] = vector_part (sums[in_plane (i)][line], in_at (i));
      const float threshold = threshold_at (thresholds, x + p, y + line);
      UNROLL for (int o = 0; o < OUTS; o++)
        results[line][PLANAR ? o : 0][p * OUT_STEP + (PLANAR ? 0 : o)] =
            IN_PAIRS ? pair_sample (values, &c, o) : make_sample (values, &c, o, threshold);
    }
  }
  UNROLL for (int i = 0; i < ITEM_LINES * WRITTEN; i++) {
    const int line = i / WRITTEN, plane = i % WRITTEN;
    if (y + line < c.height)
      store_results (outs[plane] + (c.out_offset[plane] + (y + line) * c.out_stride[plane] + x * OUT_STEP), results[line][plane],
          (c.width - x) * OUT_STEP, (c.out_offset[plane] | c.out_stride[plane]) * (OUT_BITS / 8));
  }
}
