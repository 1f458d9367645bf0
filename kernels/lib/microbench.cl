/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Kernels that measure a device. n is the number of items. The host defines WORD, which copy_words () moves; EXPONENTIAL, a function;
 * UNROLLED, how many rounds of multiply_adds () are unrolled; IMAGES where the device has images. */
/* reread () and reread_local () read MICROBENCH_WORDS uint4, a power of two, again and again. MICROBENCH_STEP, from one read to the next,
 * is whole cache lines; so many reads pass until a uint4 comes again that compilers do not keep it in registers. */
enum { MICROBENCH_WORDS = 512 };
enum { MICROBENCH_STEP = 72 };

kernel void copy_words (global const WORD *restrict src, global WORD *restrict dst, uint n)
{
  const size_t i = get_global_id (0);
  if (i < n)
    dst[i] = src[i];
}

/* Neighbouring items copy words that are 64 bytes apart. n is a multiple of 16. */
kernel void copy_strided (global const uint *restrict src, global uint *restrict dst, uint n)
{
  const uint i = (uint) get_global_id (0), lines = n / 16;
  if (i < n) {
    const uint at = i % lines * 16 + i / lines;
    dst[at] = src[at];
  }
}

enum { MICROBENCH_TILE = 1024 }; /* uint4 of a group; n is a multiple of MICROBENCH_TILE */
kernel void copy_async (global const uint4 *restrict src, global uint4 *restrict dst, uint n)
{
  local uint4 words[MICROBENCH_TILE];
  const size_t first = get_group_id (0) * MICROBENCH_TILE;
  event_t read = async_work_group_copy (words, src + first, (size_t) MICROBENCH_TILE, 0);
  wait_group_events (1, &read);
  barrier (CLK_LOCAL_MEM_FENCE);
  event_t written = async_work_group_copy (dst + first, words, (size_t) MICROBENCH_TILE, 0);
  wait_group_events (1, &written);
}

kernel void copy_prefetched (global const uint4 *restrict src, global uint4 *restrict dst, uint n)
{
  const size_t items = get_local_size (0), first = get_group_id (0) * items * 16 + get_local_id (0);
  for (int i = 0; i < 16; i++) {
    const size_t at = first + i * items;
    prefetch (src + at + items, (size_t) 1);
    if (at < n)
      dst[at] = src[at];
  }
}

kernel void exponentials (global const float *restrict src, global float *restrict dst, uint rounds) /* each of the last result */
{
  float v = src[get_global_id (0)];
  for (uint i = 0; i < rounds; i++)
    v = EXPONENTIAL (-fabs (v));
  dst[get_global_id (0)] = v;
}

kernel void multiply_adds (global const float *restrict src, global float *restrict dst, uint rounds)
{
  const float a = src[get_global_id (0)];
  float v = a;
#pragma unroll UNROLLED
  for (uint i = 0; i < rounds; i++)
    v = v * 0.5f + a;
  dst[get_global_id (0)] = v;
}

kernel void nothing (global uint *dst, uint n) /* dst keeps drivers from leaving the launch out */
{
  if (n > 0)
    dst[get_global_id (0)] = n;
}

kernel void reread (global const uint4 *restrict src, global uint4 *restrict dst, uint rounds)
{
  const uint item = get_local_id (0), first = (uint) get_group_id (0) * MICROBENCH_WORDS;
  uint4 sum = 0;
#pragma unroll 8
  for (uint round = 0; round < rounds; round++)
    sum += src[first + ((item + round * MICROBENCH_STEP) & (MICROBENCH_WORDS - 1))];
  dst[get_global_id (0)] = sum;
}

kernel void reread_local (global const uint4 *restrict src, global uint4 *restrict dst, uint rounds)
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

kernel void copy_image (read_only image2d_t src, write_only image2d_t dst, int pixels)
{
  for (int i = 0; i < pixels; i++) {
    const int2 at = (int2) (get_global_id (0) * pixels + i, get_global_id (1));
    write_imagef (dst, at, read_imagef (src, nearest, at));
  }
}
#endif
