/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds where scenes begin: frames in which most samples differ from the previous frame, of type OTHER, or with RUNNING from running
 * values, by more than a limit. A job, an item on the cpu back end, else a group, adds to a separate cell, from `cells` on. */

static inline uint
sum_of_group (uint count, local uint *sum)
{
  if (get_local_id (0) == 0)
    *sum = 0;
  barrier (CLK_LOCAL_MEM_FENCE);
  atomic_add (sum, count);
  barrier (CLK_LOCAL_MEM_FENCE);
  return *sum;
}

#if COUNTS
static inline bool
is_far (int x, OTHER other, float limit)
{
#if RUNNING
  return fabs ((float) x - other) > limit;
#else
  return abs (x - LOAD (other)) > (uint) limit;
#endif
}

static inline uint
count_samples (global const sample_t *row, global const OTHER *others, global const sample_t *keep, int begin, int end, float limit)
{
  uint count = 0;
  ROW_LOOP (sizeof (float))
  for (int x = begin; x < end; x++)
    count += is_far (LOAD (row[x]), others[x], limit) & keep[x] & 1;
  return count;
}

#if BACKEND_GPU
#if RUNNING
enum { OTHERS_ALIGNED = ALIGNED };
#else
enum { OTHERS_ALIGNED = ALIGNED && INPUTS_ALIGNED >= ALIGNED };
#endif

/* ITEM_SAMPLES samples, which are all counted. */
static inline uint
count_item (global const sample_t *row, global const OTHER *others, global const sample_t *keep, float limit, int x)
{
  uint words[WORDS_OF (ITEM_SAMPLES)], masks[WORDS_OF (ITEM_SAMPLES)], count = 0;
  OTHER other[ITEM_SAMPLES];
  load_vectors (words, (global const uint *) (row + x));
  load_vectors (masks, (global const uint *) (keep + x));
#if RUNNING
  UNROLL for (int s = 0; s < ITEM_SAMPLES; s += 4)
    vstore4 (*(global const float4 *) (others + x + s), 0, other + s);
#else
  uint other_words[WORDS_OF (ITEM_SAMPLES)];
  load_vectors (other_words, (global const uint *) (others + x));
  UNROLL for (int s = 0; s < ITEM_SAMPLES; s++)
    other[s] = (sample_t) (other_words[s / SAMPLES_PER_WORD] >> (SAMPLE_BITS * (s % SAMPLES_PER_WORD)));
#endif
  UNROLL for (int s = 0; s < ITEM_SAMPLES; s++)
    count += is_far (item_sample (words, s), other[s], limit) & masks[s / SAMPLES_PER_WORD] >> (SAMPLE_BITS * (s % SAMPLES_PER_WORD)) & 1;
  return count;
}
#endif

kernel void
temporal_count (PLANE_ARGS, global const OTHER *restrict other, int other_offset, int other_stride, float limit,
    global uint *restrict counts, int cells, int add, int jobs)
{
  uint count = 0;
  const int end = region.x + region.width;
#if BACKEND_CPU
  const int job = (int) get_global_id (0);
  for (int y = region.y + job; y < region.y + region.height; y += jobs)
    count += count_samples (SRC_ROW (y), other + other_offset + y * other_stride, keep - region.x, region.x, end, limit);
#else
  const int job = (int) get_group_id (0), items = (int) get_local_size (0);
  const int left = region.x / ITEM_SAMPLES, across = (region.x + region.width + ITEM_SAMPLES - 1) / ITEM_SAMPLES - left;
  for (int i = job * items + (int) get_local_id (0); i < across * region.height; i += jobs * items) {
    const int y = region.y + i / across, x = (left + i % across) * ITEM_SAMPLES;
    global const sample_t *row = SRC_ROW (y);
    global const OTHER *others = other + other_offset + y * other_stride;
    if (OTHERS_ALIGNED && x >= region.x && x + ITEM_SAMPLES <= end)
      count += count_item (row, others, keep, limit, x);
    else
      count += count_samples (row, others, keep, max (x, region.x), min (x + ITEM_SAMPLES, end), limit);
  }
#endif
  local uint sum;
  count = sum_of_group (count, &sum);
  if (get_local_id (0) == 0)
    counts[cells + job] = count + (add ? counts[cells + job] : 0);
}
#else
/* Of `samples` samples. One group. */
kernel void
temporal_begin (global const uint *restrict counts, int cells, int jobs, uint samples, global int *restrict begins, int frame)
{
  uint count = 0;
  for (int i = (int) get_local_id (0); i < jobs; i += (int) get_local_size (0))
    count += counts[cells + i];
  local uint sum;
  count = sum_of_group (count, &sum);
  if (get_local_id (0) == 0)
    begins[frame] = 2 * (ulong) count > samples;
}

/* The first and the last of n frames of frame main's scene, in a ring that starts at `first`. */
kernel void
temporal_range (global const int *restrict begins, int ring, int first, int n, int main, global int2 *restrict range)
{
  int2 scene = (int2) (main, main);
  while (scene.x > 0 && !begins[(first + scene.x) % ring])
    scene.x--;
  while (scene.y + 1 < n && !begins[(first + scene.y + 1) % ring])
    scene.y++;
  *range = scene;
}
#endif
