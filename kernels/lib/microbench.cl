/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a device can do at best: copies by items of different sizes, reads that caches and local memory serve, and
 * nothing at all. n counts items; the host defines IMAGES where the device has images. */

/* What reread() and reread_local() go over again and again, in uint4; a power of two. */
#define MICROBENCH_WORDS 512
/* From one to the next: whole cache lines, and so many rounds until the same words come again that no compiler keeps them in registers. */
#define MICROBENCH_STEP 72

kernel void
copy_16 (global const uint4 *restrict src, global uint4 *restrict dst, uint n)
{
  const size_t i = get_global_id (0);
  if (i < n)
    dst[i] = src[i];
}

kernel void
copy_4 (global const uint *restrict src, global uint *restrict dst, uint n)
{
  const size_t i = get_global_id (0);
  if (i < n)
    dst[i] = src[i];
}

kernel void
copy_1 (global const uchar *restrict src, global uchar *restrict dst, uint n)
{
  const size_t i = get_global_id (0);
  if (i < n)
    dst[i] = src[i];
}

/* A launch that does no work; dst keeps compilers and drivers from leaving it out. */
kernel void
nothing (global uint *dst, uint n)
{
  if (n > 0)
    dst[get_global_id (0)] = n;
}

/* Each group reads words of its own so often that they come from the nearest cache. */
kernel void
reread (global const uint4 *restrict src, global uint4 *restrict dst, uint rounds)
{
  const uint item = get_local_id (0);
  const uint first = (uint) get_group_id (0) * MICROBENCH_WORDS;
  uint4 sum = 0;
#pragma unroll 8
  for (uint round = 0; round < rounds; round++)
    sum += src[first + ((item + round * MICROBENCH_STEP) & (MICROBENCH_WORDS - 1))];
  dst[get_global_id (0)] = sum;
}

kernel void
reread_local (global const uint4 *restrict src, global uint4 *restrict dst, uint rounds)
{
  local uint4 words[MICROBENCH_WORDS];
  const uint item = get_local_id (0);
  for (uint i = item; i < MICROBENCH_WORDS; i += get_local_size (0))
    words[i] = src[(uint) get_group_id (0) * MICROBENCH_WORDS + i];
  barrier (CLK_LOCAL_MEM_FENCE);
  uint4 sum = 0;
#pragma unroll 8
  for (uint round = 0; round < rounds; round++)
    sum += words[(item + round * MICROBENCH_STEP) & (MICROBENCH_WORDS - 1)];
  dst[get_global_id (0)] = sum;
}

#if IMAGES
constant sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_NONE | CLK_FILTER_NEAREST;

kernel void
copy_image (read_only image2d_t src, write_only image2d_t dst)
{
  const int2 at = (int2) (get_global_id (0), get_global_id (1));
  write_imagef (dst, at, read_imagef (src, nearest, at));
}
#endif
