/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Applies the common property `mix` (lib/mix.clh) to the filtered samples in dst. amount: the bits of a double with DOUBLES, else a number
 * with 40 fraction bits. The host defines ROWS_AT_ONCE, 1. A sample that the filter did not change keeps all its bits. */
#if BACKEND_CPU
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
#else
#define FILTERED_ARGS dst, dst_offset, dst_stride, plane
kernel void mix_plane (PLANE_ARGS, long amount)
{
  GPU_ITEM_IN_REGION
  uint in[ITEM_WORDS], words[ITEM_WORDS];
  load_rows (in, 1, ITEM_WORDS, SRC_ARGS, item_x, item_y, 0);
  load_rows (words, 1, ITEM_WORDS, FILTERED_ARGS, item_x, item_y, 0);
  UNROLL for (int i = 0; i < ITEM_SAMPLES; i++) {
    const int w = i / SAMPLES_PER_WORD, at = i % SAMPLES_PER_WORD;
    const uint mask = (uint) (sample_t) ~0 << SAMPLE_BITS * at;
    const uint mixed = (uint) mix_values (unpack_sample (in[w], at), unpack_sample (words[w], at), amount) << SHIFT;
    words[w] = (in[w] ^ words[w]) & mask ? (words[w] & ~mask) | mixed << SAMPLE_BITS * at : words[w];
  }
  store_row (DST_ARGS, words, in, item_x, item_y);
}
#endif
