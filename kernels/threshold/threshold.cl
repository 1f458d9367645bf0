/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clthreshold with one limit for the plane, cpu (threshold/step.clh is the gpu form), after shared/network.clh (vectors of a row) and
 * threshold/threshold.clh. INTENSITY: 1 if a pixel's intensity (shared/intensity.clh) is compared and the result written to all its
 * samples. An item filters ITEM_ROWS rows; further items fill filled_rows rows of chroma with its neutral value, which saves a launch. */
/* The rows of chroma to fill: their place in the buffer of dst, and the stored value. */
struct filling { int offset, stride, width, value; };

static inline row_t outcomes (row_t v, limit_t limit, int x, int4 outcome, int truncate) /* OUTCOME of a vector from x on */
{
#if OTSU
  const row_t limits = load_row (limit + x), rounded = limits;
#else
  const row_t limits = row_of (limit.x), rounded = row_of (limit.y);
#endif
  const row_t above = __builtin_astype (v > limits, row_t);
  const row_t high = row_of (outcome.x) | (v & row_of (outcome.y)) | (rounded & row_of (truncate));
  return (high & above) | ((row_of (outcome.z) | (v & row_of (outcome.w))) & ~above);
}

ITEM_KERNEL (threshold_rows, (PLANE_ARGS, limit_t limit, OUTCOME_ARGS, uint weights, struct filling filling, int filled_rows), (PLANE_NAMES,
    limit, outcome, truncate, weights, filling, filled_rows))
{
  const int items = (region.height + ITEM_ROWS - 1) / ITEM_ROWS, item = ITEM (1);
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
    for (; x + ITEM_SAMPLES <= region.width; x += ITEM_SAMPLES) {
      const row_t stored = load_row (from + x), mask = load_row (keep + x);
      const row_t beside = NEUTRAL_BESIDE ? row_of ((int) original_bits (0)) : stored;
      const row_t result = outcomes (bounded_row (row_values (stored)), limit, x, outcome, truncate);
      store_row (to + x, ((result << row_of (SHIFT)) & mask) | (beside & ~mask));
    }
    for (; x < region.width; x++) {
      const sample_t v = (sample_t) LOAD (from[x]);
      to[x] = merge_sample (OUTCOME (v > limit_at (limit, x), v, rounded_at (limit, x)), from[x], keep[x]);
    }
#endif
  }
}
