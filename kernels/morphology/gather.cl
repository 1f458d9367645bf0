/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Erosion or dilation by any shape, gpu, in passes over scratch planes that also hold the samples outside the frame: the first pass fills
 * such a plane, each later pass takes minima of a few samples from planes of earlier passes. */
/* The first pass: sample (x, y) of dst is sample (x + shift.x, y + shift.y) of src, or outside the frame its replacement. */
kernel void morphology_load (PLANE_ARGS, int flip, int2 shift)
{
  GPU_ITEM_IN_REGION
  uint words[ITEM_WORDS];
  load_rows (words, 1, ITEM_WORDS, SRC_ARGS, item_x + shift.x, item_y + shift.y, 0);
  prepare_words (words, ITEM_WORDS, flip);
  store_vectors ((global uint *) (dst + dst_offset + item_y * dst_stride + item_x), words);
}

/* Takes the minimum of n_entries samples of `planes`, which lie plane_samples apart. An entry: x in samples and y, relative to the item's
 * sample plus place.zw; and the number of a plane. place.xy: the planes' offset and stride. last: dst is the result, and src has the
 * samples that are not filtered; else dst is another scratch plane. */
kernel void morphology_gather (PLANE_ARGS, MORPHOLOGY_ARGS, global const sample_t *restrict planes, int4 place, int plane_samples,
    global const int4 *restrict entries, int first, int n_entries, int last)
{
  GPU_ITEM_IN_REGION
  const int at = place.x + (item_y + place.w) * place.y + item_x + place.z;
  lanes least[ITEM_WORDS][WORD_LANES];
  uint results[ITEM_WORDS];
  UNROLL for (int i = 0; i < ITEM_WORDS * WORD_LANES; i++)
    least[i / WORD_LANES][i % WORD_LANES] = ~0u;
  for (int e = first; e < first + n_entries; e++) {
    const int from = at + entries[e].z * plane_samples + entries[e].y * place.y + entries[e].x;
    const int bits = from % SAMPLES_PER_WORD * SAMPLE_BITS;
    global const uint *const words = (global const uint *) planes + from / SAMPLES_PER_WORD;
    UNROLL for (int w = 0; w < ITEM_WORDS; w++) {
      const uint word = bits ? words[w] >> bits | words[w + 1] << (32 - bits) : words[w];
      UNROLL for (int i = 0; i < WORD_LANES; i++)
        least[w][i] = lower (least[w][i], lanes_of_word (word, i, true));
    }
  }
  UNROLL for (int w = 0; w < ITEM_WORDS; w++)
    results[w] = word_of_lanes (least[w], true);
  if (last) {
    finish_words (results, MORPHOLOGY, region, item_x, item_y);
    store_rows (DST_ARGS, results, 1, item_x, item_y);
  } else {
    store_vectors ((global uint *) (dst + dst_offset + item_y * dst_stride + item_x), results);
  }
}
