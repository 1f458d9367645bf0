/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The common property `mix`: out = round (in + amount * (filtered - in)), in place of the filtered samples in dst. Without double precision
 * the product is a fixed-point number of 40 bits, which is rounded to 20 bits, so that an intended tie such as 0.1 * 5 is a tie again. A
 * sample that the filter did not change keeps all stored bits. */
#if DOUBLES
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

static inline int
mix_values (int in, int filtered, long amount_bits)
{
#if DOUBLES
  /* 1.5 * 2^52 leaves no fraction bits; rint would be a call that a CPU's vectoriser stops at */
  return (int) as_long (in + as_double (amount_bits) * (filtered - in) + 6755399441055744.0);
#else
  const long product = amount_bits * (filtered - in);
  const long scaled = (product + (1L << 19)) >> 20;
  const long whole = scaled >> 20, part = scaled & ((1L << 20) - 1), middle = 1L << 19;
  const long up = part > middle || (part == middle && ((in + whole) & 1));
  return (int) (in + whole + up);
#endif
}

#define ROWS_AT_ONCE 1

/* amount: the bits of a double where DOUBLES, else the fixed-point number */
kernel void
mix_plane (PLANE_ARGS, long amount)
{
  EACH_PLACE (sizeof (long), region.width, region.height)
  {
    const int column = region.x + x, row = region.y + y;
    global sample_t *to = dst + (dst_offset + row * dst_stride);
    const sample_t in = (src + (src_offset + row * src_stride))[column], filtered = to[column];
    to[column] = in == filtered ? in : merge_sample ((sample_t) mix_values (LOAD (in), LOAD (filtered), amount), in, keep[column]);
  }
}
