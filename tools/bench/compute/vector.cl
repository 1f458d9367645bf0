/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sums of two vectors of floats: result[i] = a[i] + b[i]; result may be a or b.
 *
 * The host defines BACKEND_CPU or BACKEND_GPU, and ALIGNED where four elements can be loaded at once from every vector's
 * beginning.
 */
kernel void
vector_add (global const float *a, ulong a_offset, global const float *b, ulong b_offset, global float *result,
    ulong result_offset, ulong length)
{
  global const float *from_a = a + a_offset, *from_b = b + b_offset;
  global float *to = result + result_offset;
#if BACKEND_CPU
#define CHUNK 16384
  const ulong end = min ((get_global_id (0) + 1) * (ulong) CHUNK, length);
  ulong i = get_global_id (0) * (ulong) CHUNK;
  for (; i + 16 <= end; i += 16)
    vstore16 (vload16 (0, from_a + i) + vload16 (0, from_b + i), 0, to + i);
  for (; i < end; i++)
    to[i] = from_a[i] + from_b[i];
#else
  /* two times four elements per work item; neighbouring items access neighbouring elements */
  const ulong first = get_group_id (0) * get_local_size (0) * (ulong) 8 + get_local_id (0) * 4;
#pragma unroll
  for (int part = 0; part < 2; part++) {
    const ulong i = first + part * get_local_size (0) * 4;
#if ALIGNED
    if (i + 4 <= length) {
      *(global float4 *) (to + i) = *(global const float4 *) (from_a + i) + *(global const float4 *) (from_b + i);
      continue;
    }
#endif
    for (ulong k = i; k < min (i + 4, length); k++)
      to[k] = from_a[k] + from_b[k];
  }
#endif
}
