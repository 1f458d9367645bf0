/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Erosion or dilation by any element, for the gpu back end, in passes over planes with room for the samples outside the
 * frame: the first fills such a plane, each of the following takes minima of few samples of the plane before it.
 *
 * Has no row in docs/performance.md, whose elements are rectangles. */

/* The plane with what lies outside it: sample (x, y) of dst is sample (x + shift.x, y + shift.y) of src. */
kernel void
morphology_load (PLANE_ARGS, int flip, int2 shift)
{
  GPU_ITEM
  if (!ITEM_IN_REGION)
    return;
  int values[ITEM_SAMPLES];
  load_span (values, item_x + shift.x, ITEM_SAMPLES, item_y + shift.y, 0);
  global uint *to = (global uint *) (dst + dst_offset + item_y * dst_stride + item_x);
#pragma unroll
  for (int w = 0; w < ITEM_WORDS; w++) {
    uint word = 0;
#pragma unroll
    for (int i = 0; i < SAMPLES_PER_WORD; i++)
      word |= (uint) (values[w * SAMPLES_PER_WORD + i] << SHIFT) << (SAMPLE_BITS * i);
    to[w] = word ^ word_of (flip);
  }
}

/* The least of several samples, whose places are counted from the sample that stands `shift` from the one that is
 * written.
 *
 *   line      line.x samples spread over line.y pixels, each of them line.z samples and line.w rows; or
 *   entries   where line.x is 0, those from first on, n_entries of them, each at x, y of plane number z of several
 *             one after another in src
 *   last      whether dst is the result, and not another plane to gather from */
kernel void
morphology_gather (PLANE_ARGS, MORPHOLOGY_ARGS, global const sample_t *restrict original, int2 original_place,
    int2 shift, int plane_samples, int4 line, global const int4 *restrict entries, int first, int n_entries,
    int last)
{
  GPU_ITEM
  if (!ITEM_IN_REGION)
    return;
  const int at = src_offset + (item_y + shift.y) * src_stride + item_x + shift.x;
  uint least[ITEM_WORDS][WORD_LANES];
#pragma unroll
  for (int w = 0; w < ITEM_WORDS; w++)
#pragma unroll
    for (int i = 0; i < WORD_LANES; i++)
      least[w][i] = LANE_OF_WORD (0xffffffff, i);

  for (int e = 0; e < (line.x ? line.x : n_entries); e++) {
    const int along = line.x > 1 ? line.y * e / (line.x - 1) : 0;
    const int4 entry = line.x ? (int4) (along * line.z, along * line.w, 0, 0) : entries[first + e];
    const int from = at + entry.z * plane_samples + entry.y * src_stride + entry.x;
    uint words[ITEM_WORDS + 1];
    const int begin = from / SAMPLES_PER_WORD, bits = from % SAMPLES_PER_WORD * SAMPLE_BITS;
    global const uint *source = (global const uint *) src + begin;
    if (begin % 4 == 0 && ITEM_WORDS == 4) {
      const uint4 quad = *(global const uint4 *) source;
      words[0] = quad.x;
      words[1] = quad.y;
      words[2] = quad.z;
      words[3] = quad.w;
    } else {
#pragma unroll
      for (int w = 0; w < ITEM_WORDS; w++)
        words[w] = source[w];
    }
    if (bits) {
      words[ITEM_WORDS] = source[ITEM_WORDS];
#pragma unroll
      for (int w = 0; w < ITEM_WORDS; w++)
        words[w] = words[w] >> bits | words[w + 1] << (32 - bits);
    }
#pragma unroll
    for (int w = 0; w < ITEM_WORDS; w++)
#pragma unroll
      for (int i = 0; i < WORD_LANES; i++)
        least[w][i] = LEAST (least[w][i], LANE_OF_WORD (words[w], i));
  }

  uint words[ITEM_WORDS];
#pragma unroll
  for (int w = 0; w < ITEM_WORDS; w++)
    words[w] = WORD_OF_LANES (least[w]);
  if (last) {
    store_extrema (dst, dst_offset, dst_stride, keep, region, flip, finish, joined, joined_place, other, other_place,
        original, original_place, words, item_x, item_y);
  } else {
    global uint *to = (global uint *) (dst + dst_offset + item_y * dst_stride + item_x);
#pragma unroll
    for (int w = 0; w < ITEM_WORDS; w++)
      to[w] = words[w];
  }
}
