/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Applies `mix` where regions of interest have shapes: the share of the filtered pixel, in 65536ths, is the greatest weight that a region
 * has at this pixel.
 *
 *   table     of each shape twice its middle in x and y, half its width and height, in half pixels of the frame; then where the list of
 *             each tile of 64 x 64 pixels starts; then the lists
 *   counts    shapes, tiles in a row, tiles
 *   part      the range of shapes that this launch mixes
 *   picture   width and height of the frame or of a field, the field, how many fields there are
 *   mask      a factor of weights in 255ths; its width is 0 where there is none */
#define TILE 64
#define FULL 65536
/* How many pixels of a tile an item works on at once. */
#if BACKEND_CPU
#define SPAN TILE
#else
#define SPAN 1
#endif

struct shape { int x, y, width, height; };

/* The distance of a pixel of the plane from a shape's middle, in half pixels. It covers pixels at first, first + step .. last: the nearest
 * counts; the farthest if `farthest`, where the rest of the picture is filtered; the middle of all if `soft`. */
static inline int distance_of (int first, int last, int step, int middle, int farthest, int soft)
{
  const int a = first - middle, b = last - middle, beyond = -a & (step - 1);
  const int nearest = a > 0 ? a : b < 0 ? -b : beyond < step - beyond ? beyond : step - beyond;
  const int farther = b > -a ? b : -a, between = a + b < 0 ? -(a + b) >> 1 : (a + b) >> 1;
  return soft ? between : farthest ? farther : nearest;
}

/* The centre of the last frame pixel (or row) under a pixel of the plane, in half pixels; the frame has `pixels` of them. */
static inline int last_of (int sample, int subsampling, int pixels)
{
  const int end = (sample + 1) << subsampling;
  return 2 * (end < pixels ? end : pixels) - 1;
}

/* Whether a place, from the middle, is in an ellipse with the half axes width and height: exact if 64 bits hold the products. */
static inline int is_in_ellipse (ulong x, ulong y, ulong width, ulong height)
{
  if (width * height < 3000000000UL)
    return x * x * height * height + y * y * width * width <= width * width * height * height;
  const float right = (float) x / width, down = (float) y / height;
  return right * right + down * down <= 1;
}

/* How far a shape reaches to either side of its middle, in the row `down` half pixels above or below it; in half pixels. */
static inline int reach_of (struct shape s, int down, int ellipse)
{
  const float part = (float) down / s.height;
  int reach = ellipse ? (int) (s.width * sqrt (1 - part * part)) : s.width;
  while (ellipse && !is_in_ellipse (reach, down, s.width, s.height))
    reach--;
  while (ellipse && reach < s.width && is_in_ellipse (reach + 1, down, s.width, s.height))
    reach++;
  return reach;
}

/* Mixes two values: in 32 bits if they hold the product and `mix` is 1. */
static inline int weigh_values (int in, int filtered, long amount, int is_full, int weight)
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

struct row { int2 subsampling; int4 picture; int ellipse, inverted; float feather; }; /* the values that all pixels of a row share */

/* Merges a shape, `down` half pixels away, into twice the weights of n pixels from x on; lowest bit, `mine`: it is of this part. */
static inline void add_shape (int *weights, int n, int x, struct shape s, int down, int mine, struct row r, const int soft)
{
  const int reach = soft ? 0 : reach_of (s, down, r.ellipse);
  const float least = min (s.width, s.height), steepness = soft ? FULL / (r.feather * least) : 0, across = 1.f / s.width;
  const float square_down = (float) down * down / s.height / s.height, from_below = s.height - down;
  ROW_LOOP (sizeof (int))
  for (int i = 0; i < n; i++) {
    const int last = last_of (x + i, r.subsampling.x, r.picture.x);
    const int right = distance_of (2 * ((x + i) << r.subsampling.x) + 1, last, 2, s.x, r.inverted, soft);
    const float beside = s.width - right, square = right * across * (right * across) + square_down;
    const float depth = r.ellipse ? (1 - native_sqrt (square)) * least : beside < from_below ? beside : from_below;
    const float scaled = depth * steepness + 0.5f;
    const int edge = scaled < 0.5f ? 0 : scaled > FULL ? FULL : (int) scaled, weight = 2 * (soft ? edge : right <= reach ? FULL : 0);
    weights[i] = weight > 0 && weight + mine > weights[i] ? weight + mine : weights[i];
  }
}

/* A place of the frame, in quarter pixels, on a picture of another size: the pixels before and after it; returns the share of `after`. */
static inline float place_on (int quarters, int frame, int size, int *before, int *after)
{
  const float at = clamp (quarters * 0.25f * size / frame - 0.5f, 0.f, (float) (size - 1));
  *before = (int) at;
  *after = min (*before + 1, size - 1);
  return at - *before;
}

/* Multiplies the weights of n pixels from x on by a mask, interpolated linearly. size: width and height of the mask, then of the frame. */
static inline void apply_mask (int *weights, int n, int x, int down, struct row r, global const uchar *restrict mask, int4 size)
{
  int above, below, left, right;
  const float lower = place_on (down, size.w, size.y, &above, &below);
  global const uchar *upper_row = mask + above * size.x, *lower_row = mask + below * size.x;
  for (int i = 0; i < n; i++) {
    const int across = 2 * ((x + i) << r.subsampling.x) + 1 + last_of (x + i, r.subsampling.x, r.picture.x);
    const float righter = place_on (across, size.z, size.x, &left, &right);
    const float upper = upper_row[left] + (upper_row[right] - upper_row[left]) * righter;
    const float value = upper + (lower_row[left] + (lower_row[right] - lower_row[left]) * righter - upper) * lower;
    weights[i] = (int) (weights[i] * (value / 255) + 0.5f);
  }
}

/* IN_PLACE: 1 if dst already holds the filtered samples of all regions; then samples of src are copied to it where no region is. */
#if IN_PLACE
#define FILTERED_PARAM
#define FILTERED_ROW(y) (dst + (dst_offset + (y) *dst_stride))
#else
#define FILTERED_PARAM INPUT_PARAM (filtered),
#define FILTERED_ROW(y) INPUT_ROW (filtered, y)
#endif

static inline void mix_samples (global sample_t *to, global const sample_t *from, global const sample_t *filtered,
    global const sample_t *keep, const int *weights, int n, long amount, const int is_full)
{
  ROW_LOOP (sizeof (int))
  for (int i = 0; i < n; i++) {
    const sample_t in = from[i], new = filtered[i];
    const int weight = weights[i / NC];
    const sample_t mixed = (sample_t) weigh_values (LOAD (in), LOAD (new), amount, is_full, weight);
    to[i] = weight == 0 ? (IN_PLACE ? in : to[i]) : in == new ? in : merge_sample (mixed, in, keep[i]);
  }
}

/* An item mixes a row, on the gpu back end a pixel. Until all shapes are in, weights are doubled, with the lowest bit as in add_shape (). */
kernel void mix_by_regions (PLANE_ARGS, long amount, long full_amount, FILTERED_PARAM global const int *restrict table, int4 counts,
    int2 part, int4 picture, int2 subsampling, int ellipse, int inverted, float feather, global const uchar *restrict mask, int4 mask_size)
{
  const int y = region.y + get_global_id (1), columns = (region.x + region.width) / NC;
  const int begin = region.x / NC + (BACKEND_CPU ? 0 : get_global_id (0)), end = BACKEND_CPU ? columns : min (begin + 1, columns);
  if (y >= region.y + region.height)
    return;
  const struct row r = {subsampling, picture, ellipse, inverted, feather};
  const int first_row = (y << subsampling.y) * picture.w + picture.z, step = 2 * picture.w;
  const int last_row = (last_of (y, subsampling.y, picture.y) - 1) * picture.w + 2 * picture.z + 1;
  global const int *starts = table + 4 * counts.x + first_row / TILE * counts.y, *lists = table + 4 * counts.x + counts.z + 1;
  for (int x = begin, next; x < end; x = next) {
    int tile = (x << subsampling.x) / TILE;
    next = min (end, (tile + 1) * TILE >> subsampling.x);
    global const sample_t *from = src + (src_offset + y * src_stride + x * NC), *filtered_row = FILTERED_ROW (y) + x * NC;
    global sample_t *to = dst + (dst_offset + y * dst_stride + x * NC);
    const int n = next - x, list_end = starts[tile + 1];
    int weights[SPAN] = {0}, is_touched = inverted;
    for (int at = starts[tile]; at < list_end; at++) {
      const struct shape s = ((global const struct shape *) table)[lists[at]];
      const int down = distance_of (2 * first_row + 1, last_row, step, s.y, inverted, feather > 0);
      /* a shape can contain the middle between the rows of a field without containing a row */
      if (down > s.height || distance_of (2 * first_row + 1, last_row, step, s.y, 0, 0) > s.height)
        continue;
      const int mine = lists[at] >= part.x && lists[at] < part.y;
      is_touched = 1;
      if (feather > 0)
        add_shape (weights, n, x, s, down, mine, r, 1);
      else
        add_shape (weights, n, x, s, down, mine, r, 0);
    }
    if (!is_touched) {
      for (; next < end && starts[tile + 1] == starts[tile + 2]; tile++)
        next = min (end, next + (TILE >> subsampling.x));
      ROW_LOOP (sizeof (sample_t))
      for (int i = 0; i < (IN_PLACE ? (next - x) * NC : 0); i++)
        to[i] = from[i];
      continue;
    }
    for (int i = 0; i < n; i++)
      weights[i] = inverted ? FULL - weights[i] / 2 : weights[i] & 1 ? weights[i] / 2 : 0;
    if (mask_size.x)
      apply_mask (weights, n, x, first_row * 2 + 1 + last_row, r, mask, mask_size);
    int least = FULL;
    for (int i = 0; i < n; i++)
      least = min (least, weights[i]);
    if (IN_PLACE && amount == full_amount && least == FULL)
      continue;
    if (amount == full_amount)
      mix_samples (to, from, filtered_row, keep + x * NC, weights, n * NC, amount, 1);
    else
      mix_samples (to, from, filtered_row, keep + x * NC, weights, n * NC, amount, 0);
  }
}
