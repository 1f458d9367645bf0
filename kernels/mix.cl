/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The common property `mix`: out = round (in + amount * (filtered - in)), in place of the filtered samples in dst.
 *
 * Where the device has no double precision the product is a fixed-point number of 40 bits behind the point, in which
 * what is meant as a tie, such as 0.1 * 5, is a tie again after rounding to 20 bits. */
#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

static inline int
mix_values (int in, int filtered, long amount_bits)
{
#ifdef cl_khr_fp64
  return (int) rint (in + as_double (amount_bits) * (filtered - in));
#else
  const long product = amount_bits * (filtered - in);
  const long scaled = (product + (1L << 19)) >> 20;
  const long whole = scaled >> 20, part = scaled & ((1L << 20) - 1), half = 1L << 19;
  const long up = part > half || (part == half && ((in + whole) & 1));
  return (int) (in + whole + up);
#endif
}

/* amount: the bits of a double where the device has cl_khr_fp64, else the fixed-point number */
kernel void
mix_plane (PLANE_ARGS, long amount)
{
#if BACKEND_CPU
  PLANE_BEGIN
  const int x = item_x;
  /* the last group of a row overlaps the one before, which has mixed these samples already */
  if (x < (int) (get_group_id (0) * get_local_size (0)))
    return;
#else
  const int x = region.x + (int) get_global_id (0), y = region.y + (int) get_global_id (1);
  if (x >= region.x + region.z || y >= region.y + region.w)
    return;
  const int at = src_offset + y * src_stride + x, to = dst_offset + y * dst_stride + x;
#endif
  dst[to] = merge_sample ((sample_t) mix_values (LOAD (src[at]), LOAD (dst[to]), amount), src[at], keep[x]);
}
