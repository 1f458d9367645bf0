/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Every sample by way of a table of all values. The host defines TABLES: 1, or NC for a table of each sample of the pixel,
 * one after the other. */
#define TABLE(i) (TABLES > 1 ? (i) % NC * (MAX_VALUE + 1) : 0)

#if BACKEND_CPU

/* Samples, whole pixels, that stay in the cache from one component to the next. */
#define CHUNK (NC * 512)

/* Work item (0, row). Look-ups do not become vector code, and are faster where nobody tries. */
kernel void
map_samples (PLANE_ARGS, global const sample_t *restrict tables)
{
  const int y = region.y + (int) get_global_id (1);
  global const sample_t *restrict from = src + src_offset + y * src_stride + region.x;
  global sample_t *restrict to = dst + dst_offset + y * dst_stride + region.x;
  for (int x = 0; x < region.z; x += CHUNK) {
    const int end = min (x + CHUNK, region.z);
    for (int c = 0; c < NC; c++)
      if (keep[c]) {
#pragma clang loop vectorize(disable) unroll_count(8)
        for (int i = x + c; i < end; i += NC)
          to[i] = (sample_t) (tables[TABLE (c) + LOAD (from[i])] << SHIFT);
      } else {
        for (int i = x + c; i < end; i += NC)
          to[i] = from[i];
      }
  }
}

#elif SAMPLE_BITS == 8 && !SRC_IMAGE && !DST_IMAGE

/* Groups from the bottom of the frame upwards: what the table was made of last is still in the cache. */
kernel void
map_samples (PLANE_ARGS, global const sample_t *restrict tables)
{
  local uint local_tables[TABLES * (MAX_VALUE + 1) / 4];
  const int items = get_local_size (0) * get_local_size (1), group_y = get_num_groups (1) - 1 - get_group_id (1);
  const int item_x = ((int) get_global_id (0) + region.x / ITEM_SAMPLES) * ITEM_SAMPLES;
  const int item_y = region.y + (group_y * (int) get_local_size (1) + (int) get_local_id (1)) * ITEM_ROWS;
  const bool inside = item_x < region.x + region.z && item_y < region.y + region.w;
  uint words[ITEM_ROWS][ITEM_WORDS];
#pragma unroll
  for (int r = 0; r < ITEM_ROWS; r++)
    if (inside)
      load_words (words[r], min (item_y + r, plane.y - 1));
  for (int i = get_local_id (1) * get_local_size (0) + get_local_id (0); i < TABLES * (MAX_VALUE + 1) / 4; i += items)
    local_tables[i] = ((global const uint *) tables)[i];
  barrier (CLK_LOCAL_MEM_FENCE);
  if (!inside)
    return;
  local const uchar *entries = (local const uchar *) local_tables;
  uint masks[PHASES];
  find_masks (masks, keep);
#pragma unroll
  for (int r = 0; r < ITEM_ROWS; r++) {
#pragma unroll
    for (int w = 0; w < ITEM_WORDS; w++) {
      const uint word = words[r][w], mask = masks[w % PHASES];
      uint result = 0;
#pragma unroll
      for (int i = 0; i < 4; i++)
        result |= (uint) entries[TABLE (w * 4 + i) + (word >> (8 * i) & 0xff)] << (8 * i);
      words[r][w] = (result & mask) | (word & ~mask);
    }
    store_words (words[r], item_y + r);
  }
}

#else

kernel void
map_samples (PLANE_ARGS, global const sample_t *restrict tables)
{
  GPU_BEGIN
#pragma unroll
  for (int r = 0; r < ITEM_ROWS; r++) {
    int v[ITEM_SAMPLES];
    load_point (v, item_x, min (item_y + r, plane.y - 1));
#pragma unroll
    for (int i = 0; i < ITEM_SAMPLES; i++)
      v[i] = tables[TABLE (i) + v[i]];
    store_item (v, item_y + r);
  }
}

#endif
