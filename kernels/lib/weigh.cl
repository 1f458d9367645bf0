/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* `mix` where regions of interest have shapes: every pixel of a plane gets as much of the filtered one as the region that weighs most there
 * gives it, in 65536ths.
 *
 * table     shapes: twice the middle of each in x and y, half its width and height, in half pixels of the frame; where the list of each
 *           tile of 64 x 64 pixels starts; the lists
 * counts    how many shapes, tiles in a row of them, and tiles
 * part      which shapes are mixed
 * picture   pixels and rows of the frame, or of one of so many fields: width, height, field, fields
 * mask      what the weights are multiplied by, in 255ths; of no width where there is none */
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

/* Where `mix` is 1 and there is room for it, in 32 bits. */
static inline int
weigh_values (int in, int filtered, long amount, int is_full, int weight)
{
#if DEPTH <= 14
  if (is_full)
    return in + (((filtered - in) * weight + FULL / 2) >> 16);
#endif
#if DOUBLES
  return mix_values (in, filtered, as_long (as_double (amount) * weight * (1. / FULL)));
#else
  return mix_values (in, filtered, amount * weight / FULL);
#endif
}

/* Adds a shape to twice the weight of pixels from x on, with 1 where it is that of a region of this part. */
static inline void
add_shape (int *weights, int n, int x, int subsampling, int width, struct shape s, int down, int mine, int ellipse, int inverted, float feather)
{
  if (feather == 0) {
    const int reach = reach_of (s, down, ellipse), full = 2 * FULL + mine;
    ROW_LOOP (sizeof (int))
    for (int i = 0; i < n; i++) {
      const int last = last_of (x + i, subsampling, width);
      const int right = distance_of (2 * ((x + i) << subsampling) + 1, last, 2, s.x, inverted, 0);
      weights[i] = right <= reach && weights[i] < full ? full : weights[i];
    }
    return;
  }
  const float least = s.width < s.height ? s.width : s.height, steepness = FULL / (feather * least), across = 1.f / s.width;
  const float square_down = (float) down * down / s.height / s.height, from_below = s.height - down;
  ROW_LOOP (sizeof (int))
  for (int i = 0; i < n; i++) {
    const int last = last_of (x + i, subsampling, width);
    const int right = distance_of (2 * ((x + i) << subsampling) + 1, last, 2, s.x, 0, 1);
    const float beside = s.width - right, square = right * across * (right * across) + square_down;
    const float depth = ellipse ? (1 - native_sqrt (square)) * least : beside < from_below ? beside : from_below;
    const float scaled = depth * steepness + 0.5f;
    const int weight = 2 * (scaled < 0.5f ? 0 : scaled > FULL ? FULL : (int) scaled);
    weights[i] = weight > 0 && weight + mine > weights[i] ? weight + mine : weights[i];
  }
}

/* A place of the frame, in quarter pixels, on a picture of another size: the number of the pixel before it, the next one, and how much that
 * one counts. */
static inline float
place_on (int quarters, int frame, int size, int *before, int *after)
{
  const float at = clamp (quarters * 0.25f * size / frame - 0.5f, 0.f, (float) (size - 1));
  *before = (int) at;
  *after = min (*before + 1, size - 1);
  return at - *before;
}

/* Multiplies weights of pixels from x on by a mask of another size, which is scaled linearly: width, height, and those of the frame. */
static inline void
apply_mask (int *weights, int n, int x, int down, int subsampling, int width, global const uchar *restrict mask, int4 size)
{
  int above, below, left, right;
  const float lower = place_on (down, size.w, size.y, &above, &below);
  global const uchar *upper_row = mask + above * size.x, *lower_row = mask + below * size.x;
  for (int i = 0; i < n; i++) {
    const int across = 2 * ((x + i) << subsampling) + 1 + last_of (x + i, subsampling, width);
    const float righter = place_on (across, size.z, size.x, &left, &right);
    const float upper = upper_row[left] + (upper_row[right] - upper_row[left]) * righter;
    const float value = upper + (lower_row[left] + (lower_row[right] - lower_row[left]) * righter - upper) * lower;
    weights[i] = (int) (weights[i] * (value / 255) + 0.5f);
  }
}

#define MIX_PIXELS(bytes, full)                                                                                       \
  ROW_LOOP (bytes)                                                                                                    \
  for (int i = 0; i < (next - x) * NC; i++) {                                                                         \
    const sample_t in = from[i], new = other[i];                                                                      \
    const int weight = weights[i / NC];                                                                               \
    const sample_t mixed = (sample_t) weigh_values (LOAD (in), LOAD (new), amount, full, weight);                     \
    to[i] = weight == 0 || in == new ? to[i] : merge_sample (mixed, in, keep[x * NC + i]);                            \
  }

kernel void
mix_by_regions (PLANE_ARGS, long amount, long full_amount, INPUT_PARAM (filtered), global const int *restrict table, int4 counts, int2 part, int4 picture,
    int2 subsampling, int ellipse, int inverted, float feather, global const uchar *restrict mask, int4 mask_size)
{
  global const struct shape *shapes = (global const struct shape *) table;
  global const int *starts = table + 4 * counts.x, *lists = starts + counts.z + 1;
  const int y = region.y + get_global_id (1), n_fields = picture.w;
#if BACKEND_CPU
  const int begin = region.x / NC, end = (region.x + region.width) / NC;
#else
  const int begin = region.x / NC + get_global_id (0), end = min (begin + 1, (region.x + region.width) / NC);
#endif
  if (y >= region.y + region.height)
    return;
  const int row = (y << subsampling.y) * n_fields + picture.z, tile_row = row / TILE * counts.y;
  const int bottom = (last_of (y, subsampling.y, picture.y) - 1) * n_fields + 2 * picture.z + 1;
  for (int x = begin, next; x < end; x = next) {
    const int column = (x << subsampling.x) / TILE, in_tile = tile_row + column;
    next = min (end, (column + 1) * TILE >> subsampling.x);
    int weights[SPAN], is_touched = inverted;
    for (int i = 0; i < next - x; i++)
      weights[i] = 0;
    for (int at = starts[in_tile]; at < starts[in_tile + 1]; at++) {
      const struct shape s = shapes[lists[at]];
      const int down = distance_of (2 * row + 1, bottom, 2 * n_fields, s.y, inverted, feather > 0);
      if (down > s.height)
        continue;
      is_touched = 1;
      const int mine = lists[at] >= part.x && lists[at] < part.y;
      add_shape (weights, next - x, x, subsampling.x, picture.x, s, down, mine, ellipse, inverted, feather);
    }
    if (!is_touched)
      continue;
    for (int i = 0; i < next - x; i++)
      weights[i] = inverted ? FULL - weights[i] / 2 : weights[i] & 1 ? weights[i] / 2 : 0;
    if (mask_size.x)
      apply_mask (weights, next - x, x, 2 * row + 1 + bottom, subsampling.x, picture.x, mask, mask_size);
    global const sample_t *from = src + (src_offset + y * src_stride + x * NC);
    global const sample_t *other = INPUT_ROW (filtered, y) + x * NC;
    global sample_t *to = dst + (dst_offset + y * dst_stride + x * NC);
    if (amount == full_amount)
      MIX_PIXELS (sizeof (int), 1)
    else
      MIX_PIXELS (sizeof (long), 0)
  }
}
