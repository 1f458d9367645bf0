/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds where scenes begin: frames in which most samples differ from the previous frame by more than a limit. */

#define SCENE_COUNT_ARGS                                                                                    \
  PLANE_ARGS, global const OTHER *restrict other, int other_offset, int other_stride, float limit,          \
      global uint *restrict counts, int cells, int add, int jobs

/* temporal_count: how many filtered samples of the region differ by more than limit from the other frame; or, with RUNNING,
 * from the values there. Every job adds to a cell of its own, from `cells` on.
 *
 * temporal_begin: whether a scene begins with a frame, whose counts these are of so many samples. */
#if BACKEND_CPU

/* A job takes rows. */
kernel void
temporal_count (SCENE_COUNT_ARGS)
{
  const int job = (int) get_global_id (0);
  uint count = 0;
  for (int y = region.y + job; y < region.y + region.height; y += jobs) {
    global const sample_t *row = src + src_offset + y * src_stride + region.x;
    global const OTHER *others = other + other_offset + y * other_stride + region.x;
    for (int x = 0; x < region.width; x++) {
#if RUNNING
      const int far = fabs ((float) LOAD (row[x]) - others[x]) > limit;
#else
      const int far = abs (LOAD (row[x]) - LOAD (others[x])) > (uint) limit;
#endif
      count += far & keep[x] & 1;
    }
  }
  counts[cells + job] = count + (add ? counts[cells + job] : 0);
}

kernel void
temporal_begin (global const uint *restrict counts, int cells, int jobs, uint samples, global int *restrict begins,
    int frame)
{
  uint sum = 0;
  for (int i = 0; i < jobs; i++)
    sum += counts[cells + i];
  begins[frame] = 2 * (ulong) sum > samples;
}

#else

#if RUNNING
typedef float compared_t;
/* Rows of values begin on boundaries of vectors, and have room for whole ones. */
#define SCENE_LOAD_OTHERS(values, x, y)                                  \
  _Pragma ("unroll") for (int s = 0; s < ITEM_SAMPLES; s += 4) vstore4 ( \
      *(global const float4 *) (other + other_offset + (y) *other_stride + (x) + s), 0, values + s)
#define SCENE_IS_FAR(x, other) (fabs ((float) (x) - (other)) > limit)
#else
typedef int compared_t;
#define SCENE_LOAD_OTHERS(values, x, y) load_frame (values, other, (int2) (other_offset, other_stride), x, y, plane.width)
#define SCENE_IS_FAR(x, other) (abs ((x) - (other)) > (uint) limit)
#endif

/* A job is a group, whose items take ITEM_SAMPLES samples at a time. */
kernel void
temporal_count (SCENE_COUNT_ARGS)
{
  const int job = (int) get_group_id (0), item = (int) get_local_id (0), items = (int) get_local_size (0);
  const int left = region.x / ITEM_SAMPLES, right = (region.x + region.width + ITEM_SAMPLES - 1) / ITEM_SAMPLES;
  const int across = right - left;
  uint count = 0;
  for (int i = job * items + item; i < across * region.height; i += jobs * items) {
    const int x = (left + i % across) * ITEM_SAMPLES, y = region.y + i / across;
    int own[ITEM_SAMPLES];
    compared_t others[ITEM_SAMPLES];
    load_point (own, x, y);
    SCENE_LOAD_OTHERS (others, x, y);
    if (x >= region.x && x + ITEM_SAMPLES <= region.x + region.width) {
      global const uint *kept = (global const uint *) (keep + x);
#pragma unroll
      for (int s = 0; s < ITEM_SAMPLES; s++)
        count += SCENE_IS_FAR (own[s], others[s]) & kept[s / SAMPLES_PER_WORD] >> (SAMPLE_BITS * (s % SAMPLES_PER_WORD)) & 1;
    } else {
#pragma unroll
      for (int s = 0; s < ITEM_SAMPLES; s++)
        if (x + s >= region.x && x + s < region.x + region.width)
          count += SCENE_IS_FAR (own[s], others[s]) & keep[x + s] & 1;
    }
  }
  local uint sum;
  if (item == 0)
    sum = 0;
  barrier (CLK_LOCAL_MEM_FENCE);
  atomic_add (&sum, count);
  barrier (CLK_LOCAL_MEM_FENCE);
  if (item == 0)
    counts[cells + job] = sum + (add ? counts[cells + job] : 0);
}

/* A group. */
kernel void
temporal_begin (global const uint *restrict counts, int cells, int jobs, uint samples, global int *restrict begins,
    int frame)
{
  local uint sum;
  const int item = (int) get_local_id (0);
  if (item == 0)
    sum = 0;
  barrier (CLK_LOCAL_MEM_FENCE);
  uint count = 0;
  for (int i = item; i < jobs; i += (int) get_local_size (0))
    count += counts[cells + i];
  atomic_add (&sum, count);
  barrier (CLK_LOCAL_MEM_FENCE);
  if (item == 0)
    begins[frame] = 2 * (ulong) sum > samples;
}

#endif

/* The first and the last of n frames, which stand in a ring from `first` on, that are of the scene of frame main. */
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
