/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Maps every sample through a table of all values. The host defines TABLES, 1, or NC for one table of each sample of a pixel. */
#define LUT_TABLE(i) (TABLES > 1 ? (i) % NC * VALUES : 0)

#if BACKEND_CPU
enum { LUT_CHUNK = NC * 512 }; /* samples that stay in the cache from one component to the next */

/* Maps as many samples as a table in registers can, and returns how many. */
static inline int map_in_registers (global const sample_t *restrict from, global sample_t *restrict to, int samples,
    global const sample_t *restrict tables, global const sample_t *restrict keep)
{
  int x = 0;
#if LOOKUP_WORDS
  const lookup_t table = load_lookup (tables);
  lookup_bytes_t mask;
  uchar all = 0xff;
  for (int i = 0; i < LOOKUP_WORDS; i++) {
    mask[i] = keep[i % NC];
    all &= keep[i % NC];
  }
  if (TABLES > 1 || (LOOKUP_WORDS % NC && all != 0xff)) /* then the next vector would need another mask */
    return 0;
  for (; x + LOOKUP_WORDS <= samples; x += LOOKUP_WORDS) {
    const lookup_bytes_t values = *(global const lookup_any_bytes_t *) (from + x);
    const lookup_bytes_t mapped =
        __builtin_convertvector (look_up (table, __builtin_convertvector (values, lookup_words_t)), lookup_bytes_t);
    *(global lookup_any_bytes_t *) (to + x) = (mapped & mask) | (values & ~mask);
  }
#endif
  return x;
}

/* Look-ups are faster if the compiler does not try to make vectors. */
ITEM_KERNEL (map_samples, (PLANE_ARGS, global const sample_t *restrict tables), (PLANE_NAMES, tables))
{
  const int y = region.y + ITEM (1);
  global const sample_t *restrict from = src + src_offset + y * src_stride + region.x;
  global sample_t *restrict to = dst + dst_offset + y * dst_stride + region.x;
  for (int x = map_in_registers (from, to, region.width, tables, keep); x < region.width; x += LUT_CHUNK)
    for (int c = 0; c < NC; c++)
#pragma clang loop vectorize(disable) unroll_count(8)
      for (int i = x + c; i < min (x + LUT_CHUNK, region.width); i += NC)
        to[i] = keep[c] ? (sample_t) (tables[LUT_TABLE (c) + LOAD (from[i])] << SHIFT) : from[i];
}
#else
/* Groups go from the bottom of the frame upwards: the samples from which the table was last made are still in the cache. */
kernel void map_samples (PLANE_ARGS, global const sample_t *restrict tables)
{
  const int group_y = get_num_groups (1) - 1 - get_group_id (1);
  const int item_x = ((int) get_global_id (0) + region.x / ITEM_SAMPLES) * ITEM_SAMPLES;
  const int item_y = region.y + (group_y * (int) get_local_size (1) + (int) get_local_id (1)) * ITEM_ROWS;
  uint words[ITEM_ROWS][WORDS_OF (ITEM_SAMPLES)];
  UNROLL for (int r = 0; r < ITEM_ROWS; r++)
    if (ITEM_IN_REGION)
      load_words (words[r], min (item_y + r, plane.height - 1));
#if SAMPLE_BITS == 8
  local uint local_tables[TABLES * VALUES / 4];
  const int items = get_local_size (0) * get_local_size (1);
  ROLLED for (int i = get_local_id (1) * get_local_size (0) + get_local_id (0); i < TABLES * VALUES / 4; i += items)
    local_tables[i] = ((global const uint *) tables)[i];
  barrier (CLK_LOCAL_MEM_FENCE);
  local const uchar *entries = (local const uchar *) local_tables;
#else
  global const sample_t *entries = tables;
#endif
  if (!ITEM_IN_REGION)
    return;
  UNROLL for (int r = 0; r < ITEM_ROWS; r++) {
    uint results[WORDS_OF (ITEM_SAMPLES)] = {0};
    UNROLL for (int i = 0; i < ITEM_SAMPLES; i++)
      results[i / SAMPLES_PER_WORD] |= (uint) entries[LUT_TABLE (i) + item_sample (words[r], i)]
          << (SAMPLE_BITS * (i % SAMPLES_PER_WORD) + SHIFT);
    store_row (DST_ARGS, results, words[r], item_x, item_y + r);
  }
}
#endif
