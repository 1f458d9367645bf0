/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The confidence of vectors. Rows of the second picture's blocks stand below the first one's.
 *
 *   count_unmatched   counts the blocks of a coarse level, where noise is small, whose changes at their vector vary much compared with
 *                     their own samples. Most blocks of a picture do so after a scene cut
 *   judge_vectors     writes the vectors for applications, with a confidence: how much worse the match is two pixels away, in the direction
 *                     where it changes least, relative to that match and the remaining difference. Flat blocks, edges and covered
 *                     blocks have a low confidence; after a cut it is 0 */

/* The header of judged vectors; see GstClMotionField. It has the size of two vectors. */
struct field { uint cut, unmatched, columns, rows; };

#define AREA (BLOCK * BLOCK)

/* Sums of absolute differences of a block: of its samples from their mean; and of the changes to another picture from their mean, or from
 * -most or `most` if this is farther from 0: so a fade, which changes all samples alike, is no cut. */
struct deviations { uint own, changes; };

static inline struct deviations deviations_of (const struct block *block, int2 place, int most)
{
  const int2 halves = nearest_halves (block->level, block->at, place);
  struct deviations found = {0, 0};
  int mean = 0, change = 0;
  ROLLED for (int round = 0; round < 2; round++) {
    int sum = 0, changes = 0;
    ROLLED for (int i = 0; i < AREA; i++) {
      const int at = i / BLOCK * block->level.stride + i % BLOCK, own = block->own[block->at + at],
                off = own - ((block->other[halves.x + at] + block->other[halves.y + at] + 1) >> 1);
      sum += own;
      changes += off;
      found.own += round ? abs (own - mean) : 0;
      found.changes += round ? abs (off - change) : 0;
    }
    mean = (sum + AREA / 2) / AREA;
    change = clamp (changes / AREA, -most, most);
  }
  return found;
}

/* least: sums below this are ignored */
ITEM_KERNEL (count_unmatched, (global const sample_t *restrict own, global const sample_t *restrict before,
    global const sample_t *restrict after, struct level level, struct grid grid, int pictures, global const struct vector *restrict found,
    global const struct fade *restrict fade, uint least, int most, global int *restrict counts), (own, before, after, level, grid, pictures,
    found, fade, least, most, counts))
{
  const int row = ITEM (1), picture = row / grid.rows;
  if (row >= pictures * grid.rows)
    return;
  int n = 0;
  EACH_BLOCK (grid, 1)
  {
    const struct vector v = found[row * grid.columns + x];
    struct block block = block_at (level, grid, x, row - picture * grid.rows);
    block.own = own;
    block.other = picture ? after : before;
    if (v.sad > least || fade->which) {
      const struct deviations off = deviations_of (&block, place_of (v), most);
      n += off.changes > least && 2 * off.changes > off.own;
    }
  }
  if (n > 0)
    atomic_add (&counts[picture], n);
}

static inline uint confidence (const struct block *block, struct vector found, int shift)
{
#if BACKEND_CPU
  uint4 sums = UINT_MAX;
  UNROLL for (int n = 0; n < 2; n++) {
    const int4 x = beside_x (found.x & ~1, 8, n), y = beside_y (found.y & ~1, 8, n);
    sums = min (sums, differences (block, clamp (x, block->low.x, block->high.x), clamp (y, block->low.y, block->high.y)));
  }
  const uint next = min (min (sums.x, sums.y), min (sums.z, sums.w));
#else
  uint next = UINT_MAX;
  ROLLED for (int i = 0; i < 9; i++)
    if (i != 4) {
      const int2 place = (place_of (found) & ~1) + 8 * ((int2) (i % 3, i / 3) - 1);
      next = min (next, difference (block, clamp (place, block->low, block->high), next));
    }
#endif
  const uint rise = (next > found.sad ? next - found.sad : 0) >> shift;
  return 255 * rise / (rise + (found.sad >> shift) + AREA);
}

/* counts: the results of count_unmatched () for `blocks` blocks; cut_from: the number of unmatched blocks that makes a cut;
 * shift: bits of a sample beyond eight; row_step: rows of the frame for each row of luma; trusts: whether to find the
 * confidence; which: whether `own` is picture 1 or 2 of the fade's pair; else -1 */
ITEM_KERNEL (judge_vectors, (global const sample_t *restrict own, global const sample_t *restrict before, global const sample_t *restrict after,
    struct level level, struct grid grid, int pictures, global const struct vector *restrict found, global const int *restrict counts,
    int blocks, int cut_from, int shift, int row_step, int trusts, global const struct fade *restrict fade, int which,
    global struct judged_vector *restrict to_before, global struct judged_vector *restrict to_after), (own, before, after, level, grid, pictures,
    found, counts, blocks, cut_from, shift, row_step, trusts, fade, which, to_before, to_after))
{
  const int row = ITEM (1), picture = row / grid.rows, y = row - picture * grid.rows;
  if (row >= pictures * grid.rows)
    return;
  global struct judged_vector *to = picture ? to_after : to_before;
  const bool cut = counts[picture] >= cut_from;
  EACH_BLOCK (grid, 1)
  {
    struct block block = block_at (level, grid, x, y);
    block.own = unfaded (own, fade, which);
    block.other = unfaded (picture ? after : before, fade, 3 - which);
    const struct vector v = found[row * grid.columns + x];
    const uint trust = cut || !trusts ? 0 : confidence (&block, v, shift);
    const uint sad = (uint) (((ulong) v.sad * 65535 + AREA * MAX_VALUE / 2) / ((ulong) AREA * MAX_VALUE));
    to[2 + y * grid.columns + x] = (struct judged_vector) {v.x, (short) (v.y * row_step), (ushort) sad, (uchar) trust, 0};
    if (x + y == 0)
      *(global struct field *) to = (struct field) {cut, (uint) counts[picture] * 65535u / (uint) blocks, grid.columns, grid.rows};
  }
}
