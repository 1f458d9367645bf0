/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds the motion of blocks that have hardly moved: a plane through the phases of low frequencies by least squares, weighted by
 * amplitudes. Angles are so small that the sine replaces them. An item takes a block. */
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
      const float amount = size_of (product), u = (float) kx, v = (float) ky;
      xx += amount * u * u;
      xy += amount * u * v;
      yy += amount * v * v;
      x -= u * product.im;
      y -= v * product.im;
    }
  const float turn = 6.2831853f / BLOCK, square = xx * yy - xy * xy;
  const float4 axis = axes[block];
  float2 moved = (float2) (x * yy - y * xy, y * xx - x * xy) / (square * turn);
  /* large shifts, or an edge in one direction only, give no information */
  bool counts = square > 1e-4f * xx * yy && fabs (moved.x) < 2 && fabs (moved.y) < 2;
  if (axis.z <= 0) {
    const float along = (axis.x * x + axis.y * y) / ((axis.x * axis.x * xx + 2 * axis.x * axis.y * xy + axis.y * axis.y * yy) * turn);
    counts = fabs (along) < 2;
    moved = along * axis.xy;
  }
  shifts[block].xy = counts ? moved : (float2) (1e6f, 1e6f);
}
