/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sums and dot products of vectors: one work-group sums one chunk of 8192 elements, and the host runs the kernel again
 * on the results, until one is left.
 *
 * Of a chunk, lane l of 256 adds up elements l, l + 256, l + 512, ...; then lanes at distance 128, 64, ... 1 are added.
 * Both back ends do it in this order, so floats come out the same.
 *
 * The host defines BACKEND_CPU or BACKEND_GPU, ELEMENT_FLOAT, ELEMENT_UINT or ELEMENT_ULONG, DOT for products, and
 * ALIGNED where four elements can be loaded at once from every vector's beginning. Spans are offset and stride, in
 * elements; dimension 1 counts vectors.
 */
#define CHUNK 8192
#define LANES 256

#if ELEMENT_FLOAT
typedef float element_t;
typedef float4 element4_t;
typedef float sum_t;
typedef float4 sum4_t;
typedef float8 sum8_t;
typedef float16 sum16_t;
#define TO_SUM(width, v) (v)
#define MULTIPLY_ADD(a, b, c) fma ((a), (b), (c))
#else
#if ELEMENT_UINT
typedef uint element_t;
typedef uint4 element4_t;
#else
typedef ulong element_t;
typedef ulong4 element4_t;
#endif
typedef ulong sum_t;
typedef ulong4 sum4_t;
typedef ulong8 sum8_t;
typedef ulong16 sum16_t;
#define TO_SUM(width, v) convert_ulong##width (v)
#define MULTIPLY_ADD(a, b, c) ((a) * (b) + (c))
#endif

#if DOT
#define B_ARGS global const element_t *restrict b, ulong2 b_span,
#define FROM_PARAMS global const element_t *from_a, global const element_t *from_b
#define FROM from_a, from_b
#define ADD_TERM(width, sum, load, at) \
  MULTIPLY_ADD (TO_SUM (width, load (from_a, at)), TO_SUM (width, load (from_b, at)), (sum))
#else
#define B_ARGS
#define FROM_PARAMS global const element_t *from_a
#define FROM from_a
#define ADD_TERM(width, sum, load, at) ((sum) + TO_SUM (width, load (from_a, at)))
#endif

#if BACKEND_CPU
#define LOAD16(from, at) vload16 (0, (from) + (at))
#define VECTORS (LANES / 16)
#define LOAD1(from, at) (from)[at]

/* The sum of n terms, or of their products. */
static inline sum_t
sum_of (FROM_PARAMS, int n)
{
  sum16_t sum[VECTORS];
#pragma unroll
  for (int v = 0; v < VECTORS; v++)
    sum[v] = 0;
  int i = 0;
  for (; i + LANES <= n; i += LANES)
#pragma unroll
    for (int v = 0; v < VECTORS; v++)
      sum[v] = ADD_TERM (16, sum[v], LOAD16, i + 16 * v);
  sum_t lanes[LANES];
#pragma unroll
  for (int v = 0; v < VECTORS; v++)
    vstore16 (sum[v], v, lanes);
  for (int lane = 0; i + lane < n; lane++)
    lanes[lane] = ADD_TERM (, lanes[lane], LOAD1, i + lane);
  for (int distance = LANES / 2; distance >= 16; distance /= 2)
    for (int lane = 0; lane < distance; lane += 16)
      vstore16 (vload16 (0, lanes + lane) + vload16 (0, lanes + lane + distance), 0, lanes + lane);
  const sum16_t all = vload16 (0, lanes);
  const sum8_t eight = all.lo + all.hi;
  const sum4_t four = eight.lo + eight.hi;
  return (four.x + four.z) + (four.y + four.w);
}

#endif

kernel void
reduce (global const element_t *restrict a, ulong2 a_span, B_ARGS global sum_t *restrict result, ulong2 result_span,
    ulong length)
{
  const size_t chunk = get_group_id (0), vector = get_global_id (1);
  const ulong first = (ulong) chunk * CHUNK;
  const int n = (int) min ((ulong) CHUNK, length - first);
  global const element_t *from_a = a + a_span.x + vector * a_span.y + first;
#if DOT
  global const element_t *from_b = b + b_span.x + vector * b_span.y + first;
#endif
  global sum_t *to = result + result_span.x + vector * result_span.y + chunk;

#if BACKEND_CPU
  *to = sum_of (FROM, n);
#else
#define ITEMS (LANES / 4)
#if ALIGNED
#define LOAD4(from, at) (*(global const element4_t *) ((from) + (at)))
#else
#define LOAD4(from, at) ((element4_t) ((from)[at], (from)[(at) + 1], (from)[(at) + 2], (from)[(at) + 3]))
#endif
#define LOAD_TAIL(from, at)                                                                                       \
  ((element4_t) ((at) < n ? (from)[at] : 0, (at) + 1 < n ? (from)[(at) + 1] : 0, (at) + 2 < n ? (from)[(at) + 2] : 0, \
      (at) + 3 < n ? (from)[(at) + 3] : 0))
  local sum4_t lanes[ITEMS];
  const int item = (int) get_local_id (0);
  sum4_t sum = 0;
  int i = item * 4;
  if (n == CHUNK) {
#pragma unroll 8
    for (int row = 0; row < CHUNK / LANES; row++)
      sum = ADD_TERM (4, sum, LOAD4, i + row * LANES);
  } else {
    for (; i < n; i += LANES)
      sum = ADD_TERM (4, sum, LOAD_TAIL, i);
  }
  lanes[item] = sum;
  barrier (CLK_LOCAL_MEM_FENCE);
  for (int distance = ITEMS / 2; distance > 0; distance /= 2) {
    if (item < distance)
      lanes[item] += lanes[item + distance];
    barrier (CLK_LOCAL_MEM_FENCE);
  }
  if (item == 0) {
    const sum4_t four = lanes[0];
    *to = (four.x + four.z) + (four.y + four.w);
  }
#endif
}
