/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Computes the spectra of the blocks of a small picture, and how each block has moved since another picture, whose spectra are `before`:
 * by correlation, or by slopes where it has hardly moved. A group takes a block. */
enum comparison { ALONE, CORRELATED, BY_SLOPES };

kernel void measure_blocks (global const float *restrict small, int4 size_and_step, struct blocks blocks,
    global const float4 *restrict estimate, float4 unit_and_sums, float2 leak, float noise, int comparison,
    global const float *restrict tables, global float *restrict works, global float *restrict spectra, global const float *restrict before,
    global float *restrict surfaces, global float4 *restrict shifts, global float4 *restrict axes)
{
  local float sums[BLOCK], content[BLOCK], best[BLOCK];
  local int rows[BLOCK];
  const int block = get_group_id (0), first = 2 * CELLS * block;
  global float *restrict work = works + first, *restrict surface = surfaces + first, *restrict now = spectra + first;
  before += first;
  ROLLED for (int turn = 0; turn <= (comparison == CORRELATED); turn++) {
    if (turn == 0)
      sample_block (small, size_and_step, blocks, block, *estimate, unit_and_sums.xy, unit_and_sums.z, tables, sums, work);
    else
      multiply_spectra (before, now, tables, noise, content, work);
    transform_block (work, turn == 0 ? now : surface, tables);
  }
  if (comparison == CORRELATED) {
    const float4 axis = axes_of (before, now, noise, leak), shift = top_of (surface + CELLS, unit_and_sums.w, axis, content, best, rows);
    if (get_local_id (0) == 0) {
      shifts[block] = shift;
      axes[block] = axis;
    }
  } else if (comparison == BY_SLOPES && get_local_id (0) == 0)
    shifts[block].xy = small_motion_of (before, now, axes[block]);
}
