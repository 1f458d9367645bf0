/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Between packed 4:2:2 as it lies in memory and as filters see it: a plane of luma, and one whose pixels are two samples of chroma.
 *
 * A group of four bytes is two pixels: luma and chroma take turns. Places are {offset, stride}, those of groups in groups, those of planes
 * in samples. shift: at which bit of a group luma begins, 0 or 8. size: groups of a row, rows, luma samples of a row, and nothing.
 *
 * The host defines ROWS_AT_ONCE, how many rows an item of the cpu back end moves, and GROUPS_AT_ONCE, how many groups one of the gpu back
 * end moves. */
#define PAIRS_ROW(plane, at) ((plane) + (at).x + y * (at).y)
#define PAIRS_SAMPLES(plane, at) ((global ushort *) PAIRS_ROW (plane, at))
#define PAIRS_EVERY_OTHER 0x00ff00ffu

/* Two bytes of a group, two apart, side by side; and back. */
#define PAIRS_OF(group) (((group) & PAIRS_EVERY_OTHER) | ((group) & PAIRS_EVERY_OTHER) >> 8u)
#define PAIRS_APART(pair) (((pair) | (pair) << 8u) & PAIRS_EVERY_OTHER)

#if BACKEND_CPU

#define PAIRS_FOR_ROWS \
  for (int y = get_global_id (1) * ROWS_AT_ONCE, last = min (y + ROWS_AT_ONCE, size.y); y < last; y++)

/* How many groups have two luma samples; a row of odd length ends with one, and may be the end of its buffer. */
#define PAIRS_WHOLE_GROUPS (size.z / 2)

kernel void
split_pairs (global const uint *restrict packed, int2 packed_at, global uchar *restrict luma, int2 luma_at,
    global uchar *restrict chroma, int2 chroma_at, uint shift, int4 size)
{
  PAIRS_FOR_ROWS
  {
    global const uint *restrict from = PAIRS_ROW (packed, packed_at);
    global ushort *restrict lumas = PAIRS_SAMPLES (luma, luma_at), *restrict chromas = PAIRS_SAMPLES (chroma, chroma_at);
    ROW_LOOP (sizeof (uint))
    for (int g = 0; g < PAIRS_WHOLE_GROUPS; g++) {
      lumas[g] = (ushort) PAIRS_OF (from[g] >> shift);
      chromas[g] = (ushort) PAIRS_OF (from[g] >> (8 - shift));
    }
    for (int g = PAIRS_WHOLE_GROUPS; g < size.x; g++) {
      *(global uchar *) (lumas + g) = (uchar) (from[g] >> shift);
      chromas[g] = (ushort) PAIRS_OF (from[g] >> (8 - shift));
    }
  }
}

kernel void
join_pairs (global uint *restrict packed, int2 packed_at, global uchar *restrict luma, int2 luma_at,
    global uchar *restrict chroma, int2 chroma_at, uint shift, int4 size)
{
  PAIRS_FOR_ROWS
  {
    global uint *restrict to = PAIRS_ROW (packed, packed_at);
    global const ushort *restrict lumas = PAIRS_SAMPLES (luma, luma_at), *restrict chromas = PAIRS_SAMPLES (chroma, chroma_at);
    ROW_LOOP (sizeof (uint))
    for (int g = 0; g < PAIRS_WHOLE_GROUPS; g++)
      to[g] = PAIRS_APART ((uint) lumas[g]) << shift | PAIRS_APART ((uint) chromas[g]) << (8 - shift);
    for (int g = PAIRS_WHOLE_GROUPS; g < size.x; g++) /* the sample that is missing is the last one again */
      to[g] = *(global const uchar *) (lumas + g) * 0x10001u << shift | PAIRS_APART ((uint) chromas[g]) << (8 - shift);
  }
}

#else

/* Beyond a row of odd length stands its last luma sample. */
#define PAIRS_WHOLE(pair, g) ((g) + 1 == size.x && size.z % 2 ? ((pair) & 0xffu) * 0x101u : (pair))

/* Whether an item's groups are all there, and stand on a boundary of their size; planes do. */
#define PAIRS_ARE_TOGETHER (first + GROUPS_AT_ONCE <= size.x && (packed_at.x | packed_at.y) % GROUPS_AT_ONCE == 0)

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

#define PAIRS_ITEM_GROUPS                                                            \
  const int first = get_global_id (0) * GROUPS_AT_ONCE, y = (int) get_global_id (1); \
  if (first >= size.x || y >= size.y)                                                \
    return;

kernel void
split_pairs (global const uint *restrict packed, int2 packed_at, global uchar *restrict luma, int2 luma_at,
    global uchar *restrict chroma, int2 chroma_at, uint shift, int4 size)
{
  PAIRS_ITEM_GROUPS
  global const uint *from = PAIRS_ROW (packed, packed_at) + first;
  global ushort *lumas = PAIRS_SAMPLES (luma, luma_at) + first, *chromas = PAIRS_SAMPLES (chroma, chroma_at) + first;
  if (PAIRS_ARE_TOGETHER) {
    const uint4 groups = *(global const uint4 *) from;
    *(global uint2 *) lumas = words_of (PAIRS_OF (groups >> shift));
    *(global uint2 *) chromas = words_of (PAIRS_OF (groups >> (8 - shift)));
  } else {
    for (int g = 0; g < min (GROUPS_AT_ONCE, size.x - first); g++) {
      lumas[g] = (ushort) PAIRS_OF (from[g] >> shift);
      chromas[g] = (ushort) PAIRS_OF (from[g] >> (8 - shift));
    }
  }
}

kernel void
join_pairs (global uint *restrict packed, int2 packed_at, global uchar *restrict luma, int2 luma_at,
    global uchar *restrict chroma, int2 chroma_at, uint shift, int4 size)
{
  PAIRS_ITEM_GROUPS
  global uint *to = PAIRS_ROW (packed, packed_at) + first;
  global const ushort *lumas = PAIRS_SAMPLES (luma, luma_at) + first, *chromas = PAIRS_SAMPLES (chroma, chroma_at) + first;
  if (PAIRS_ARE_TOGETHER) {
    uint4 pairs = pairs_of (*(global const uint2 *) lumas);
    pairs.w = PAIRS_WHOLE (pairs.w, first + 3);
    *(global uint4 *) to =
        PAIRS_APART (pairs) << shift | PAIRS_APART (pairs_of (*(global const uint2 *) chromas)) << (8 - shift);
  } else {
    for (int g = 0; g < min (GROUPS_AT_ONCE, size.x - first); g++)
      to[g] = PAIRS_APART (PAIRS_WHOLE ((uint) lumas[g], first + g)) << shift | PAIRS_APART ((uint) chromas[g]) << (8 - shift);
  }
}

#endif
