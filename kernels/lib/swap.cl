/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A plane of 16-bit samples, their bytes in the other order. */
kernel void
swap_plane (global const ushort *restrict src, int2 src_at, global ushort *restrict dst, int2 dst_at, int2 size)
{
#if BACKEND_CPU
  const int first = get_global_id (1) * ROWS_AT_ONCE, last = min (first + ROWS_AT_ONCE, size.y);
  for (int y = first; y < last; y++)
    ROW_LOOP (sizeof (ushort))
    for (int x = 0; x < size.x; x++) {
#else
  const int x = get_global_id (0), y = get_global_id (1);
  if (x < size.x && y < size.y) {
#endif
    const ushort sample = src[src_at.x + y * src_at.y + x];
    dst[dst_at.x + y * dst_at.y + x] = sample << 8 | sample >> 8;
  }
}
