/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Draws curves of histograms into a panel: the darkened picture, a lighter tint under the curve, and the curve in white, each curve in the
 * samples of its component. Heights are square roots of counts, so that small ones show beside a peak. HEIGHTS: 1 for the kernel that finds
 * them, with a group of GROUP items for each component; 0 for the one that draws. */
#if HEIGHTS
/* The greatest bin's count in column x of a panel `width` wide; a bin has values v with floor (v * bins / (MAX_VALUE + 1)) = bin. */
static inline uint column_count (global const uint *restrict counts, int x, int width, ulong bins)
{
  const ulong first = x * bins / width, end = max (first + 1, (x + 1) * bins / width), values = MAX_VALUE + 1;
  uint greatest = 0;
  for (ulong bin = first; bin < end; bin++) {
    uint sum = 0;
    for (uint v = (uint) ((bin * values + bins - 1) / bins); v < (uint) (((bin + 1) * values + bins - 1) / bins); v++)
      sum += counts[v];
    greatest = max (greatest, sum);
  }
  return greatest;
}

/* floor (height * sqrt (count / peak)), exactly */
static inline int height_of (ulong count, ulong peak, ulong height)
{
  ulong h = (ulong) ((float) height * sqrt ((float) count / (float) peak));
  while (h * h * peak > count * height * height)
    h--;
  while ((h + 1) * (h + 1) * peak <= count * height * height)
    h++;
  return (int) h;
}

/* panel: width and height. heights: of each sample the curve's height in every column, then how far down it is drawn: to the lowest column
 * next to it, so that steep parts are as thick as flat ones. */
kernel void find_heights (global const uint *restrict counts, global int *restrict heights, int2 panel, int bins, int thickness)
{
  const int item = get_local_id (0), sample = get_group_id (0);
  local uint peaks[GROUP];
  counts += sample * (MAX_VALUE + 1);
  heights += 2 * sample * panel.x;
  uint peak = 0;
  for (int x = item; x < panel.x; x += GROUP) {
    const uint count = column_count (counts, x, panel.x, bins);
    heights[x] = (int) count;
    peak = max (peak, count);
  }
  peaks[item] = peak;
  barrier (CLK_LOCAL_MEM_FENCE);
  peak = 1;
  for (int i = 0; i < GROUP; i++)
    peak = max (peak, peaks[i]);
  for (int x = item; x < panel.x; x += GROUP)
    heights[x] = height_of ((uint) heights[x], peak, panel.y);
  barrier (CLK_GLOBAL_MEM_FENCE);
  for (int x = item; x < panel.x; x += GROUP) {
    int lowest = max (heights[x], thickness) - thickness;
    for (int i = max (x - thickness, 0); i <= min (x + thickness, panel.x - 1); i++)
      lowest = min (lowest, heights[i]);
    heights[panel.x + x] = lowest;
  }
}
#else
struct range { int low, high; }; /* black and white */
static inline int darkened (int v, struct range range) { return range.low + ((v - range.low) >> 2); }

/* The result for v, sample c of pixel x of the panel's row `up` rows above its lower edge. drawn: a bit for each sample with a curve. */
static inline int
drawn_over (int v, struct range range, global const int *restrict heights, int drawn, int c, int x, int up, int width, int thickness)
{
  if (!(drawn >> c & 1))
    return darkened (v, range);
  const int own = heights[2 * c * width + x], lowest = heights[(2 * c + 1) * width + x];
  const int tint = darkened (v, range) + (up < own ? (range.high - range.low) >> 2 : 0);
  return up < max (own, thickness) && up >= lowest ? range.high : tint;
}

/* The region is the panel. fill: the value of all samples instead, or -1. */
ITEM_KERNEL (draw_curves, (PLANE_ARGS, global const int *restrict heights, int drawn, int thickness, int fill, struct range range), (PLANE_NAMES,
    heights, drawn, thickness, fill, range))
{
  const int width = region.width / NC;
  PLANE_BEGIN (sizeof (int))
  const int x = clamp ((PLANE_X - region.x) / NC, 0, width - 1), up = region.y + region.height - 1 - item_y;
  OUT (fill < 0 ? drawn_over (VAL, range, heights, drawn, PLANE_X % NC, x, up, width, thickness) : fill);
  PLANE_END
}
#endif
