/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Chroma that follows the luma of several frames: that of the lightest or darkest one, or the first one's times the luma of the
 * others in 0 .. 1. Luma is the mean of the block that a chroma sample stands for, of what exists at the frame's edge.
 *
 * The host defines
 *   MULTIPLY                 1 for products, 0 for a choice
 *   FIRST, LAST              1 for the first and the last other frame: each is a launch, with `state` between them
 *   SUBSAMPLE_X, SUBSAMPLE_Y 0, 1 or 2
 *
 * src is the first frame's chroma, `other` that of another one, with their luma planes behind each; luma_size is that of these.
 * state: a float a sample, the greatest luma so far, or the product.
 * numbers: for products black, 1 / (white - black), neutral chroma and white - black; for a choice 1 for the lightest, -1 for the darkest. */
#define CHROMA_ARGS                                                                                                     \
  PLANE_ARGS, global const sample_t *restrict other, int other_offset, int other_stride,                                \
      global const sample_t *restrict src_luma, int src_luma_offset, int src_luma_stride,                               \
      global const sample_t *restrict other_luma, int other_luma_offset, int other_luma_stride, int2 luma_size,         \
      global float *restrict state, int state_stride, float4 numbers

#define BLEND_CHROMA_IN_UNIT(v) ((v) < 0 ? 0.0f : (v) > 1 ? 1.0f : (v))

#define BLOCK_WIDTH (1 << SUBSAMPLE_X)
#define BLOCK_HEIGHT (1 << SUBSAMPLE_Y)

/* The luma of a block, of so many samples; a missing row or column of two repeats the other one. */
static inline int
block_sum (global const sample_t *restrict luma, int offset, int stride, int2 size, int column, int row, int *samples)
{
  const int left = column * BLOCK_WIDTH, right = min (left + BLOCK_WIDTH - 1, size.x - 1);
  const int top = row * BLOCK_HEIGHT, bottom = min (top + BLOCK_HEIGHT - 1, size.y - 1);
#if SUBSAMPLE_X > 1 || SUBSAMPLE_Y > 1
  int sum = 0;
  for (int y = top; y <= bottom; y++)
    for (int x = left; x <= right; x++)
      sum += LOAD (luma[offset + y * stride + x]);
  *samples = (right - left + 1) * (bottom - top + 1);
  return sum;
#else
  global const sample_t *upper = luma + (offset + top * stride), *lower = luma + (offset + bottom * stride);
  *samples = 4;
  return LOAD (upper[left]) + LOAD (upper[right]) + LOAD (lower[left]) + LOAD (lower[right]);
#endif
}

#define BLEND_CHROMA_SUM_OF(frame) \
  block_sum (frame##_luma, frame##_luma_offset, frame##_luma_stride, luma_size, x / NC, y, &samples)
#define BLEND_CHROMA_LUMA_OF(frame) ((float) BLEND_CHROMA_SUM_OF (frame) * (1.0f / (float) samples))

/* n / d, half to even. 1.5 * 2^23 leaves no fraction; what the float had not is put right. */
static inline int
rounded_quotient (int n, int d)
{
  const int q = as_int ((float) n * (1.0f / (float) d) + 0x1.8p23f) - as_int (0x1.8p23f);
  const int twice = 2 * (n - q * d), up = d - (q & 1);
  return q + (twice > up) - (twice < -up);
}

#if BACKEND_CPU
#define CHROMA_BEGIN PLANE_BEGIN (sizeof (float)) const int x = region.x + item_x, y = item_y;
#define CHROMA_END PLANE_END
#else
#define CHROMA_BEGIN GPU_ITEM if (ITEM_IN_REGION) { const int x = item_x, y = item_y;
#define CHROMA_END }
#endif

kernel void
blend_chroma (CHROMA_ARGS)
{
  CHROMA_BEGIN
  const sample_t original = src[src_offset + y * src_stride + x];
  global sample_t *const result = dst + (dst_offset + y * dst_stride + x);
  global float *const so_far = state + (y * state_stride + x);
  int samples;
#if MULTIPLY && FIRST && LAST && DEPTH < 16
  const int sum = BLEND_CHROMA_SUM_OF (other), black = samples * (int) numbers.x, unit = samples * (int) numbers.w;
  const int neutral = (int) numbers.z;
  const int product = neutral + rounded_quotient (((int) LOAD (original) - neutral) * clamp (sum - black, 0, unit), unit);
  *result = merge_sample ((sample_t) product, original, keep[x]);
#elif MULTIPLY
  const float luma = BLEND_CHROMA_LUMA_OF (other);
  const float factor = BLEND_CHROMA_IN_UNIT ((luma - numbers.x) * numbers.y) * (FIRST ? 1.0f : *so_far);
#if LAST
  const float product = numbers.z + ((float) LOAD (original) - numbers.z) * factor;
  /* half to even: 1.5 * 2^23 leaves no fraction */
  const int rounded = as_int (product + 0x1.8p23f) - as_int (0x1.8p23f);
  *result = merge_sample ((sample_t) rounded, original, keep[x]);
#else
  *so_far = factor;
#endif
#else
  const float luma = BLEND_CHROMA_LUMA_OF (other);
  const float best = FIRST ? BLEND_CHROMA_LUMA_OF (src) : *so_far;
  const bool taken = numbers.x * luma > numbers.x * best;
  const sample_t chosen = (sample_t) LOAD (other[other_offset + y * other_stride + x]);
  const sample_t before = FIRST ? (sample_t) LOAD (original) : (sample_t) LOAD (*result);
  *result = merge_sample (taken ? chosen : before, original, keep[x]);
  *so_far = taken ? luma : best;
#endif
  CHROMA_END
}
