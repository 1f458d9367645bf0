/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sums over windows whose taps are sums of products column x row, on the gpu back end (shared/bands.cl is the cpu form): columns are summed
 * first, then rows of these sums. Needs shared/result.clh. TILED: 1 for one kernel, whose groups of GROUP_X x GROUP_Y items keep the sums
 * of columns in local memory, with REACH_FOURS groups of four samples besides their own; 0 for two kernels, for windows too large for a
 * tile, of one product. taps, for each of `rank` products: steps.x (down) times STEP_ROWS taps of the column, from `above` rows above a
 * sample on; then steps.y (across) times a tap for each pixel of STEP_SAMPLES, from `before` samples, whole fours, before it on; taps
 * outside the window are 0. Rows in docs/measurements: gaussian sigma 2 of Y42B and YUY2 on the H100, sharpen with unsharp. */
#if BACKEND_GPU
/* STEP_SAMPLES: how many samples of a row are read together, whole pixels and whole fours, with as many taps as pixels. */
enum {
  STEP_ROWS = 4, STEP_SAMPLES = MOST_NC == 3 ? 12 : 4, FOUR_WORDS = 4 / SAMPLES_PER_WORD, ITEM_FOURS = ITEM_SAMPLES / 4
};

#if TILED
#define SUMS_SPACE local
#else
#define SUMS_SPACE global
#endif

/* The place of a four in a line of the tile: after an item's fours one place stays empty, so that neighbours read from different banks. */
static inline int four_place (int four) { return TILED ? four + four / ITEM_FOURS : four; }

/* Sums the columns of four samples in STEP_ROWS rows; the window of the first row begins at row y. */
static inline void sum_columns (SUMS_SPACE sum4_t *to, int pitch, SRC_PARAMS, constant sum_t *restrict taps, int steps, int x, int y)
{
  sum_t v[2 * STEP_ROWS][4] = {{0}}, sum[STEP_ROWS][4] = {{0}};
  uint words[STEP_ROWS * FOUR_WORDS] = {0};
  /* a step uses the loads of the step before, so that it does not wait */
  ROLLED for (int step = -2; step < steps; step++) {
    UNROLL for (int i = 0; i < 4 * STEP_ROWS; i++)
      v[STEP_ROWS + i / 4][i % 4] = word_term (words[i / SAMPLES_PER_WORD], i % SAMPLES_PER_WORD);
    if (step + 1 < steps)
      load_rows (words, STEP_ROWS, FOUR_WORDS, SRC_ARGS, x, y + (step + 2) * STEP_ROWS, 0);
    if (step >= 0)
      UNROLL for (int j = 0; j < STEP_ROWS; j++)
        UNROLL for (int i = 0; i < 4 * STEP_ROWS; i++)
          sum[i / 4][i % 4] = MULTIPLY_ADD (v[i / 4 + j][i % 4], taps[step * STEP_ROWS + j], sum[i / 4][i % 4]);
    UNROLL for (int i = 0; i < 4 * STEP_ROWS; i++)
      v[i / 4][i % 4] = v[STEP_ROWS + i / 4][i % 4];
  }
  UNROLL for (int r = 0; r < STEP_ROWS; r++)
    to[r * pitch] = (sum4_t) (sum[r][0], sum[r][1], sum[r][2], sum[r][3]);
}

static inline void take_four (sum_t *v, SUMS_SPACE const sum4_t *from)
{
  const sum4_t four = *from;
  v[0] = four.x, v[1] = four.y, v[2] = four.z, v[3] = four.w;
}

/* Adds taps times a line of column sums; pixels have n samples. line: where the window of the item's first sample begins. */
static inline void sum_line (sum_t *sum, SUMS_SPACE const sum4_t *line, constant sum_t *restrict taps, int steps, const int n)
{
  const int step_taps = STEP_SAMPLES / n;
  sum_t v[ITEM_SAMPLES + STEP_SAMPLES];
  UNROLL for (int i = 0; i < ITEM_FOURS; i++)
    take_four (v + 4 * i, line + i);
  ROLLED for (int step = 0; step < steps; step++) {
    UNROLL for (int i = 0; i < STEP_SAMPLES / 4; i++)
      take_four (v + ITEM_SAMPLES + 4 * i, line + four_place (ITEM_FOURS + step * (STEP_SAMPLES / 4) + i));
    UNROLL for (int j = 0; j < step_taps; j++)
      UNROLL for (int s = 0; s < ITEM_SAMPLES; s++)
        sum[s] = MULTIPLY_ADD (v[s + j * n], taps[step * step_taps + j], sum[s]);
    UNROLL for (int s = 0; s < ITEM_SAMPLES; s++)
      v[s] = v[s + STEP_SAMPLES];
  }
}

static inline void sum_row (sum_t *sum, SUMS_SPACE const sum4_t *line, constant sum_t *restrict taps, int steps, struct plane plane)
{ ANY_PIXEL && NC == 1 ? sum_line (sum, line, taps, steps, 1) : sum_line (sum, line, taps, steps, MOST_NC); }

static inline void store_results (DST_PARAMS, const sum_t *sum, int item_x, int item_y, RESULT_ARGS)
{
  int in[ITEM_SAMPLES], values[ITEM_SAMPLES];
#if SHARPEN
  load_point (in, item_x, item_y);
#endif
  UNROLL for (int s = 0; s < ITEM_SAMPLES; s++)
    values[s] = RESULT_OF (sum[s], in[s]);
  store_item (values, item_y);
}

#if TILED
enum { TILE_PITCH = GROUP_X * ITEM_FOURS + REACH_FOURS + (GROUP_X * ITEM_FOURS + REACH_FOURS) / ITEM_FOURS + 1 };

kernel __attribute__ ((reqd_work_group_size (GROUP_X, GROUP_Y, 1))) void
separable (PLANE_ARGS, constant sum_t *restrict taps, int2 steps, int before, int above, int rank, RESULT_ARGS)
{
  local sum4_t tile[GROUP_Y * TILE_PITCH];
  const int first_x = ((int) get_group_id (0) * GROUP_X + region.x / ITEM_SAMPLES) * ITEM_SAMPLES - before;
  const int first_y = region.y + (int) get_group_id (1) * GROUP_Y - above;
  const int item = get_local_id (1) * GROUP_X + get_local_id (0), fours = GROUP_X * ITEM_FOURS + steps.y * (STEP_SAMPLES / 4);
  sum_t sum[ITEM_SAMPLES];
  UNROLL for (int s = 0; s < ITEM_SAMPLES; s++)
    sum[s] = SUM_START;
  ROLLED for (int k = 0; k < rank; k++) {
    if (k)
      barrier (CLK_LOCAL_MEM_FENCE);
    ROLLED for (int i = item; i < fours * (GROUP_Y / STEP_ROWS); i += GROUP_X * GROUP_Y) {
      const int four = i % fours, row = i / fours * STEP_ROWS;
      sum_columns (tile + row * TILE_PITCH + four_place (four), TILE_PITCH, SRC_ARGS, taps, steps.x, first_x + 4 * four, first_y + row);
    }
    barrier (CLK_LOCAL_MEM_FENCE);
    taps += steps.x * STEP_ROWS;
    sum_row (sum, tile + get_local_id (1) * TILE_PITCH + get_local_id (0) * (ITEM_FOURS + 1), taps, steps.y, plane);
    taps += steps.y * (STEP_SAMPLES / NC);
  }
  const int x = first_x + before + (int) get_local_id (0) * ITEM_SAMPLES, y = first_y + above + (int) get_local_id (1);
  if (x < region.x + region.width && y < region.y + region.height)
    store_results (DST_ARGS, sum, x, y, RESULT_NAMES);
}
#else
/* Sums columns, from `first` on, size.x fours in size.y rows. Rows of sums are `pitch` fours apart. */
kernel void
separable_columns (SRC_PARAMS, constant sum_t *restrict taps, int2 steps, int2 first, int2 size, global sum4_t *restrict sums, int pitch)
{
  const int four = get_global_id (0), row = (int) get_global_id (1) * STEP_ROWS;
  if (four < size.x && row < size.y)
    sum_columns (sums + row * pitch + four, pitch, SRC_ARGS, taps, steps.x, first.x + 4 * four, first.y + row);
}

kernel void separable_rows (PLANE_ARGS, constant sum_t *restrict taps, int2 steps, global const sum4_t *restrict sums, int pitch, RESULT_ARGS)
{
  GPU_ITEM_IN_REGION
  sum_t sum[ITEM_SAMPLES];
  UNROLL for (int s = 0; s < ITEM_SAMPLES; s++)
    sum[s] = SUM_START;
  const int four = item_x / 4 - region.x / ITEM_SAMPLES * ITEM_FOURS;
  sum_row (sum, sums + (item_y - region.y) * pitch + four, taps + steps.x * STEP_ROWS, steps.y, plane);
  store_results (DST_ARGS, sum, item_x, item_y, RESULT_NAMES);
}
#endif
#endif
