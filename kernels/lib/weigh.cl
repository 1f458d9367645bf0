/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* `mix` where regions of interest have shapes: a pixel gets as much of the filtered one as the region that weighs most there gives it, in
 * 65536ths. table: of each shape twice its middle in x and y, half its width and height, in half pixels of the frame; where the list of
 * each tile of 64 x 64 pixels starts; the lists. counts: shapes, tiles in a row, tiles. part: the shapes that are mixed. picture: width and
 * height of the frame or a field, field, fields. mask: a factor of weights in 255ths, or no width. */
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

/* Samples of a row, from the first to before the end. */
struct span { int first, end; };

/* Of n samples from x on those whose pixels are at most reach half pixels from the middle: one pixel of them, or all. */
static inline struct span
span_of (int middle, int reach, int all, int n, int x, int subsampling, int width)
{
  const int first = (middle - reach) >> 1, end = (middle + reach + 1) >> 1, up = (1 << subsampling) - 1;
  if (reach < 0 || first >= end)
    return (struct span) {0, 0};
  const int from = (first + (all ? up : 0)) >> subsampling;
  const int to = (end + (all && end < width ? 0 : up)) >> subsampling;
  return (struct span) {max (from - x, 0), min (to - x, n)};
}

/* How far to the sides of its middle a shape has all of its weight, in a row; negative for nowhere. With soft edges it is a little less. */
static inline int
core_of (struct shape s, int down, int ellipse, float feather)
{
  if (feather == 0)
    return reach_of (s, down, ellipse);
  const float soft = feather * min (s.width, s.height), part = (float) down / s.height, inner = 1 - feather;
  if (!ellipse)
    return s.height - down > soft + 2 ? (int) (s.width - soft) - 2 : -1;
  return inner > part ? (int) (s.width * sqrt (inner * inner - part * part)) - 3 : -1;
}

/* Adds a shape with soft edges to twice the weight of samples from x on, with `mine` as 1 where it is that of a region of this part. */
static inline void
add_edge (int *weights, int n, int x, int subsampling, int width, struct shape s, int down, int mine, int ellipse, float feather)
{
  const float least = min (s.width, s.height), steepness = FULL / (feather * least), across = 1.f / s.width;
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

/* The same of any shape; of n samples those of core have full weight. */
static inline void
add_shape (int *weights, int n, struct span core, int x, int subsampling, int width, struct shape s, int down, int mine, int ellipse, float feather)
{
  for (int i = core.first; i < core.end; i++)
    weights[i] = max (weights[i], 2 * FULL + mine);
  if (feather == 0)
    return;
  /* whole vectors are faster than what is around the core */
  add_edge (weights, n, x, subsampling, width, s, down, mine, ellipse, feather);
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

/* IN_PLACE: 1 where `filtered` is what dst has, of all regions, and src is copied where there are none. */
#if IN_PLACE
#define FILTERED_PARAM
#define FILTERED_ROW(y) (dst + (dst_offset + (y) *dst_stride))
#define UNFILTERED(from, to) (from)
#else
#define FILTERED_PARAM INPUT_PARAM (filtered),
#define FILTERED_ROW(y) INPUT_ROW (filtered, y)
#define UNFILTERED(from, to) (to)
#endif

/* Samples of a row from `first` to before `end`. */
#define MIX_PIXELS(bytes, full, first, end)                                                                           \
  ROW_LOOP (bytes)                                                                                                    \
  for (int i = (first) * NC; i < (end) * NC; i++) {                                                                   \
    const sample_t in = from[i], new = other[i];                                                                      \
    const int weight = weights[i / NC];                                                                               \
    const sample_t mixed = (sample_t) weigh_values (LOAD (in), LOAD (new), amount, full, weight);                     \
    to[i] = weight == 0 || in == new ? UNFILTERED (in, to[i]) : merge_sample (mixed, in, keep[x * NC + i]);           \
  }

/* Where no shape is, in a row. */
static inline void
leave_samples (global sample_t *to, global const sample_t *from, int n)
{
#if IN_PLACE
  ROW_LOOP (sizeof (sample_t))
  for (int i = 0; i < n; i++)
    to[i] = from[i];
#endif
}

/* Where weights are all or nothing. */
static inline void
keep_samples (global sample_t *to, global const sample_t *from, const int *weights, int n)
{
  ROW_LOOP (sizeof (int))
  for (int i = 0; i < n; i++) {
    const sample_t mask = weights[i / NC] ? (sample_t) ~0 : 0;
    to[i] = (to[i] & mask) | (from[i] & ~mask);
  }
}

/* A row of a plane, and the arguments that say which shapes there are; the shape that was met last, and how far it reaches. */
struct row {
  global const int *table;
  int4 counts, picture;
  int2 part, subsampling;
  int ellipse, inverted, y, is_plain, shape, reach;
  float feather;
};

static inline int first_row (const struct row *r) { return (r->y << r->subsampling.y) * r->picture.w + r->picture.z; }

static inline int
last_row (const struct row *r)
{ return (last_of (r->y, r->subsampling.y, r->picture.y) - 1) * r->picture.w + 2 * r->picture.z + 1; }

/* Twice the weights of n samples from x on, by the shapes from `list` to before `end` of all lists; of those that are done dst has the
 * result. Returns whether there are any. */
static inline int
weigh_samples (int *weights, struct span *done, int n, int x, int list, int end, struct row *r)
{
  global const int *lists = r->table + 4 * r->counts.x + r->counts.z + 1;
  int is_touched = 0;
  for (int i = 0; i < n; i++)
    weights[i] = 0;
  for (int at = list; at < end && done->end - done->first < n; at++) {
    const int number = lists[at];
    const struct shape s = ((global const struct shape *) r->table)[number];
    const int down = distance_of (2 * first_row (r) + 1, last_row (r), 2 * r->picture.w, s.y, r->inverted, r->feather > 0);
    if (down > s.height)
      continue;
    is_touched = 1;
    if (r->shape != number)
      r->reach = core_of (s, down, r->ellipse, r->feather);
    r->shape = number;
    const struct span core = span_of (s.x, r->reach, r->feather > 0 || r->inverted, n, x, r->subsampling.x, r->picture.x);
    if (r->is_plain && core.end - core.first > done->end - done->first)
      *done = core;
    const int mine = number >= r->part.x && number < r->part.y;
    add_shape (weights, n, core, x, r->subsampling.x, r->picture.x, s, down, mine, r->ellipse, r->feather);
  }
  return is_touched;
}

kernel void
mix_by_regions (PLANE_ARGS, long amount, long full_amount, FILTERED_PARAM global const int *restrict table, int4 counts, int2 part, int4 picture,
    int2 subsampling, int ellipse, int inverted, float feather, global const uchar *restrict mask, int4 mask_size)
{
  const int y = region.y + get_global_id (1);
#if BACKEND_CPU
  const int begin = region.x / NC, end = (region.x + region.width) / NC;
#else
  const int begin = region.x / NC + get_global_id (0), end = min (begin + 1, (region.x + region.width) / NC);
#endif
  if (y >= region.y + region.height)
    return;
  const int is_plain = IN_PLACE && amount == full_amount && !mask_size.x && !inverted;
  struct row r = {table, counts, picture, part, subsampling, ellipse, inverted, y, is_plain, -1, 0, feather};
  global const int *starts = table + 4 * counts.x + first_row (&r) / TILE * counts.y;
  for (int x = begin, next; x < end; x = next) {
    int tile = (x << subsampling.x) / TILE;
    next = min (end, (tile + 1) * TILE >> subsampling.x);
    global const sample_t *from = src + (src_offset + y * src_stride + x * NC);
    global const sample_t *other = FILTERED_ROW (y) + x * NC;
    global sample_t *to = dst + (dst_offset + y * dst_stride + x * NC);
    const int n = next - x, list = starts[tile], list_end = starts[tile + 1];
    int weights[SPAN];
    struct span done = {0, 0};
    if (list == list_end && !inverted)
      for (; next < end && starts[tile + 1] == starts[tile + 2]; tile++)
        next = min (end, next + (TILE >> subsampling.x));
    if (!weigh_samples (weights, &done, n, x, list, list_end, &r) && !inverted) {
      leave_samples (to, from, (next - x) * NC);
      continue;
    }
    if (is_plain && feather == 0) {
      if (done.end - done.first < n)
        keep_samples (to, from, weights, n * NC);
      continue;
    }
    for (int i = 0; i < n; i++)
      weights[i] = inverted ? FULL - weights[i] / 2 : weights[i] & 1 ? weights[i] / 2 : 0;
    if (mask_size.x)
      apply_mask (weights, n, x, first_row (&r) * 2 + 1 + last_row (&r), subsampling.x, picture.x, mask, mask_size);
    if (amount == full_amount) {
      const int before = min ((done.first + 15) & ~15, n), behind = max (done.end & ~15, before);
      MIX_PIXELS (sizeof (int), 1, 0, before)
      MIX_PIXELS (sizeof (int), 1, behind, n)
    } else {
      MIX_PIXELS (sizeof (long), 0, 0, n)
    }
  }
}
