/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* out = round (in + amount * (4 * in - the neighbours above, below, left and right)) */
static inline int sharpened (int in, int sum, float amount) { return round_saturate (fma (amount, (float) (4 * in - sum), (float) in)); }

kernel void
laplacian (PLANE_ARGS, float amount)
{
#if BACKEND_CPU
  PLANE_BEGIN (sizeof (short))
  int v[ITEM_ROWS + 2];
  UNROLL for (int r = 0; r < ITEM_ROWS + 2; r++)
    v[r] = PX (0, r - 1);
  UNROLL for (int r = 0; r < ITEM_ROWS; r++)
    OUT_ROW (r, sharpened (v[r + 1], PX (-1, r) + PX (1, r) + v[r] + v[r + 2], amount));
  PLANE_END
#else
  GPU_ITEM_IN_REGION
  enum { AROUND = WORDS_AROUND * SAMPLES_PER_WORD };
  uint words[(ITEM_ROWS + 2) * WORDS_AROUND];
  int v[(ITEM_ROWS + 2) * AROUND], results[ITEM_SAMPLES];
  load_around (words, ITEM_ROWS + 2, SRC_ARGS, item_x, item_y - 1);
  UNROLL for (int i = 0; i < (ITEM_ROWS + 2) * AROUND; i++)
    v[i] = unpack_sample (words[i / SAMPLES_PER_WORD], i % SAMPLES_PER_WORD);
  UNROLL for (int r = 0; r < ITEM_ROWS; r++) {
    UNROLL for (int s = 0; s < ITEM_SAMPLES; s++) {
      const int *at = v + (r + 1) * AROUND + WORDS_BESIDE * SAMPLES_PER_WORD + s;
      results[s] = sharpened (at[0], at[-AROUND] + at[AROUND] + at[-NC] + at[NC], amount);
    }
    store_item (results, item_y + r);
  }
#endif
}
