/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The region, unchanged. (clEnqueueCopyBufferRect refuses planes that begin in the middle of a row of their pitch.) */
kernel void
copy_plane (PLANE_ARGS)
{
#if BACKEND_CPU
  PLANE_BEGIN
  dst[to] = src[at];
#else
  GPU_BEGIN
  global const sample_t *from = src + src_offset + item_y * src_stride + item_x;
  global sample_t *to = dst + dst_offset + item_y * dst_stride + item_x;
  if (ALIGNED && item_x >= region.x && item_x + ITEM_SAMPLES <= region.x + region.z) {
#pragma unroll
    for (int w = 0; w < ITEM_SAMPLES / SAMPLES_PER_WORD; w++)
      ((global uint *) to)[w] = ((global const uint *) from)[w];
  } else {
    for (int i = 0; i < ITEM_SAMPLES; i++)
      if (item_x + i >= region.x && item_x + i < region.x + region.z)
        to[i] = from[i];
  }
#endif
}
