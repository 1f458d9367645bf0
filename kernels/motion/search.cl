/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds the blocks of a level in one or two other pictures. An item finds the vector of a block, on the cpu back end of a row of blocks; rows
 * of the second picture follow those of the first. No block waits for its neighbours: their vectors come from the coarser level, and from
 * an earlier turn at the same level.
 *
 *   cost = sum of absolute differences + price of the distance from the middle of the neighbourhood's vectors
 *
 * Candidates are no motion, the hint, and a neighbourhood of nine; around the best of them all places within `radius` steps are tried,
 * so often, for each step from the first to the last. */

/* known: columns and rows of the field with the neighbourhood; coarser: log2 of its scale, 1 for a coarser level, 0 for the
 * same level. hint: a factor for the hint's vectors in sixteenths, 0 without a hint; hint_of: 0 for vectors of the same
 * picture, 1 for the other picture's. price: of a quarter pixel, and the highest total. */
struct search { int known_columns, known_rows, coarser, hint, hint_of, radius, first_step, last_step, turns, price, most; };

struct match { int2 place, middle; uint sad, cost; };

static inline int2 middle_of (int2 a, int2 b, int2 c) { return max (min (a, b), min (max (a, b), c)); }
static inline int2 lowest_of (int2 a, int2 b, int2 c) { return min (min (a, b), c); }
static inline int2 highest_of (int2 a, int2 b, int2 c) { return max (max (a, b), c); }

/* The median of nine vectors, for x and y separately. */
static inline int2
median_of (const int2 *v)
{
  return middle_of (highest_of (lowest_of (v[0], v[1], v[2]), lowest_of (v[3], v[4], v[5]), lowest_of (v[6], v[7], v[8])),
      middle_of (middle_of (v[0], v[1], v[2]), middle_of (v[3], v[4], v[5]), middle_of (v[6], v[7], v[8])),
      lowest_of (highest_of (v[0], v[1], v[2]), highest_of (v[3], v[4], v[5]), highest_of (v[6], v[7], v[8])));
}

#if BACKEND_CPU
static inline void
try_four (struct match *best, const struct block *block, int4 x, int4 y, struct search s)
{
  x = min (max (x, block->low.x), block->high.x);
  y = min (max (y, block->low.y), block->high.y);
  const uint4 sums = differences (block, x, y);
  const uint4 costs = sums + min ((uint) s.price * (abs (x - best->middle.x) + abs (y - best->middle.y)), (uint) s.most);
  const uint least = min (min (costs.x, costs.y), min (costs.z, costs.w));
  if (least >= best->cost)
    return;
  const int i = costs.x == least ? 0 : costs.y == least ? 1 : costs.z == least ? 2 : 3;
  *best = (struct match) {(int2) (x[i], y[i]), best->middle, sums[i], least};
}

/* Tries each candidate once; the first one fills the last vector. */
static inline void
try_candidates (struct match *best, const struct block *block, const int2 *around, int2 hint, struct search s)
{
  const int2 all[8] = {best->middle, around[4], hint, (int2) (0, 0), around[1], around[3], around[5], around[7]};
  int x[8], y[8], n = 0;
  UNROLL for (int i = 0; i < 8; i++) {
    x[i] = best->middle.x;
    y[i] = best->middle.y;
  }
  UNROLL for (int i = 0; i < 8; i++) {
    bool is_known = false;
    UNROLL for (int j = 0; j < i; j++)
      is_known |= as_long (all[j]) == as_long (all[i]);
    x[n] = all[i].x;
    y[n] = all[i].y;
    n += !is_known;
  }
  ROLLED for (int i = 0; i < n; i += 4)
    try_four (best, block, vload4 (0, x + i), vload4 (0, y + i), s);
}

/* Tries all places within the radius but the middle one. */
static inline void
try_around (struct match *best, const struct block *block, int2 from, int step, struct search s)
{
  const int width = 2 * s.radius + 1, n = width * width - 1, per_width = 65536 / width + 1;
  ROLLED for (int i = 0; i < n; i += 4) {
    int4 at = i + (int4) (0, 1, 2, 3);
    at -= at >= n / 2;
    const int4 row = at * per_width >> 16;
    try_four (best, block, from.x + (at - row * width - s.radius) * step, from.y + (row - s.radius) * step, s);
  }
}
#else
static inline void
try_place (struct match *best, const struct block *block, int2 place, struct search s)
{
  place = clamp (place, block->low, block->high);
  if (place.x == best->place.x && place.y == best->place.y && best->cost != UINT_MAX)
    return;
  const int2 off = place - best->middle;
  const uint sad = difference (block, place, best->cost);
  const uint cost = sad + min ((uint) s.price * (abs (off.x) + abs (off.y)), (uint) s.most);
  if (cost >= best->cost)
    return;
  best->place = place;
  best->sad = sad;
  best->cost = cost;
}

static inline void
try_candidates (struct match *best, const struct block *block, const int2 *around, int2 hint, struct search s)
{
  ROLLED for (int i = 0; i < 8; i++)
    try_place (best, block, i == 0 ? best->middle : i == 1 ? around[4] : i == 2 ? hint : i == 3 ? (int2) (0, 0) : around[2 * i - 7], s);
}

static inline void
try_around (struct match *best, const struct block *block, int2 from, int step, struct search s)
{
  const int width = 2 * s.radius + 1;
  ROLLED for (int i = 0; i < width * width; i++)
    if (2 * i != width * width - 1)
      try_place (best, block, from + step * ((int2) (i % width, i / width) - s.radius), s);
}
#endif

/* Candidate i of a block whose neighbours are around (x, y) of a field. */
static inline int2
known_place (global const struct vector *known, struct search s, int x, int y, int i)
{
  const int column = clamp (x + i % 3 - 1, 0, s.known_columns - 1), row = clamp (y + i / 3 - 1, 0, s.known_rows - 1);
  return place_of (known[row * s.known_columns + column]) << s.coarser;
}

static inline struct vector
find_block (struct block block, global const struct vector *known, struct search s, int x, int y, int2 hint)
{
  int2 around[9];
  UNROLL for (int i = 0; i < 9; i++)
    around[i] = known_place (known, s, x, y, i);
  struct match best = {0, median_of (around), 0, UINT_MAX};
  try_candidates (&best, &block, around, hint, s);
  ROLLED for (int step = s.first_step; step >= s.last_step; step >>= 1)
    ROLLED for (int turn = 0; turn < s.turns; turn++) {
      const int2 from = best.place;
      try_around (&best, &block, from, step, s);
      if (from.x == best.place.x && from.y == best.place.y)
        break;
    }
  return (struct vector) {(short) best.place.x, (short) best.place.y, best.sad};
}

kernel void
find_vectors (global const sample_t *restrict own, global const sample_t *restrict before, global const sample_t *restrict after,
    struct level level, struct grid grid, int pictures, struct search s, global const struct vector *restrict known,
    global const struct vector *restrict hints, global struct vector *restrict found)
{
  const int n = grid.columns * grid.rows, row = (int) get_global_id (1), picture = row / grid.rows, y = row - picture * grid.rows;
  if (row >= pictures * grid.rows)
    return;
  EACH_BLOCK (grid)
  {
    const int i = y * grid.columns + x;
    struct block block = block_at (level, grid, x, y);
    block.own = own;
    block.other = picture ? after : before;
    const int2 hint = s.hint ? place_of (hints[(picture ^ s.hint_of) * n + i]) * s.hint / 16 : (int2) (0, 0);
    found[picture * n + i] =
        find_block (block, known + picture * s.known_columns * s.known_rows, s, x >> s.coarser, y >> s.coarser, hint);
  }
}
