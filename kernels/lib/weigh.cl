/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* `mix` where regions of interest have shapes: every pixel of a plane gets as much of the filtered one as the region that weighs most there
 * gives it, in 65536ths.
 *
 * table     shapes: twice the middle of each in x and y, half its width and height, in half pixels of the frame; where the list of each
 *           tile of 64 x 64 pixels starts; the lists
 * counts    how many shapes, tiles in a row of them, and tiles
 * part      which shapes are mixed
 * picture   pixels and rows of the frame, or of one of so many fields: width, height, field, fields */
#define TILE 64
#define FULL 65536
/* Pixels of a tile that an item sees to at once. */
#if BACKEND_CPU
#define SPAN TILE
#else
#define SPAN 1
#endif

struct shape { int x, y, width, height; };

/* How far from the middle a sample is: of its pixels, from `first` to `last` in such steps, the nearest one counts, or where the rest of the
 * picture is filtered the farthest one, or with soft edges their middle. */
static inline int
distance_of (int first, int last, int step, int middle, int farthest, int soft)
{
  const int a = first - middle, b = last - middle, beyond = -a & (step - 1);
  const int nearest = a > 0 ? a : b < 0 ? -b : beyond < step - beyond ? beyond : step - beyond;
  const int farther = b > -a ? b : -a, between = a + b < 0 ? -(a + b) >> 1 : (a + b) >> 1;
  return soft ? between : farthest ? farther : nearest;
}

/* The last pixel, or row, of a sample, of so many that there are. */
static inline int
last_of (int sample, int subsampling, int pixels)
{
  const int end = (sample + 1) << subsampling;
  return 2 * (end < pixels ? end : pixels) - 1;
}

/* Exact where 64 bits hold it. */
static inline int
is_in_ellipse (ulong x, ulong y, ulong width, ulong height)
{
  if (width * height < 3000000000UL)
    return x * x * height * height + y * y * width * width <= width * width * height * height;
  const float right = (float) x / width, down = (float) y / height;
  return right * right + down * down <= 1;
}

/* How far to the sides a shape reaches in a row. */
static inline int
reach_of (struct shape s, int down, int ellipse)
{
  const float part = (float) down / s.height;
  int reach = ellipse ? (int) (s.width * sqrt (1 - part * part)) : s.width;
  while (ellipse && !is_in_ellipse (reach, down, s.width, s.height))
    reach--;
  while (ellipse && reach < s.width && is_in_ellipse (reach + 1, down, s.width, s.height))
    reach++;
  return reach;
}

static inline long
weighed (long amount, int weight)
{
#if DOUBLES
  return as_long (as_double (amount) * weight * (1. / FULL));
#else
  return amount * weight / FULL;
#endif
}

kernel void
mix_by_regions (PLANE_ARGS, long amount, INPUT_PARAM (filtered), global const int *restrict table, int4 counts, int2 part, int4 picture,
    int2 subsampling, int ellipse, int inverted, float feather)
{
  global const struct shape *shapes = (global const struct shape *) table;
  global const int *starts = table + 4 * counts.x, *lists = starts + counts.z + 1;
  const int y = region.y + get_global_id (1), soft = feather > 0;
#if BACKEND_CPU
  const int begin = region.x / NC, end = (region.x + region.width) / NC;
#else
  const int begin = region.x / NC + get_global_id (0), end = min (begin + 1, (region.x + region.width) / NC);
#endif
  if (y >= region.y + region.height)
    return;
  const int row = y << subsampling.y, last_row = min (row + (1 << subsampling.y), picture.y) - 1;
  const int top = 2 * (row * picture.w + picture.z) + 1, bottom = 2 * (last_row * picture.w + picture.z) + 1;
  const int tile_row = (row * picture.w + picture.z) / TILE * counts.y;
  for (int x = begin, next; x < end; x = next) {
    const int column = (x << subsampling.x) / TILE, in_tile = tile_row + column;
    next = min (end, (column + 1) * TILE >> subsampling.x);
    const int n = next - x;
    /* twice the largest weight, and 1 where it is that of a region of this part */
    int weights[SPAN];
    for (int i = 0; i < n; i++)
      weights[i] = 0;
    int is_touched = inverted;
    for (int at = starts[in_tile]; at < starts[in_tile + 1]; at++) {
      const struct shape s = shapes[lists[at]];
      const int down = distance_of (top, bottom, 2 * picture.w, s.y, inverted, soft);
      if (down > s.height)
        continue;
      is_touched = 1;
      const int mine = lists[at] >= part.x && lists[at] < part.y, reach = soft ? 0 : reach_of (s, down, ellipse);
      const float least = min (s.width, s.height), steepness = FULL / (feather * least);
      const float across = 1.f / s.width, square_down = (float) down * down / s.height / s.height, from_below = s.height - down;
      if (!soft) {
        ROW_LOOP (sizeof (int))
        for (int i = 0; i < n; i++) {
          const int right = distance_of (2 * ((x + i) << subsampling.x) + 1, last_of (x + i, subsampling.x, picture.x), 2, s.x, inverted, 0);
          weights[i] = right <= reach && weights[i] < 2 * FULL + mine ? 2 * FULL + mine : weights[i];
        }
        continue;
      }
      ROW_LOOP (sizeof (int))
      for (int i = 0; i < n; i++) {
        const int right = distance_of (2 * ((x + i) << subsampling.x) + 1, last_of (x + i, subsampling.x, picture.x), 2, s.x, 0, 1);
        const float beside = s.width - right, square = right * across * (right * across) + square_down;
        const float depth = ellipse ? (1 - native_sqrt (square)) * least : beside < from_below ? beside : from_below;
        const float scaled = depth * steepness + 0.5f;
        const int weight = 2 * (scaled < 0.5f ? 0 : scaled > FULL ? FULL : (int) scaled);
        weights[i] = weight > 0 && weight + mine > weights[i] ? weight + mine : weights[i];
      }
    }
    if (!is_touched)
      continue;
    for (int i = 0; i < n; i++)
      weights[i] = inverted ? FULL - weights[i] / 2 : weights[i] & 1 ? weights[i] / 2 : 0;
    global const sample_t *from = src + (src_offset + y * src_stride + x * NC);
    global const sample_t *other = INPUT_ROW (filtered, y) + x * NC;
    global sample_t *to = dst + (dst_offset + y * dst_stride + x * NC);
    ROW_LOOP (sizeof (long))
    for (int i = 0; i < n * NC; i++) {
      const sample_t in = from[i], new = other[i];
      const int weight = weights[i / NC];
      const sample_t mixed = merge_sample (
          (sample_t) mix_values (LOAD (in), LOAD (new), weighed (amount, weight)), in, keep[(x * NC) + i]);
      to[i] = weight == 0 || in == new ? to[i] : mixed;
    }
  }
}
