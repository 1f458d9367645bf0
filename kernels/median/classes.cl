/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clmedian, large windows of any rank, 16 bit, on the cpu back end: nearly constant time.
 *
 * Column histograms of 65536 bins would not fit any cache. So the samples of a tile with its surroundings are sorted,
 * and the values are cut into at most MEDIAN_CLASSES classes of nearly equal population; a frequent value has a class of its
 * own. Column histograms of classes (median/columns.clh) give the class of a rank. Where that class has several
 * values, its samples, which are few, are gone through in order until enough of them lay in the window.
 *
 * A work item takes tiles of one component in turn. */
#define MEDIAN_CLASSES (COLUMN_LANES * COLUMN_LANES)
#define MEDIAN_CLASSED_VALUES 65536

typedef ushort places_t __attribute__ ((ext_vector_type (32)));
typedef places_t places_anywhere_t __attribute__ ((aligned (2)));

/* A tile with its surroundings, wide * high samples: the class of each, and their places by increasing value. */
struct tile
{
  global struct column *columns;
  global uint *next;         /* MEDIAN_CLASSED_VALUES: where the next sample of a value goes in the order */
  global uint *first;        /* MEDIAN_CLASSES + 1: where a class begins in the order */
  global int *only;          /* MEDIAN_CLASSES: the class's value where it has one only, else -1 */
  global ushort *class_of;   /* MEDIAN_CLASSED_VALUES */
  global ushort *classes;    /* wide * high */
  global ushort *x, *y;      /* wide * high, and as many more as one vector holds */
  int wide, high;
};

/* Cuts the values into classes: two neighbours together hold more than 2 / MEDIAN_CLASSES of the samples, which bounds their
 * number. Leaves in `next` where every value begins in the order. */
static inline void
cut_classes (const struct tile *tile)
{
  const uint enough = 2 * (uint) (tile->wide * tile->high) / (MEDIAN_CLASSES - 2) + 1;
  uint begin = 0, in_class = 0;
  int class = -1;
  for (int v = 0; v < MEDIAN_CLASSED_VALUES; v++) {
    const uint n = tile->next[v];
    tile->next[v] = begin;
    if (n == 0)
      continue;
    if (class < 0 || in_class + n > enough) {
      class++;
      tile->first[class] = begin;
      tile->only[class] = v;
      in_class = 0;
    } else
      tile->only[class] = -1;
    in_class += n;
    begin += n;
    tile->class_of[v] = class;
  }
}

static inline void
sort_tile (const struct tile *tile, global const sample_t *p, int stride)
{
  for (int v = 0; v < MEDIAN_CLASSED_VALUES; v++)
    tile->next[v] = 0;
  for (int y = 0; y < tile->high; y++)
    for (int x = 0; x < tile->wide; x++)
      tile->next[LOAD (p[y * stride + x * NC])]++;
  cut_classes (tile);
  for (int y = 0; y < tile->high; y++)
    for (int x = 0; x < tile->wide; x++) {
      const int v = LOAD (p[y * stride + x * NC]);
      const uint place = tile->next[v]++;
      tile->classes[y * tile->wide + x] = tile->class_of[v];
      tile->x[place] = x;
      tile->y[place] = y;
    }
}

/* The place in the order of the sample of this rank among those of a class in the window that begins at x, y. */
static inline uint
place_in_class (int2 radius, const struct tile *tile, int class, int rank, int x, int y)
{
  uint place = tile->first[class];
  for (;; place += 32) {
    const places_t dx = *(global const places_anywhere_t *) (tile->x + place) - (ushort) x;
    const places_t dy = *(global const places_anywhere_t *) (tile->y + place) - (ushort) y;
    const places_t inside = __builtin_astype (
        (dx < (places_t) ((ushort) WIDTH)) & (dy < (places_t) ((ushort) (2 * radius.y + 1))), places_t);
    const int n = lanes_set (__builtin_convertvector (inside, column_t));
    if (rank < n)
      break;
    rank -= n;
  }
  for (;; place++) {
    const ushort dx = tile->x[place] - x, dy = tile->y[place] - y;
    rank -= dx < WIDTH && dy < 2 * radius.y + 1;
    if (rank < 0)
      return place;
  }
}

/* Outputs of the tile; in and out are the first. */
static inline void
filter_tile (int2 radius, const struct tile *tile, global const sample_t *restrict in, int in_stride, global sample_t *restrict out,
    int out_stride, sample_t mask, int limit, int rank)
{
  struct window window;
  global const sample_t *around = in - radius.y * in_stride - radius.x * NC;
  global const ushort *row = tile->classes + radius.y * tile->wide;

  sort_tile (tile, around, in_stride);
  columns_begin (radius, tile->columns, tile->wide, row, tile->wide, 1);
  for (int y = 0; y < tile->high - 2 * radius.y; y++, row += tile->wide) {
    window_begin (radius, &window, tile->columns);
    for (int x = 0; x < tile->wide - 2 * radius.x; x++) {
      if (x > 0)
        window_move (radius, &window, tile->columns, x);
      int rest = rank;
      const int class = ranked (radius, &window, tile->columns, &rest, x);
      int median = tile->only[class];
      if (median < 0) {
        const uint place = place_in_class (radius, tile, class, rest, x, y);
        median = LOAD (around[tile->y[place] * in_stride + tile->x[place] * NC]);
      }
      const sample_t original = in[y * in_stride + x * NC];
      out[y * out_stride + x * NC] = merge_sample (beyond (median, LOAD (original), limit), original, mask);
    }
    if (y + 1 < tile->high - 2 * radius.y)
      columns_move (radius, tile->columns, tile->wide, row, tile->wide, 1);
  }
}

/* strip    outputs of a tile in x, band: in y
 * scratch  `each` bytes, a multiple of 64, for every work item:
 *          wide * (sizeof (struct column) + 6 * high) + 6 * MEDIAN_CLASSED_VALUES + 8 * MEDIAN_CLASSES + 256
 *          where wide = strip + 2 * radius.x, high = band + 2 * radius.y */
kernel void
median_classes (PLANE_ARGS, int limit, int rank, int2 radius, int strip, int band,
    global uchar *restrict scratch, int each)
{
  const int pixels = region.width / NC;
  const int strips = (pixels + strip - 1) / strip, bands = (region.height + band - 1) / band;
  const int area = (strip + 2 * radius.x) * (band + 2 * radius.y);
  struct tile tile;
  tile.columns = (global struct column *) (scratch + get_global_id (0) * (size_t) each);
  tile.next = (global uint *) (tile.columns + strip + 2 * radius.x);
  tile.first = tile.next + MEDIAN_CLASSED_VALUES;
  tile.only = (global int *) tile.first + MEDIAN_CLASSES + 1;
  tile.class_of = (global ushort *) (tile.only + MEDIAN_CLASSES);
  tile.classes = tile.class_of + MEDIAN_CLASSED_VALUES;
  tile.x = tile.classes + area;
  tile.y = tile.x + area + 32;

  for (int job = get_global_id (0); job < strips * bands * NC; job += get_global_size (0)) {
    const int left = job / NC % strips * strip * NC + job % NC;
    const int top = job / NC / strips * band;
    tile.wide = min (strip, pixels - left / NC) + 2 * radius.x;
    tile.high = min (band, region.height - top) + 2 * radius.y;
    filter_tile (radius, &tile, src + src_offset + (region.y + top) * src_stride + region.x + left, src_stride,
        dst + dst_offset + (region.y + top) * dst_stride + region.x + left, dst_stride, keep[left], limit, rank);
  }
}
