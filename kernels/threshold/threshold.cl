/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clthreshold with one limit for the plane, cpu (threshold/step.clh is the gpu form), after threshold/threshold.clh. INTENSITY: 1 if a
 * pixel's intensity (shared/intensity.clh) is compared and the result written to all its samples. An item filters ITEM_ROWS rows; further
 * items fill filled_rows rows of chroma with its neutral value, which saves a launch. */
/* The rows of chroma to fill: their place in the buffer of dst, and the stored value. */
struct filling { int offset, stride, width, value; };

enum { LANES = 64 / sizeof (sample_t) };
typedef sample_t row_t __attribute__ ((ext_vector_type (LANES)));
typedef row_t row_anywhere_t __attribute__ ((aligned (sizeof (sample_t))));
static inline row_t row_of (int v) { return (row_t) ((sample_t) v); }
static inline row_t row_values (row_t stored)
{
  const row_t v = (stored >> row_of (SHIFT)) & row_of (IN_WORDS ? MAX_VALUE : ~0);
  return SPARE_BITS ? __builtin_elementwise_min (v, row_of (MAX_VALUE)) : v;
}

static inline row_t outcomes (row_t v, limit_t limit, int x, int4 outcome, int truncate) /* OUTCOME of LANES samples from x on */
{
#if OTSU
  const row_t limits = *(global const row_anywhere_t *) (limit + x), rounded = limits;
#else
  const row_t limits = row_of (limit.x), rounded = row_of (limit.y);
#endif
  const row_t above = __builtin_astype (v > limits, row_t);
  const row_t high = row_of (outcome.x) | (v & row_of (outcome.y)) | (rounded & row_of (truncate));
  return (high & above) | ((row_of (outcome.z) | (v & row_of (outcome.w))) & ~above);
}

/* A plane is written a third faster if its lines are not read first. */
static inline void store_past_caches (global sample_t *p, row_t v)
{
  if (((ulong) p & (sizeof (row_t) - 1)) == 0)
    __builtin_nontemporal_store (v, (global row_t *) p);
  else
    *(global row_anywhere_t *) p = v;
}

kernel void threshold_rows (PLANE_ARGS, limit_t limit, OUTCOME_ARGS, uint weights, struct filling filling, int filled_rows)
{
  const int items = (region.height + ITEM_ROWS - 1) / ITEM_ROWS, item = get_global_id (1);
  const int first = (item - items) * ITEM_ROWS, end = min (first + ITEM_ROWS, filled_rows);
  for (int y = item < items ? end : first; y < end; y++) {
    global sample_t *restrict to = dst + (filling.offset + y * filling.stride);
    for (int x = 0; x < filling.width; x++)
      to[x] = (sample_t) filling.value;
  }
  for (int y = item * ITEM_ROWS; y < min ((item + 1) * ITEM_ROWS, region.height); y++) {
    global const sample_t *restrict from = src + (src_offset + (region.y + y) * src_stride + region.x);
    global sample_t *restrict to = dst + (dst_offset + (region.y + y) * dst_stride + region.x);
#if INTENSITY
    ROW_LOOP (sizeof (uint))
    for (int x = 0; x < region.width; x += NC) {
      const sample_t v = (sample_t) intensity_at (from + x, weights);
      store_value (to + x, keep, OUTCOME (v > limit_at (limit, 0), v, rounded_at (limit, 0)), load_pixel (from + x));
    }
#else
    int x = 0;
    for (; x + LANES <= region.width; x += LANES) {
      const row_t stored = *(global const row_anywhere_t *) (from + x), mask = *(global const row_anywhere_t *) (keep + x);
      const row_t beside = NEUTRAL_BESIDE ? row_of ((int) original_bits (0)) : stored;
      store_past_caches (to + x, (outcomes (row_values (stored), limit, x, outcome, truncate) << row_of (SHIFT) & mask) | (beside & ~mask));
    }
    for (; x < region.width; x++) {
      const sample_t v = (sample_t) LOAD (from[x]);
      to[x] = merge_sample (OUTCOME (v > limit_at (limit, x), v, rounded_at (limit, x)), from[x], keep[x]);
    }
#endif
  }
}
