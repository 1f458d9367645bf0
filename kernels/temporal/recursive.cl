/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Denoises each sample by a running value: k = max (0, 1 - |x - y'| / (threshold * max)), y = y' + (1 - strength * k) * (x - y'). y' is the
 * unrounded y of the frame before; in the first frame of a scene y = x. before, after: a float per sample, in rows of a multiple of
 * ITEM_SAMPLES, on the gpu back end of 4, too. begins: whether frames begin scenes. */
#pragma OPENCL FP_CONTRACT OFF
static inline float advance (float x, float before, float per_limit, float strength, int anew) /* anew: begins with x */
{
  const float difference = x - before;
  /* selected by bits, because a select of floats is slow on CPUs */
  const float far = fabs (difference) * per_limit;
  const int within = -(int) (far < 1.0f);
  const float share = 1.0f - strength * as_float (as_int (1.0f - far) & within), next = fma (share, difference, before);
  return as_float ((as_int (x) & -anew) | (as_int (next) & ~-anew));
}

ITEM_KERNEL (temporal_recursive, (PLANE_ARGS, global const int *restrict begins, int frame, int first, float per_limit, float strength,
    global const float *restrict before, global float *restrict after, int state_stride), (PLANE_NAMES, begins, frame, first, per_limit,
    strength, before, after, state_stride))
{
  const int anew = first || begins[frame];
#if BACKEND_CPU
  before += (region.y + ITEM_Y) * state_stride + region.x;
  after += (region.y + ITEM_Y) * state_stride + region.x;
  PLANE_BEGIN (sizeof (short))
  const float y = advance ((float) VAL, before[item_x], per_limit, strength, anew);
  after[item_x] = y;
  OUT (as_int (y + 0x1.8p23f) - as_int (0x1.8p23f));
  PLANE_END
#else
  GPU_ITEM_IN_REGION
  int x[ITEM_SAMPLES];
  load_point (x, item_x, item_y);
  /* rows and items are whole vectors, which the compiler does not know */
  const int state = (item_y * state_stride + item_x) / 4;
  global const float4 *restrict from = (global const float4 *) before + state;
  global float4 *restrict to = (global float4 *) after + state;
  UNROLL for (int s = 0; s < ITEM_SAMPLES; s += 4) {
    float y[4];
    vstore4 (from[s / 4], 0, y);
    UNROLL for (int i = 0; i < 4; i++) {
      y[i] = advance ((float) x[s + i], y[i], per_limit, strength, anew);
      x[s + i] = as_int (y[i] + 0x1.8p23f) - as_int (0x1.8p23f);
    }
    to[s / 4] = vload4 (0, y);
  }
  store_item (x, item_y);
#endif
}
