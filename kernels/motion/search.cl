/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds the blocks of a level in one or two other pictures. An item finds one vector, on the cpu back end the vectors of a row of blocks;
 * rows for the second picture follow rows for the first. Neighbours' vectors are from the coarser level, so that blocks are independent.
 *
 *   cost = sum of absolute differences + price of the distance from the median of the nine vectors
 *
 * Candidates: five of the nine vectors around, their median, the hint and (0, 0). From the best of them on, kernels try all places within
 * `radius` pixels (coarsest level only), then the four pixels beside it, up to ROUNDS times, then places between pixels. On the gpu back
 * end SEEKERS items share the places of a block of the coarsest level: one item would take as long as all other levels. */

/* known_columns, known_rows: size of the coarser field of vectors; coarser: log2 of its scale. hint: the factor, in sixteenths, of hints,
 * vectors to a nearer picture; 0 without hints. precision: in quarter pixels. price: of a quarter pixel; most: the highest price. */
struct search { int known_columns, known_rows, coarser, hint, radius, precision, price, most; };
enum { PIXEL = 4, ROUNDS = 3 }; /* PIXEL: in quarter pixels, as all places */

struct match { int2 place, middle; uint sad, cost; }; /* middle: the median, from which PRICE counts */

static inline int2 middle_of (int2 a, int2 b, int2 c) { return max (min (a, b), min (max (a, b), c)); }
static inline int2 lowest_of (int2 a, int2 b, int2 c) { return min (min (a, b), c); }
static inline int2 highest_of (int2 a, int2 b, int2 c) { return max (max (a, b), c); }

/* The median of nine vectors, for x and y separately. */
INLINE int2 median_of (const int2 *v)
{
  return middle_of (highest_of (lowest_of (v[0], v[1], v[2]), lowest_of (v[3], v[4], v[5]), lowest_of (v[6], v[7], v[8])),
      middle_of (middle_of (v[0], v[1], v[2]), middle_of (v[3], v[4], v[5]), middle_of (v[6], v[7], v[8])),
      lowest_of (highest_of (v[0], v[1], v[2]), highest_of (v[3], v[4], v[5]), highest_of (v[6], v[7], v[8])));
}

#define PRICE(best, left, top, s) \
  min ((uint) (s).price * (abs ((left) - (best)->middle.x) + abs ((top) - (best)->middle.y)), (uint) (s).most)

#if BACKEND_CPU
#define SHARED
enum { FIRST_TURN = 0 };
/* Tries four places; the first of equal ones counts. Returns their costs or, unless `exactly`, lower bounds of costs above the best one. */
static inline uint4 try_four (struct match *best, const struct block *block, int4 x, int4 y, bool exactly, struct search s)
{
  x = min (max (x, block->low.x), block->high.x);
  y = min (max (y, block->low.y), block->high.y);
  const uint4 sums = differences (block, x, y), costs = sums + PRICE (best, x, y, s), keys = 4 * costs + (uint4) (0, 1, 2, 3);
  const uint first = min (min (keys.x, keys.y), min (keys.z, keys.w)), i = first & 3;
  const bool is_better = first >> 2 < best->cost;
  best->place = is_better ? (int2) (x[i], y[i]) : best->place;
  best->sad = is_better ? sums[i] : best->sad;
  best->cost = is_better ? first >> 2 : best->cost;
  return costs;
}

/* Tries the distinct places among eight, four at a time. */
static inline void try_each (struct match *best, const struct block *block, const int2 *all, struct search s)
{
  int x[8], y[8], n = 0;
  UNROLL for (int i = 0; i < 8; i++) {
    x[i] = all[0].x;
    y[i] = all[0].y;
  }
  UNROLL for (int i = 0; i < 8; i++) {
    bool is_new = true;
    UNROLL for (int j = 0; j < i; j++)
      is_new &= as_long (all[j]) != as_long (all[i]);
    x[n] = all[i].x;
    y[n] = all[i].y;
    n += is_new;
  }
  ROLLED for (int i = 0; i < n; i += 4)
    try_four (best, block, vload4 (0, x + i), vload4 (0, y + i), true, s);
}

/* Tries all places within the radius except `from`. */
static inline void try_around (struct match *best, const struct block *block, int2 from, struct search s, struct match *tried)
{
  const int width = 2 * s.radius + 1, n = width * width - 1, per_width = 65536 / width + 1;
  ROLLED for (int i = 0; i < n; i += 4) {
    int4 at = i + (int4) (0, 1, 2, 3);
    at -= at >= n / 2; /* true is -1: skips `from` */
    const int4 row = at * per_width >> 16;
    try_four (best, block, from.x + (at - row * width - s.radius) * PIXEL, from.y + (row - s.radius) * PIXEL, true, s);
  }
}
#else
#define SHARED local
enum { FIRST_TURN = -2 };
/* Tries a place. Returns its cost or, above `limit`, a lower bound of it. */
static inline uint try_place (struct match *best, const struct block *block, int2 place, uint limit, struct search s)
{
  place = clamp (place, block->low, block->high);
  if (place.x == best->place.x && place.y == best->place.y && best->cost != UINT_MAX)
    return best->cost;
  const uint sad = difference (block, place, limit), cost = sad + PRICE (best, place.x, place.y, s);
  if (cost < best->cost)
    *best = (struct match) {place, best->middle, sad, cost};
  return cost;
}

static inline uint4 try_four (struct match *best, const struct block *block, int4 x, int4 y, bool exactly, struct search s)
{
  uint4 costs = 0;
  ROLLED for (int i = 0; i < 4; i++) {
    const uint cost = try_place (best, block, (int2) (x.x, y.x), exactly ? UINT_MAX : best->cost, s);
    x = x.yzwx, y = y.yzwx, costs = (uint4) (costs.yzw, cost);
  }
  return costs;
}

/* tried: each item's best place; the first of equal ones counts. */
static inline void try_around (struct match *best, const struct block *block, int2 from, struct search s, local struct match *tried)
{
  const int width = 2 * s.radius + 1, n = width * width, each = (n + SEEKERS - 1) / SEEKERS, own = SEEKERS > 1 ? (int) get_local_id (0) : 0;
  ROLLED for (int i = own * each; i < min (own * each + each, n); i++)
    if (2 * i != n - 1)
      try_place (best, block, from + PIXEL * ((int2) (i % width, i / width) - s.radius), best->cost, s);
#if SEEKERS > 1
  tried[own] = *best;
  barrier (CLK_LOCAL_MEM_FENCE);
  ROLLED for (int i = SEEKERS - 1; i >= 0; i--)
    if (tried[i].cost <= best->cost)
      *best = tried[i];
#endif
}
#endif

/* The best of three places (-2, 0, 2) on an axis, and the step (-1 or 1) from it towards the second best. */
static inline int2 best_of (uint lower, uint here, uint higher)
{
  const int side = lower <= higher ? -1 : 1;
  return min (lower, higher) < here ? (int2) (2 * side, -side) : (int2) (0, side);
}

/* Turns -2 and -1, on the gpu back end, try the places `all`; then the places within the radius are tried. Turns 0 .. ROUNDS - 1 try the four
 * pixels around the best one, until none is better. Turn ROUNDS tries four half pixels; the last turn the best half pixel of both axes, or
 * four quarter pixels. x and y are the next turn's offsets. One call of try_four () keeps programs short. */
static inline void refine (struct match *best, const struct block *block, const int2 *all, struct search s, SHARED struct match *tried)
{
  const int turns = s.precision < PIXEL ? ROUNDS + 2 : ROUNDS, quarter = s.precision == 1;
  int4 x = (int4) (all[0].x, all[1].x, all[2].x, all[3].x), y = (int4) (all[0].y, all[1].y, all[2].y, all[3].y);
  int2 from = 0;
  ROLLED for (int turn = FIRST_TURN; turn < turns; turn++) {
    if (turn == 0) {
      if (s.radius > 0)
        try_around (best, block, best->place, s, tried);
      from = best->place;
      x = PIXEL * (int4) (0, -1, 1, 0), y = PIXEL * (int4) (-1, 0, 0, 1);
    }
    const uint here = best->cost;
    const uint4 costs = try_four (best, block, from.x + x, from.y + y, turn >= ROUNDS, s);
    if (turn < 0) {
      x = (int4) (all[4].x, all[5].x, all[6].x, all[7].x), y = (int4) (all[4].y, all[5].y, all[6].y, all[7].y);
    } else if (turn < ROUNDS) {
      if (from.x == best->place.x && from.y == best->place.y)
        turn = ROUNDS - 1;
      from = best->place;
      x = turn < ROUNDS - 1 ? x : (int4) (-2, 2, 0, 0);
      y = turn < ROUNDS - 1 ? y : (int4) (0, 0, -2, 2);
    } else {
      const int2 across = best_of (costs.x, here, costs.y), down = best_of (costs.z, here, costs.w);
      x = across.x + quarter * across.y * (int4) (0, 1, 0, 1);
      y = down.x + quarter * down.y * (int4) (0, 0, 1, 1);
    }
  }
}

/* Vector i of the nine around (x, y) of the coarser field, rescaled. */
static inline int2 known_place (global const struct vector *known, struct search s, int x, int y, int i)
{
  const int column = clamp (x + i % 3 - 1, 0, s.known_columns - 1), row = clamp (y + i / 3 - 1, 0, s.known_rows - 1);
  return place_of (known[row * s.known_columns + column]) << s.coarser;
}

static inline struct vector find_block (struct block block, global const struct vector *known, struct search s, int x, int y, int2 hint,
    SHARED struct match *tried)
{
  int2 around[9];
  UNROLL for (int i = 0; i < 9; i++)
    around[i] = known_place (known, s, x, y, i);
  struct match best = {around[4], median_of (around), 0, UINT_MAX};
  const int2 all[8] = {best.middle, around[4], hint, (int2) (0, 0), around[1], around[3], around[5], around[7]};
#if BACKEND_CPU
  try_each (&best, &block, all, s);
#endif
  refine (&best, &block, all, s, tried);
  return (struct vector) {(short) best.place.x, (short) best.place.y, best.sad};
}

ITEM_KERNEL (find_vectors, (global const sample_t *restrict own, global const sample_t *restrict before, global const sample_t *restrict after,
    struct level level, struct grid grid, int pictures, struct search s, global const struct vector *restrict known,
    global const struct vector *restrict hints, global const struct fade *restrict fade, int which, global struct vector *restrict found),
    (own, before, after, level, grid, pictures, s, known, hints, fade, which, found))
{
  SHARED struct match tried[SEEKERS];
  const int n = grid.columns * grid.rows, row = ITEM (1), picture = row / grid.rows, y = row - picture * grid.rows;
  if (row >= pictures * grid.rows)
    return;
  EACH_BLOCK (grid, s.radius > 0 ? SEEKERS : 1)
  {
    const int i = y * grid.columns + x;
    struct block block = block_at (level, grid, x, y);
    block.own = unfaded (own, fade, which);
    block.other = unfaded (picture ? after : before, fade, 3 - which);
    const int2 hint = s.hint ? place_of (hints[picture * n + i]) * s.hint / 16 : (int2) (0, 0);
    found[picture * n + i] =
        find_block (block, known + picture * s.known_columns * s.known_rows, s, x >> s.coarser, y >> s.coarser, hint, tried);
  }
}
