/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Denoising along motion: adds the samples of one other frame at the places to which the blocks around a sample have moved.
 *
 *   weight = share of the block at the sample, 256 in all, * 16 max (0, 1 - (sad / limit)^2)
 *   r      = (4096 x + sum of weight * sample) / (4096 + sum of weights), rounded
 *   out    = round (x + strength * (r - x)), no farther from x than the component's limit
 *
 * Each frame is a launch: `first` begins the sums, `last` writes the result. With RUNS the one other frame is the last result. Its weights
 * count `weight` times, and fall in the same way with half of the difference from x. The remainder of rounding, in 256ths, is added at the
 * same place in the next frame. An item has a row's samples under the same four blocks, on the cpu back end a row of such areas across the
 * picture. */
#pragma OPENCL FP_CONTRACT OFF
/* columns, rows: of blocks; subsample_y: log2 for the plane; sums_stride: of rows of sums and weights or of rests, in numbers. */
struct job { int columns, rows, subsample_y, first, last; uint per_limit; int sums_stride; float strength; int weight, limits[4]; };

/* A weight, 0 .. 16, of a difference relative to 65535. per_limit: 2^24 / limit. */
static inline uint weight_of (uint difference, uint per_limit)
{
  const uint q = min (mul_hi (difference << 16, per_limit), 256u);
  return (65536 - q * q) >> 12;
}

/* Loads n samples of a row, and repeats the last one. */
static inline void load_own (int *x, global const sample_t *own, int n)
{
  if (n == SAMPLES)
    UNROLL for (int i = 0; i < SAMPLES; i++)
      x[i] = LOAD (own[i]);
  else
    for (int i = 0; i < SAMPLES; i++)
      x[i] = LOAD (own[min (i, n - 1)]);
}

/* Stores the results from sample `first` to end - 1. */
static inline void store_own (global sample_t *to, const int *v, global const sample_t *own, global const sample_t *keep, int first, int end)
{
  if (first <= 0 && end >= SAMPLES)
    UNROLL for (int i = 0; i < SAMPLES; i++)
      to[i] = merge_sample (v[i], own[i], keep[i]);
  else
    for (int i = max (first, 0); i < min (SAMPLES, end); i++)
      to[i] = merge_sample (v[i], own[i], keep[i]);
}

static inline int result_of (int x, uint sum, uint weight, global char *rest, float strength, int limit)
{
  const uint rounded = sum + weight / 2 + (RUNS ? (int) ((weight - 4096) >> 8) * *rest : 0);
  const int r = quotient (rounded, weight);
  if (RUNS)
    *rest = (char) (quotient ((rounded - r * weight) << 8, weight) - 128);
  return clamp (as_int ((float) x + strength * (float) (r - x) + 0x1.8p23f) - as_int (0x1.8p23f), x - limit, x + limit);
}

#if BACKEND_CPU
#define VECTOR_OF(b) known[b]
#else
#define VECTOR_OF(b) found[place_of_block (blocks, b, job.columns, job.rows)]
#endif

ITEM_KERNEL (average_motion, (PLANE_ARGS, global const sample_t *restrict other, struct other o, struct level level,
    global const struct judged_vector *restrict found, struct job job, global uint *restrict sums), (PLANE_NAMES, other, o, level, found, job,
    sums))
{
  const int items = (plane.width + SAMPLES - 1) / SAMPLES;
  const bool cut = *(global const uint *) found;
  found += 2;
#if BACKEND_CPU
  const int rows = CELL >> job.subsample_y, first_row = (region.y / rows + ITEM (1)) * rows;
  const int top = max (region.y, first_row), end = min (region.y + region.height, first_row + rows);
  for (int item = 0; item < items; item++) {
    struct judged_vector known[4];
    UNROLL for (int b = 0; b < 4; b++)
      known[b] = found[place_of_block (blocks_over (item, top, job.subsample_y), b, job.columns, job.rows)];
#else
  const int top = region.y + ITEM (1), end = min (top + 1, region.y + region.height), item = ITEM (0);
  if (item < items) {
#endif
    for (int y = top; y < end; y++) {
      const int begin = item * SAMPLES, n = min (SAMPLES, plane.width - begin);
      const struct four_blocks blocks = blocks_over (item, y, job.subsample_y);
      uint sum[SAMPLES], weight[SAMPLES];
      global const sample_t *own = src + src_offset + y * src_stride + begin;
      global uint *kept = sums + y * job.sums_stride + 2 * begin;
      global char *rest = (global char *) sums + y * job.sums_stride + begin;
      int x[SAMPLES];
      load_own (x, own, n);
      UNROLL for (int i = 0; i < SAMPLES; i++) {
        weight[i] = job.first ? 4096 : kept[SAMPLES + i];
        sum[i] = job.first ? 4096 * (uint) x[i] : kept[i];
      }
      ROLLED for (int b = 0; b < 4; b++) {
        const struct judged_vector v = VECTOR_OF (b);
        const uint part = cut ? 0 : job.weight * weight_of (v.sad, job.per_limit) * share_down (blocks, b);
        if (part == 0)
          continue;
        int moved[SAMPLES];
        load_moved (moved, other, o, level, begin / NC, y, (int2) (v.x, v.y), job.subsample_y);
        UNROLL for (int i = 0; i < SAMPLES; i++) {
          uint w = part * share_across (blocks, b, i);
          if (RUNS)
            w = w * weight_of ((uint) abs_diff (moved[i], x[i]) << (16 - DEPTH) >> 1, job.per_limit) / 16;
          sum[i] += w * (uint) moved[i];
          weight[i] += w;
        }
      }
      if (!job.last)
        UNROLL for (int i = 0; i < SAMPLES; i++) {
          kept[i] = sum[i];
          kept[SAMPLES + i] = weight[i];
        }
      else {
        int v[SAMPLES];
        UNROLL for (int i = 0; i < SAMPLES; i++)
          v[i] = result_of (x[i], sum[i], weight[i], rest + i, job.strength, job.limits[i % NC]);
        store_own (dst + dst_offset + y * dst_stride + begin, v, own, keep + begin, region.x - begin, region.x + region.width - begin);
      }
    }
  }
}
