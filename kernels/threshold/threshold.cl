/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clthreshold with one limit for the whole plane: values above the limit, an integer, are above the threshold.
 *
 * The host defines
 *   INTENSITY   1: a pixel's intensity (shared/intensity.clh) is compared and written to all its samples, else each sample is
 *               by itself
 *   OTSU        0: limit.x is the limit and limit.y the rounded threshold
 *               1: limit is what threshold/otsu.cl has left, the limits of one pixel's samples after the other's, or that of the
 *               intensity
 */
#if OTSU
typedef global const sample_t *restrict limit_t;
static inline sample_t limit_at (limit_t limit, int at) { return limit[at]; }
static inline sample_t rounded_at (limit_t limit, int at) { return limit[at]; }
#else
typedef int2 limit_t;
static inline sample_t limit_at (limit_t limit, int at) { return (sample_t) limit.x; }
static inline sample_t rounded_at (limit_t limit, int at) { return (sample_t) limit.y; }
#endif

#if BACKEND_CPU

/* Neutral chroma: rows of a plane that stand behind those of the region in the same launch. */
struct filling { int offset, stride, width, value; };

/* A work item filters ITEM_ROWS rows, or fills as many. */
kernel void
threshold_rows (PLANE_ARGS, limit_t limit, OUTCOME_ARGS, uint weights, struct filling filling, int filled_rows)
{
  const int items = (region.height + ITEM_ROWS - 1) / ITEM_ROWS, item = get_global_id (1);
  for (int y = (item - items) * ITEM_ROWS; y < min ((item - items + 1) * ITEM_ROWS, filled_rows) && item >= items; y++) {
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
    ROW_LOOP (sizeof (sample_t))
    for (int x = 0; x < region.width; x++) {
      const sample_t v = (sample_t) LOAD (from[x]);
      to[x] = merge_sample (OUTCOME (v > limit_at (limit, x), v, rounded_at (limit, x)), from[x], keep[x]);
    }
#endif
  }
}

#else

#if INTENSITY

static inline void
cut (uint *words, const uint *stored, limit_t limit, OUTCOME_ARGS, uint weights)
{
  int v[ITEM_SAMPLES];
  UNROLL for (int p = 0; p < ITEM_SAMPLES; p += NC) {
    const sample_t intensity = (sample_t) pixel_intensity (stored, p, weights);
    const int result = OUTCOME (intensity > limit_at (limit, 0), intensity, rounded_at (limit, 0));
    UNROLL for (int c = 0; c < NC; c++)
      v[p + c] = result;
  }
  pack_samples (words, v);
}

#else

/* All bits of each sample of a word that is above the limit that stands in its place: the carry of a sum of both. */
static inline uint
above (uint word, uint limits)
{
  const uint upper = word_of (1) << (SAMPLE_BITS - 1), sums = (word & ~upper) + (~limits & ~upper);
  return spread_upper_bits ((word & ~limits) | ((word | ~limits) & sums));
}

/* The word whose samples have that value, without the bits beside it. */
static inline uint word_of_value (int v) { return word_of ((uint) (v & MAX_VALUE) << SHIFT); }

/* All samples of a word at once. Bits beside a sample's value raise none above the limit. */
static inline void
cut (uint *words, const uint *stored, limit_t limit, OUTCOME_ARGS, uint weights)
{
  uint limits[PHASES], rounded[PHASES];
  UNROLL for (int phase = 0; phase < PHASES; phase++) {
    limits[phase] = rounded[phase] = 0;
    UNROLL for (int i = 0; i < SAMPLES_PER_WORD; i++) {
      const int c = PATTERN_SAMPLE (phase, i);
      limits[phase] |= ((uint) limit_at (limit, c) << SHIFT | ((1 << SHIFT) - 1)) << (SAMPLE_BITS * i);
      rounded[phase] |= ((uint) (rounded_at (limit, c) & truncate) << SHIFT) << (SAMPLE_BITS * i);
    }
  }
  const uint high = word_of_value (outcome.x), high_kept = word_of_value (outcome.y);
  const uint low = word_of_value (outcome.z), low_kept = word_of_value (outcome.w);
  UNROLL for (int w = 0; w < ITEM_WORDS; w++) {
#if IN_WORDS
    const uint word = stored[w] & word_of_value (MAX_VALUE);
#elif SPARE_BITS
    const uint word = as_uint (min (as_ushort2 (stored[w]), (ushort2) ((ushort) (MAX_VALUE << SHIFT | ((1 << SHIFT) - 1)))));
#else
    const uint word = stored[w];
#endif
    const uint is_above = above (word, limits[w % PHASES]);
    words[w] = (((word & high_kept) | high | rounded[w % PHASES]) & is_above) | (((word & low_kept) | low) & ~is_above);
  }
}

#endif

kernel void
threshold_pixels (PLANE_ARGS, limit_t limit, OUTCOME_ARGS, uint weights)
{
  GPU_ITEM
  if (!ITEM_IN_REGION)
    return;
  uint words[ITEM_WORDS], stored[ITEM_WORDS];
  load_words (stored, item_y);
  cut (words, stored, limit, outcome, truncate, weights);
  store_row (DST_ARGS, words, stored, item_x, item_y);
}

#endif
