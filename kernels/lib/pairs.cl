/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Between packed 4:2:2 as it lies in memory and as filters see it: a plane of luma, and one whose pixels are two samples of chroma.
 *
 * A group of four bytes is two pixels: luma and chroma take turns. Places are {offset, stride}, those of groups in groups, those of planes
 * in samples. shift: at which bit of a group luma begins, 0 or 8. size: groups of a row, rows, luma samples of a row, and nothing.
 *
 * The host defines ROWS_AT_ONCE, how many rows an item of the cpu back end moves, and GROUPS_AT_ONCE, how many groups one of the gpu back
 * end moves. */
#define PAIRS_ROW(plane, at) ((plane) + (at).x + y * (at).y)
#define PAIRS_EVERY_OTHER 0x00ff00ffu
/* Two bytes of a group, two apart, side by side; and back. */
#define PAIRS_OF(group) (((group) & PAIRS_EVERY_OTHER) | ((group) & PAIRS_EVERY_OTHER) >> 8u)
#define PAIRS_APART(pair) (((pair) | (pair) << 8u) & PAIRS_EVERY_OTHER)

/* Rows, or a row, of which an item moves the groups first .. last - 1; `whole` of a row have two luma samples. A row of odd length ends
 * with one, and may be the end of its buffer. ARE_TOGETHER: whether an item's groups are all there, and stand on a boundary of their
 * size; planes do. */
#if BACKEND_CPU
#define PAIRS_EACH_ROW                                                                         \
  const int first = 0, last = size.x, whole = size.z / 2;                                      \
  for (int y = get_global_id (1) * ROWS_AT_ONCE, end = min (y + ROWS_AT_ONCE, size.y); y < end; y++)
#else
#define PAIRS_EACH_ROW                                                               \
  const int first = get_global_id (0) * GROUPS_AT_ONCE, y = (int) get_global_id (1); \
  const int last = min (first + GROUPS_AT_ONCE, size.x), whole = size.z / 2;         \
  if (y < size.y)
#define ARE_TOGETHER (first + GROUPS_AT_ONCE <= whole && (packed_at.x | packed_at.y) % GROUPS_AT_ONCE == 0)

/* Four pairs, of which the upper halves do not count, as two words; and back. */
static inline uint2
words_of (uint4 pairs)
{
  return (uint2) ((pairs.x & 0xffff) | pairs.y << 16, (pairs.z & 0xffff) | pairs.w << 16);
}

static inline uint4
pairs_of (uint2 words)
{
  return (uint4) (words.x & 0xffff, words.x >> 16, words.y & 0xffff, words.y >> 16);
}
#endif

kernel void
split_pairs (global const uint *restrict packed, int2 packed_at, global uchar *restrict luma, int2 luma_at,
    global uchar *restrict chroma, int2 chroma_at, uint shift, int4 size)
{
  PAIRS_EACH_ROW
  {
    global const uint *restrict from = PAIRS_ROW (packed, packed_at);
    global ushort *restrict lumas = (global ushort *) PAIRS_ROW (luma, luma_at);
    global ushort *restrict chromas = (global ushort *) PAIRS_ROW (chroma, chroma_at);
#if BACKEND_GPU
    if (ARE_TOGETHER) {
      const uint4 groups = *(global const uint4 *) (from + first);
      *(global uint2 *) (lumas + first) = words_of (PAIRS_OF (groups >> shift));
      *(global uint2 *) (chromas + first) = words_of (PAIRS_OF (groups >> (8 - shift)));
      return;
    }
#endif
    ROW_LOOP (sizeof (uint))
    for (int g = first; g < min (last, whole); g++) {
      lumas[g] = (ushort) PAIRS_OF (from[g] >> shift);
      chromas[g] = (ushort) PAIRS_OF (from[g] >> (8 - shift));
    }
    for (int g = max (first, whole); g < last; g++) {
      *(global uchar *) (lumas + g) = (uchar) (from[g] >> shift);
      chromas[g] = (ushort) PAIRS_OF (from[g] >> (8 - shift));
    }
  }
}

/* The luma sample that is missing is the last one again. */
kernel void
join_pairs (global uint *restrict packed, int2 packed_at, global uchar *restrict luma, int2 luma_at,
    global uchar *restrict chroma, int2 chroma_at, uint shift, int4 size)
{
  PAIRS_EACH_ROW
  {
    global uint *restrict to = PAIRS_ROW (packed, packed_at);
    global const ushort *restrict lumas = (global const ushort *) PAIRS_ROW (luma, luma_at);
    global const ushort *restrict chromas = (global const ushort *) PAIRS_ROW (chroma, chroma_at);
#if BACKEND_GPU
    if (ARE_TOGETHER) {
      const uint4 pairs = pairs_of (*(global const uint2 *) (lumas + first)), colors = pairs_of (*(global const uint2 *) (chromas + first));
      *(global uint4 *) (to + first) = PAIRS_APART (pairs) << shift | PAIRS_APART (colors) << (8 - shift);
      return;
    }
#endif
    ROW_LOOP (sizeof (uint))
    for (int g = first; g < min (last, whole); g++)
      to[g] = PAIRS_APART ((uint) lumas[g]) << shift | PAIRS_APART ((uint) chromas[g]) << (8 - shift);
    for (int g = max (first, whole); g < last; g++)
      to[g] = *(global const uchar *) (lumas + g) * 0x10001u << shift | PAIRS_APART ((uint) chromas[g]) << (8 - shift);
  }
}
