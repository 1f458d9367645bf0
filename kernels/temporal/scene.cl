/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds where scenes begin: frames in which most samples differ by more than a limit from the previous frame, of type OTHER, or with
 * RUNNING from running values. A job, an item on the cpu back end, else a group, adds to a cell of its own, from `cells` on. */
static inline bool is_far (int x, OTHER other, float limit)
{
#if RUNNING
  return fabs ((float) x - other) > limit;
#else
  return abs (x - LOAD (other)) > (uint) limit;
#endif
}

kernel void temporal_count (PLANE_ARGS, global const OTHER *restrict other, int other_offset, int other_stride, float limit,
    global uint *restrict counts, int cells, int add, int jobs)
{
  uint count = 0;
#if BACKEND_CPU
  const int job = (int) get_global_id (0);
  for (int y = region.y + job; y < region.y + region.height; y += jobs) {
    global const sample_t *row = SRC_ROW (y) + region.x;
    global const OTHER *others = other + other_offset + y * other_stride + region.x;
    ROW_LOOP (sizeof (float))
    for (int x = 0; x < region.width; x++)
      count += is_far (LOAD (row[x]), others[x], limit) & keep[x] & 1;
  }
#else
  const int job = (int) get_group_id (0), items = (int) get_local_size (0), end = region.x + region.width;
  const int left = region.x / ITEM_SAMPLES, across = (end + ITEM_SAMPLES - 1) / ITEM_SAMPLES - left;
  for (int i = job * items + (int) get_local_id (0); i < across * region.height; i += jobs * items) {
    const int y = region.y + i / across, x = (left + i % across) * ITEM_SAMPLES;
    global const OTHER *others = other + other_offset + y * other_stride;
    uint words[WORDS_OF (ITEM_SAMPLES)], masks[WORDS_OF (ITEM_SAMPLES)];
    OTHER values[ITEM_SAMPLES];
    load_words_at (SRC_ARGS, words, x, y);
    load_words_between (masks, keep, x, region.x, end, true);
#if RUNNING
    UNROLL for (int s = 0; s < ITEM_SAMPLES; s += 4)
      vstore4 (*(global const float4 *) (others + x + s), 0, values + s);
#else
    uint other_words[WORDS_OF (ITEM_SAMPLES)];
    load_words_between (other_words, others, x, 0, plane.width, INPUTS_ALIGNED && INPUTS_ALIGNED >= ALIGNED);
    UNROLL for (int s = 0; s < ITEM_SAMPLES; s++)
      values[s] = (sample_t) (other_words[s / SAMPLES_PER_WORD] >> (SAMPLE_BITS * (s % SAMPLES_PER_WORD)));
#endif
    UNROLL for (int s = 0; s < ITEM_SAMPLES; s++)
      count += is_far (item_sample (words, s), values[s], limit) & masks[s / SAMPLES_PER_WORD] >> (SAMPLE_BITS * (s % SAMPLES_PER_WORD)) & 1;
  }
#endif
  local uint sum;
  count = sum_of_group (count, &sum);
  if (get_local_id (0) == 0)
    counts[cells + job] = count + (add ? counts[cells + job] : 0);
}

/* Notes whether a scene begins with a frame, from its count of `samples` samples; a negative frame is none. Then finds the first and the last of
 * n frames that belong to the scene of frame main, in a ring that starts at `first`; n is 0 while frames wait for their notes. One group. */
kernel void temporal_scene (global const uint *restrict counts, int frame, int jobs, uint samples, global int *restrict begins, int ring,
    int first, int n, int main, global int2 *restrict range)
{
  uint count = 0;
  ROLLED for (int i = (int) get_local_id (0); i < jobs; i += (int) get_local_size (0))
    count += counts[max (frame, 0) * jobs + i];
  local uint sum;
  count = sum_of_group (count, &sum);
  if (get_local_id (0) != 0)
    return;
  if (frame >= 0)
    begins[frame] = 2 * (ulong) count > samples;
  int2 scene = (int2) (main, main);
  while (scene.x > 0 && !begins[(first + scene.x) % ring])
    scene.x--;
  while (scene.y + 1 < n && !begins[(first + scene.y + 1) % ring])
    scene.y++;
  *range = scene;
}
