/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Adds random noise of a counter-based generator, defined to the last bit in docs/elements/clnoise.md. A call of the generator makes 128
 * bits: a number of NUMBER_BITS for each of CALL_ROWS samples of a column, NOISE_BAND of them in this plane. An item writes all of these,
 * so that each call is made once. The host defines one of GAUSSIAN, UNIFORM, SPECKLE and SALT_PEPPER; FIRST_ROW, the number of the first
 * row, 1 in the second field; ROW_STEP, how much the number grows from row to row.
 * FRACTION_MASK: a number's bits in the fraction of a float 1 .. 2; FRACTION_END: half of the lowest of them. The normal distribution has
 * SEGMENTS, eight in an octave of 0 .. 1; a float's upper 12 bits, less FIRST_SEGMENT, are its segment. */
#if SALT_PEPPER || DEPTH > 8
enum { NUMBER_BITS = 32, FRACTION_MASK = 0x7ffffe, FRACTION_END = 1, FIRST_SEGMENT = 832, SEGMENTS = 184 };
#else
enum { NUMBER_BITS = 16, FRACTION_MASK = 0x7fff00, FRACTION_END = 0x80, FIRST_SEGMENT = 888, SEGMENTS = 128 };
#endif
enum { CALL_ROWS = 128 / NUMBER_BITS, NOISE_BAND = ROW_STEP < CALL_ROWS ? CALL_ROWS / ROW_STEP : 1 };
static inline uint noise_row (int y) { return (uint) y * ROW_STEP + FIRST_ROW; }

/* Linear segments of the normal distribution's quantiles: on a CPU, where loads are slow, begin * 1024 + fall in one number; on a GPU,
 * where conversions are slow, an offset and a slope. Both give the same floats. */
#if BACKEND_CPU
typedef uint segment_t;
#define QUANTILES global const uint *restrict
#else
typedef float segment_t;
#define QUANTILES local const float2 *
#endif

/* key: seed, the frame's number (low, high half), and the component of each sample of a pixel, a byte each, 0xff if it is not filtered.
 * column: log2 of the frame's columns for a pixel. scale: the standard deviation, or the end of a uniform range; for speckle, relative to
 * the sample. For salt and pepper, limit: how many of 2^31 numbers replace a sample; ends: black and white. */
#define NOISE_ARGS uint4 key, int column, float scale, uint limit, int2 ends, global const segment_t *restrict normal
enum { HALF_EVEN = 0x4b400000 }; /* 1.5 * 2^23: adding to it rounds half to even, and floats around it order as their bits */
/* filtered_component (): the component of sample x, from key.w. random_bits (): the 128 bits of its pixel for the rows of the call that
 * holds `row`. With ANY_PIXEL NC is 1, 2 or 4, and NC / 2 its logarithm. */
static inline uint filtered_component (uint x, struct plane plane, uint4 key)
{ return key.w >> (8 * (ANY_PIXEL ? x & (NC - 1) : component_of (x, plane))) & 0xff; }
static inline uint4 random_bits (uint x, struct plane plane, uint row, uint component, int column, uint4 key)
{ return philox ((uint4) ((ANY_PIXEL ? x >> NC / 2 : pixels_of (x, plane)) << column, row / CALL_ROWS, key.y, component), key.xz); }

/* The number of `row` of a call, in the upper bits. Masks, because PoCL does not vectorise a choice of elements. */
static inline uint number_of (uint4 bits, uint row)
{
  const uint word = row / (32 / NUMBER_BITS) % 4;
  const uint chosen = (bits.x & -(uint) (word == 0)) | (bits.y & -(uint) (word == 1)) | (bits.z & -(uint) (word == 2))
                      | (bits.w & -(uint) (word == 3));
  return NUMBER_BITS == 32 || row % 2 ? chosen : chosen << 16;
}

/* The variate of a number: its sign, and the magnitude that f, 0 .. 1, stands for: a quantile, or f itself for uniform noise. */
static inline float variate (uint number, float f, QUANTILES normal)
{
  float magnitude = f;
#if (GAUSSIAN || SPECKLE) && BACKEND_CPU
  const int segment = (int) normal[(int) (as_uint (f) >> 20) - FIRST_SEGMENT];
  const float place = (float) (int) (as_uint (f) & 0xfffff), fall = (float) (segment & 1023);
  magnitude = fma (place, fall * -0x1p-32f, (float) (segment >> 10) * 0x1p-12f);
#elif GAUSSIAN || SPECKLE
  const float2 segment = normal[(as_uint (f) >> 20) - FIRST_SEGMENT];
  magnitude = fma (f, segment.y, segment.x);
#endif
  return as_float (as_uint (magnitude) ^ (number & 0x80000000u));
}

/* v plus noise, rounded; v and the result are HALF_EVEN too large. */
static inline float noisy (float v, float variate, float scale)
{ return fma (variate, SPECKLE ? scale * (v - as_float (HALF_EVEN)) : scale, v); }

/* The result for the value v of a sample, from its random number. */
static inline int result_of (int v, uint number, float scale, uint limit, int2 ends, QUANTILES normal)
{
  if (SALT_PEPPER)
    return number >> 1 < limit ? (number & 1 ? ends.y : ends.x) : v;
  const float f = as_float ((number >> 8 & FRACTION_MASK) | FRACTION_END | 0x3f800000) - 1.0f;
  const float sum = noisy (as_float (HALF_EVEN | v), variate (number, f, normal), scale);
  return clamp (as_int (sum), HALF_EVEN, HALF_EVEN + MAX_VALUE) - HALF_EVEN;
}

#if BACKEND_CPU
/* Tuned for Skylake: for AMD's processors LLVM 19 reads segments one by one, which takes twice as long. On processors with vectors of 512
 * bits, vectors of 256 bits take 10 % less time. */
#if defined __AVX2__ && !defined __AVX512F__
#define NOISE_ONCE static __attribute__ ((noinline, target ("tune=skylake")))
#else
#define NOISE_ONCE static __attribute__ ((noinline))
#endif

/* An item makes ITEM_ROWS rows: all rows of a call, or one row. */
ITEM_KERNEL_OF (NOISE_ONCE, noise, (PLANE_ARGS, NOISE_ARGS), (PLANE_NAMES, key, column, scale, limit, ends, normal))
{
  PLANE_BEGIN (sizeof (uint))
  const uint sample = (uint) PLANE_X, y = noise_row (item_y);
  const uint4 bits = random_bits (sample, plane, y, filtered_component (sample, plane, key), column, key);
  UNROLL for (int r = 0; r < ITEM_ROWS; r++) {
    const int v = LOAD ((item_src + r * src_stride)[item_x]);
    OUT_ROW (r, result_of (v, number_of (bits, ITEM_ROWS == 1 ? y : noise_row (r)), scale, limit, ends, normal));
  }
  PLANE_END
}
#else
kernel void noise (PLANE_ARGS, NOISE_ARGS)
{
  local float2 local_normal[SEGMENTS];
  GPU_ITEM
  const int top = item_y / NOISE_BAND * NOISE_BAND;
  uint words[NOISE_BAND * ITEM_WORDS];
  if (ITEM_IN_REGION)
    load_rows (words, NOISE_BAND, ITEM_WORDS, SRC_ARGS, item_x, top, 0);
#if GAUSSIAN || SPECKLE
  const int items = get_local_size (0) * get_local_size (1);
  ROLLED for (int i = get_local_id (1) * get_local_size (0) + get_local_id (0); i < SEGMENTS; i += items)
    local_normal[i] = vload2 (i, normal);
  barrier (CLK_LOCAL_MEM_FENCE);
#endif
  if (!ITEM_IN_REGION)
    return;
  /* the bits around numbers and samples. get_local_id (2), always 0, keeps NVIDIA's compiler from loading constants each time */
  const uint2 constants = (uint2) (0x3f000080, HALF_EVEN) | (uint) get_local_id (2);
  ROLLED for (int s = 0; s < SAMPLES_PER_WORD; s++)
    UNROLL for (int w = 0; w < ITEM_WORDS; w++) {
      const uint sample = (uint) (item_x + w * SAMPLES_PER_WORD + s), component = filtered_component (sample, plane, key);
      if (component == 0xff)
        continue;
      const uint4 bits = random_bits (sample, plane, noise_row (top), component, column, key);
#if !SALT_PEPPER && DEPTH <= 8 && ROW_STEP < 8 /* bytes of two rows are saturated together */
      const uint random[4] = {bits.x, bits.y, bits.z, bits.w};
      UNROLL for (int r = 0; r < NOISE_BAND; r += 2) {
        float sums[2];
        UNROLL for (int i = 0; i < 2; i++) {
          const uint n = noise_row (r + i), number = n % 2 ? random[n / 2] : random[n / 2] << 16;
          const float f = as_float (half_within (random[n / 2] | 0x80008000u, n % 2, constants.x)) - 1.0f;
          const float v = as_float (byte_under (words[(r + i) * ITEM_WORDS + w], s, constants.y));
          sums[i] = noisy (v, variate (number, f, local_normal), scale);
        }
        const uint pair = saturated_pair (lower_halves (as_uint (sums[0]), as_uint (sums[1])));
        words[r * ITEM_WORDS + w] = with_byte (words[r * ITEM_WORDS + w], s, pair, 0);
        words[(r + 1) * ITEM_WORDS + w] = with_byte (words[(r + 1) * ITEM_WORDS + w], s, pair, 2);
      }
#else
      UNROLL for (int r = 0; r < NOISE_BAND; r++) {
        uint *word = words + r * ITEM_WORDS + w;
        const int shift = SAMPLE_BITS * s, v = (int) LOAD ((sample_t) (*word >> shift));
        const uint result = (uint) result_of (v, number_of (bits, noise_row (r)), scale, limit, ends, local_normal) << SHIFT;
        *word = (*word & ~((uint) (sample_t) ~0 << shift)) | result << shift;
      }
#endif
    }
#if DST_IMAGE
  UNROLL for (int r = 0; r < NOISE_BAND; r++)
    if (top + r >= region.y)
      store_row (DST_ARGS, words + r * ITEM_WORDS, 0, item_x, top + r);
#else
  store_word_rows (words, NOISE_BAND, top);
#endif
}
#endif
