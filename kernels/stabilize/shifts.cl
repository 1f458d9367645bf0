/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds how far each block has moved between two pictures, in samples of the small picture. Of a block the result has the shift, the
 * response, which is 1 where all of the block moves and little where nothing of it is found again, and the greatest response that
 * its content allows, which is little where it has none.
 *
 * A block of stripes tells of motion across them alone. axes has the direction that a block tells of best, and how well it tells of the
 * other one, 0..1. */

/* Of that part of the spectrum is what moves found. */
#define SHIFT_LOW 8

/* leak: mean squares of frequencies that the window alone gives; noise as below. */
static inline float4
axes_of (global const float *restrict p, global const float *restrict c, float noise, float2 leak)
{
  float all = 0, xx = 0, xy = 0, yy = 0;
  for (int kx = -SHIFT_LOW; kx <= SHIFT_LOW; kx++)
    for (int ky = -SHIFT_LOW; ky <= SHIFT_LOW; ky++) {
      const int i = (kx + BLOCK) % BLOCK * BLOCK + (ky + BLOCK) % BLOCK;
      const float re = c[i] * p[i] + c[CELLS + i] * p[CELLS + i], im = c[CELLS + i] * p[i] - c[i] * p[CELLS + i];
      const float amount = fmax (sqrt (re * re + im * im) - 4 * noise, 0.0f), u = (float) kx, v = (float) ky;
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
  const float2 one = (float2) (xy, middle + apart - xx), other = (float2) (middle + apart - yy, xy);
  const float2 along = xx > yy ? other : one;
  const float length = sqrt (along.x * along.x + along.y * along.y);
  const float2 axis = length > 0 ? along / length : (float2) (1, 0);
  return (float4) (axis, clamp ((middle - apart) * 10 - 0.5f, 0.0f, 1.0f), 0);
}

/* By phase correlation: the place of the greatest value of what the normalised product of both spectra transforms to. noise is
 * added to amounts, so that frequencies count by what they have above it; norm is the sum of the low pass. */
kernel void
correlate_blocks (global const float *restrict before, global const float *restrict now, global const float *restrict tables,
    float noise, float norm, float2 leak, global float *restrict works, global float *restrict surfaces, global float4 *restrict shifts,
    global float4 *restrict axes)
{
  local float content[BLOCK], best[BLOCK];
  local int rows[BLOCK];
  const int block = BLOCK_NUMBER;
  global const float *restrict p = before + 2 * CELLS * block, *restrict c = now + 2 * CELLS * block;
  global float *restrict work = works + 2 * CELLS * block, *restrict surface = surfaces + 2 * CELLS * block;
  EACH_COLUMN (x)
  {
    content[x] = 0;
    best[x] = -1;
    rows[x] = 0;
  }
  for (int y = 0; y < BLOCK; y++) {
    const float pass = LOW_PASS (tables, y);
    EACH_COLUMN (x)
    {
      const int i = y * BLOCK + x;
      const float re = c[i] * p[i] + c[CELLS + i] * p[CELLS + i], im = c[CELLS + i] * p[i] - c[i] * p[CELLS + i];
      const float amount = sqrt (re * re + im * im), weight = pass * LOW_PASS (tables, x) / (amount + noise);
      work[i] = im * weight;
      work[CELLS + i] = re * weight;
      content[x] += amount * weight;
    }
  }
  transform_block (work, surface, tables);
  global const float *restrict values = surface + CELLS;
  for (int y = 0; y < BLOCK; y++)
    EACH_COLUMN (x)
    {
      const float value = values[y * BLOCK + x];
      rows[x] = value > best[x] ? y : rows[x];
      best[x] = value > best[x] ? value : best[x];
    }
  SYNCHRONIZE (CLK_LOCAL_MEM_FENCE);
  if (!IS_FIRST_ITEM)
    return;
  int at = 0;
  float all = 0;
  for (int x = 0; x < BLOCK; x++) {
    all += content[x];
    at = best[x] > best[at] ? x : at;
  }
  /* the top of the parabola through the neighbours */
  const int row = rows[at];
  const float top = best[at], left = values[row * BLOCK + (at + BLOCK - 1) % BLOCK], right = values[row * BLOCK + (at + 1) % BLOCK];
  const float above = values[(row + BLOCK - 1) % BLOCK * BLOCK + at], below = values[(row + 1) % BLOCK * BLOCK + at];
  const float bend_x = left + right - 2 * top, bend_y = above + below - 2 * top;
  const float x = (float) (at < BLOCK / 2 ? at : at - BLOCK) + (bend_x < 0 ? 0.5f * (left - right) / bend_x : 0.0f);
  const float y = (float) (row < BLOCK / 2 ? row : row - BLOCK) + (bend_y < 0 ? 0.5f * (above - below) / bend_y : 0.0f);
  const float4 axis = axes_of (p, c, noise, leak);
  const float along = axis.x * x + axis.y * y;
  shifts[block] = (float4) (axis.z > 0 ? x : along * axis.x, axis.z > 0 ? y : along * axis.y, top / norm, all / norm);
  axes[block] = axis;
}

/* Of blocks that have hardly moved: the plane through the phases of low frequencies, by least squares with the amounts as
 * weights, where an angle is as good as its sine. Responses stay. An item takes a block. */
kernel void
find_slopes (global const float *restrict before, global const float *restrict now, int n, global const float4 *restrict axes,
    global float4 *restrict shifts)
{
  const int block = (int) get_global_id (0);
  if (block >= n)
    return;
  global const float *restrict p = before + 2 * CELLS * block, *restrict c = now + 2 * CELLS * block;
  float xx = 0, xy = 0, yy = 0, x = 0, y = 0;
  for (int kx = -SHIFT_LOW; kx <= SHIFT_LOW; kx++)
    for (int ky = kx > 0 ? 0 : 1; ky * ky <= SHIFT_LOW * SHIFT_LOW - kx * kx; ky++) {
      const int i = (kx + BLOCK) % BLOCK * BLOCK + ky;
      const float re = c[i] * p[i] + c[CELLS + i] * p[CELLS + i], im = c[CELLS + i] * p[i] - c[i] * p[CELLS + i];
      const float amount = sqrt (re * re + im * im), u = (float) kx, v = (float) ky;
      xx += amount * u * u;
      xy += amount * u * v;
      yy += amount * v * v;
      x -= u * im;
      y -= v * im;
    }
  const float turn = 6.2831853f / BLOCK, square = xx * yy - xy * xy;
  const float4 axis = axes[block];
  if (axis.z <= 0) {
    const float along = (axis.x * x + axis.y * y)
                        / ((axis.x * axis.x * xx + 2 * axis.x * axis.y * xy + axis.y * axis.y * yy) * turn);
    shifts[block].xy = fabs (along) < 2 ? along * axis.xy : (float2) (1e6f, 1e6f);
    return;
  }
  const float moved_x = (x * yy - y * xy) / (square * turn), moved_y = (y * xx - x * xy) / (square * turn);
  /* blocks that are not near, or have an edge in one direction only, give no information */
  const bool counts = square > 1e-4f * xx * yy && fabs (moved_x) < 2 && fabs (moved_y) < 2;
  shifts[block].xy = counts ? (float2) (moved_x, moved_y) : (float2) (1e6f, 1e6f);
}
