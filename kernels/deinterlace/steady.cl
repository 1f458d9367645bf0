/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Makes a deinterlaced field steady. Rows of the field stay; a sample between them, b, moves towards the samples of the fields before and
 * after it, at the places where the four blocks around it have moved to, as far as these two samples agree:
 *
 *   out = b + (t - b) * (1 - (|c0 - c1| / limit)^2)     t = (c0 + c1 + 1) / 2
 *
 * bob, before, after: the field and its neighbours as whole frames. An item has the samples of a row under the same four blocks, on the cpu
 * back end a whole row. */
struct job { int columns, rows, subsample_y, keeps_bottom; uint per_limit; };

/* Loads c0 or c1. */
static inline void
load_compensated (int *to, global const sample_t *other, struct other o, struct level level, global const struct judged_vector *found,
    struct job job, int item, int y)
{
  const struct four_blocks at = blocks_over (item, y, job.subsample_y);
  uint sum[SAMPLES];
  UNROLL for (int i = 0; i < SAMPLES; i++)
    sum[i] = 128;
  ROLLED for (int b = 0; b < 4; b++) {
    const struct judged_vector v = found[place_of_block (at, b, job.columns, job.rows)];
    int moved[SAMPLES];
    load_moved (moved, other, o, level, item * WIDTH, y, (int2) (v.x, v.y), job.subsample_y);
    UNROLL for (int i = 0; i < SAMPLES; i++)
      sum[i] += share_down (at, b) * share_across (at, b, i) * (uint) moved[i];
  }
  UNROLL for (int i = 0; i < SAMPLES; i++)
    to[i] = (int) (sum[i] >> 8);
}

/* per_limit: 2^20 / limit */
static inline int
steadied (int b, int c0, int c1, uint per_limit)
{
  const uint q = min (abs (c0 - c1) * per_limit >> 12, 256u), trust = 65536 - q * q;
  const int off = ((c0 + c1 + 1) >> 1) - b;
  return b + ((off * (int) (trust >> 2) + 8192) >> 14);
}

kernel void
steady_field (PLANE_ARGS, global const sample_t *restrict bob, struct other at_bob, global const sample_t *restrict before,
    struct other at_before, global const sample_t *restrict after, struct other at_after, struct level level,
    global const struct judged_vector *restrict to_before, global const struct judged_vector *restrict to_after, struct job job)
{
  const int items = (plane.width + SAMPLES - 1) / SAMPLES;
  const bool cut = *(global const uint *) to_before || *(global const uint *) to_after;
  to_before += 2;
  to_after += 2;
#if BACKEND_CPU
  const int y = region.y + (int) get_global_id (1);
  for (int item = 0; item < items; item++) {
#else
  const int y = region.y + (int) get_global_id (1), item = (int) get_global_id (0);
  if (item < items && y < region.y + region.height) {
#endif
    global const sample_t *own = src + src_offset + y * src_stride, *made = bob + at_bob.offset + y * at_bob.stride;
    global sample_t *to = dst + dst_offset + y * dst_stride;
    const bool stays = (y & 1) == job.keeps_bottom;
    int c0[SAMPLES], c1[SAMPLES];
    if (!stays && !cut) {
      load_compensated (c0, before, at_before, level, to_before, job, item, y);
      load_compensated (c1, after, at_after, level, to_after, job, item, y);
    }
    UNROLL for (int i = 0; i < SAMPLES; i++) {
      const int x = item * SAMPLES + i;
      if (x < plane.width && x >= region.x && x < region.x + region.width) {
        const int b = LOAD (made[x]);
        to[x] = stays ? own[x] : merge_sample ((sample_t) (cut ? b : steadied (b, c0[i], c1[i], job.per_limit)), own[x], keep[x]);
      }
    }
  }
}
