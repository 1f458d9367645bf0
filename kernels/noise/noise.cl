/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Random noise of a counter-based generator, defined to the last bit in docs/elements/clnoise.md.
 *
 * 128 random bits serve NOISE_CALL_ROWS samples of a column one below the other, NOISE_NUMBER_BITS each; a work item has these
 * samples, so that each call is made once.
 *
 * The host defines one of GAUSSIAN, UNIFORM, SPECKLE and SALT_PEPPER, and
 *   ROW_STEP    from a row of the plane, or of its field, to the next: so many rows of what numbers follow, the frame or the plane
 *   FIRST_ROW   the row there of the first one: 1 in the second field
 */
#if SALT_PEPPER || DEPTH > 8
#define NOISE_NUMBER_BITS 32
#define NOISE_FRACTION_MASK 0x7ffffe
#define NOISE_FRACTION_END 1
#define NOISE_FIRST_SEGMENT 832
#define SEGMENTS 184
#else
#define NOISE_NUMBER_BITS 16
#define NOISE_FRACTION_MASK 0x7fff00
#define NOISE_FRACTION_END 0x80
#define NOISE_FIRST_SEGMENT 888
#define SEGMENTS 128
#endif
#define NOISE_CALL_ROWS (128 / NOISE_NUMBER_BITS)
/* Rows of the plane that one call serves. */
#define NOISE_BAND (ROW_STEP < NOISE_CALL_ROWS ? NOISE_CALL_ROWS / ROW_STEP : 1)
#define NOISE_ROW(y) ((uint) (y) *ROW_STEP + FIRST_ROW)

/* key        seed, the frame's number (low, high half), components: which each sample of a pixel is, a byte each
 * column     log2 of the columns of the frame from one pixel of the plane to the next, as ROW_STEP
 * scale      what one standard deviation, or the end of the range, is worth; of the sample for speckle
 * limit      salt and pepper: what so many of 2^31 numbers are below
 * ends       salt and pepper: black and white
 * normal     segments of the normal distribution's quantiles: begin * 1024 + fall, or offset and slope */
#if BACKEND_CPU
typedef uint segment_t;
#else
typedef float segment_t;
#endif
#define NOISE_ARGS \
  uint4 key, int column, float scale, uint limit, int2 ends, global const segment_t *restrict normal

/* 1.5 * 2^23: floats around it have no fraction, so that adding to it rounds half to even, and order as their bits. */
#define ROUNDING 0x4b400000

static inline uint4
random_bits (uint x, uint row, uint component, uint4 key)
{
  return philox ((uint4) (x, row / NOISE_CALL_ROWS, key.y, component), (uint2) (key.x, key.z));
}

/* Number `row` of a call, in the upper bits. Masks, since PoCL's compiler does not vectorise a choice of elements. */
#define NOISE_WORD_MASK(i) (-(uint) (word == (i)))

static inline uint
number_of (uint4 bits, uint row)
{
  const uint word = row / (NOISE_NUMBER_BITS == 32 ? 1 : 2) % 4;
  const uint chosen = (bits.x & NOISE_WORD_MASK (0)) | (bits.y & NOISE_WORD_MASK (1)) | (bits.z & NOISE_WORD_MASK (2))
                      | (bits.w & NOISE_WORD_MASK (3));
  return NOISE_NUMBER_BITS == 32 || row % 2 ? chosen : chosen << 16;
}

#if SALT_PEPPER

#define NOISE_RESULT(v, number) ((number) >> 1 < limit ? ((number) &1 ? ends.y : ends.x) : (v))

#else

/* A number as sign and magnitude: evenly spread over 0 .. 1, and of normal distribution. */
#define NOISE_FRACTION(number) (as_float ((((number) >> 8) & NOISE_FRACTION_MASK) | NOISE_FRACTION_END | 0x3f800000) - 1.0f)
#define NOISE_SIGNED(magnitude, number) as_float (as_uint (magnitude) ^ ((number) &0x80000000u))

#if UNIFORM
#define NOISE_VARIATE(number) NOISE_SIGNED (NOISE_FRACTION (number), number)
#else
/* The segment of f's octave and eighth; its place in there is the rest of f. Both forms give the nearest float of the
 * same number: one load is what costs on a CPU, conversions are on a GPU. */
#if BACKEND_CPU
static inline float
normal_magnitude (float f, global const uint *restrict normal)
{
  const int segment = (int) normal[(int) (as_uint (f) >> 20) - NOISE_FIRST_SEGMENT];
  const float place = (float) (int) (as_uint (f) & 0xfffff), fall = (float) (segment & 1023);
  return fma (place, fall * -0x1p-32f, (float) (segment >> 10) * 0x1p-12f);
}
#define NOISE_QUANTILES normal
#else
static inline float
normal_magnitude (float f, local const float2 *segments)
{
  const float2 segment = segments[(as_uint (f) >> 20) - NOISE_FIRST_SEGMENT];
  return fma (f, segment.y, segment.x);
}
#define NOISE_QUANTILES local_normal
#endif
#define NOISE_VARIATE(number) NOISE_SIGNED (normal_magnitude (NOISE_FRACTION (number), NOISE_QUANTILES), number)
#endif

#if SPECKLE
/* The sample as a float without a conversion. */
#define NOISE_SCALE(v) (scale * (as_float (0x4b000000 | (v)) - as_float (0x4b000000)))
#else
#define NOISE_SCALE(v) scale
#endif

/* The result for a sample. */
#define NOISE_RESULT(v, number)                                                                                              \
  (clamp (as_int (fma (NOISE_VARIATE (number), NOISE_SCALE (v), as_float (ROUNDING | (v)))), ROUNDING, ROUNDING + MAX_VALUE) \
      - ROUNDING)

#endif

#if BACKEND_CPU

/* Work item (0, band), ITEM_ROWS rows: those of a call from its first row on, or one. */
kernel void
noise (PLANE_ARGS, NOISE_ARGS)
{
  const int top = region.y + min ((int) get_global_id (1) * ITEM_ROWS, region.height - ITEM_ROWS);
  global const sample_t *restrict from = src + (src_offset + top * src_stride + region.x);
  global sample_t *restrict to = dst + (dst_offset + top * dst_stride + region.x);
  const uint y = NOISE_ROW (top);
  WIDE_LOOP
  for (int x = 0; x < region.width; x++) {
    const uint sample = (uint) (region.x + x), component = key.w >> (8 * (sample % NC)) & 0xff;
    const uint4 bits = random_bits ((sample / NC) << column, y, component, key);
#pragma unroll
    for (int r = 0; r < ITEM_ROWS; r++) {
      const sample_t v = from[x + r * src_stride];
      const uint number = number_of (bits, ITEM_ROWS == 1 ? y : NOISE_ROW (r));
      to[x + r * dst_stride] = merge_sample (NOISE_RESULT ((int) LOAD (v), number), v, keep[x]);
    }
  }
}

#else

/* Words of four samples, which are taken apart and put together a byte at a time: what a filter of so few operations a
 * sample takes longest for. Results of two rows are saturated side by side. */
#define NOISE_BYTE_WORDS (SAMPLE_BITS == 8 && NOISE_NUMBER_BITS == 16 && NOISE_BAND > 1 && !SRC_IMAGE && !DST_IMAGE)

#if NOISE_BYTE_WORDS

#if PTX_BYTES
/* What bytes are taken from besides. Of two constant operands prmt.b32 loads one again each time; the compiler cannot know
 * that there is no third dimension, and keeps these in registers. */
#define NOISE_CONSTANTS ((uint2) (0x3f000080, ROUNDING) | (uint) get_local_id (2))

/* Half of a word of random bits as a fraction. */
#define NOISE_HALF_FRACTION(word, half) \
  (as_float (permute_bytes ((word) | 0x80008000u, constants.x, (half) ? 0x7324 : 0x7104)) - 1.0f)
#define NOISE_ROUNDING_SAMPLE(word, s) as_float (permute_bytes (word, constants.y, 0x7650 + (s)))
/* Byte 2 * half of `bytes` in place of byte s. */
#define NOISE_WITH_BYTE(word, s, bytes, half) \
  permute_bytes (word, bytes, (0x3210 & ~(0xf << (4 * (s)))) | ((half) ? 6 : 4) << (4 * (s)))
#else
#define NOISE_CONSTANTS (uint2) (0)
#define NOISE_HALF_FRACTION(word, half) NOISE_FRACTION ((half) ? (word) : (word) << 16)
#define NOISE_ROUNDING_SAMPLE(word, s) as_float (ROUNDING | ((word) >> (8 * (s)) & 0xff))
#define NOISE_WITH_BYTE(word, s, bytes, half) \
  (((word) & ~(0xffu << (8 * (s)))) | ((bytes) >> (16 * (half)) & 0xff) << (8 * (s)))
#endif

#if UNIFORM
#define NOISE_HALF_VARIATE(word, half) \
  NOISE_SIGNED (NOISE_HALF_FRACTION (word, half), (half) ? (word) : (word) << 16)
#else
#define NOISE_HALF_VARIATE(word, half) \
  NOISE_SIGNED (normal_magnitude (NOISE_HALF_FRACTION (word, half), local_normal), (half) ? (word) : (word) << 16)
#endif

/* The sum for sample s of a word in row r, to be rounded. */
#define NOISE_SUM(word, s, r)                                                                                         \
  fma (NOISE_HALF_VARIATE (random[NOISE_ROW (r) / 2], NOISE_ROW (r) % 2), NOISE_SCALE ((word) >> (8 * (s)) & 0xff), \
      NOISE_ROUNDING_SAMPLE (word, s))

#endif

#if GAUSSIAN || SPECKLE
static inline void
load_normal (local float2 *local_normal, global const float *restrict normal)
{
  const int items = get_local_size (0) * get_local_size (1);
  for (int i = get_local_id (1) * get_local_size (0) + get_local_id (0); i < SEGMENTS; i += items)
    local_normal[i] = vload2 (i, normal);
  barrier (CLK_LOCAL_MEM_FENCE);
}

#define NOISE_LOCAL_NORMAL local float2 local_normal[SEGMENTS]
#define NOISE_LOAD_NORMAL load_normal (local_normal, normal)
#define NOISE_NORMAL_PARAM , local const float2 *local_normal
#define NOISE_NORMAL_ARG , local_normal
#else
#define NOISE_LOCAL_NORMAL
#define NOISE_LOAD_NORMAL
#define NOISE_NORMAL_PARAM
#define NOISE_NORMAL_ARG
#endif

#if NOISE_BYTE_WORDS

/* A word of samples from x on in each of the rows from top on. */
static inline void
add_noise (uint *words, int x, int top, uint4 key, int column, float scale, uint2 constants NOISE_NORMAL_PARAM)
{
#pragma unroll
  for (int s = 0; s < SAMPLES_PER_WORD; s++) {
    const uint sample = (uint) (x + s), component = key.w >> (8 * (sample % NC)) & 0xff;
    /* a component that is not filtered, such as alpha, costs nothing */
    if (component < 0xff) {
      const uint4 bits = random_bits ((sample / NC) << column, NOISE_ROW (top), component, key);
      const uint random[4] = {bits.x, bits.y, bits.z, bits.w};
#pragma unroll
      for (int r = 0; r < NOISE_BAND; r += 2) {
        const float first = NOISE_SUM (words[r], s, r), second = NOISE_SUM (words[r + 1], s, r + 1);
        const uint pair = saturated_pair (LOWER_HALVES (first, second));
        words[r] = NOISE_WITH_BYTE (words[r], s, pair, 0);
        words[r + 1] = NOISE_WITH_BYTE (words[r + 1], s, pair, 1);
      }
    }
  }
}

kernel void
noise (PLANE_ARGS, NOISE_ARGS)
{
  NOISE_LOCAL_NORMAL;
  const int item_x = ((int) get_global_id (0) + region.x / ITEM_SAMPLES) * ITEM_SAMPLES;
  const int item_y = region.y + (int) get_global_id (1) * ITEM_ROWS, top = item_y / NOISE_BAND * NOISE_BAND;
  const bool inside = item_x < region.x + region.width && item_y < region.y + region.height;
  uint rows[NOISE_BAND][ITEM_WORDS];
#pragma unroll
  for (int r = 0; r < NOISE_BAND; r++)
    if (inside)
      load_words (rows[r], min (top + r, plane.height - 1));
  NOISE_LOAD_NORMAL;
  if (!inside)
    return;
  const uint2 constants = NOISE_CONSTANTS;
#pragma unroll
  for (int w = 0; w < ITEM_WORDS; w++) {
    uint words[NOISE_BAND];
#pragma unroll
    for (int r = 0; r < NOISE_BAND; r++)
      words[r] = rows[r][w];
    add_noise (words, item_x + w * SAMPLES_PER_WORD, top, key, column, scale, constants NOISE_NORMAL_ARG);
#pragma unroll
    for (int r = 0; r < NOISE_BAND; r++)
      rows[r][w] = words[r];
  }
#pragma unroll
  for (int r = 0; r < NOISE_BAND; r++)
    if (top + r >= region.y)
      store_words (rows[r], top + r);
}

#else

kernel void
noise (PLANE_ARGS, NOISE_ARGS)
{
  NOISE_LOCAL_NORMAL;
  NOISE_LOAD_NORMAL;
  GPU_ITEM
  if (!ITEM_IN_REGION)
    return;
  const int top = item_y / NOISE_BAND * NOISE_BAND;
  int v[NOISE_BAND][ITEM_SAMPLES];
#pragma unroll
  for (int r = 0; r < NOISE_BAND; r++)
    load_point (v[r], item_x, min (top + r, plane.height - 1));
#pragma unroll
  for (int s = 0; s < ITEM_SAMPLES; s++) {
    const uint sample = (uint) (item_x + s), component = key.w >> (8 * (sample % NC)) & 0xff;
    /* a component that is not filtered, such as alpha, costs nothing */
    if (component < 0xff) {
      const uint4 bits = random_bits ((sample / NC) << column, NOISE_ROW (top), component, key);
#pragma unroll
      for (int r = 0; r < NOISE_BAND; r++)
        v[r][s] = (int) NOISE_RESULT (v[r][s], number_of (bits, NOISE_ROW (r)));
    }
  }
#pragma unroll
  for (int r = 0; r < NOISE_BAND; r++)
    if (top + r >= region.y)
      store_point (v[r], top + r);
}

#endif

#endif
