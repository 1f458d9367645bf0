/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Measures the peak of a frame, the light that hardly any pixel exceeds, by the greatest of R'G'B', after shared/color.clh. The host
 * defines YUV; PARTS, items that share the rows on the cpu back end. first, second, third: components, all the same for grey. steps:
 * samples from pixel to pixel of the first and the others; log2 of the columns and rows that share one of the others. */
/* PEAK_GRID: one in this many columns and rows is read; PEAK_RING: how many frames' peaks are kept. */
enum { PEAK_BINS = 1024, PEAK_GRID = 2, PEAK_RING = 600 };

static inline int bin_of (global const sample_t *first, global const sample_t *second, global const sample_t *third, int x, int4 steps,
    struct color_space space)
{
  const int other = (x >> steps.z) * steps.y, v[3] = {LOAD (first[x * steps.x]), LOAD (second[other]), LOAD (third[other])};
#if YUV
  const struct color c = color_of_yuv (v[0], v[1], v[2], space);
  const float light = max (max (c.r, c.g), c.b);
#else
  const float light = (max (max (v[0], v[1]), v[2]) - space.black) * space.unit;
#endif
  return clamp ((int) (light * PEAK_BINS), 0, PEAK_BINS - 1);
}

enum { PEAK_GROUP = BACKEND_CPU ? 1 : 256, PEAK_PIECE = 256 };
#if BACKEND_CPU
#define PEAK_SPACE
#else
#define PEAK_SPACE local
#endif

ITEM_KERNEL (measure_light, (INPUT_PARAM (first), INPUT_PARAM (second), INPUT_PARAM (third), int4 steps, int2 size, struct color_space space,
    global uint *restrict counts), (first, first_offset, first_stride, second, second_offset, second_stride, third, third_offset, third_stride,
    steps, size, space, counts))
{
  PEAK_SPACE uint mine[PEAK_BINS];
  const int columns = (size.x + PEAK_GRID - 1) / PEAK_GRID, rows = (size.y + PEAK_GRID - 1) / PEAK_GRID;
#if BACKEND_CPU
  const int lid = 0, top = rows * ITEM (1) / PARTS, bottom = rows * (ITEM (1) + 1) / PARTS;
#else
  const int lid = get_local_id (0), top = get_group_id (0), bottom = top + 1;
#endif
  for (int i = lid; i < PEAK_BINS; i += PEAK_GROUP)
    mine[i] = 0;
  group_barrier (CLK_LOCAL_MEM_FENCE);
  for (int row = top; row < bottom; row++) {
    const int y = row * PEAK_GRID;
    global const sample_t *restrict a = INPUT_ROW (first, y), *restrict b = INPUT_ROW (second, y >> steps.w);
    global const sample_t *restrict c = INPUT_ROW (third, y >> steps.w);
#if BACKEND_CPU
    for (int left = 0; left < columns; left += PEAK_PIECE) {
      int bins[PEAK_PIECE];
      const int n = min (PEAK_PIECE, columns - left);
      for (int i = 0; i < n; i++)
        bins[i] = bin_of (a, b, c, (left + i) * PEAK_GRID, steps, space);
      for (int i = 0; i < n; i++)
        mine[bins[i]]++;
    }
#else
    for (int x = lid; x < columns; x += PEAK_GROUP)
      atomic_inc (mine + bin_of (a, b, c, x * PEAK_GRID, steps, space));
#endif
  }
  group_barrier (CLK_LOCAL_MEM_FENCE);
  for (int i = lid; i < PEAK_BINS; i += PEAK_GROUP)
    if (mine[i])
      atomic_add (counts + i, mine[i]);
}

/* Writes to ring[slot] the light, in nits, of the brightest bin that more than `beyond` pixels reach, and to ring[PEAK_RING] the greater of
 * this light and the mean of the last `frames`, limited to low .. high. Leaves zeros in counts. decode: as in tonemap.clh; signals stand
 * for decode^gamma * unit. */
enum { PEAK_EACH = PEAK_BINS / PEAK_GROUP };
kernel __attribute__ ((reqd_work_group_size (PEAK_GROUP, 1, 1))) void find_peak (global uint *restrict counts, uint beyond,
    global const float *restrict decode, float gamma, float unit, float low, float high, int slot, int frames, global float *restrict ring)
{
  local uint sums[PEAK_GROUP];
  local float means[PEAK_GROUP], peak;
  const int lid = get_local_id (0);
  global uint *restrict mine = counts + lid * PEAK_EACH;
  uint own = 0, above = 0;
  for (int i = 0; i < PEAK_EACH; i++)
    own += mine[i];
  sums[lid] = own;
  float mean = 0;
  for (int i = 1 + lid; i < frames; i += PEAK_GROUP)
    mean += ring[(slot + PEAK_RING - i) % PEAK_RING];
  means[lid] = mean;
  group_barrier (CLK_LOCAL_MEM_FENCE);
  for (int i = lid + 1; i < PEAK_GROUP; i++)
    above += sums[i];
  if (above <= beyond && above + own > beyond) {
    int i = PEAK_EACH - 1;
    for (uint sum = above + mine[i]; sum <= beyond; sum += mine[i])
      i--;
    peak = powr (decode[lid * PEAK_EACH + i + 1], gamma) * unit;
  }
  group_barrier (CLK_LOCAL_MEM_FENCE);
  for (int i = 0; i < PEAK_EACH; i++)
    mine[i] = 0;
  if (lid > 0)
    return;
  mean = peak;
  for (int i = 0; i < PEAK_GROUP; i++)
    mean += means[i];
  ring[slot] = peak;
  ring[PEAK_RING] = clamp (max (peak, mean / (float) frames), low, high);
}
