/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds how the picture as a whole has moved, from the shifts of its blocks: what was at X, in pixels from the middle, is at
 *
 *   S (X) = (1 + x, -y; y, 1 + x) X + (z, w)
 *
 * with (x, y, z, w) the estimate. Blocks of something that moves by itself are left out: the best of many motions that two
 * blocks agree on is looked for first, then improved by least squares over the blocks near it. */
#define FIT_TRIALS 256
#define FIT_TURNS 8
/* Response that chance gives. */
#define FIT_CHANCE 0.06f

/* A block's place and shift. */
#define FIT_MOVED(s, motion) \
  ((float2) ((motion).x * (s).x - (motion).y * (s).y, (motion).y * (s).x + (motion).x * (s).y) + (motion).zw)

/* How well a shift agrees: 1 where it is that of the motion, 0 from `near` on. */
static inline float
agreement (float4 shift, float4 motion, float near)
{
  const float2 off = (FIT_MOVED (shift, motion) - shift.zw) / near;
  return fmax (1.0f - off.x * off.x - off.y * off.y, 0.0f);
}

/* The motion of two blocks, or the shift of one. */
static inline float4
motion_of (float4 a, float4 b)
{
  const float2 place = b.xy - a.xy, shift = b.zw - a.zw;
  const float square = place.x * place.x + place.y * place.y;
  float4 motion = 0;
  if (square > 0) {
    motion.x = (place.x * shift.x + place.y * shift.y) / square;
    motion.y = (place.x * shift.y - place.y * shift.x) / square;
  }
  motion.zw = a.zw - FIT_MOVED (a, motion);
  return motion;
}

static inline float4
least_squares (const local float4 *shifts, const local float *weights, int n, float4 motion, float near)
{
  float all = 0;
  float2 place = 0, shift = 0;
  for (int i = 0; i < n; i++) {
    const float weight = weights[i] * agreement (shifts[i], motion, near) * agreement (shifts[i], motion, near);
    all += weight;
    place += weight * shifts[i].xy;
    shift += weight * shifts[i].zw;
  }
  if (all <= 0)
    return motion;
  place /= all;
  shift /= all;
  float square = 0, along = 0, aside = 0;
  for (int i = 0; i < n; i++) {
    const float weight = weights[i] * agreement (shifts[i], motion, near) * agreement (shifts[i], motion, near);
    const float2 p = shifts[i].xy - place, s = shifts[i].zw - shift;
    square += weight * (p.x * p.x + p.y * p.y);
    along += weight * (p.x * s.x + p.y * s.y);
    aside += weight * (p.x * s.y - p.y * s.x);
  }
  float4 better = 0;
  if (square > 0) {
    better.x = along / square;
    better.y = aside / square;
  }
  better.zw = shift - (float2) (better.x * place.x - better.y * place.y, better.y * place.x + better.x * place.y);
  return better;
}

/* Improves estimate[0] by the shifts that are left; estimate[1].x is the share of what the picture has that follows it. near is
 * in samples of the small picture; begins: there is no estimate yet. One group. */
kernel void
fit_motion (global const float4 *restrict found, struct blocks blocks, float2 unit, float near, int begins,
    global float4 *restrict estimate)
{
  local float4 shifts[MOST_BLOCKS], best[64];
  local float weights[MOST_BLOCKS], scores[64], content;
  local int count;
  const float limit = near * unit.y;
  if (IS_FIRST_ITEM) {
    content = 0;
    count = 0;
    for (int i = 0; i < blocks.columns * blocks.rows; i++) {
      const float4 each = found[i];
      content += each.w;
      if (each.z <= FIT_CHANCE)
        continue;
      shifts[count] = (float4) (block_place (i, blocks, unit), each.xy * unit);
      weights[count++] = each.z - FIT_CHANCE;
    }
  }
  SYNCHRONIZE (CLK_LOCAL_MEM_FENCE);
  const int n = count;
  float score = -1;
  float4 motion = 0;
  for (int trial = ITEM; trial < FIT_TRIALS && n; trial += ITEMS) {
    const uint number = ((uint) trial + 1) * 2654435761u;
    const float4 tried = motion_of (shifts[(number >> 8) % (uint) n], shifts[(number >> 20) % (uint) n]);
    if (fabs (tried.x) > 0.1f || fabs (tried.y) > 0.2f)
      continue;
    float sum = 0;
    for (int i = 0; i < n; i++)
      sum += weights[i] * agreement (shifts[i], tried, limit);
    motion = sum > score ? tried : motion;
    score = fmax (sum, score);
  }
  scores[ITEM] = score;
  best[ITEM] = motion;
  SYNCHRONIZE (CLK_LOCAL_MEM_FENCE);
  if (!IS_FIRST_ITEM)
    return;
  for (int i = 1; i < ITEMS; i++) {
    motion = scores[i] > score ? best[i] : motion;
    score = fmax (scores[i], score);
  }
  for (int i = 0; i < FIT_TURNS; i++)
    motion = least_squares (shifts, weights, n, motion, limit);
  float following = 0;
  for (int i = 0; i < n; i++)
    following += agreement (shifts[i], motion, limit) > 0 ? weights[i] : 0;

  const float4 s = begins ? (float4) 0 : estimate[0];
  estimate[0] = (float4) (s.x + motion.x + s.x * motion.x - s.y * motion.y, s.y + motion.y + s.x * motion.y + s.y * motion.x,
                    motion.zw + s.zw + (float2) (s.x * motion.z - s.y * motion.w, s.y * motion.z + s.x * motion.w));
  estimate[1] = (float4) (following / fmax (content, 1.0f), 0, 0, 0);
}
