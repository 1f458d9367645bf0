/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds the motion through the blocks of a picture that is `phase` 256ths of the way from frame a to frame b. The search has found the
 * vectors of its blocks from a to b (onward) and from b to a (back). A path v passes through a block at a - phase v and b + (1 - phase) v:
 *
 *   cost = sum of absolute differences of both + price of the distance from the middle of the block's own vectors
 *          no motion: max (2/3 of its sum, its sum - 2 levels) - 1 level, where a level is a step of 8 bits in each sample
 *
 * Candidates are no motion, the vectors around the block, and the vectors at both ends of its motion. Pixels that are covered in one of the
 * frames are taken from the other frame: a block of a that is not found in b is being covered, so the share of a grows. Every second block
 * takes both of its own vectors, if they fit almost as well: in a its vector from b, in b its vector from a; so their errors average out.
 * Other blocks that neither frame finds show no motion, if it fits almost as well. Between two scenes nothing moves, and the nearer frame
 * has the whole share. An item has a block, on the cpu back end a row of them. */

/* log2 of the quarter pixels between adjacent blocks, which are half a block apart. */
enum { STEP_BITS = BLOCK == 16 ? 5 : BLOCK == 32 ? 6 : 4 };

/* still: without motion; level: a block's sum of one level of 8 bits */
struct job { int phase, still; uint level; };
/* POOR, LOST: the mean differences, in levels, above which a block may be covered, and above which it is in none of the frames. MEAN_LEVEL:
 * one level, in the units of judged vectors. MOST_PRICED: in levels. MOST_APART: of a block's own vectors, in quarter pixels. */
enum { POOR = 2, LOST = 8, MEAN_LEVEL = 257, MOST_PRICED = 4, MOST_APART = 8 * BLOCK };

struct best { int2 v; uint sum, cost; };

/* The part of path v before the interpolated picture, and the positions of its ends in frames a and b. */
static inline int2 part_of (int2 v, int phase) { return (v * phase + 128) >> 8; }
static inline int2 place_in_a (const struct block *block, int2 v, int phase) { return clamp (-part_of (v, phase), block->low, block->high); }
static inline int2 place_in_b (const struct block *block, int2 v, int phase) { return clamp (v - part_of (v, phase), block->low, block->high); }

#if BACKEND_CPU
static inline uint path_difference (const struct block *block, int2 own, int2 other, uint limit)
{
  const int2 a = nearest_halves (block->level, block->at, own), b = nearest_halves (block->level, block->at, other);
  const int stride = block->level.stride;
  sums_t sums = 0;
  ROLLED for (int y = 0; y < BLOCK; y++)
    sums = plus_distances (sums, mean_row (row_at (block->own + a.x + y * stride), row_at (block->own + a.y + y * stride)),
        mean_row (row_at (block->other + b.x + y * stride), row_at (block->other + b.y + y * stride)));
  return total_of (sums);
}
#else
static inline uint path_difference (const struct block *block, int2 own, int2 other, uint limit)
{
  const int2 a = nearest_halves (block->level, block->at, own), b = nearest_halves (block->level, block->at, other);
  uint sum = 0;
  ROLLED for (int y = 0; y < BLOCK && sum < limit; y++) {
    const int row = y * block->level.stride;
    uint words[4][ROW_WORDS];
    load_block_row (words[0], block->own, a.x + row);
    load_block_row (words[1], block->own, a.y + row);
    load_block_row (words[2], block->other, b.x + row);
    load_block_row (words[3], block->other, b.y + row);
    UNROLL for (int i = 0; i < ROW_WORDS; i++)
      sum = plus_distances (sum, mean_word (words[0][i], words[1][i]), mean_word (words[2][i], words[3][i]));
  }
  return sum;
}
#endif

/* The block of a field that is nearest to a position, in quarter pixels from block (x, y). */
static inline struct judged_vector vector_at (global const struct judged_vector *field, struct grid grid, int x, int y, int2 place)
{
  const int2 by = (place + BLOCK) >> STEP_BITS;
  return field[clamp (y + by.y, 0, grid.rows - 1) * grid.columns + clamp (x + by.x, 0, grid.columns - 1)];
}

static inline int2 path_of (struct judged_vector v, int sign) { return sign * (int2) (v.x, v.y); }

static inline uint sum_of_path (const struct block *block, int2 v, int phase, uint limit)
{ return path_difference (block, place_in_a (block, v, phase), place_in_b (block, v, phase), limit); }

static inline uint distance_of (int2 v, int2 w) { return abs (v.x - w.x) + abs (v.y - w.y); }

static inline void try_path (struct best *best, const struct block *block, int2 v, int2 middle, struct job job)
{
  const uint price = min (job.level / 64 * distance_of (v, middle), MOST_PRICED * job.level);
  if (price >= best->cost || (v.x == best->v.x && v.y == best->v.y))
    return;
  const uint sum = sum_of_path (block, v, job.phase, best->cost - price);
  if (sum + price < best->cost)
    *best = (struct best) {v, sum, sum + price};
}

/* Candidate i of 20, alternating between the fields: the vector of the block, of the block at the end of its motion, and of the
 * eight blocks around. */
static inline int2
candidate (const struct block *block, global const struct judged_vector *onward, global const struct judged_vector *back, struct grid grid,
    int x, int y, int i, int2 ahead, int2 behind, int phase)
{
  const int around = i / 2 < 6 ? i / 2 - 2 : i / 2 - 1;
  const int2 place = i < 2    ? (int2) (0, 0)
                     : i == 2 ? place_in_a (block, ahead, phase)
                     : i == 3 ? place_in_b (block, behind, phase)
                              : ((int2) (around % 3, around / 3) - 1) * (1 << STEP_BITS);
  return path_of (vector_at (i % 2 ? back : onward, grid, x, y, place), i % 2 ? -1 : 1);
}

/* The share of b, in 256ths: the frame whose block is not found in the other frame has more. */
static inline uint share_of (const struct best *best, uint onward, uint back, struct job job)
{
  const uint a = (uint) (256 - job.phase) * (onward + MEAN_LEVEL) >> 8, b = (uint) job.phase * (back + MEAN_LEVEL) >> 8;
  return best->sum > POOR * job.level ? 256 * b / (a + b) : (uint) job.phase;
}

static inline struct path
find_path (const struct block *block, global const struct judged_vector *onward, global const struct judged_vector *back, struct grid grid,
    int x, int y, struct job job)
{
  const int2 ahead = path_of (vector_at (onward, grid, x, y, 0), 1), behind = path_of (vector_at (back, grid, x, y, 0), -1);
  const uint still = sum_of_path (block, 0, job.phase, UINT_MAX), least = still - min (still / 3, 2 * job.level);
  struct best best = {0, still, least > job.level ? least - job.level : 0};
  ROLLED for (int i = 0; i < 20; i++)
    try_path (&best, block, candidate (block, onward, back, grid, x, y, i, ahead, behind, job.phase), (ahead + behind) >> 1, job);
  int2 a = place_in_a (block, best.v, job.phase), b = place_in_b (block, best.v, job.phase);
  const int2 other_a = place_in_a (block, behind, job.phase), other_b = place_in_b (block, ahead, job.phase);
  const uint found_a = vector_at (onward, grid, x, y, a).sad, found_b = vector_at (back, grid, x, y, b).sad;
  if ((x + y) % 2 && distance_of (ahead, behind) < MOST_APART && 2 * path_difference (block, other_a, other_b, UINT_MAX) < 3 * best.sum) {
    a = other_a;
    b = other_b;
  } else if (min (found_a, found_b) >= LOST * MEAN_LEVEL && 3 * still < 5 * best.sum)
    a = b = (int2) (0, 0);
  const uint share = share_of (&best, vector_at (onward, grid, x, y, a).sad, vector_at (back, grid, x, y, b).sad, job);
  const uint quality = max (256 * job.level / (job.level + best.sum), 1u);
  return (struct path) {(short) a.x, (short) a.y, (short) b.x, (short) b.y, (ushort) share, (ushort) quality};
}

ITEM_KERNEL (find_paths, (global const sample_t *restrict a, global const sample_t *restrict b, struct level level, struct grid grid,
    global const struct judged_vector *restrict onward, global const struct judged_vector *restrict back, struct job job,
    global const struct fade *restrict fade, global struct path *restrict paths), (a, b, level, grid, onward, back, job, fade, paths))
{
  const int y = ITEM (1);
  if (y >= grid.rows)
    return;
  const bool cut = *(global const uint *) onward || *(global const uint *) back;
  onward += 2;
  back += 2;
  EACH_BLOCK (grid, 1)
  {
    struct block block = block_at (level, grid, x, y);
    block.own = unfaded (a, fade, 1);
    block.other = unfaded (b, fade, 2);
    paths[y * grid.columns + x] = cut || job.still
                                      ? (struct path) {0, 0, 0, 0, (ushort) (!cut ? job.phase : job.phase > 128 ? 256 : 0), 256}
                                      : find_path (&block, onward, back, grid, x, y, job);
  }
}
