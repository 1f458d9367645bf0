/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Measures how bright a frame is: the light that hardly any pixel exceeds, by the greatest of R'G'B'. Behind shared/color.clh.
 *
 * The host defines YUV, and PARTS, how many divide the rows among themselves on the cpu back end.
 *
 * first, second, third   components in buffers; all the same of grey
 * steps                  samples from pixel to pixel of the first and of the others; log2 of the columns and rows of the first
 *                        that share one of the others
 * counts                 PEAK_BINS, of zeros
 */
#define PEAK_BINS 1024
/* one in this many columns and rows is read */
#define PEAK_GRID 2

#define INPUT_PARAM(name) global const sample_t *restrict name, int name##_offset, int name##_stride
#define PEAK_INPUT_ROW(name, y) (name + (name##_offset + (y) *name##_stride))
#define PEAK_MEASURE_ARGS                                                                       \
  INPUT_PARAM (first), INPUT_PARAM (second), INPUT_PARAM (third), int4 steps, int2 size,        \
      struct color_space space, global uint *restrict counts

static inline int
bin_of (int first, int second, int third, struct color_space space)
{
#if YUV
  const struct color c = color_of_yuv (first, second, third, space);
  const float light = max (max (c.r, c.g), c.b);
#else
  const float light = (max (max (first, second), third) - space.black) * space.unit;
#endif
  return clamp ((int) (light * PEAK_BINS), 0, PEAK_BINS - 1);
}

#define PEAK_COLUMNS ((size.x + PEAK_GRID - 1) / PEAK_GRID)
#define PEAK_ROWS ((size.y + PEAK_GRID - 1) / PEAK_GRID)
#define PEAK_BIN_AT(column)                                                                                               \
  bin_of (LOAD (first_row[(column) *PEAK_GRID * steps.x]), LOAD (second_row[((column) *PEAK_GRID >> steps.z) * steps.y]), \
      LOAD (third_row[((column) *PEAK_GRID >> steps.z) * steps.y]), space)
#define PEAK_FIND_ROWS(row)                                                           \
  const int y = (row) *PEAK_GRID;                                                     \
  global const sample_t *restrict first_row = PEAK_INPUT_ROW (first, y);              \
  global const sample_t *restrict second_row = PEAK_INPUT_ROW (second, y >> steps.w); \
  global const sample_t *restrict third_row = PEAK_INPUT_ROW (third, y >> steps.w)

#if BACKEND_CPU

#define PEAK_PIECE 256

/* Work item (0, part). */
kernel void
measure_light (PEAK_MEASURE_ARGS)
{
  const int part = get_global_id (1);
  uint mine[PEAK_BINS];
  for (int i = 0; i < PEAK_BINS; i++)
    mine[i] = 0;
  for (int row = PEAK_ROWS * part / PARTS; row < PEAK_ROWS * (part + 1) / PARTS; row++) {
    PEAK_FIND_ROWS (row);
    for (int left = 0; left < PEAK_COLUMNS; left += PEAK_PIECE) {
      int bins[PEAK_PIECE];
      const int n = min (PEAK_PIECE, PEAK_COLUMNS - left);
      for (int i = 0; i < n; i++)
        bins[i] = PEAK_BIN_AT (left + i);
      for (int i = 0; i < n; i++)
        mine[bins[i]]++;
    }
  }
  for (int i = 0; i < PEAK_BINS; i++)
    if (mine[i])
      atomic_add (counts + i, mine[i]);
}

#define PEAK_GROUP 1
/* A group of one does not wait; PoCL 6 makes wrong code of barriers there. */
#define PEAK_BARRIER

#else

#define PEAK_BARRIER barrier (CLK_LOCAL_MEM_FENCE);

/* Group `row`. */
kernel void
measure_light (PEAK_MEASURE_ARGS)
{
  local uint mine[PEAK_BINS];
  const int lid = get_local_id (0), group = get_local_size (0);
  for (int i = lid; i < PEAK_BINS; i += group)
    mine[i] = 0;
  barrier (CLK_LOCAL_MEM_FENCE);
  PEAK_FIND_ROWS ((int) get_group_id (0));
  for (int x = lid; x < PEAK_COLUMNS; x += group)
    atomic_inc (mine + PEAK_BIN_AT (x));
  barrier (CLK_LOCAL_MEM_FENCE);
  for (int i = lid; i < PEAK_BINS; i += group)
    if (mine[i])
      atomic_add (counts + i, mine[i]);
}

#define PEAK_GROUP 256

#endif

/* ring   PEAK_RING frames' peaks in nits, one after the other, then the one that is to be used
 *
 * Puts at `slot` the light of the brightest bin that more than `beyond` pixels reach, and behind the ring the greater of that and
 * the mean of the last `frames`, from `low` to `high`. Leaves counts of zeros. decode: as tonemap.clh has it, with an entry more than
 * bins; signals stand for decode^gamma * unit nits. One group. */
#define PEAK_RING 600
#define PEAK_EACH (PEAK_BINS / PEAK_GROUP)

kernel __attribute__ ((reqd_work_group_size (PEAK_GROUP, 1, 1))) void
find_peak (global uint *restrict counts, uint beyond, global const float *restrict decode, float gamma, float unit, float low, float high,
    int slot, int frames, global float *restrict ring)
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
  PEAK_BARRIER
  for (int i = lid + 1; i < PEAK_GROUP; i++)
    above += sums[i];
  if (above <= beyond && above + own > beyond) {
    int i = PEAK_EACH - 1;
    for (uint sum = above + mine[i]; sum <= beyond; sum += mine[i])
      i--;
    peak = powr (decode[lid * PEAK_EACH + i + 1], gamma) * unit;
  }
  PEAK_BARRIER
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
