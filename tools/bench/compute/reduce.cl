/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The sum or the dot product of vectors of floats: one work-group sums one chunk of 8192 elements, and the host runs the
 * kernel again on the results, until one is left.
 *
 * Of a chunk, lane l of 256 adds up elements l, l + 256, l + 512, ...; then lanes at distance 128, 64, ... 1 are added.
 * Both back ends do it in this order, so floats come out the same.
 *
 * The host defines BACKEND_CPU or BACKEND_GPU, DOT for products, and ALIGNED where four elements can be loaded at once
 * from every vector's beginning.
 */
#define CHUNK 8192
#define LANES 256

#if DOT
#define B_ARGS global const float *restrict b, ulong b_offset,
#define FROM_PARAMS global const float *from_a, global const float *from_b
#define FROM from_a, from_b
#define ADD_TERM(sum, load, at) fma (load (from_a, at), load (from_b, at), (sum))
#else
#define B_ARGS
#define FROM_PARAMS global const float *from_a
#define FROM from_a
#define ADD_TERM(sum, load, at) ((sum) + load (from_a, at))
#endif

#if BACKEND_CPU
#define LOAD16(from, at) vload16 (0, (from) + (at))
#define VECTORS (LANES / 16)
#define LOAD1(from, at) (from)[at]

/* The sum of n terms, or of their products. */
static inline float
sum_of (FROM_PARAMS, int n)
{
  float16 sum[VECTORS];
#pragma unroll
  for (int v = 0; v < VECTORS; v++)
    sum[v] = 0;
  int i = 0;
  for (; i + LANES <= n; i += LANES)
#pragma unroll
    for (int v = 0; v < VECTORS; v++)
      sum[v] = ADD_TERM (sum[v], LOAD16, i + 16 * v);
  float lanes[LANES];
#pragma unroll
  for (int v = 0; v < VECTORS; v++)
    vstore16 (sum[v], v, lanes);
  for (int lane = 0; i + lane < n; lane++)
    lanes[lane] = ADD_TERM (lanes[lane], LOAD1, i + lane);
  for (int distance = LANES / 2; distance >= 16; distance /= 2)
    for (int lane = 0; lane < distance; lane += 16)
      vstore16 (vload16 (0, lanes + lane) + vload16 (0, lanes + lane + distance), 0, lanes + lane);
  const float16 all = vload16 (0, lanes);
  const float8 eight = all.lo + all.hi;
  const float4 four = eight.lo + eight.hi;
  return (four.x + four.z) + (four.y + four.w);
}

#endif

kernel void
reduce (global const float *restrict a, ulong a_offset, B_ARGS global float *restrict result, ulong result_offset, ulong length)
{
  const size_t chunk = get_group_id (0);
  const ulong first = (ulong) chunk * CHUNK;
  const int n = (int) min ((ulong) CHUNK, length - first);
  global const float *from_a = a + a_offset + first;
#if DOT
  global const float *from_b = b + b_offset + first;
#endif
  global float *to = result + result_offset + chunk;

#if BACKEND_CPU
  *to = sum_of (FROM, n);
#else
#define ITEMS (LANES / 4)
#if ALIGNED
#define LOAD4(from, at) (*(global const float4 *) ((from) + (at)))
#else
#define LOAD4(from, at) ((float4) ((from)[at], (from)[(at) + 1], (from)[(at) + 2], (from)[(at) + 3]))
#endif
#define LOAD_TAIL(from, at)                                                                                       \
  ((float4) ((at) < n ? (from)[at] : 0, (at) + 1 < n ? (from)[(at) + 1] : 0, (at) + 2 < n ? (from)[(at) + 2] : 0, \
      (at) + 3 < n ? (from)[(at) + 3] : 0))
  local float4 lanes[ITEMS];
  const int item = (int) get_local_id (0);
  float4 sum = 0;
  int i = item * 4;
  if (n == CHUNK) {
#pragma unroll 8
    for (int row = 0; row < CHUNK / LANES; row++)
      sum = ADD_TERM (sum, LOAD4, i + row * LANES);
  } else {
    for (; i < n; i += LANES)
      sum = ADD_TERM (sum, LOAD_TAIL, i);
  }
  lanes[item] = sum;
  barrier (CLK_LOCAL_MEM_FENCE);
  for (int distance = ITEMS / 2; distance > 0; distance /= 2) {
    if (item < distance)
      lanes[item] += lanes[item + distance];
    barrier (CLK_LOCAL_MEM_FENCE);
  }
  if (item == 0) {
    const float4 four = lanes[0];
    *to = (four.x + four.z) + (four.y + four.w);
  }
#endif
}
