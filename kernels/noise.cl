/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Random noise of a counter-based generator, defined to the last bit in docs/elements/clnoise.md.
 *
 * 128 random bits serve CALL_ROWS samples of a column one below the other, NUMBER_BITS each; a work item has these
 * samples, so that each call is made once.
 *
 * The host defines one of GAUSSIAN, UNIFORM, SPECKLE and SALT_PEPPER, and ROW_STEP, rows of the frame from one row of
 * the plane to the next where numbers follow the pixels of the frame, else 1.
 */
#if SALT_PEPPER || DEPTH > 8
#define NUMBER_BITS 32
#define FRACTION_MASK 0x7ffffe
#define FRACTION_END 1
#define FIRST_SEGMENT 832
#define SEGMENTS 184
#else
#define NUMBER_BITS 16
#define FRACTION_MASK 0x7fff00
#define FRACTION_END 0x80
#define FIRST_SEGMENT 888
#define SEGMENTS 128
#endif
#define CALL_ROWS (128 / NUMBER_BITS)
/* Rows of the plane that one call serves. */
#define BAND (CALL_ROWS / ROW_STEP)

/* key        seed, the frame's number (low, high half), components: which each sample of a pixel is, a byte each
 * column     log2 of the columns of the frame from one pixel of the plane to the next, as ROW_STEP
 * scale      what one standard deviation, or the end of the range, is worth; of the sample for speckle
 * limit      salt and pepper: what so many of 2^31 numbers are below
 * normal     segments of the normal distribution's quantiles: begin * 1024 + fall, or offset and slope
 * row_distance  0: tables of a work item's rows are one. What the compiler cannot know keeps PoCL's from making vectors
 *               out of rows, which would keep it from making them out of work items: four times as slow */
#if BACKEND_CPU
typedef uint segment_t;
#else
typedef float segment_t;
#endif
#define NOISE_ARGS \
  uint4 key, int column, float scale, uint limit, global const segment_t *restrict normal, int row_distance

/* 1.5 * 2^23: floats around it have no fraction, so that adding to it rounds half to even, and order as their bits. */
#define ROUNDING 0x4b400000

static inline uint4
random_bits (uint x, uint row, uint component, uint4 key)
{
  return philox ((uint4) (x, row / CALL_ROWS, key.y, component), (uint2) (key.x, key.z));
}

/* Number `row` of a call, in the upper bits. Masks, since PoCL's compiler does not vectorise a choice of elements. */
#define WORD_MASK(i) (-(uint) (word == (i)))

static inline uint
number_of (uint4 bits, uint row)
{
  const uint word = row / (NUMBER_BITS == 32 ? 1 : 2) % 4;
  const uint chosen = (bits.x & WORD_MASK (0)) | (bits.y & WORD_MASK (1)) | (bits.z & WORD_MASK (2))
                      | (bits.w & WORD_MASK (3));
  return NUMBER_BITS == 32 || row % 2 ? chosen : chosen << 16;
}

#if SALT_PEPPER

#define NOISY(v, number, r) ((number) >> 1 < limit ? ((number) &1) * MAX_VALUE : (uint) (v))

#else

/* A number as sign and magnitude: evenly spread over 0 .. 1, and of normal distribution. */
#define FRACTION(number) (as_float ((((number) >> 8) & FRACTION_MASK) | FRACTION_END | 0x3f800000) - 1.0f)
#define SIGNED(magnitude, number) as_float (as_uint (magnitude) ^ ((number) &0x80000000u))

#if UNIFORM
#define VARIATE(number, r) SIGNED (FRACTION (number), number)
#else
/* The segment of f's octave and eighth; its place in there is the rest of f. Both forms give the nearest float of the
 * same number: one load is what costs on a CPU, conversions are on a GPU. */
#if BACKEND_CPU
static inline float
normal_magnitude (float f, global const uint *restrict normal)
{
  const int segment = (int) normal[(int) (as_uint (f) >> 20) - FIRST_SEGMENT];
  const float place = (float) (int) (as_uint (f) & 0xfffff), fall = (float) (segment & 1023);
  return fma (place, fall * -0x1p-32f, (float) (segment >> 10) * 0x1p-12f);
}
#define SEGMENTS_OF_ROW(r) (normal + (r) *row_distance)
#else
static inline float
normal_magnitude (float f, local const float2 *segments)
{
  const float2 segment = segments[(as_uint (f) >> 20) - FIRST_SEGMENT];
  return fma (f, segment.y, segment.x);
}
#define SEGMENTS_OF_ROW(r) local_normal
#endif
#define VARIATE(number, r) SIGNED (normal_magnitude (FRACTION (number), SEGMENTS_OF_ROW (r)), number)
#endif

#if SPECKLE
/* The sample as a float without a conversion. */
#define SCALE(v) (scale * (as_float (0x4b000000 | (v)) - as_float (0x4b000000)))
#else
#define SCALE(v) scale
#endif

/* The result for a sample in row r of the work item. */
#define NOISY(v, number, r)                                                                             \
  (clamp (as_int (fma (VARIATE (number, r), SCALE (v), as_float (ROUNDING | (v)))), ROUNDING, \
       ROUNDING + MAX_VALUE)                                                                            \
      - ROUNDING)

#endif

#if BACKEND_CPU

kernel void
noise (PLANE_ARGS, NOISE_ARGS)
{
  PLANE_BEGIN
  const uint sample = (uint) (region.x + item_x), y = (uint) (region.y + ITEM_Y) * ROW_STEP;
  const uint component = key.w >> (8 * (sample % NC)) & 0xff;
  const uint4 bits = random_bits ((sample / NC) << column, y, component, key);
#if ITEM_ROWS == 1
  OUT (NOISY (VAL, number_of (bits, y), 0));
#else
  /* the host begins with a call's first row */
#pragma unroll
  for (int r = 0; r < ITEM_ROWS; r++) {
    const sample_t v = src[at + r * src_stride];
    const uint number = number_of (bits, r * ROW_STEP);
    dst[to + r * dst_stride] = merge_sample (NOISY ((int) LOAD (v), number, r), v, keep[item_x]);
  }
#endif
}

#else

kernel void
noise (PLANE_ARGS, NOISE_ARGS)
{
#if GAUSSIAN || SPECKLE
  local float2 local_normal[SEGMENTS];
  for (int i = get_local_id (1) * get_local_size (0) + get_local_id (0); i < SEGMENTS;
       i += get_local_size (0) * get_local_size (1))
    local_normal[i] = vload2 (i, normal);
  barrier (CLK_LOCAL_MEM_FENCE);
#endif
  GPU_BEGIN
  const int top = item_y / BAND * BAND;
  uint4 bits[ITEM_SAMPLES];
#pragma unroll
  for (int s = 0; s < ITEM_SAMPLES; s++) {
    const uint sample = (uint) (item_x + s), component = key.w >> (8 * (sample % NC)) & 0xff;
    /* a component that is not filtered, such as alpha, costs nothing */
    bits[s] = component < 0xff ? random_bits ((sample / NC) << column, (uint) top * ROW_STEP, component, key) : 0;
  }
#pragma unroll
  for (int r = 0; r < BAND; r++) {
    const int y = top + r;
    int v[ITEM_SAMPLES];
    load_span (v, item_x, ITEM_SAMPLES, y, 0);
#pragma unroll
    for (int s = 0; s < ITEM_SAMPLES; s++)
      if ((key.w >> (8 * ((uint) (item_x + s) % NC)) & 0xff) < 0xff)
        v[s] = (int) NOISY (v[s], number_of (bits[s], r * ROW_STEP), r);
    if (y >= region.y)
      store_item (v, y);
  }
}

#endif
