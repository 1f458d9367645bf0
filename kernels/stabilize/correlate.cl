/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Phase correlation: finds how far each block has moved between two pictures. axes_of () is the direction in which a block shows motion
 * best, and how well it does in the other one, 0..1: stripes show motion across them only. leak: mean squared frequencies of the window. */
ONCE_ON_CPU float4 axes_of (global const float *restrict before, global const float *restrict now, float noise, float2 leak)
{
  float all = 0, xx = 0, xy = 0, yy = 0;
  ROLLED for (int kx = -LOW; kx <= LOW; kx++)
    ROLLED for (int ky = -LOW; ky <= LOW; ky++) {
      const int i = (kx + BLOCK) % BLOCK * BLOCK + (ky + BLOCK) % BLOCK;
      const float amount = fmax (magnitude_of (turned_back (load (now, i), load (before, i))) - 4 * noise, 0.0f);
      const float u = (float) kx, v = (float) ky;
      all += amount;
      xx += amount * u * u;
      xy += amount * u * v;
      yy += amount * v * v;
    }
  if (all <= 0)
    return (float4) (1, 0, 0, 0);
  xx = xx / all - leak.x;
  yy = yy / all - leak.y;
  xy /= all;
  const float middle = 0.5f * (xx + yy), apart = sqrt (0.25f * (xx - yy) * (xx - yy) + xy * xy);
  const float2 along = xx > yy ? (float2) (middle + apart - yy, xy) : (float2) (xy, middle + apart - xx);
  const float length = sqrt (along.x * along.x + along.y * along.y);
  return (float4) (length > 0 ? along / length : (float2) (1, 0), clamp ((middle - apart) * 10 - 0.5f, 0.0f, 1.0f), 0);
}

/* The place of the maximum of a parabola through three values, of which `top` is at position i of a period. */
static inline float top_place (int i, float before, float top, float after)
{
  const float bend = before + after - 2 * top;
  return (float) (i < BLOCK / 2 ? i : i - BLOCK) + (bend < 0 ? 0.5f * (before - after) / bend : 0.0f);
}

/* A block's motion, in samples of the small picture, is where the inverse transform of the normalised product of both spectra is greatest.
 * shifts: the motion; the response, 1 where the whole block moves and little where nothing is found again; the greatest response that its
 * content allows. noise is added to amounts, so that frequencies below it count little; norm is the sum of the low pass. */
kernel void correlate_blocks (global const float *restrict before, global const float *restrict now, global const float *restrict tables,
    float noise, float norm, float2 leak, global float *restrict works, global float *restrict surfaces, global float4 *restrict shifts,
    global float4 *restrict axes)
{
  local float content[BLOCK], best[BLOCK];
  local int rows[BLOCK];
  const int block = get_group_id (0), first = 2 * CELLS * block;
  before += first, now += first, works += first, surfaces += first;
  EACH_COLUMN (x)
  {
    content[x] = 0;
    best[x] = -1;
    rows[x] = 0;
  }
  ROLLED for (int y = 0; y < BLOCK; y++) {
    const float pass = low_pass (tables, y);
    EACH_COLUMN (x)
    {
      const int i = y * BLOCK + x;
      const struct number product = turned_back (load (now, i), load (before, i));
      const float amount = magnitude_of (product), weight = pass * low_pass (tables, x) / (amount + noise);
      store (works, i, product.im * weight, product.re * weight);
      content[x] += amount * weight;
    }
  }
  transform_block (works, surfaces, tables);
  global const float *restrict values = surfaces + CELLS;
  ROLLED for (int y = 0; y < BLOCK; y++)
    EACH_COLUMN (x)
    {
      const float value = values[y * BLOCK + x];
      rows[x] = value > best[x] ? y : rows[x];
      best[x] = value > best[x] ? value : best[x];
    }
  group_barrier (CLK_LOCAL_MEM_FENCE);
  if (get_local_id (0) != 0)
    return;
  int at = 0;
  float all = 0;
  ROLLED for (int x = 0; x < BLOCK; x++) {
    all += content[x];
    at = best[x] > best[at] ? x : at;
  }
  const int row = rows[at], up = (row + BLOCK - 1) % BLOCK, down = (row + 1) % BLOCK;
  const float top = best[at];
  const float x = top_place (at, values[row * BLOCK + (at + BLOCK - 1) % BLOCK], top, values[row * BLOCK + (at + 1) % BLOCK]);
  const float y = top_place (row, values[up * BLOCK + at], top, values[down * BLOCK + at]);
  const float4 axis = axes_of (before, now, noise, leak);
  const float along = axis.x * x + axis.y * y;
  shifts[block] = (float4) (axis.z > 0 ? x : along * axis.x, axis.z > 0 ? y : along * axis.y, top / norm, all / norm);
  axes[block] = axis;
}
