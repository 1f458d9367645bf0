/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Between a frame as it lies in memory and as filters see it: groups of four samples, and planes that have one sample of each.
 * lib/pairs.cl is for packed 4:2:2.
 *
 * The host defines
 *   PLANES         3 or 4; without a fourth plane the fourth sample of a group is 0
 *   SWAPPED        1 where the bytes of samples in memory are not in the processor's order, else 0
 *   ROWS_AT_ONCE   cpu back end: how many rows an item moves
 *
 * Places are {offset, stride}, those of groups in groups, those of planes in samples. shifts: at which bit of a group the sample of
 * each plane stands. size: groups of a row, and rows. */
#if SAMPLE_BITS == 8
typedef uint group_t;
#else
typedef ulong group_t;
#endif

#if SWAPPED
#define ARRANGE_IN_ORDER(sample) ((sample_t) ((sample) << 8 | (sample_t) (sample) >> 8))
#else
#define ARRANGE_IN_ORDER(sample) ((sample_t) (sample))
#endif
#define ARRANGE_TAKEN(group, shift) ARRANGE_IN_ORDER ((sample_t) ((group) >> (shift)))
#define ARRANGE_PLACED(sample, shift) ((group_t) ARRANGE_IN_ORDER (sample) << (shift))

#if BACKEND_CPU
#define ARRANGE_FOR_GROUPS(n)                                                                    \
  const int first = get_global_id (1) * ROWS_AT_ONCE, last = min (first + ROWS_AT_ONCE, size.y); \
  for (int y = first; y < last; y++)                                                             \
    ROW_LOOP (sizeof (group_t))                                                                  \
    for (int g = 0; g < (n); g++)
#else
#define ARRANGE_FOR_GROUPS(n)                                   \
  const int g = get_global_id (0), y = (int) get_global_id (1); \
  if (g < (n) && y < size.y)
#endif

#define ARRANGE_ROW(plane, at) ((plane) + (at).x + y * (at).y)

kernel void
split_groups (global const group_t *restrict packed, int2 packed_at, global sample_t *restrict a, int2 a_at,
    global sample_t *restrict b, int2 b_at, global sample_t *restrict c, int2 c_at, global sample_t *restrict d, int2 d_at,
    uint4 shifts, int2 size)
{
  ARRANGE_FOR_GROUPS (size.x)
  {
    const group_t group = ARRANGE_ROW (packed, packed_at)[g];
    ARRANGE_ROW (a, a_at)[g] = ARRANGE_TAKEN (group, shifts.x);
    ARRANGE_ROW (b, b_at)[g] = ARRANGE_TAKEN (group, shifts.y);
    ARRANGE_ROW (c, c_at)[g] = ARRANGE_TAKEN (group, shifts.z);
#if PLANES == 4
    ARRANGE_ROW (d, d_at)[g] = ARRANGE_TAKEN (group, shifts.w);
#endif
  }
}

#if PLANES == 4
#define ARRANGE_FOURTH(g) ARRANGE_PLACED (ARRANGE_ROW (d, d_at)[g], shifts.w)
#else
#define ARRANGE_FOURTH(g) 0
#endif
kernel void
join_groups (global group_t *restrict packed, int2 packed_at, global const sample_t *restrict a, int2 a_at,
    global const sample_t *restrict b, int2 b_at, global const sample_t *restrict c, int2 c_at,
    global const sample_t *restrict d, int2 d_at, uint4 shifts, int2 size)
{
  ARRANGE_FOR_GROUPS (size.x)
    ARRANGE_ROW (packed, packed_at)[g] = ARRANGE_PLACED (ARRANGE_ROW (a, a_at)[g], shifts.x)
        | ARRANGE_PLACED (ARRANGE_ROW (b, b_at)[g], shifts.y)
                                 | ARRANGE_PLACED (ARRANGE_ROW (c, c_at)[g], shifts.z) | ARRANGE_FOURTH (g);
}
