/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Proves that OpenCL sees what is in a buffer of another interface, and the other way round: every bit is inverted. */
kernel void
probe_bytes (global const uchar *from, global uchar *to, ulong from_offset, ulong to_offset)
{
  const size_t i = get_global_id (0);
  to[to_offset + i] = ~from[from_offset + i];
}
