/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sums of two vectors: result[i] = a[i] + b[i], or with WEIGHTED weight_a * a[i] + weight_b * b[i].
 *
 * The host defines BACKEND_CPU or BACKEND_GPU, ELEMENT_FLOAT, ELEMENT_UINT or ELEMENT_ULONG, and ALIGNED where four
 * elements can be loaded at once from every vector's beginning. Spans are offset and stride, in elements.
 */
#if ELEMENT_FLOAT
typedef float element_t;
typedef float4 element4_t;
typedef float16 element16_t;
#elif ELEMENT_UINT
typedef uint element_t;
typedef uint4 element4_t;
typedef uint16 element16_t;
#else
typedef ulong element_t;
typedef ulong4 element4_t;
typedef ulong16 element16_t;
#endif

#if WEIGHTED
#define WEIGHT_ARGS , float weight_a, float weight_b
#define ADDED(type, a, b) fma ((type) (weight_a), (a), weight_b * (b))
#else
#define WEIGHT_ARGS
#define ADDED(type, a, b) ((a) + (b))
#endif

/* result may be a or b */
kernel void
vector_add (global const element_t *a, ulong2 a_span, global const element_t *b, ulong2 b_span,
    global element_t *result, ulong2 result_span, ulong length WEIGHT_ARGS)
{
  global const element_t *from_a = a + a_span.x, *from_b = b + b_span.x;
  global element_t *to = result + result_span.x;
#if BACKEND_CPU
#define CHUNK 16384
  const ulong end = min ((get_global_id (0) + 1) * (ulong) CHUNK, length);
  ulong i = get_global_id (0) * (ulong) CHUNK;
  for (; i + 16 <= end; i += 16)
    vstore16 (ADDED (element16_t, vload16 (0, from_a + i), vload16 (0, from_b + i)), 0, to + i);
  for (; i < end; i++)
    to[i] = ADDED (element_t, from_a[i], from_b[i]);
#else
  /* two times four elements per work item; neighbouring items access neighbouring elements */
  const ulong first = get_group_id (0) * get_local_size (0) * (ulong) 8 + get_local_id (0) * 4;
#pragma unroll
  for (int part = 0; part < 2; part++) {
    const ulong i = first + part * get_local_size (0) * 4;
#if ALIGNED
    if (i + 4 <= length) {
      *(global element4_t *) (to + i) =
          ADDED (element4_t, *(global const element4_t *) (from_a + i), *(global const element4_t *) (from_b + i));
      continue;
    }
#endif
    for (ulong k = i; k < min (i + 4, length); k++)
      to[k] = ADDED (element_t, from_a[k], from_b[k]);
  }
#endif
}
