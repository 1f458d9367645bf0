/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds how the picture has moved, from the shifts of its blocks: point X, in pixels from the middle, moves to (1 + x, -y; y, 1 + x) X +
 * (z, w), where (x, y, z, w) is the estimate. The best of many motions, each from two blocks, is chosen (as RANSAC does), which leaves out
 * moving objects, then improved by least squares over the blocks that agree. */
enum { MOST_BLOCKS = 128, TRIALS = 256, TURNS = 8 };
/* The response of unrelated blocks, and the share of the picture that must follow a first estimate. */
constant float chance = 0.06f, least_share = 0.1f;

static inline float2 moved_by (float4 motion, float2 s) /* how far a place moves */
{ return (float2) (motion.x * s.x - motion.y * s.y, motion.y * s.x + motion.x * s.y) + motion.zw; }

/* How well a shift agrees with a motion, in the directions in which its block shows motion: 1 if equal, 0 from `near` on. */
static inline float agreement (float4 shift, float4 axis, float4 motion, float near)
{
  const float2 off = (moved_by (motion, shift.xy) - shift.zw) / near;
  const float along = off.x * axis.x + off.y * axis.y, aside = off.y * axis.x - off.x * axis.y;
  return fmax (1.0f - along * along - axis.z * aside * aside, 0.0f);
}

/* The motion that a block determines with another block, which differs from it by `apart` in place and shift, or alone. */
static inline float4 motion_of (float4 a, float4 apart)
{
  const float square = apart.x * apart.x + apart.y * apart.y;
  float4 motion = 0;
  if (square > 0)
    motion.xy = (float2) (apart.x * apart.z + apart.y * apart.w, apart.x * apart.w - apart.y * apart.z) / square;
  motion.zw = a.zw - moved_by (motion, a.xy);
  return motion;
}

/* Each item tries some motions, and returns the motion that fits most blocks, and its score. */
INLINE float4 try_motions (const local float4 *shifts, const local float4 *axes, const local float *weights, int n, float near, float *score)
{
  float4 motion = 0;
  *score = -1;
  ROLLED for (int trial = get_local_id (0); trial < TRIALS && n; trial += ITEMS) {
    const uint number = ((uint) trial + 1) * 2654435761u;
    const float4 one = shifts[(number >> 8) % (uint) n], tried = motion_of (one, shifts[(number >> 20) % (uint) n] - one);
    if (fabs (tried.x) > 0.1f || fabs (tried.y) > 0.2f)
      continue;
    float sum = 0;
    ROLLED for (int i = 0; i < n; i++)
      sum += weights[i] * agreement (shifts[i], axes[i], tried, near);
    motion = sum > *score ? tried : motion;
    *score = fmax (sum, *score);
  }
  return motion;
}

/* An item for each cell of the normal equations on the gpu back end, all cells by one item on the cpu back end. */
#if BACKEND_CPU
#define EACH_CELL(j) for (int j = 0; j < 20; j++)
#else
#define EACH_CELL(j) for (int j = (int) get_local_id (0), is_own = j < 20; is_own; is_own = 0)
#endif
/* The terms that a block adds along a direction: `of` times itself and its weight. */
struct term { float of[5], weight; };

/* One turn of least squares, by all items: the motion that fits blocks best, weighted by how well they agree. Solves the normal equations of
 * (x, y, z, w), four rows of five numbers, by Gauss-Jordan elimination. A small weight holds directions without information at 0;
 * later turns remove its bias. size divides positions, so that all four numbers have the same scale. */
INLINE float4 improved (const local float4 *shifts, const local float4 *axes, const local float *weights, int n, float4 motion, float near,
    float size, local struct term *terms, local float (*cells)[20])
{
  ROLLED for (int i = get_local_id (0); i < 2 * n; i += ITEMS) {
    const float4 shift = shifts[i / 2], axis = axes[i / 2];
    const float agrees = agreement (shift, axis, motion, near), weight = weights[i / 2] * agrees * agrees;
    const float2 to = i % 2 ? (float2) (-axis.y, axis.x) : axis.xy, place = shift.xy / size;
    terms[i] = (struct term) {{to.x * place.x + to.y * place.y, to.y * place.x - to.x * place.y, to.x, to.y, to.x * shift.z + to.y * shift.w},
      i % 2 ? weight * axis.z : weight};
  }
  group_barrier (CLK_LOCAL_MEM_FENCE);
  float total = 0;
  EACH_CELL (j) cells[0][j] = 0;
  ROLLED for (int i = 0; i < 2 * n; i++) {
    total += i % 2 ? 0.0f : terms[i].weight;
    EACH_CELL (j) cells[0][j] += terms[i].weight * terms[i].of[j / 5] * terms[i].of[j % 5];
  }
  EACH_CELL (j) cells[0][j] += j % 6 == 0 ? 1e-4f * total : 0.0f;
  group_barrier (CLK_LOCAL_MEM_FENCE);
  ROLLED for (int i = 0; i < 4; i++) {
    const local float *from = cells[i % 2];
    EACH_CELL (j) cells[1 - i % 2][j] = from[j] - (j / 5 == i ? 0.0f : from[j / 5 * 5 + i] / from[6 * i] * from[5 * i + j % 5]);
    group_barrier (CLK_LOCAL_MEM_FENCE);
  }
  const local float *rows = cells[0];
  return total > 0 ? (float4) (rows[4] / rows[0] / size, rows[9] / rows[6] / size, rows[14] / rows[12], rows[19] / rows[18]) : motion;
}

/* Improves estimate[0]; estimate[1].x is the share of the picture that follows it. near is in samples of the small picture, of which each
 * is unit pixels of the frame. begins: there is no estimate yet; an estimate that too little follows is dropped. One group. */
kernel void fit_motion (global const float4 *restrict found, global const float4 *restrict directions, struct blocks blocks, float2 unit,
    float near, int begins, global float4 *restrict estimate)
{
  local float4 shifts[MOST_BLOCKS], axes[MOST_BLOCKS], best[ITEMS];
  local float weights[MOST_BLOCKS], scores[ITEMS], cells[2][20], content;
  local struct term terms[2 * MOST_BLOCKS];
  local int count;
  const int item = get_local_id (0);
  const float limit = near * unit.y, size = 0.3f * (unit.x * (float) blocks.width + unit.y * (float) blocks.height);
  if (item == 0) {
    content = 0;
    count = 0;
    ROLLED for (int i = 0; i < blocks.columns * blocks.rows; i++) {
      const float4 each = found[i];
      content += each.w;
      if (each.z <= chance)
        continue;
      axes[count] = directions[i];
      /* the block's centre, from the picture's centre */
      const int x = block_start (i % blocks.columns, blocks.columns, blocks.width);
      const int y = block_start (i / blocks.columns, blocks.rows, blocks.height);
      const float2 beyond = (float2) ((float) (min (BLOCK, blocks.width) - blocks.width), (float) (min (BLOCK, blocks.height) - blocks.height));
      shifts[count] = (float4) (unit * ((float2) ((float) x, (float) y) + 0.5f * beyond), each.xy * unit);
      weights[count++] = each.z - chance;
    }
  }
  group_barrier (CLK_LOCAL_MEM_FENCE);
  const int n = count;
  float score;
  float4 motion = try_motions (shifts, axes, weights, n, limit, &score);
  scores[item] = score;
  best[item] = motion;
  group_barrier (CLK_LOCAL_MEM_FENCE);
  motion = best[0];
  score = scores[0];
  ROLLED for (int i = 1; i < ITEMS; i++) {
    motion = scores[i] > score ? best[i] : motion;
    score = fmax (scores[i], score);
  }
  /* the last turn only weights the blocks */
  ROLLED for (int turn = 0; turn <= TURNS; turn++) {
    const float4 better = improved (shifts, axes, weights, n, motion, limit, size, terms, cells);
    motion = turn < TURNS ? better : motion;
  }
  if (item != 0)
    return;
  float following = 0;
  ROLLED for (int i = 0; i < n; i++)
    following += terms[2 * i].weight > 0 ? weights[i] : 0;
  if (begins && following < least_share * content)
    motion = 0;
  const float4 s = begins ? (float4) 0 : estimate[0];
  estimate[0] = (float4) (s.x + motion.x + s.x * motion.x - s.y * motion.y, s.y + motion.y + s.x * motion.y + s.y * motion.x,
      motion.zw + s.zw + (float2) (s.x * motion.z - s.y * motion.w, s.y * motion.z + s.x * motion.w));
  estimate[1] = (float4) (following / fmax (content, 1.0f), 0, 0, 0);
}
