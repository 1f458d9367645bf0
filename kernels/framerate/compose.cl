/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Makes the picture between two frames from the samples of both along the paths of the four blocks around a sample:
 *
 *   out = sum of weight * ((256 - share) * a + share * b) / (256 * sum of weights), rounded
 *
 * The weight is the share of the block at the sample, 256 in all, times its quality. Samples count with 16 bits. An item has the samples of
 * a row under the same four blocks, on the cpu back end a whole row. */
struct job { int columns, rows, subsample_y; };
enum { HALF = DEPTH == 16 ? 128 : 0 }; /* fewer bits are rounded at the end */

ITEM_KERNEL (compose, (PLANE_ARGS, global const sample_t *restrict a, struct other place_a, global const sample_t *restrict b,
    struct other place_b, struct level level, global const struct path *restrict paths, struct job job), (PLANE_NAMES, a, place_a, b, place_b,
    level, paths, job))
{
  const int items = (plane.width + SAMPLES - 1) / SAMPLES;
#if BACKEND_CPU
  const int y = region.y + ITEM (1);
  for (int item = 0; item < items; item++) {
#else
  const int y = region.y + ITEM (1), item = ITEM (0);
  if (item < items && y < region.y + region.height) {
#endif
    const int begin = item * SAMPLES;
    const struct four_blocks at = blocks_over (item, y, job.subsample_y);
    uint sum[SAMPLES], weight[SAMPLES];
    UNROLL for (int i = 0; i < SAMPLES; i++)
      sum[i] = weight[i] = 0;
    ROLLED for (int n = 0; n < 4; n++) {
      const struct path path = paths[place_of_block (at, n, job.columns, job.rows)];
      int from_a[SAMPLES], from_b[SAMPLES];
      load_moved (from_a, a, place_a, level, begin / NC, y, (int2) (path.ax, path.ay), job.subsample_y);
      load_moved (from_b, b, place_b, level, begin / NC, y, (int2) (path.bx, path.by), job.subsample_y);
      UNROLL for (int i = 0; i < SAMPLES; i++) {
        const uint w = share_down (at, n) * share_across (at, n, i) * path.quality;
        sum[i] += w * (((uint) from_a[i] * (256u - path.share) + (uint) from_b[i] * path.share + HALF) >> (DEPTH - 8));
        weight[i] += w;
      }
    }
    global const sample_t *own = src + src_offset + y * src_stride;
    global sample_t *to = dst + dst_offset + y * dst_stride;
    UNROLL for (int i = 0; i < SAMPLES; i++) {
      const int x = begin + i, v = quotient (sum[i] + weight[i] / 2, weight[i]) + (1 << (16 - DEPTH) >> 1);
      if (x < plane.width && x >= region.x && x < region.x + region.width)
        to[x] = merge_sample ((sample_t) (v >> (16 - DEPTH)), own[x], keep[x]);
    }
  }
}
