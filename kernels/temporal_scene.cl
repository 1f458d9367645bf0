/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where scenes begin: frames of which most samples differ by more than a limit from the frame before. */

/* How many filtered samples of the region differ by more than limit from the other frame; or, with RUNNING, from the
 * values there. Every job counts its rows and adds to a cell of its own, from `cells`
 * on. */
kernel void
temporal_count (PLANE_ARGS, global const OTHER *restrict other, int other_offset, int other_stride, float limit,
    global uint *restrict counts, int cells, int add, int jobs)
{
#if BACKEND_CPU
  const int job = (int) get_global_id (0), first = 0, step = 1;
#else
  const int job = (int) get_group_id (0), first = (int) get_local_id (0), step = (int) get_local_size (0);
#endif
  uint count = 0;
  for (int y = region.y + job; y < region.y + region.w; y += jobs) {
    global const sample_t *row = src + src_offset + y * src_stride + region.x;
    global const OTHER *others = other + other_offset + y * other_stride + region.x;
    for (int x = first; x < region.z; x += step) {
#if RUNNING
      const int far = fabs ((float) LOAD (row[x]) - others[x]) > limit;
#else
      const int far = abs (LOAD (row[x]) - LOAD (others[x])) > (uint) limit;
#endif
#if BACKEND_CPU
      count += far & keep[x] & 1;
#else
      count += far & keep[region.x + x] & 1;
#endif
    }
  }
#if BACKEND_CPU
  counts[cells + job] = count + (add ? counts[cells + job] : 0);
#else
  local uint sum;
  if (first == 0)
    sum = 0;
  barrier (CLK_LOCAL_MEM_FENCE);
  atomic_add (&sum, count);
  barrier (CLK_LOCAL_MEM_FENCE);
  if (first == 0)
    counts[cells + job] = sum + (add ? counts[cells + job] : 0);
#endif
}

/* Whether a scene begins with a frame, whose counts these are of so many samples. */
kernel void
temporal_begin (global const uint *restrict counts, int cells, int jobs, uint samples, global int *restrict begins,
    int frame)
{
  uint sum = 0;
  for (int i = 0; i < jobs; i++)
    sum += counts[cells + i];
  begins[frame] = 2 * (ulong) sum > samples;
}

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
