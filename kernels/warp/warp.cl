/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Interpolates each pixel of the result at its source position, from warp/positions.cl. xs, ys: source positions, in 2^-bits of a pixel;
 * xs is INT_MIN if there is none. TAPS: a window's samples along an axis: 1 nearest, 2 bilinear, 4 bicubic, 6 Lanczos.
 * lanczos[LANCZOS_STEPS + 1][TAPS]: weights for positions between two samples. Adding 1.5 * 2^23 to a result rounds half to even. */
#pragma OPENCL FP_CONTRACT OFF
/* WARP_LEAD: a window's samples before the sample left of the position; warp_half (): half a pixel, which rounds to the nearest pixel. */
enum { WARP_LEAD = TAPS > 1 ? TAPS / 2 - 1 : 0 };
INLINE int warp_half (int bits) { return TAPS == 1 ? 1 << (bits - 1) : 0; }

#define WARP_ARGS PLANE_ARGS, global const int *restrict xs, global const int *restrict ys, int bits, global const float *restrict lanczos

/* A window's weights for a position f, 0 .. 1, pixels after a sample; apart: from weight to weight in the array. */
INLINE void find_weights (float *weights, int apart, float f, global const float *lanczos)
{
#if TAPS == 1
  weights[0] = 1;
#elif TAPS == 2
  weights[0] = 1 - f;
  weights[apart] = f;
#elif TAPS == 4
  weights[0] = ((1 - 0.5f * f) * f - 0.5f) * f;
  weights[apart] = (1.5f * f - 2.5f) * f * f + 1;
  weights[2 * apart] = ((2 - 1.5f * f) * f + 0.5f) * f;
  weights[3 * apart] = (0.5f * f - 0.5f) * f * f;
#else
  const float at = f * LANCZOS_STEPS;
  const int step = (int) at;
  global const float *entry = lanczos + step * TAPS;
  UNROLL for (int k = 0; k < TAPS; k++)
    weights[k * apart] = fma (at - step, entry[TAPS + k] - entry[k], entry[k]);
#endif
}

#if BACKEND_CPU
enum { WARP_PIECE = 64 }; /* pixels whose positions and weights are computed at once */

#if NC == 1
typedef float values_t;
typedef uint uints_t;
#elif NC == 2
typedef float2 values_t;
typedef uint2 uints_t;
#else
typedef float4 values_t;
typedef uint4 uints_t;
#endif
#if NC == 2 || NC == 4
typedef sample_t samples_t __attribute__ ((ext_vector_type (NC)));
typedef int ints_t __attribute__ ((ext_vector_type (NC)));
typedef struct __attribute__ ((packed)) { samples_t samples; } packed_t;
#define WARP_PIXEL(p) ((global const packed_t *) (p))->samples
#endif

INLINE values_t sample_at (global const sample_t *p)
{
#if NC == 1
  return (float) LOAD (p[0]);
#elif NC == 3
  return (values_t) ((float) LOAD (p[0]), (float) LOAD (p[1]), (float) LOAD (p[2]), 0);
#else
  samples_t s = WARP_PIXEL (p) >> (samples_t) SHIFT;
  if (SPARE_BITS)
    s = min (s, (samples_t) MAX_VALUE);
  return __builtin_convertvector (__builtin_convertvector (s, ints_t), values_t);
#endif
}

INLINE void store_pixel (values_t v, global const sample_t *restrict from, global sample_t *restrict to, global const sample_t *restrict mask)
{
  const uints_t rounded = __builtin_astype (clamp (v, (values_t) 0, (values_t) MAX_VALUE) + 0x1.8p23f, uints_t) & 0xffffu;
#if NC == 1
  to[0] = merge_sample (rounded, from[0], mask[0]);
#elif NC == 3
  to[0] = merge_sample (rounded.x, from[0], mask[0]);
  to[1] = merge_sample (rounded.y, from[1], mask[1]);
  to[2] = merge_sample (rounded.z, from[2], mask[2]);
#else
  const samples_t s = __builtin_convertvector (rounded, samples_t) << (samples_t) SHIFT, keep = WARP_PIXEL (mask);
  ((global packed_t *) to)->samples = (s & keep) | (WARP_PIXEL (from) & ~keep);
#endif
}

INLINE values_t load_border_pixel (SRC_PARAMS, int column, int row)
{
  const int x = pixel_place (column, plane), y = row_place (row, plane);
  return x < 0 || y < 0 ? (values_t) plane.value : sample_at (src + src_offset + y * src_stride + x * NC);
}

/* Declares `sum`, of a window's weighted pixels; PIXEL_OF (r, k) is pixel k of row r. */
#define WARP_SUM_WINDOW(sum, LOOP, PIXEL_OF, i)                             \
  values_t sum = 0;                                                         \
  LOOP for (int r = 0; r < TAPS; r++)                                       \
  {                                                                         \
    values_t of_row = 0;                                                    \
    LOOP for (int k = 0; k < TAPS; k++)                                     \
        of_row = fma ((values_t) weights_x[k][i], PIXEL_OF (r, k), of_row); \
    sum = fma ((values_t) weights_y[r][i], of_row, sum);                    \
  }

/* Without ONCE, which asks for vectors of 512 bits: vectors of 256 bits take 4 % less time. */
ITEM_KERNEL_OF (static __attribute__ ((noinline)), warp, (WARP_ARGS), (PLANE_NAMES, xs, ys, bits, lanczos))
{
  const int y = region.y + ITEM (1), width = plane.width / NC, begin = region.x / NC, end = begin + region.width / NC;
  global const sample_t *restrict from = src + (src_offset + y * src_stride);
  global sample_t *restrict to = dst + (dst_offset + y * dst_stride);
  for (int left = begin; left < end; left += WARP_PIECE) {
    const int n = min (WARP_PIECE, end - left);
    int columns[WARP_PIECE], rows[WARP_PIECE];
    float weights_x[TAPS][WARP_PIECE], weights_y[TAPS][WARP_PIECE];
    global const int *restrict own_x = xs + (y * width + left), *restrict own_y = ys + (y * width + left);
    int outside = 0; /* negative if any window leaves the plane */
    WIDE_LOOP
    for (int i = 0; i < n; i++) {
      const int px = own_x[i] + warp_half (bits), py = own_y[i] + warp_half (bits);
      const float unit = 1.0f / (float) (1 << bits);
      columns[i] = (px >> bits) - WARP_LEAD;
      rows[i] = (py >> bits) - WARP_LEAD;
      find_weights (&weights_x[0][i], WARP_PIECE, (float) (px & ((1 << bits) - 1)) * unit, lanczos);
      find_weights (&weights_y[0][i], WARP_PIECE, (float) (py & ((1 << bits) - 1)) * unit, lanczos);
      outside |= columns[i] | (width - TAPS - columns[i]) | rows[i] | (plane.height - TAPS - rows[i]);
    }
    if (outside >= 0) {
      WIDE_LOOP
      for (int i = 0; i < n; i++) {
        global const sample_t *restrict window = src + (src_offset + rows[i] * src_stride + columns[i] * NC);
#define WARP_INSIDE(r, k) sample_at (window + ((r) *src_stride + (k) *NC))
        WARP_SUM_WINDOW (sum, UNROLL, WARP_INSIDE, i)
        store_pixel (sum, from + (left + i) * NC, to + (left + i) * NC, keep + (left + i) * NC - region.x);
      }
    } else {
      for (int i = 0; i < n; i++) {
#define WARP_ANYWHERE(r, k) load_border_pixel (SRC_ARGS, columns[i] + (k), rows[i] + (r))
        values_t result = plane.value;
        if (own_x[i] != INT_MIN) {
          WARP_SUM_WINDOW (sum, ROLLED, WARP_ANYWHERE, i)
          result = sum;
        }
        store_pixel (result, from + (left + i) * NC, to + (left + i) * NC, keep + (left + i) * NC - region.x);
      }
    }
  }
}
#else
INLINE void add_weighed (float *sum, const float *values, float weight)
{
  UNROLL for (int c = 0; c < NC; c++)
    sum[c] = fma (weight, values[c], sum[c]);
}

/* The window's first pixel; is_inside (): whether the plane contains the window, which makes no difference negative. */
INLINE int2 window_at (int px, int py, int bits)
{ return (int2) (((px + warp_half (bits)) >> bits) - WARP_LEAD, ((py + warp_half (bits)) >> bits) - WARP_LEAD); }
INLINE bool is_inside (int2 at, struct plane plane)
{ return (at.x | (plane.width / NC - TAPS - at.x) | at.y | (plane.height - TAPS - at.y)) >= 0; }

/* Appends the pixel at source position (px, py) to an item's pixels, which move down. inside: its window lies in the plane. */
INLINE void add_pixel (int *values, SRC_PARAMS, int px, int py, int bits, global const float *restrict lanczos, const bool inside)
{
  const float unit = 1.0f / (float) (1 << bits);
  const int2 at = window_at (px, py, bits);
  float weights_x[TAPS], weights_y[TAPS], sum[NC] = {0};
  find_weights (weights_x, 1, (float) (px & ((1 << bits) - 1)) * unit, lanczos);
  find_weights (weights_y, 1, (float) (py & ((1 << bits) - 1)) * unit, lanczos);
  if (inside) {
    UNROLL for (int r = 0; r < TAPS; r++) {
      float of_row[NC] = {0}, of_pixel[NC];
      UNROLL for (int k = 0; k < TAPS; k++) {
        load_pixel_values (of_pixel, src + src_offset + (at.y + r) * src_stride + (at.x + k) * NC);
        add_weighed (of_row, of_pixel, weights_x[k]);
      }
      add_weighed (sum, of_row, weights_y[r]);
    }
  } else if (px != INT_MIN) {
    ROLLED for (int r = 0; r < TAPS; r++) {
      float of_row[NC] = {0}, of_pixel[NC];
      ROLLED for (int k = 0; k < TAPS; k++) {
        load_values_by_border (of_pixel, SRC_ARGS, at.x + k, at.y + r);
        add_weighed (of_row, of_pixel, weights_x[k]);
      }
      add_weighed (sum, of_row, weights_y[r]);
    }
  } else {
    UNROLL for (int c = 0; c < NC; c++)
      sum[c] = (float) plane.value;
  }
  UNROLL for (int i = 0; i < ITEM_SAMPLES - NC; i++)
    values[i] = values[i + NC];
  UNROLL for (int c = 0; c < NC; c++)
    values[ITEM_SAMPLES - NC + c] = (int) (as_uint (clamp (sum[c], 0.0f, (float) MAX_VALUE) + 0x1.8p23f) & 0xffff);
}

/* Most items have all windows in the plane. A rolled loop serves the other items. */
kernel void warp (WARP_ARGS)
{
  GPU_ITEM_IN_REGION
  const int width = plane.width / NC, first = item_x / NC;
  xs += item_y * width, ys += item_y * width;
  int values[ITEM_SAMPLES] = {0};
  bool inside = true;
  UNROLL for (int p = 0; p < ITEM_PIXELS; p++) {
    const int x = min (first + p, width - 1);
    inside &= is_inside (window_at (xs[x], ys[x], bits), plane);
  }
  if (inside) {
#if TAPS > 2
#pragma unroll 1
#else
#pragma unroll
#endif
    for (int p = 0; p < ITEM_PIXELS; p++) {
      const int x = min (first + p, width - 1);
      add_pixel (values, SRC_ARGS, xs[x], ys[x], bits, lanczos, true);
    }
  } else {
    ROLLED for (int p = 0; p < ITEM_PIXELS; p++) {
      const int x = min (first + p, width - 1);
      add_pixel (values, SRC_ARGS, xs[x], ys[x], bits, lanczos, false);
    }
  }
  store_item (values, item_y);
}
#endif
