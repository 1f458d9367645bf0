/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Runs steps (lib/steps.clh) on YUV by blocks: a pixel of chroma and the luma samples that share it. A step gets a luma sample with the
 * block's chroma, or chroma with the mean luma of the block, both as the step before has left them. PLANE_ARGS are of a plane of chroma;
 * `other` is the other chroma's plane, if it has its own; v_first: whether V is in the plane's first sample. places: offset and stride of
 * luma_dst and other_dst; luma_part: left, top, right and bottom of the luma to write. The host defines PLACES, 1; STEPS, their number;
 * MIXES, whether a step's luma depends on chroma or the reverse; BLOCK_X, BLOCK_Y, log2 (0 to 2) of a block's size; WRITES_LUMA,
 * WRITES_CHROMA and WRITES_OTHER, 1 for each plane to write. */
enum { BLOCK_WIDTH = 1 << BLOCK_X, BLOCK_HEIGHT = 1 << BLOCK_Y, BLOCKS = BACKEND_CPU ? 256 >> BLOCK_X : ITEM_SAMPLES / NC };
enum { COLUMNS = BLOCKS * BLOCK_WIDTH, ONLY_PAIRS = BLOCK_X < 2 && BLOCK_Y < 2 };
/* mean: four times a block's mean luma, as steps get luma four times as large. u_beside, v_beside: the chroma of each luma column. */
struct blocks { sample_t luma[BLOCK_HEIGHT][COLUMNS], u[BLOCKS], v[BLOCKS], u_beside[COLUMNS], v_beside[COLUMNS]; float mean[BLOCKS]; };

#if FIXED_POINT
enum { STEP_BYTES = sizeof (long) };
#else
enum { STEP_BYTES = sizeof (float) };
#endif

/* Loads the luma of n blocks; the frame's last column and row replace missing ones. */
static inline void load_luma (struct blocks *blocks, INPUT_PARAM (luma), int2 size, int x, int y, const int n)
{
  const int left = x << BLOCK_X, columns = n << BLOCK_X, whole = min (columns, size.x - left);
  UNROLL for (int r = 0; r < BLOCK_HEIGHT; r++) {
    global const sample_t *restrict row = INPUT_ROW (luma, min ((y << BLOCK_Y) + r, size.y - 1)) + left;
    ROW_LOOP (STEP_BYTES) for (int i = 0; i < (BACKEND_CPU ? whole : columns); i++)
      blocks->luma[r][i] = LOAD (row[BACKEND_CPU ? i : min (i, whole - 1)]);
    for (int i = whole; BACKEND_CPU && i < columns; i++)
      blocks->luma[r][i] = blocks->luma[r][whole - 1];
  }
}

/* Four times the mean luma of block i. Repeated samples count as well, but not in blocks of four columns or rows. */
static inline float mean_of_block (const struct blocks *blocks, const int i, int2 size, int x, int y)
{
  const int columns = min (BLOCK_WIDTH, size.x - (x << BLOCK_X)), rows = min (BLOCK_HEIGHT, size.y - (y << BLOCK_Y));
  int sum = 0;
  UNROLL for (int r = 0; r < BLOCK_HEIGHT; r++)
    UNROLL for (int c = 0; c < BLOCK_WIDTH; c++)
      sum += ONLY_PAIRS || (c < columns && r < rows) ? blocks->luma[r][i * BLOCK_WIDTH + c] : 0;
  return ONLY_PAIRS ? (float) (sum * (4 / (BLOCK_WIDTH * BLOCK_HEIGHT))) : (float) (4 * sum) / (float) (columns * rows);
}

/* Finds the mean luma of each block and the chroma of each luma column. */
static inline void prepare_step (struct blocks *blocks, int2 size, int x, int y, const int n)
{
  ROW_LOOP (STEP_BYTES) for (int i = 0; i < n; i++)
    blocks->mean[i] = mean_of_block (blocks, i, size, x + i, y);
  ROW_LOOP (STEP_BYTES) for (int i = 0; i < n; i++)
    UNROLL for (int c = i * BLOCK_WIDTH; c < (i + 1) * BLOCK_WIDTH; c++)
      blocks->u_beside[c] = blocks->u[i], blocks->v_beside[c] = blocks->v[i];
}

ITEM_KERNEL (color_blocks, (PLANE_ARGS, INPUT_PARAM (luma), INPUT_PARAM (other), global sample_t *restrict luma_dst,
    global sample_t *restrict other_dst, int4 places, int2 size, int4 luma_part, int v_first POINT_ARGS), (PLANE_NAMES, luma, luma_offset,
    luma_stride, other, other_offset, other_stride, luma_dst, other_dst, places, size, luma_part, v_first POINT_NAMES))
{
  struct blocks blocks;
  const int pixels = (region.x + region.width) / NC;
#if BACKEND_CPU
  const int y = region.y + ITEM (1);
  for (int x = region.x / NC; x < pixels; x += BLOCKS) {
    const int n = min ((int) BLOCKS, pixels - x);
#else
  GPU_ITEM_IN_REGION
  const int y = item_y, n = BLOCKS, x = item_x / NC;
  {
#endif
    global const sample_t *restrict from = SRC_ROW (y) + x * NC, *restrict second = NC == 2 ? from + 1 : INPUT_ROW (other, y) + x;
    global const sample_t *restrict u = v_first ? second : from, *restrict v = v_first ? from : second;
    global sample_t *restrict to = dst + dst_offset + y * dst_stride + x * NC, *restrict to_other = other_dst + places.z + y * places.w + x;
    const int left = x << BLOCK_X, begin = max (luma_part.x - left, 0), end = min (luma_part.z - left, n << BLOCK_X);
    load_luma (&blocks, luma, luma_offset, luma_stride, size, x, y, n);
    ROW_LOOP (STEP_BYTES) for (int i = 0; i < n; i++) {
      const int at = NC * (BACKEND_CPU ? i : min (i, pixels - 1 - x));
      blocks.u[i] = LOAD (u[at]), blocks.v[i] = LOAD (v[at]);
    }
    UNROLL for (int s = 0; s < STEPS; s++) {
      const bool last = s + 1 == STEPS;
      if (MIXES)
        prepare_step (&blocks, size, x, y, n);
      UNROLL for (int r = 0; r < BLOCK_HEIGHT; r++) {
        const int row = (y << BLOCK_Y) + r;
        global sample_t *restrict to_luma = luma_dst + places.x + row * places.y + left;
        if (last && !(WRITES_LUMA && row >= luma_part.y && row < luma_part.w))
          continue;
        ROW_LOOP (STEP_BYTES) for (int i = BACKEND_CPU && last ? begin : 0; i < (BACKEND_CPU && last ? end : n << BLOCK_X); i++) {
          float p[3] = {(float) (4 * blocks.luma[r][i]), blocks.u_beside[i], blocks.v_beside[i]};
          RUN_STEP (s, p);
          if (!last)
            blocks.luma[r][i] = (sample_t) (int) p[0];
          else if (BACKEND_CPU || (i >= begin && i < end))
            to_luma[i] = (sample_t) ((int) p[0] << SHIFT);
        }
      }
      ROW_LOOP (STEP_BYTES) for (int i = 0; i < n && !(last && !WRITES_CHROMA); i++) {
        float p[3] = {blocks.mean[i], blocks.u[i], blocks.v[i]};
        RUN_STEP (s, p);
        const int results[2] = {(int) (v_first ? p[2] : p[1]), (int) (v_first ? p[1] : p[2])};
        if (!last)
          blocks.u[i] = (sample_t) (int) p[1], blocks.v[i] = (sample_t) (int) p[2];
        if (!last || (!BACKEND_CPU && (x + i < region.x / NC || x + i >= pixels)))
          continue;
        UNROLL for (int c = 0; c < NC; c++)
          to[i * NC + c] = merge_sample (results[c], from[i * NC + c], keep[c]);
        if (WRITES_OTHER)
          to_other[i] = (sample_t) (results[1] << SHIFT);
      }
    }
  }
}
