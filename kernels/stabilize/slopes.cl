/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds the motion d of blocks that have hardly moved, by least squares. Motion turns frequency k = (u, v) of a block's spectrum by the
 * angle -turn * (k . d), so that -product.im = amount * sin (turn * (k . d)); of so small an angle, the sine is the angle. The normal
 * equations, weighted by `amount`, are (xx, xy; xy, yy) * d * turn = (x, y). Samples are real numbers, so half of the frequencies is
 * enough. An item takes a block. Where axis.z is 0 (correlate.cl), the block shows motion along axis.xy only. */
ITEM_KERNEL (find_slopes, (global const float *restrict before, global const float *restrict now, int n, global const float4 *restrict axes,
    global float4 *restrict shifts), (before, now, n, axes, shifts))
{
  const int block = ITEM (0);
  if (block >= n)
    return;
  before += 2 * CELLS * block, now += 2 * CELLS * block;
  float xx = 0, xy = 0, yy = 0, x = 0, y = 0;
  ROLLED for (int kx = -LOW; kx <= LOW; kx++)
    ROLLED for (int ky = kx > 0 ? 0 : 1; ky * ky <= LOW * LOW - kx * kx; ky++) {
      const int i = (kx + BLOCK) % BLOCK * BLOCK + ky;
      const struct number product = turned_back (load (now, i), load (before, i));
      const float amount = magnitude_of (product), u = (float) kx, v = (float) ky;
      xx += amount * u * u;
      xy += amount * u * v;
      yy += amount * v * v;
      x -= u * product.im;
      y -= v * product.im;
    }
  const float turn = 6.2831853f / BLOCK, square = xx * yy - xy * xy;
  const float4 axis = axes[block];
  float2 moved = (float2) (x * yy - y * xy, y * xx - x * xy) / (square * turn);
  /* a large shift, or edges in one direction only, give no information: then the shift is one with which no motion agrees */
  bool counts = square > 1e-4f * xx * yy && fabs (moved.x) < 2 && fabs (moved.y) < 2;
  if (axis.z <= 0) {
    const float along = (axis.x * x + axis.y * y) / ((axis.x * axis.x * xx + 2 * axis.x * axis.y * xy + axis.y * axis.y * yy) * turn);
    counts = fabs (along) < 2;
    moved = along * axis.xy;
  }
  shifts[block].xy = counts ? moved : (float2) (1e6f, 1e6f);
}
