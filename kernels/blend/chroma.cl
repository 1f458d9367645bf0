/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Chroma that follows the luma of several frames, after shared/block.clh: the chroma of the lightest or darkest frame, or the first frame's
 * times the luma, 0 .. 1, of the others (MULTIPLY). Each other frame is a launch, FIRST to LAST; between launches `state` keeps, for each
 * sample, the luma of the chosen frame or the product. SUBSAMPLE_X, SUBSAMPLE_Y: 0, 1 or 2. numbers: for products black, 1 / (white -
 * black), neutral chroma, white - black; for a choice 1 for the lightest, -1 for the darkest. */
#define CHROMA_ARGS PLANE_ARGS, INPUT_PARAM (other), INPUT_PARAM (src_luma), INPUT_PARAM (other_luma), int2 luma_size, \
    global float *restrict state, int state_stride, float4 numbers

#define BLEND_CHROMA_SUM_OF(frame) \
  block_sum (frame##_luma, frame##_luma_offset, frame##_luma_stride, luma_size, x / NC, y, SUBSAMPLE_X, SUBSAMPLE_Y, &samples)
#define BLEND_CHROMA_LUMA_OF(frame) ((float) BLEND_CHROMA_SUM_OF (frame) * (1.0f / (float) samples))

#if BACKEND_CPU
#define CHROMA_BEGIN PLANE_BEGIN (sizeof (float)) const int x = region.x + item_x, y = item_y;
#define CHROMA_END PLANE_END
#else
#define CHROMA_BEGIN GPU_ITEM if (ITEM_IN_REGION) { const int x = item_x, y = item_y;
#define CHROMA_END }
#endif

ITEM_KERNEL (blend_chroma, (CHROMA_ARGS), (PLANE_NAMES, other, other_offset, other_stride, src_luma, src_luma_offset, src_luma_stride,
    other_luma, other_luma_offset, other_luma_stride, luma_size, state, state_stride, numbers))
{
  CHROMA_BEGIN
  const sample_t original = src[src_offset + y * src_stride + x];
  global sample_t *const result = dst + (dst_offset + y * dst_stride + x);
  global float *const so_far = state + (y * state_stride + x);
  int samples;
#if MULTIPLY && FIRST && LAST && DEPTH < 16
  const int sum = BLEND_CHROMA_SUM_OF (other), black = samples * (int) numbers.x, unit = samples * (int) numbers.w;
  const int neutral = (int) numbers.z, product = ((int) LOAD (original) - neutral) * clamp (sum - black, 0, unit);
  /* product / unit, rounded half to even; the rounding error of the float is corrected */
  const int q = as_int ((float) product * (1.0f / (float) unit) + 0x1.8p23f) - as_int (0x1.8p23f);
  const int twice = 2 * (product - q * unit), up = unit - (q & 1);
  *result = merge_sample ((sample_t) (neutral + q + (twice > up) - (twice < -up)), original, keep[x]);
#elif MULTIPLY
  const float luma = BLEND_CHROMA_LUMA_OF (other), factor = clamp ((luma - numbers.x) * numbers.y, 0.0f, 1.0f) * (FIRST ? 1.0f : *so_far);
#if LAST
  const float product = numbers.z + ((float) LOAD (original) - numbers.z) * factor;
  const int rounded = as_int (product + 0x1.8p23f) - as_int (0x1.8p23f);
  *result = merge_sample ((sample_t) rounded, original, keep[x]);
#else
  *so_far = factor;
#endif
#else
  const float luma = BLEND_CHROMA_LUMA_OF (other), best = FIRST ? BLEND_CHROMA_LUMA_OF (src) : *so_far;
  const bool taken = numbers.x * luma > numbers.x * best;
  const sample_t chosen = (sample_t) LOAD (other[other_offset + y * other_stride + x]);
  const sample_t before = FIRST ? (sample_t) LOAD (original) : (sample_t) LOAD (*result);
  *result = merge_sample (taken ? chosen : before, original, keep[x]);
  *so_far = taken ? luma : best;
#endif
  CHROMA_END
}
