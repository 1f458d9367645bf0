/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Runs steps (lib/steps.clh) on a plane of YUV whose samples depend on luma, U and V of their place. The host defines PLACES, 1; CHROMA,
 * whether the plane is one of chroma; LUMA_X, LUMA_Y, CHROMA_X, CHROMA_Y, log2 (0 to 2) of the luma that a pixel covers, and of the pixels
 * that share one of chroma, in columns and rows; CHROMA_STEP, samples of a pixel of chroma. luma, u and v are of the whole frame, in
 * buffers; v_first: whether V precedes U. */
#define COLOR_ARGS PLANE_ARGS, INPUT_PARAM (luma), INPUT_PARAM (u), INPUT_PARAM (v), int2 luma_size, int v_first POINT_ARGS

/* Runs all steps on a place; its samples in this plane go to results. */
static inline void run_place (int *results, float luma, float u, float v, int v_first POINT_ARGS)
{
  float p[3] = {luma, u, v};
  RUN_POINTS (p);
  results[0] = (int) (!CHROMA ? p[0] : v_first ? p[2] : p[1]);
  if (NC == 2)
    results[NC - 1] = (int) (v_first ? p[1] : p[2]);
}

static inline float sum_of_block (INPUT_PARAM (luma), int x, int y, int2 luma_size) /* four times the mean luma */
{
  int samples;
  const int sum = block_sum (luma, luma_offset, luma_stride, luma_size, x, y, LUMA_X, LUMA_Y, &samples);
  return (float) (4 * sum) / (float) samples;
}

#if BACKEND_CPU
/* The size of numbers in steps, and how many pixels a piece of a row has, whose inputs are stored side by side. */
#if FIXED_POINT
enum { STEP_BYTES = sizeof (long), COLOR_PIECE = 256 };
#else
enum { STEP_BYTES = sizeof (float), COLOR_PIECE = 256 };
#endif

/* Sums of four luma samples; blocks with all their columns need no test for the edge. */
static inline void load_luma (float *sums, INPUT_PARAM (luma), int x, int y, int n, int2 luma_size)
{
  const int top = y << LUMA_Y, left = x << LUMA_X, whole = LUMA_X == 1 ? clamp (luma_size.x / 2 - x, 0, n) : LUMA_X ? 0 : n;
  global const sample_t *restrict upper = INPUT_ROW (luma, top) + left;
  global const sample_t *restrict lower = INPUT_ROW (luma, min (top + (1 << LUMA_Y) - 1, luma_size.y - 1)) + left;
  for (int i = 0; i < whole; i++)
    sums[i] = LUMA_X ? (float) (LOAD (upper[2 * i]) + LOAD (upper[2 * i + 1]) + LOAD (lower[2 * i]) + LOAD (lower[2 * i + 1]))
                     : (float) (2 * (LOAD (upper[i]) + LOAD (lower[i])));
  for (int i = whole; i < n; i++)
    sums[i] = sum_of_block (luma, luma_offset, luma_stride, x + i, y, luma_size);
}

/* Loads chroma from pixel x on, each sample for all its pixels. Returns the sample of pixel x. */
static inline const int * load_chroma (int *samples, global const sample_t *restrict row, int x, int n)
{
  const int pixels = 1 << CHROMA_X, lead = x % pixels;
  row += x / pixels * CHROMA_STEP;
  for (int i = 0; i < (lead + n + pixels - 1) / pixels; i++)
    for (int p = 0; p < pixels; p++)
      samples[i * pixels + p] = LOAD (row[i * CHROMA_STEP]);
  return samples + lead;
}

kernel void color_plane (COLOR_ARGS)
{
  const int item_y = region.y + (int) get_global_id (1), pixels = region.width / NC, left = region.x / NC;
  float sums[COLOR_PIECE];
  int u_samples[COLOR_PIECE + 6], v_samples[COLOR_PIECE + 6];
  for (int first = 0; first < pixels; first += COLOR_PIECE) {
    const int x = left + first, n = min (pixels - first, COLOR_PIECE);
    load_luma (sums, luma, luma_offset, luma_stride, x, item_y, n, luma_size);
    const int *restrict u_piece = load_chroma (u_samples, INPUT_ROW (u, item_y >> CHROMA_Y), x, n);
    const int *restrict v_piece = load_chroma (v_samples, INPUT_ROW (v, item_y >> CHROMA_Y), x, n);
    global const sample_t *restrict from = SRC_ROW (item_y) + x * NC;
    global sample_t *restrict to = dst + dst_offset + item_y * dst_stride + x * NC;
    ROW_LOOP (STEP_BYTES)
    for (int i = 0; i < n; i++) {
      int results[NC];
      run_place (results, sums[i], u_piece[i], v_piece[i], v_first POINT_NAMES);
      UNROLL for (int c = 0; c < NC; c++)
        to[i * NC + c] = merge_sample (results[c], from[i * NC + c], keep[c]);
    }
  }
}
#else
kernel void color_plane (COLOR_ARGS)
{
  GPU_ITEM_IN_REGION
  global const sample_t *u_row = INPUT_ROW (u, item_y >> CHROMA_Y), *v_row = INPUT_ROW (v, item_y >> CHROMA_Y);
  int results[ITEM_SAMPLES];
  UNROLL for (int i = 0; i < ITEM_SAMPLES; i += NC) {
    const int x = min (item_x + i, plane.width - NC) / NC, chroma = (x >> CHROMA_X) * CHROMA_STEP;
    run_place (results + i, sum_of_block (luma, luma_offset, luma_stride, x, item_y, luma_size), LOAD (u_row[chroma]),
        LOAD (v_row[chroma]), v_first POINT_NAMES);
  }
  store_item (results, item_y);
}
#endif
