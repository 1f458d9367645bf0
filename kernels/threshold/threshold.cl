/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clthreshold with a threshold for the whole plane.
 *
 * The host defines
 *   INTENSITY   1: a pixel's intensity (shared/intensity.clh) is compared and written to all its samples, else each sample is
 *               by itself
 *   OTSU        0: limit.x is the limit and limit.y the rounded threshold
 *               1: limit is a buffer where kernels/threshold/otsu.cl has left the limits, one for each sample of the pixel, or
 *               that of the intensity; for threshold_samples () a row of them, from spread_limits ()
 *
 * Values above the limit, an integer, are above the threshold. */
#if OTSU
#define THRESHOLD_LIMIT_ARG global const int *restrict limit
#define THRESHOLD_LIMIT_OF(c) limit[INTENSITY ? 0 : (c)]
#define THRESHOLD_ROUNDED_OF(c) THRESHOLD_LIMIT_OF (c)
#else
#define THRESHOLD_LIMIT_ARG int2 limit
#define THRESHOLD_LIMIT_OF(c) limit.x
#define THRESHOLD_ROUNDED_OF(c) limit.y
#endif

#if BACKEND_CPU

#if !INTENSITY

/* A row of n limits, those of pixels side by side, so samples need not know their place in the pixel. */
kernel void
spread_limits (global const int *restrict limits, global sample_t *restrict row, int n)
{
  for (int x = 0; x < n; x += NC)
    for (int c = 0; c < NC; c++)
      row[x + c] = (sample_t) limits[c];
}

#if OTSU
#define THRESHOLD_SAMPLES_LIMIT_ARG global const sample_t *restrict limit
#define THRESHOLD_SAMPLES_LIMIT limit[item_x]
#define THRESHOLD_SAMPLES_ROUNDED limit[item_x]
#else
#define THRESHOLD_SAMPLES_LIMIT_ARG THRESHOLD_LIMIT_ARG
#define THRESHOLD_SAMPLES_LIMIT (sample_t) limit.x
#define THRESHOLD_SAMPLES_ROUNDED (sample_t) limit.y
#endif

/* Each sample by itself. */
kernel void
threshold_samples (PLANE_ARGS, THRESHOLD_SAMPLES_LIMIT_ARG, OUTCOME_ARGS)
{
  PLANE_BEGIN (2 * sizeof (sample_t))
  const sample_t v = (sample_t) VAL;
  OUT (OUTCOME (v > THRESHOLD_SAMPLES_LIMIT, v, THRESHOLD_SAMPLES_ROUNDED));
  PLANE_END
}

#else

kernel void
threshold_pixels (PLANE_ARGS, THRESHOLD_LIMIT_ARG, OUTCOME_ARGS, uint weights)
{
  const int y = region.y + (int) get_global_id (1);
  global const sample_t *restrict from = src + (src_offset + y * src_stride + region.x);
  global sample_t *restrict to = dst + (dst_offset + y * dst_stride + region.x);
  const sample_t limit_of_all = (sample_t) THRESHOLD_LIMIT_OF (0), rounded = (sample_t) THRESHOLD_ROUNDED_OF (0);
  ROW_LOOP (sizeof (uint))
  for (int x = 0; x < region.width; x += NC) {
    LOAD_PIXEL (pixel, from + x);
    const sample_t v = PIXEL_INTENSITY (pixel);
    STORE_VALUE (to + x, OUTCOME (v > limit_of_all, v, rounded), pixel);
  }
}

#endif

#else

#define THRESHOLD_BY_WORDS (!SRC_IMAGE && !DST_IMAGE && (!INTENSITY || WORD_INTENSITY))
#define THRESHOLD_CUT_PARAMS global const sample_t *restrict keep, THRESHOLD_LIMIT_ARG, OUTCOME_ARGS, uint weights
#define THRESHOLD_CUT_ARGS keep, limit, outcome, truncate, weights

#if !THRESHOLD_BY_WORDS

static inline void
cut_values (int *v, THRESHOLD_CUT_PARAMS)
{
#pragma unroll
  for (int p = 0; p < ITEM_SAMPLES; p += NC) {
#if INTENSITY
    const sample_t intensity = PIXEL_INTENSITY (v + p);
    const int result = OUTCOME (intensity > (sample_t) THRESHOLD_LIMIT_OF (0), intensity, (sample_t) THRESHOLD_ROUNDED_OF (0));
#endif
#pragma unroll
    for (int c = 0; c < NC; c++)
#if INTENSITY
      v[p + c] = result;
#else
      v[p + c] = OUTCOME (v[p + c] > THRESHOLD_LIMIT_OF (c), (sample_t) v[p + c], (sample_t) THRESHOLD_ROUNDED_OF (c));
#endif
  }
}

#elif INTENSITY

/* Words that are pixels. */
static inline void
cut_words (uint *words, THRESHOLD_CUT_PARAMS)
{
  const uint mask = *(global const uint *) keep, limit_of_all = THRESHOLD_LIMIT_OF (0);
#pragma unroll
  for (int w = 0; w < ITEM_WORDS; w++) {
    const uint intensity = word_intensity (words[w], weights);
    const uint result = OUTCOME (intensity > limit_of_all, (sample_t) intensity, (sample_t) THRESHOLD_ROUNDED_OF (0));
    words[w] = (word_of (result) & mask) | (words[w] & ~mask);
  }
}

#else

#define THRESHOLD_CUT_ALL_BITS ((1u << SAMPLE_BITS) - 1)
#define THRESHOLD_UPPER_BITS (word_of (1) << (SAMPLE_BITS - 1))

/* What the samples of a word are compared with, and what becomes of those above and of the others: or | (word & and). */
typedef struct
{
  uint complement, high_or, high_and, low_or, low_and, filtered;
} cut_t;

/* complement: what a sample has to be added to for a carry where it is above the limit, which padding bits do not raise. */
static inline void
add_sample (cut_t *cut, int i, int limit, int rounded, bool filtered, int4 outcome, int truncate)
{
  const uint all = filtered ? 0 : THRESHOLD_CUT_ALL_BITS, cleared = THRESHOLD_CUT_ALL_BITS >> SHIFT << SHIFT;
  const uint high = (uint) (outcome.x | (rounded & truncate)) << SHIFT & cleared;
  const uint low = (uint) outcome.z << SHIFT & cleared;
  cut->complement |= (THRESHOLD_CUT_ALL_BITS - ((uint) limit << SHIFT | ((1 << SHIFT) - 1))) << (SAMPLE_BITS * i);
  cut->high_or |= (high & ~all) << (SAMPLE_BITS * i);
  cut->high_and |= (((uint) outcome.y & cleared) | all) << (SAMPLE_BITS * i);
  cut->low_or |= (low & ~all) << (SAMPLE_BITS * i);
  cut->low_and |= (((uint) outcome.w & cleared) | all) << (SAMPLE_BITS * i);
  cut->filtered |= (THRESHOLD_CUT_ALL_BITS & ~all) << (SAMPLE_BITS * i);
}

/* All bits of every sample whose upper one is set. */
static inline uint
spread_upper (uint word)
{
#if PTX_BYTES
  return permute_bytes (word, 0, SAMPLE_BITS == 8 ? 0xba98 : 0xbb99);
#else
  return (word >> (SAMPLE_BITS - 1) & word_of (1)) * THRESHOLD_CUT_ALL_BITS;
#endif
}

static inline uint
cut_word (uint word, cut_t cut)
{
#if SPARE_BITS
  const ushort2 greatest = (ushort2) ((ushort) (MAX_VALUE << SHIFT | ((1 << SHIFT) - 1)));
  word = (as_uint (min (as_ushort2 (word), greatest)) & cut.filtered) | (word & ~cut.filtered);
#endif
#if IN_WORDS
  const uint taken = cut.filtered & word_of (MAX_VALUE << SHIFT), others = ORIGINALS (word) & ~taken;
  word &= taken;
#endif
  const uint sums = (word & ~THRESHOLD_UPPER_BITS) + (cut.complement & ~THRESHOLD_UPPER_BITS);
  const uint carries = (word & cut.complement) | ((word | cut.complement) & sums);
  const uint above = spread_upper (carries);
  const uint result = (((word & cut.high_and) | cut.high_or) & above) | (((word & cut.low_and) | cut.low_or) & ~above);
#if IN_WORDS
  return (result & taken) | others;
#else
  return result;
#endif
}

/* All samples of a word at once. */
static inline void
cut_words (uint *words, THRESHOLD_CUT_PARAMS)
{
  cut_t cuts[PHASES];
#pragma unroll
  for (int phase = 0; phase < PHASES; phase++) {
    cuts[phase] = (cut_t) {0, 0, 0, 0, 0, 0};
#pragma unroll
    for (int i = 0; i < SAMPLES_PER_WORD; i++) {
      const int c = PATTERN_SAMPLE (phase, i);
      add_sample (cuts + phase, i, THRESHOLD_LIMIT_OF (c), THRESHOLD_ROUNDED_OF (c), keep[c], outcome, truncate);
    }
  }
#pragma unroll
  for (int w = 0; w < ITEM_WORDS; w++)
    words[w] = cut_word (words[w], cuts[w % PHASES]);
}

#endif

kernel void
threshold_pixels (PLANE_ARGS, THRESHOLD_LIMIT_ARG, OUTCOME_ARGS, uint weights)
{
  GPU_ITEM
  if (!ITEM_IN_REGION)
    return;
#if THRESHOLD_BY_WORDS
  uint words[ITEM_WORDS];
  load_words (words, item_y);
  cut_words (words, THRESHOLD_CUT_ARGS);
  store_words (words, item_y);
#else
  int v[ITEM_SAMPLES];
  load_point (v, item_x, item_y);
  cut_values (v, THRESHOLD_CUT_ARGS);
  store_item (v, item_y);
#endif
}

#endif
