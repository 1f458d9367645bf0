/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sums over windows whose taps are the sum of RANK products column x row, on the cpu back end (shared/separable.cl is the gpu form), after
 * shared/bands.clh and shared/result.clh. An item makes BAND_ROWS rows of results at a time: it adds rows of the source by column into
 * `sums` (RANK * BAND_ROWS rows), then these along each row. size: of the window. Taps of a product: BAND_ROWS - 1 zeros, the column,
 * BAND_ROWS - 1 zeros, the row; zeros are for rows outside a result's window. Rows in docs/measurements/cpu.md: gaussians, sharpen. */
typedef sum_t lanes_t __attribute__ ((ext_vector_type (16)));
typedef sample_t stored_lanes_t __attribute__ ((ext_vector_type (16)));
typedef sum_t unaligned_lanes_t __attribute__ ((ext_vector_type (16), aligned (sizeof (sum_t))));
typedef sample_t unaligned_stored_t __attribute__ ((ext_vector_type (16), aligned (SAMPLE_BITS / 8)));
enum { BAND_LANES = 16 };
/* Vectors of sums that are kept in registers: DOWN_VECTORS * BAND_ROWS down, ACROSS_VECTORS across. */
enum { DOWN_VECTORS = 3, ACROSS_VECTORS = 8, DOWN_SAMPLES = DOWN_VECTORS * BAND_LANES, ACROSS_SAMPLES = ACROSS_VECTORS * BAND_LANES };

/* Adds a row to the sums of results first .. last, whose windows contain it. tap: of result `first`; taps of later results precede it. */
INLINE void add_row (lanes_t sum[BAND_ROWS][DOWN_VECTORS], global const sample_t *row, global const sum_t *restrict tap, int first, int last)
{
  lanes_t in[DOWN_VECTORS];
  UNROLL for (int i = 0; i < DOWN_VECTORS; i++) {
    const stored_lanes_t most = (sample_t) MAX_VALUE, v = *(global const unaligned_stored_t *) (row + i * BAND_LANES) >> (sample_t) SHIFT;
    const stored_lanes_t values = IN_WORDS ? v & most : SPARE_BITS ? __builtin_elementwise_min (v, most) : v;
    in[i] = __builtin_convertvector (__builtin_convertvector (values, int16), lanes_t);
  }
  UNROLL for (int r = 0; r < BAND_ROWS; r++)
    if (r >= first && r <= last)
      UNROLL for (int v = 0; v < DOWN_VECTORS; v++)
        sum[r][v] = MULTIPLY_ADD (in[v], (lanes_t) tap[first - r], sum[r][v]);
}

/* Sums DOWN_SAMPLES columns of samples for BAND_ROWS rows of results; sum_down_narrow () sums n columns, fewer than DOWN_SAMPLES. */
ONCE void
sum_down (global const sample_t *const *rows, int x, global const sum_t *restrict taps, int high, global sum_t *restrict sums, int pitch)
{
  lanes_t sum[BAND_ROWS][DOWN_VECTORS] = {{0}};
  taps += BAND_ROWS - 1;
  if (high <= BAND_ROWS) {
    ROLLED for (int row = 0; row < high + BAND_ROWS - 1; row++)
      add_row (sum, rows[row] + x, taps + row, 0, BAND_ROWS - 1);
  } else {
    /* the first and the last rows are not in every window */
    UNROLL for (int row = 0; row < BAND_ROWS - 1; row++)
      add_row (sum, rows[row] + x, taps + row, 0, row);
    ROLLED for (int row = BAND_ROWS - 1; row < high; row++)
      add_row (sum, rows[row] + x, taps + row, 0, BAND_ROWS - 1);
    UNROLL for (int first = 1; first < BAND_ROWS; first++)
      add_row (sum, rows[high - 1 + first] + x, taps + high - 1, first, BAND_ROWS - 1);
  }
  UNROLL for (int i = 0; i < BAND_ROWS * DOWN_VECTORS; i++)
    *(global unaligned_lanes_t *) (sums + i / DOWN_VECTORS * pitch + x + i % DOWN_VECTORS * BAND_LANES) =
        sum[i / DOWN_VECTORS][i % DOWN_VECTORS];
}

ONCE void sum_down_narrow (global const sample_t *const *rows, int n, global const sum_t *restrict taps, int high,
    global sum_t *restrict sums, int pitch)
{
  for (int r = 0; r < BAND_ROWS; r++)
    for (int x = 0; x < n; x++) {
      sum_t sum = 0;
      for (int row = 0; row < high; row++)
        sum = MULTIPLY_ADD (term_of (LOAD (rows[row + r][x])), taps[BAND_ROWS - 1 + row], sum);
      sums[r * pitch + x] = sum;
    }
}

/* A loaded vector serves two taps that are `apart` pixels from each other: vector v serves sums v and v - VECTORS_APART. So VECTORS_APART
 * vectors hold whole pixels; one vector would not, with three samples a pixel. */
enum { VECTORS_APART = ANY_PIXEL ? 1 : 3 };

/* Adds to ACROSS_SAMPLES sums across. line: the first window; step: samples of a pixel. Reads up to ACROSS_SAMPLES sums after the last. */
INLINE void sum_across (lanes_t *sum, global const sum_t *restrict line, global const sum_t *restrict taps, int wide, int step)
{
  const int apart = VECTORS_APART * BAND_LANES / step;
  ROLLED for (int first = 0; first < min (wide, apart); first++) {
    int i = first;
    ROLLED for (; i + apart < wide; i += 2 * apart)
      UNROLL for (int v = 0; v < ACROSS_VECTORS + VECTORS_APART; v++) {
        const lanes_t in = *(global const unaligned_lanes_t *) (line + i * step + v * BAND_LANES);
        if (v < ACROSS_VECTORS)
          sum[v] = MULTIPLY_ADD (in, (lanes_t) taps[i], sum[v]);
        if (v >= VECTORS_APART)
          sum[v - VECTORS_APART] = MULTIPLY_ADD (in, (lanes_t) taps[i + apart], sum[v - VECTORS_APART]);
      }
    if (i < wide)
      UNROLL for (int v = 0; v < ACROSS_VECTORS; v++)
        sum[v] = MULTIPLY_ADD (*(global const unaligned_lanes_t *) (line + i * step + v * BAND_LANES), (lanes_t) taps[i], sum[v]);
  }
}

ITEM_KERNEL (separable_bands, (PLANE_ARGS, global const sum_t *restrict taps, int2 size, BAND_ARGS, RESULT_ARGS), (PLANE_NAMES, taps, size, band,
    scratch, each, RESULT_NAMES))
{
  const struct columns c = columns_of (region, plane, size.x / 2, size.x - 1 - size.x / 2);
  const int n = (c.last - c.first) * NC, n_taps = size.x + size.y + 2 * (BAND_ROWS - 1);
  const int pitch = (max (c.last, c.reach_last) - c.base) * NC + ACROSS_SAMPLES;
  global sum_t *restrict sums = (global sum_t *) (scratch + ITEM (0) * each);
  global sample_t *blank = (global sample_t *) (sums + RANK * BAND_ROWS * pitch);
  global const sample_t *rows[LARGEST_WINDOW + BAND_ROWS];

  if (plane.border == BORDER_CONSTANT)
    fill_blank (blank, n, plane);
  for (int top = ITEM (0) * band; top < region.height; top += ITEM_COUNT * band)
    for (int y = top; y < min (top + band, region.height); y += BAND_ROWS) {
      find_rows (rows, SRC_ARGS, c.first * NC, region.y + y - size.y / 2, size.y + BAND_ROWS - 1, blank);
      for (int k = 0; k < RANK; k++) {
        global sum_t *inside = sums + k * BAND_ROWS * pitch + (c.first - c.base) * NC;
        if (n < DOWN_SAMPLES)
          sum_down_narrow (rows, n, taps + k * n_taps, size.y, inside, pitch);
        else
          for (int x = 0; x < n; x += DOWN_SAMPLES)
            sum_down (rows, min (x, n - DOWN_SAMPLES), taps + k * n_taps, size.y, inside, pitch);
        sum_t outside = 0;
        for (int j = 0; j < size.y; j++)
          outside = MULTIPLY_ADD (term_of (plane.value), taps[k * n_taps + BAND_ROWS - 1 + j], outside);
        for (int r = 0; r < BAND_ROWS; r++)
          fill_ends (sums + (k * BAND_ROWS + r) * pitch, c, plane, outside);
      }
      for (int r = 0; r < BAND_ROWS && y + r < min (top + band, region.height); r++) {
        global const sample_t *from = src + src_offset + (region.y + y + r) * src_stride + region.x;
        global sample_t *out = dst + dst_offset + (region.y + y + r) * dst_stride + region.x;
        for (int x = 0; x < region.width; x += ACROSS_SAMPLES) {
          lanes_t sum[ACROSS_VECTORS] = {0};
          sum_t results[ACROSS_SAMPLES];
          for (int k = 0; k < RANK; k++)
            sum_across (sum, sums + (k * BAND_ROWS + r) * pitch + (c.reach_first - c.base) * NC + x,
                taps + (k + 1) * n_taps - size.x, size.x, NC);
          UNROLL for (int v = 0; v < ACROSS_VECTORS; v++)
            *(unaligned_lanes_t *) (results + v * BAND_LANES) = sum[v];
          const int n_results = min (ACROSS_SAMPLES, region.width - x);
          WIDE_LOOP
          for (int i = 0; i < n_results; i++)
            out[x + i] = merge_sample (RESULT_OF (results[i], LOAD (from[x + i])), from[x + i], keep[x + i]);
        }
      }
    }
}
