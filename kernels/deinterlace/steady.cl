/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Makes a deinterlaced field steady. Rows of the field stay; a sample between them, b, moves towards the mean of c0 and c1: the samples of
 * the fields before and after it, at the places to which the four blocks around it have moved. It moves by less where these places are
 * between recorded rows, and at most by the difference of the field's rows there less twice the difference of c0 and c1.
 *
 * bob, before, after: the field and its neighbours as whole frames. An item has the samples of a row under the same four blocks, on the cpu
 * back end a whole row. */
struct job { int columns, rows, subsample_y, keeps_bottom; };

/* How near a vector's place is to a recorded row: 8 there, 0 in the middle between two. */
static inline int nearness_of (struct judged_vector v, int subsample_y) { return (int) abs ((2 * v.y >> subsample_y & 15) - 8); }

/* Loads c0 or c1, and adds nearness, at most 2048. */
static inline void load_compensated (int *to, int *nearness, global const sample_t *other, struct other o, struct level level,
    global const struct judged_vector *found, struct job job, int item, int y)
{
  const struct four_blocks at = blocks_over (item, y, job.subsample_y);
  uint sum[SAMPLES];
  UNROLL for (int i = 0; i < SAMPLES; i++)
    sum[i] = 128;
  ROLLED for (int b = 0; b < 4; b++) {
    const struct judged_vector v = found[place_of_block (at, b, job.columns, job.rows)];
    const int near = nearness_of (v, job.subsample_y);
    int moved[SAMPLES];
    load_moved (moved, other, o, level, item * WIDTH, y, (int2) (v.x, v.y), job.subsample_y);
    UNROLL for (int i = 0; i < SAMPLES; i++) {
      const uint share = share_down (at, b) * share_across (at, b, i);
      sum[i] += share * (uint) moved[i];
      nearness[i] += (int) share * near;
    }
  }
  UNROLL for (int i = 0; i < SAMPLES; i++)
    to[i] = (int) (sum[i] >> 8);
}

static inline int steadied (int b, int c0, int c1, int nearness, int detail)
{
  const int most = max (detail - 2 * (int) abs (c0 - c1), 0);
  return b + clamp (((((c0 + c1 + 1) >> 1) - b) * nearness + 2048) >> 12, -most, most);
}

/* Row y of a picture, which is mirrored at its edges. */
static inline global const sample_t *mirrored_row (global const sample_t *picture, struct other at, int y)
{
  const int row = clamp (y < 0 ? -y : y < at.height ? y : 2 * at.height - 2 - y, 0, at.height - 1);
  return picture + at.offset + row * at.stride;
}

/* By how much the field's rows, one and three rows above and below, differ from each other or from a straight line. */
static inline int detail_of (int above3, int above, int below, int below3)
{
  const int bend = max (abs (2 * above - above3 - below), abs (2 * below - above - below3)) >> 1;
  return max ((int) abs (above - below), bend);
}

kernel void steady_field (PLANE_ARGS, global const sample_t *restrict bob, struct other at_bob, global const sample_t *restrict before,
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
    global const sample_t *above = mirrored_row (bob, at_bob, y - 1), *below = mirrored_row (bob, at_bob, y + 1);
    global const sample_t *above3 = mirrored_row (bob, at_bob, y - 3), *below3 = mirrored_row (bob, at_bob, y + 3);
    const bool stays = (y & 1) == job.keeps_bottom;
    int c0[SAMPLES], c1[SAMPLES], nearness[SAMPLES];
    UNROLL for (int i = 0; i < SAMPLES; i++)
      nearness[i] = 0;
    if (!stays && !cut) {
      load_compensated (c0, nearness, before, at_before, level, to_before, job, item, y);
      load_compensated (c1, nearness, after, at_after, level, to_after, job, item, y);
    }
    UNROLL for (int i = 0; i < SAMPLES; i++) {
      const int x = item * SAMPLES + i;
      if (x < plane.width && x >= region.x && x < region.x + region.width) {
        const int b = LOAD (made[x]), detail = detail_of (LOAD (above3[x]), LOAD (above[x]), LOAD (below[x]), LOAD (below3[x]));
        to[x] = stays ? own[x] : merge_sample ((sample_t) (cut ? b : steadied (b, c0[i], c1[i], nearness[i], detail)), own[x], keep[x]);
      }
    }
  }
}
