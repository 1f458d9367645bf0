/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Random noise of a counter-based generator, defined to the last bit in docs/elements/clnoise.md.
 *
 * 128 random bits serve CALL_ROWS samples of a column one below the other, NUMBER_BITS each; a work item has these
 * samples, so that each call is made once.
 *
 * The host defines one of GAUSSIAN, UNIFORM, SPECKLE and SALT_PEPPER, and ROW_STEP, rows of the frame from one row of the
 * plane to the next where numbers follow the pixels of the frame, else 1.
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
 * normal     offset and slope of each segment of the normal distribution's quantiles */
#define NOISE_ARGS uint4 key, int column, float scale, uint limit, global const float *restrict normal

/* 1.5 * 2^23: floats around it have no fraction, so that adding to it rounds half to even, and order as their bits. */
#define ROUNDING 0x4b400000

static inline uint4
random_bits (uint x, uint row, uint component, uint4 key)
{
  return philox ((uint4) (x, row / CALL_ROWS, key.y, component), (uint2) (key.x, key.z));
}

/* Number `row` of a call, in the upper bits. */
static inline uint
number_of (uint4 bits, uint row)
{
#if NUMBER_BITS == 32
  const uint i = row % 4;
  return i < 2 ? (i == 0 ? bits.x : bits.y) : (i == 2 ? bits.z : bits.w);
#else
  const uint i = row / 2 % 4;
  const uint word = i < 2 ? (i == 0 ? bits.x : bits.y) : (i == 2 ? bits.z : bits.w);
  return row % 2 ? word : word << 16;
#endif
}

#if SALT_PEPPER

#define NOISY(v, number) \
  ((number) >> 1 < limit ? ((number) &1) * MAX_VALUE : (uint) (v))

#else

/* A number as sign and magnitude: evenly spread over 0 .. 1, and of normal distribution. */
#define FRACTION(number) (as_float ((((number) >> 8) & FRACTION_MASK) | FRACTION_END | 0x3f800000) - 1.0f)
#define SIGNED(magnitude, number) as_float (as_uint (magnitude) ^ ((number) &0x80000000u))

#if UNIFORM
#define VARIATE(number) SIGNED (FRACTION (number), number)
#else
#define SEGMENT(f) ((as_uint (f) >> 20) - FIRST_SEGMENT)
#if BACKEND_CPU
#define OFFSET(f) normal[2 * SEGMENT (f)]
#define SLOPE(f) normal[2 * SEGMENT (f) + 1]
#else
#define OFFSET(f) local_normal[SEGMENT (f)].x
#define SLOPE(f) local_normal[SEGMENT (f)].y
#endif
#define MAGNITUDE(f) fma ((f), SLOPE (f), OFFSET (f))
#define VARIATE(number) SIGNED (MAGNITUDE (FRACTION (number)), number)
#endif

#if SPECKLE
/* The sample as a float without a conversion. */
#define SCALE(v) (scale * (as_float (0x4b000000 | (v)) - as_float (0x4b000000)))
#else
#define SCALE(v) scale
#endif

#define NOISY(v, number)                                                                            \
  (clamp (as_int (fma (VARIATE (number), SCALE (v), as_float (ROUNDING | (v)))), ROUNDING, \
       ROUNDING + MAX_VALUE)                                                                        \
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
  OUT (NOISY (VAL, number_of (bits, y)));
#else
  /* the host begins with a call's first row */
#pragma unroll
  for (int r = 0; r < ITEM_ROWS; r++) {
    const sample_t v = src[at + r * src_stride];
    dst[to + r * dst_stride] = merge_sample (NOISY ((int) LOAD (v), number_of (bits, r * ROW_STEP)), v, keep[item_x]);
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
        v[s] = (int) NOISY (v[s], number_of (bits[s], r * ROW_STEP));
    if (y >= region.y)
      store_item (v, y);
  }
}

#endif
