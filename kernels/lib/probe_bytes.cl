/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Inverts every bit of a buffer of another interface, to test that each side reads the other's writes. */
kernel void probe_bytes (global const uchar *from, global uchar *to, ulong from_offset, ulong to_offset)
{
  const size_t i = get_global_id (0);
  to[to_offset + i] = ~from[from_offset + i];
}
