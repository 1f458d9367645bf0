/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clthreshold with a threshold for the whole plane.
 *
 * The host defines
 *   INTENSITY   1: a pixel's intensity is compared and written to all its samples, else each sample is by itself. Then
 *               RED, GREEN and BLUE of lib/intensity.clh as well
 *   OTSU        0: limit.x is the limit and limit.y the rounded threshold
 *               1: limit is a buffer where kernels/otsu.cl has left the limits, one for each sample of the pixel, or
 *               that of the intensity; for threshold_samples () a row of them, from spread_limits ()
 *
 * Values above the limit, an integer, are above the threshold. */
#if OTSU
#define LIMIT_ARG global const int *restrict limit
#define LIMIT_OF(c) limit[INTENSITY ? 0 : (c)]
#define ROUNDED_OF(c) LIMIT_OF (c)
#else
#define LIMIT_ARG int2 limit
#define LIMIT_OF(c) limit.x
#define ROUNDED_OF(c) limit.y
#endif

#if BACKEND_CPU

#if !INTENSITY

/* A row of n limits, those of pixels side by side, so that samples need not know which of the pixel they are. */
kernel void
spread_limits (global const int *restrict limits, global sample_t *restrict row, int n)
{
  for (int x = 0; x < n; x += NC)
    for (int c = 0; c < NC; c++)
      row[x + c] = (sample_t) limits[c];
}

#if OTSU
#define SAMPLES_LIMIT_ARG global const sample_t *restrict limit
#define SAMPLES_LIMIT limit[item_x]
#define SAMPLES_ROUNDED limit[item_x]
#else
#define SAMPLES_LIMIT_ARG LIMIT_ARG
#define SAMPLES_LIMIT (sample_t) limit.x
#define SAMPLES_ROUNDED (sample_t) limit.y
#endif

/* Each sample by itself. */
kernel void
threshold_samples (PLANE_ARGS, SAMPLES_LIMIT_ARG, OUTCOME_ARGS)
{
  PLANE_BEGIN
  const sample_t v = (sample_t) VAL;
  OUT (OUTCOME (v > SAMPLES_LIMIT, v, SAMPLES_ROUNDED));
}

#else

/* An item is a pixel. */
kernel void
threshold_pixels (PLANE_ARGS, LIMIT_ARG, OUTCOME_ARGS)
{
  const size_t x = get_global_id (0) * NC;
  const int y = region.y + (int) get_global_id (1);
  global const sample_t *from = src + src_offset + y * src_stride + region.x;
  global sample_t *to = dst + dst_offset + y * dst_stride + region.x;
  LOAD_PIXEL (pixel, from + x);
  const sample_t v = PIXEL_INTENSITY (pixel);
  STORE_VALUE (to + x, OUTCOME (v > (sample_t) LIMIT_OF (0), v, (sample_t) ROUNDED_OF (0)), pixel);
}

#endif

#else

kernel void
threshold_pixels (PLANE_ARGS, LIMIT_ARG, OUTCOME_ARGS)
{
  GPU_BEGIN
  int v[ITEM_SAMPLES];
  load_span (v, item_x, ITEM_SAMPLES, item_y, 0);
#pragma unroll
  for (int p = 0; p < ITEM_SAMPLES; p += NC) {
#if INTENSITY
    const sample_t intensity = PIXEL_INTENSITY (v + p);
    const int result = OUTCOME (intensity > (sample_t) LIMIT_OF (0), intensity, (sample_t) ROUNDED_OF (0));
#endif
#pragma unroll
    for (int c = 0; c < NC; c++)
#if INTENSITY
      v[p + c] = result;
#else
      v[p + c] = OUTCOME (v[p + c] > LIMIT_OF (c), (sample_t) v[p + c], (sample_t) ROUNDED_OF (c));
#endif
  }
  store_item (v, item_y);
}

#endif
