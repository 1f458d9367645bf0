/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Between packed 4:2:2 as it lies in memory and as filters see it: a plane of luma, and one whose pixels are two samples of chroma.
 *
 * A group of four bytes is two pixels: luma and chroma take turns. The planes are read and written in pairs of bytes. Places are
 * {offset, stride}, of groups and of pairs. shift: at which bit of a group luma begins, 0 or 8. size: groups of a row, rows, luma samples
 * of a row, and nothing. The host defines ROWS_AT_ONCE. */
#define EVERY_OTHER 0x00ff00ffu

/* Two bytes of a group, two apart, side by side; and back. */
static inline ushort pair_of_group (uint group) { return (ushort) ((group & EVERY_OTHER) | (group & EVERY_OTHER) >> 8); }
static inline uint apart (uint pair) { return (pair | pair << 8) & EVERY_OTHER; }

kernel void
split_pairs (global const uint *restrict packed, int2 packed_at, global ushort *restrict luma, int2 luma_at,
    global ushort *restrict chroma, int2 chroma_at, uint shift, int4 size)
{
  EACH_PLACE (sizeof (uint), size.x, size.y)
  {
    const uint group = packed[packed_at.x + y * packed_at.y + x];
    luma[luma_at.x + y * luma_at.y + x] = pair_of_group (group >> shift);
    chroma[chroma_at.x + y * chroma_at.y + x] = pair_of_group (group >> (8 - shift));
  }
}

/* The luma sample that is missing is the last one again. */
kernel void
join_pairs (global uint *restrict packed, int2 packed_at, global const ushort *restrict luma, int2 luma_at,
    global const ushort *restrict chroma, int2 chroma_at, uint shift, int4 size)
{
  EACH_PLACE (sizeof (uint), size.x, size.y)
  {
    const uint pair = luma[luma_at.x + y * luma_at.y + x], lumas = 2 * x + 1 < size.z ? pair : (pair & 0xff) * 0x101;
    packed[packed_at.x + y * packed_at.y + x] = apart (lumas) << shift | apart (chroma[chroma_at.x + y * chroma_at.y + x]) << (8 - shift);
  }
}
