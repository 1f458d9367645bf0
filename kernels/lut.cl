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

#else

kernel void
map_samples (PLANE_ARGS, global const sample_t *restrict tables)
{
  GPU_BEGIN
  int v[ITEM_SAMPLES];
  load_point (v, item_x, item_y);
#pragma unroll
  for (int i = 0; i < ITEM_SAMPLES; i++)
    v[i] = tables[TABLE (i) + v[i]];
  store_item (v, item_y);
}

#endif
