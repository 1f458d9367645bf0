/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Makes the levels of a picture. An item makes a sample, on the cpu back end a row; samples beyond the edges repeat them.
 *
 *   take_luma    luma, or the intensity of RGB: the weighted mean of a pixel's samples
 *   halve_luma   the next coarser level: 1 3 3 1 in both directions, a sample in the middle of four
 *
 * All levels lie in one buffer (struct level of motion/blocks.clh). */
#if BACKEND_CPU
#define EACH_SAMPLE(level) \
  ROW_LOOP (sizeof (int))  \
  for (int x = 0; x < (level).width; x++)
#define STORE(to, v) (to)[x] = (sample_t) (v)
#else
#define EACH_SAMPLE(level)                                                                              \
  const int column = (int) get_global_id (0) - (level).pad, x = clamp (column, 0, (level).width - 1);   \
  if (column < (level).width + (level).pad)
#define STORE(to, v) (to)[column] = (sample_t) (v)
#endif

/* The item's row, counted with the edges, and the row of the picture that it repeats. */
#define ITEM_ROW(level) const int row = ITEM (1) - (level).pad, y = clamp (row, 0, (level).height - 1)

/* On the cpu back end, items repeat the ends of their row. */
static inline void repeat_ends (global sample_t *to, struct level level)
{
#if BACKEND_CPU
  const sample_t first = to[0], last = to[level.width - 1];
  for (int i = 0; i < level.pad; i++) {
    to[i - level.pad] = first;
    to[level.width + i] = last;
  }
#endif
}

/* weights: one byte for each sample of a pixel, the first sample's lowest; their sum is `sum` */
ITEM_KERNEL (take_luma, (global const sample_t *restrict src, int src_offset, int src_stride, uint weights, uint sum, struct level level,
    global sample_t *restrict picture), (src, src_offset, src_stride, weights, sum, level, picture))
{
  ITEM_ROW (level);
  if (row >= level.height + level.pad)
    return;
  global const sample_t *restrict from = src + src_offset + y * src_stride;
  global sample_t *restrict to = picture + level.at + row * level.stride;
  EACH_SAMPLE (level)
  {
    uint v = 0;
    UNROLL for (int c = 0; c < NC; c++)
      v += (uint) LOAD (from[x * NC + c]) * (weights >> (8 * c) & 0xff);
    STORE (to, NC == 1 ? (uint) LOAD (from[x]) : (v + sum / 2) / sum);
  }
  repeat_ends (to, level);
}

static inline int eighths (global const sample_t *from) { return from[-1] + 3 * (from[0] + from[1]) + from[2]; }

ITEM_KERNEL (halve_luma, (struct level finer, struct level level, global sample_t *restrict picture), (finer, level, picture))
{
  ITEM_ROW (level);
  if (row >= level.height + level.pad)
    return;
  const int s = finer.stride;
  global const sample_t *from = picture + finer.at + 2 * y * s;
  global sample_t *to = picture + level.at + row * level.stride;
  EACH_SAMPLE (level)
  {
    global const sample_t *at = from + 2 * x;
    STORE (to, (eighths (at - s) + 3 * (eighths (at) + eighths (at + s)) + eighths (at + 2 * s) + 32) >> 6);
  }
  repeat_ends (to, level);
}
