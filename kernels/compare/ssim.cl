/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The structural similarity of two planes (Wang, Bovik, Sheikh and Simoncelli, 2004): gaussian windows of 11 x 11, sigma 1.5, within the
 * plane. a, b, a*a + b*b and a*b are smoothed along rows; eleven rows of these stay in a ring, from which columns are summed. The middle of
 * the range is subtracted, since variances are small differences of large squares. */
enum { SSIM_WINDOW = 11, SSIM_SMOOTHED = 4 };

constant float taps[SSIM_WINDOW] = {0.001028380084f, 0.007598758135f, 0.03600077213f, 0.1093606895f, 0.2130055377f,
  0.2660117249f, 0.2130055377f, 0.1093606895f, 0.03600077213f, 0.007598758135f, 0.001028380084f};

enum { SSIM_MIDDLE = (MAX_VALUE + 1) / 2 };
static inline float centered (sample_t v) { return (float) ((int) LOAD (v) - SSIM_MIDDLE); }

/* No contraction, so that squares are twice the product where the planes are equal, which gives 1. */
#pragma OPENCL FP_CONTRACT OFF

/* The similarity of two windows from their means, the mean of a*a + b*b and the mean of a*b. */
static inline float similarity_of (float a, float b, float squares, float product)
{
  const float c1 = (0.01f * MAX_VALUE) * (0.01f * MAX_VALUE), c2 = (0.03f * MAX_VALUE) * (0.03f * MAX_VALUE);
  const float mean_product = a * b, mean_squares = a * a + b * b;
  const float covariance = 2.0f * (product - mean_product), variances = squares - mean_squares;
  const float whole_a = a + (float) SSIM_MIDDLE, whole_b = b + (float) SSIM_MIDDLE;
  const float means = 2.0f * (whole_a * whole_b), mean_sums = whole_a * whole_a + whole_b * whole_b;
  return ((means + c1) * (covariance + c2)) / ((mean_sums + c1) * (variances + c2));
}

#if BACKEND_CPU
#define RING_SPACE global
#define SUM_SPACE global
enum { SSIM_COLUMNS = 1, SSIM_PITCH = STRIP };
#else
#define RING_SPACE local
#define SUM_SPACE private
enum { SSIM_COLUMNS = 64, SSIM_PITCH = SSIM_COLUMNS }; /* only the item itself reads its column of the ring */
#endif

/* Functions, as their `restrict` arguments let a CPU's compiler vectorise the loops. Numbers of a column of the ring are `pitch` apart. */
ONCE_ON_CPU void
smooth_across (RING_SPACE float *restrict row, int pitch, global const sample_t *restrict p, global const sample_t *restrict q, int samples,
    int n)
{
  WIDE_LOOP
  for (int i = 0; i < n; i++) {
    float smooth[SSIM_SMOOTHED] = {0, 0, 0, 0};
    UNROLL for (int t = 0; t < SSIM_WINDOW; t++) {
      const float a = centered (p[i + t * samples]), b = centered (q[i + t * samples]);
      smooth[0] = fma (taps[t], a, smooth[0]);
      smooth[1] = fma (taps[t], b, smooth[1]);
      smooth[2] = fma (taps[t], a * a + b * b, smooth[2]);
      smooth[3] = fma (taps[t], a * b, smooth[3]);
    }
    UNROLL for (int k = 0; k < SSIM_SMOOTHED; k++)
      row[k * pitch + i] = smooth[k];
  }
}

/* Adds the similarity of n windows. oldest: the ring's first row of these. */
ONCE_ON_CPU void smooth_down (RING_SPACE const float *restrict ring, int pitch, int oldest, SUM_SPACE float *restrict sums, int n)
{
  WIDE_LOOP
  for (int i = 0; i < n; i++) {
    float smooth[SSIM_SMOOTHED] = {0, 0, 0, 0};
    UNROLL for (int t = 0; t < SSIM_WINDOW; t++) {
      const int row = oldest + t < SSIM_WINDOW ? oldest + t : oldest + t - SSIM_WINDOW;
      UNROLL for (int k = 0; k < SSIM_SMOOTHED; k++)
        smooth[k] = fma (taps[t], ring[(row * SSIM_SMOOTHED + k) * pitch + i], smooth[k]);
    }
    sums[i] += similarity_of (smooth[0], smooth[1], smooth[2], smooth[3]);
  }
}

/* windows: columns of windows in samples, and rows of them; rows: of a band; samples: of a pixel; similarity: for each band a row of sums. */
kernel __attribute__ ((reqd_work_group_size (SSIM_COLUMNS, 1, 1))) void
compare_ssim (global const sample_t *restrict a, int a_offset, int a_stride, global const sample_t *restrict b, int b_offset, int b_stride,
    int2 windows, int rows, int samples, global float *restrict similarity, global float *restrict work)
{
  const int band = (int) get_global_id (1), top = band * rows, bottom = min (top + rows, windows.y) + SSIM_WINDOW - 1;
#if BACKEND_CPU
  const int left = (int) get_global_id (0) * STRIP, n = min (STRIP, windows.x - left);
  global float *ring = work + (band * (int) get_global_size (0) + (int) get_global_id (0)) * SSIM_WINDOW * SSIM_SMOOTHED * STRIP;
  global float *sums = similarity + band * windows.x + left;
  for (int i = 0; i < n; i++)
    sums[i] = 0;
#else
  local float rings[SSIM_WINDOW * SSIM_SMOOTHED * SSIM_COLUMNS];
  local float *ring = rings + get_local_id (0);
  const int left = (int) get_global_id (0), n = 1;
  float sums[1] = {0};
  if (left >= windows.x)
    return;
#endif
  for (int y = top, row = 0; y < bottom; y++) {
    global const sample_t *p = a + a_offset + y * a_stride + left, *q = b + b_offset + y * b_stride + left;
    smooth_across (ring + row * SSIM_SMOOTHED * SSIM_PITCH, SSIM_PITCH, p, q, samples, n);
    row = row + 1 < SSIM_WINDOW ? row + 1 : 0;
    if (y - top >= SSIM_WINDOW - 1)
      smooth_down (ring, SSIM_PITCH, row, sums, n);
  }
  if (BACKEND_GPU)
    similarity[band * windows.x + left] = sums[0];
}
