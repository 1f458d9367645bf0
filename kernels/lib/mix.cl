/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Applies the common property `mix` (lib/mix.clh) to the filtered samples in dst. amount: the bits of a double where DOUBLES, else the
 * fixed-point number. The host defines ROWS_AT_ONCE, 1. A sample that the filter did not change keeps all its bits. */
ITEM_KERNEL (mix_plane, (PLANE_ARGS, long amount), (PLANE_NAMES, amount))
{
  EACH_PLACE (sizeof (long), region.width, region.height)
  {
    const int column = region.x + x, row = region.y + y;
    global sample_t *to = dst + (dst_offset + row * dst_stride);
    const sample_t in = (src + (src_offset + row * src_stride))[column], filtered = to[column];
    to[column] = in == filtered ? in : merge_sample ((sample_t) mix_values (LOAD (in), LOAD (filtered), amount), in, keep[column]);
  }
}
