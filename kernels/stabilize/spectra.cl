/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A sample of the small picture at (u, v), interpolated linearly; beyond its edge the sample at the edge. */
static inline float sample_at (global const float *restrict small, int width, int height, float u, float v)
{
  const float inside_u = fmin (fmax (u, 0.0f), (float) (width - 1)), inside_v = fmin (fmax (v, 0.0f), (float) (height - 1));
  const int i = (int) inside_u, j = (int) inside_v, at = j * width + i, right = i + 1 < width, below = j + 1 < height ? width : 0;
  const float part_u = inside_u - (float) i, part_v = inside_v - (float) j, upper = small[at] + part_u * (small[at + right] - small[at]);
  const float lower = small[at + below] + part_u * (small[at + below + right] - small[at + below]);
  return upper + part_v * (lower - upper);
}

/* Computes the spectra of blocks, without their mean, through a window that falls to 0 at the edge. estimate: the motion of the picture
 * (fit.cl); blocks are taken from where they have moved to. unit: a sample of the small picture in pixels of the frame; then the window's
 * sum. size: of the small picture, of which blocks take every step-th sample, 1 or 2. */
kernel void find_spectra (global const float *restrict small, struct blocks blocks, global const float *restrict tables,
    global const float4 *restrict estimate, float4 unit_and_window, int4 size_and_step, global float *restrict works,
    global float *restrict spectra)
{
  local float sums[BLOCK];
  const int block = get_group_id (0), width = size_and_step.x, height = size_and_step.y;
  global float *restrict work = works + 2 * CELLS * block;
  const float2 unit = unit_and_window.xy;
  const float4 moved = *estimate;
  const float step = (float) size_and_step.z;
  /* places from the middle, in samples of the small picture */
  const float left = step * ((float) block_start (block % blocks.columns, blocks.columns, blocks.width) + 0.5f - 0.5f * (float) blocks.width);
  const float top = step * ((float) block_start (block / blocks.columns, blocks.rows, blocks.height) + 0.5f - 0.5f * (float) blocks.height);
  const float across = 1.0f + moved.x, aside = -moved.y * unit.y / unit.x, down = moved.y * unit.x / unit.y;
  const float2 start = moved.zw / unit + 0.5f * (float2) ((float) width, (float) height) - 0.5f;

  EACH_COLUMN (x) sums[x] = 0;
  ROLLED for (int y = 0; y < BLOCK; y++) {
    const float row_x = aside * (top + step * (float) y) + start.x, row_y = across * (top + step * (float) y) + start.y;
    const float weight = window_y (tables, y);
    EACH_COLUMN (x)
    {
      const float value = sample_at (
          small, width, height, across * (left + step * (float) x) + row_x, down * (left + step * (float) x) + row_y);
      work[y * BLOCK + x] = value;
      sums[x] += weight * window_x (tables, x) * value;
    }
  }
  group_barrier (CLK_LOCAL_MEM_FENCE);
  float all = 0;
  ROLLED for (int x = 0; x < BLOCK; x++)
    all += sums[x];
  const float mean = all / unit_and_window.z;
  ROLLED for (int y = 0; y < BLOCK; y++) {
    const float weight = window_y (tables, y);
    EACH_COLUMN (x) store (work, y * BLOCK + x, (work[y * BLOCK + x] - mean) * weight * window_x (tables, x), 0);
  }
  transform_block (work, spectra + 2 * CELLS * block, tables);
}
