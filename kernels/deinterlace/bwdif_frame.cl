/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* bwdif (deinterlace/bwdif.clh) of whole planes on the gpu back end: an item copies ITEM_SAMPLES of a row of the field, and makes those
 * of the row beside it. A launch has all planes of a frame beside or below each other, since small ones do not fill a device.
 *
 * src, dst, before, after   each of them one memory for all planes
 * planes                    the last ones may begin behind the launch
 * keep                      lib/plane.clh's masks, where BWDIF_KEEPS says that some samples stay as they are: those of a plane by itself
 *
 * Wins on the H100 in docs/performance.md: cldeinterlace, bwdif of 2160p I420.
 */

/* Its first group in the launch, its size, and where its frames have it: offset and stride. */
struct field_plane
{
  int left, top, width, height, src, src_stride, dst, dst_stride, before, before_stride, after, after_stride;
};

struct field_planes
{
  struct field_plane of[4];
};

/* No vector of one: translators to SPIR-V end the process over it. */
#if ITEM_WORDS == 1
typedef uint words_t;
#define BWDIF_W(words) words
#else
typedef uint words_t __attribute__ ((ext_vector_type (ITEM_WORDS)));
#define BWDIF_W(words) words[w]
#endif
#define BWDIF_WORDS(name) const words_t name = *(global const words_t *) (row_##name + x);

#if BWDIF_HALVES

/* One word of the result: both pairs of its bytes. */
static inline uint
made_word (uint u1, uint d1, uint u3, uint d3, uint bu, uint bd, uint au, uint ad, uint e0, uint l0, uint eu2, uint lu2, uint ed2,
    uint ld2, uint eu4, uint lu4, uint ed4, uint ld4)
{
  uint pairs[2];
#define BWDIF_P(name) BWDIF_PAIR_OF (name, odd)
#pragma unroll
  for (int odd = 0; odd < 2; odd++)
    pairs[odd] = made_pair (BWDIF_P (u1), BWDIF_P (d1), BWDIF_P (u3), BWDIF_P (d3), BWDIF_P (bu), BWDIF_P (bd), BWDIF_P (au),
        BWDIF_P (ad), BWDIF_P (e0), BWDIF_P (l0), BWDIF_P (eu2), BWDIF_P (lu2), BWDIF_P (ed2), BWDIF_P (ld2), BWDIF_P (eu4),
        BWDIF_P (lu4), BWDIF_P (ed4), BWDIF_P (ld4));
  return pairs[0] | pairs[1] << 8;
}

#else

#undef FIELD_AT
#define FIELD_AT(name, i) ((num_t) unpack_sample (name, i))

static inline uint
made_word (uint u1, uint d1, uint u3, uint d3, uint bu, uint bd, uint au, uint ad, uint e0, uint l0, uint eu2, uint lu2, uint ed2,
    uint ld2, uint eu4, uint lu4, uint ed4, uint ld4)
{
  uint word = 0;
#pragma unroll
  for (int i = 0; i < SAMPLES_PER_WORD; i++) {
    BWDIF_WHOLE (i)
    word |= (uint) result << (SAMPLE_BITS * i + SHIFT);
  }
  return word;
}

#undef FIELD_AT
#define FIELD_AT(name, i) ((num_t) LOAD (row_##name[i]))

#endif

/* As many of an item's samples as the row has left. */
static inline void
copy_item (global sample_t *to, global const sample_t *from, int left)
{
  if (left >= ITEM_SAMPLES)
    *(global words_t *) to = *(global const words_t *) from;
  else
    for (int i = 0; i < left; i++)
      to[i] = from[i];
}

#define BWDIF_GROUP_COLUMNS 32
#define BWDIF_GROUP_ROWS 4

kernel __attribute__ ((reqd_work_group_size (BWDIF_GROUP_COLUMNS, BWDIF_GROUP_ROWS, 1))) void
deinterlace_bwdif_frame (global const sample_t *restrict src, global sample_t *restrict dst, global const sample_t *restrict before,
    global const sample_t *restrict after, struct field_planes planes, int what, global const sample_t *restrict keep)
{
  const int column = get_group_id (0), row = get_group_id (1);
  struct field_plane p = planes.of[0];
#pragma unroll
  for (int i = 1; i < 4; i++)
    if (column >= planes.of[i].left && row >= planes.of[i].top)
      p = planes.of[i];
  const int x = ((column - p.left) * BWDIF_GROUP_COLUMNS + (int) get_local_id (0)) * ITEM_SAMPLES;
  const int pair = (row - p.top) * BWDIF_GROUP_ROWS + (int) get_local_id (1);
  const int kept_y = 2 * pair + (what & FIELD_KEEPS_BOTTOM), y = kept_y ^ 1;
  if (x >= p.width)
    return;

  const struct plane plane = {p.width, p.height, 0, 0};
  const int src_offset = p.src, src_stride = p.src_stride;
  const int2 before_at = (int2) (p.before, p.before_stride), after_at = (int2) (p.after, p.after_stride);
  OTHER_FIELD
  const bool is_whole = x + ITEM_SAMPLES <= plane.width;
  if (kept_y < plane.height)
    copy_item (dst + (p.dst + kept_y * p.dst_stride + x), FIELD_ROW_OF (src, src_at, kept_y) + x, plane.width - x);
  if (y >= plane.height)
    return;

  BWDIF_NEEDED_ROWS
  BWDIF_LOAD_ROWS
#if BWDIF_KEEPS
  FIELD_LOAD (own, src, y)
#endif
  global sample_t *to = dst + (p.dst + y * p.dst_stride + x);
  if (is_whole && !at_edge && !(what & IS_ALONE)) {
    BWDIF_WORDS (u1) BWDIF_WORDS (d1) BWDIF_WORDS (u3) BWDIF_WORDS (d3) BWDIF_WORDS (bu) BWDIF_WORDS (bd) BWDIF_WORDS (au)
    BWDIF_WORDS (ad) BWDIF_WORDS (e0) BWDIF_WORDS (l0) BWDIF_WORDS (eu2) BWDIF_WORDS (lu2) BWDIF_WORDS (ed2) BWDIF_WORDS (ld2)
    BWDIF_WORDS (eu4) BWDIF_WORDS (lu4) BWDIF_WORDS (ed4) BWDIF_WORDS (ld4)
    words_t words;
#pragma unroll
    for (int w = 0; w < ITEM_WORDS; w++)
      BWDIF_W (words) = made_word (BWDIF_W (u1), BWDIF_W (d1), BWDIF_W (u3), BWDIF_W (d3), BWDIF_W (bu), BWDIF_W (bd), BWDIF_W (au),
          BWDIF_W (ad), BWDIF_W (e0), BWDIF_W (l0), BWDIF_W (eu2), BWDIF_W (lu2), BWDIF_W (ed2), BWDIF_W (ld2), BWDIF_W (eu4),
          BWDIF_W (lu4), BWDIF_W (ed4), BWDIF_W (ld4));
#if BWDIF_KEEPS
    BWDIF_WORDS (own)
    const words_t mask = *(global const words_t *) (keep + x);
    words = (words & mask) | (own & ~mask);
#endif
    *(global words_t *) to = words;
  } else {
#pragma unroll 1
    for (int i = 0; i < min (ITEM_SAMPLES, plane.width - x); i++) {
      int sample;
      BWDIF_SAMPLE (sample, x + i)
#if BWDIF_KEEPS
      to[i] = merge_sample ((sample_t) sample, row_own[x + i], keep[x + i]);
#else
      to[i] = (sample_t) (sample << SHIFT);
#endif
    }
  }
}
