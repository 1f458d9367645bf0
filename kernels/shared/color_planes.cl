/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Steps (lib/steps.clh) on a plane of YUV whose samples depend on luma, U and V of their place.
 *
 * The host defines PLACES; CHROMA, whether the plane is one of chroma; and on the gpu back end LARGE_BLOCKS, whether a pixel of the
 * plane covers more columns of luma than two.
 *
 * luma, u, v    of the whole frame, in buffers; u and v may be in one, chroma_step samples from pixel to pixel
 * places        what a pixel of this plane is elsewhere
 * luma_size     width and height
 * v_first       whether a pixel's first sample is V
 */

/* log2, 0 to 2, of the columns and rows of luma that one pixel covers, and of the pixels that share one of chroma. The host
 * passes four ints. */
struct places
{
  int luma_x, luma_y, chroma_x, chroma_y;
};

#define INPUT_PARAM(name) global const sample_t *restrict name, int name##_offset, int name##_stride
#define COLOR_INPUTS_PARAM \
  INPUT_PARAM (luma), INPUT_PARAM (u), INPUT_PARAM (v), int chroma_step, struct places places, int2 luma_size, int v_first

/* A block that lacks a column or a row repeats the other one for its mean. */
#define LAST(first, shift, size) min ((first) + (1 << (shift)) - 1, (size) - 1)

#define COLOR_ROW(name, y) (name + (name##_offset + (y) *name##_stride))
#define COLOR_LUMA_TOP (item_y << places.luma_y)
#define COLOR_UPPER_LUMA COLOR_ROW (luma, COLOR_LUMA_TOP)
#define COLOR_LOWER_LUMA COLOR_ROW (luma, LAST (COLOR_LUMA_TOP, places.luma_y, luma_size.y))
#define COLOR_CHROMA_ROW(name) COLOR_ROW (name, item_y >> places.chroma_y)

/* All steps on a place; its samples in this plane go to results. */
static inline void
run_place (int *results, float luma, float u, float v, int v_first POINT_ARGS)
{
  float p[3] = {luma, u, v};
  RUN_POINTS (p);
  results[0] = (int) (!CHROMA ? p[0] : v_first ? p[2] : p[1]);
  if (NC == 2)
    results[NC - 1] = (int) (v_first ? p[1] : p[2]);
}

/* What stands for four luma samples of a block that has more columns than two: the mean of those that exist, four times. */
static inline float
sum_of_large_block (INPUT_PARAM (luma), int x, int y, struct places places, int2 luma_size)
{
  const int left = x << places.luma_x, right = LAST (left, places.luma_x, luma_size.x);
  const int top = y << places.luma_y, bottom = LAST (top, places.luma_y, luma_size.y);
  const int n = (right + 1 - left) * (bottom + 1 - top);
  int sum = 0;
  for (int row = top; row <= bottom; row++)
    for (int column = left; column <= right; column++)
      sum += LOAD (COLOR_ROW (luma, row)[column]);
  return (float) (4 * sum) / (float) n;
}

#if BACKEND_CPU

/* The size of what steps calculate with. */
#if FIXED_POINT
#define STEP_BYTES sizeof (long)
#else
#define STEP_BYTES sizeof (float)
#endif

/* A row is processed in pieces of this many pixels: what their results are made of, side by side. */
#define COLOR_PIECE 256

/* Sums of four luma samples from pixel x on. */
static inline void
load_luma (float *sums, global const sample_t *restrict upper, global const sample_t *restrict lower, int x, int n, int shift,
    int width)
{
  const int whole = shift ? clamp (width / 2 - x, 0, n) : 0, left = shift ? 2 * x : x;
  upper += left;
  lower += left;
  for (int i = 0; i < whole; i++)
    sums[i] = (float) (LOAD (upper[2 * i]) + LOAD (upper[2 * i + 1]) + LOAD (lower[2 * i]) + LOAD (lower[2 * i + 1]));
  for (int i = whole; i < n; i++)
    sums[i] = (float) (2 * (LOAD (upper[i << shift]) + LOAD (lower[i << shift])));
}

/* Chroma from pixel x on, each sample `pixels` times from a multiple of that on: of x itself in samples[x % pixels]. */
static inline __attribute__ ((always_inline)) void
repeat_chroma (int *samples, global const sample_t *restrict row, int x, int n, int pixels, int step)
{
  row += x / pixels * step;
  for (int i = 0; i < (x % pixels + n + pixels - 1) / pixels; i++)
    for (int p = 0; p < pixels; p++)
      samples[i * pixels + p] = LOAD (row[i * step]);
}

/* The same with numbers that the compiler knows. Returns the sample of pixel x. */
static inline const int *
load_chroma (int *samples, global const sample_t *restrict row, int x, int n, int shift, int step)
{
  if (shift == 2)
    repeat_chroma (samples, row, x, n, 4, step);
  else if (shift && step == 1)
    repeat_chroma (samples, row, x, n, 2, 1);
  else if (shift)
    repeat_chroma (samples, row, x, n, 2, 2);
  else if (step == 1)
    repeat_chroma (samples, row, x, n, 1, 1);
  else
    repeat_chroma (samples, row, x, n, 1, 2);
  return samples + x % (1 << shift);
}

/* Work item (0, row). */
kernel void
color_plane (PLANE_ARGS, COLOR_INPUTS_PARAM POINT_ARGS)
{
  const int item_y = region.y + (int) get_global_id (1), pixels = region.width / NC, left = region.x / NC;
  float sums[COLOR_PIECE];
  int u_samples[COLOR_PIECE + 6], v_samples[COLOR_PIECE + 6];
  for (int first = 0; first < pixels; first += COLOR_PIECE) {
    const int x = left + first, n = min (pixels - first, COLOR_PIECE);
    if (places.luma_x < 2)
      load_luma (sums, COLOR_UPPER_LUMA, COLOR_LOWER_LUMA, x, n, places.luma_x, luma_size.x);
    else
      for (int i = 0; i < n; i++)
        sums[i] = sum_of_large_block (luma, luma_offset, luma_stride, x + i, item_y, places, luma_size);
    const int *restrict u_piece = load_chroma (u_samples, COLOR_CHROMA_ROW (u), x, n, places.chroma_x, chroma_step);
    const int *restrict v_piece = load_chroma (v_samples, COLOR_CHROMA_ROW (v), x, n, places.chroma_x, chroma_step);
    global const sample_t *restrict from = SRC_ROW (item_y) + x * NC;
    global sample_t *restrict to = dst + dst_offset + item_y * dst_stride + x * NC;
    ROW_LOOP (STEP_BYTES)
    for (int i = 0; i < n; i++) {
      int results[NC];
      run_place (results, sums[i], u_piece[i], v_piece[i], v_first POINT_NAMES);
      to[i * NC] = merge_sample (results[0], from[i * NC], keep[0]);
#if NC == 2
      to[i * NC + 1] = merge_sample (results[1], from[i * NC + 1], keep[1]);
#endif
    }
  }
}

#else

/* Samples of luma lie where the results do. */
kernel void
color_plane (PLANE_ARGS, COLOR_INPUTS_PARAM POINT_ARGS)
{
  GPU_ITEM
  if (!ITEM_IN_REGION)
    return;
  global const sample_t *upper = COLOR_UPPER_LUMA, *lower = COLOR_LOWER_LUMA, *u_row = COLOR_CHROMA_ROW (u),
      *v_row = COLOR_CHROMA_ROW (v);
  int results[ITEM_SAMPLES];
#pragma unroll
  for (int i = 0; i < ITEM_SAMPLES; i += NC) {
    const int x = min (item_x + i, plane.width - NC) / NC, chroma = (x >> places.chroma_x) * chroma_step;
    const int left = x << places.luma_x, right = LAST (left, places.luma_x, luma_size.x);
    const float sum = !CHROMA ? 4 * LOAD (upper[x])
                      : LARGE_BLOCKS
                          ? sum_of_large_block (luma, luma_offset, luma_stride, x, item_y, places, luma_size)
                          : LOAD (upper[left]) + LOAD (upper[right]) + LOAD (lower[left]) + LOAD (lower[right]);
    run_place (results + i, sum, LOAD (u_row[chroma]), LOAD (v_row[chroma]), v_first POINT_NAMES);
  }
  store_item (results, item_y);
}

#endif
