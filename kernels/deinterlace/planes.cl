/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Deinterlaces on the gpu back end: an item copies ITEM_SAMPLES of a row of the field, and makes those of the row beside it by the
 * method's make_words (). A launch has all planes of a frame beside or below each other, since small ones do not fill a device.
 *
 * src, dst, before, after   each of them one memory for all planes
 * planes                    the last ones may begin behind the launch
 * keep                      lib/plane.clh's masks, where KEEPS says that some samples stay as they are: those of a plane by itself
 *
 * Wins on the H100 in docs/performance.md: cldeinterlace, bwdif of 2160p I420.
 */

/* Its first group in the launch, its size, what to write, and where its frames have it: offset and stride. */
struct field_plane
{
  int left, top, width, height;
  struct region region;
  int src, src_stride, dst, dst_stride;
  int2 before, after;
};

struct field_planes
{
  struct field_plane of[4];
};

#define GROUP_COLUMNS 32
#define GROUP_ROWS 4

kernel __attribute__ ((reqd_work_group_size (GROUP_COLUMNS, GROUP_ROWS, 1))) void
deinterlace_planes (global const sample_t *restrict src, global sample_t *restrict dst, global const sample_t *restrict before,
    global const sample_t *restrict after, struct field_planes planes, int what, global const sample_t *restrict keep)
{
  const int column = get_group_id (0), row = get_group_id (1);
  struct field_plane p = planes.of[0];
#pragma unroll
  for (int i = 1; i < 4; i++)
    if (column >= planes.of[i].left && row >= planes.of[i].top)
      p = planes.of[i];
  const struct region region = p.region;
  const int x = ((column - p.left) * GROUP_COLUMNS + (int) get_local_id (0) + region.x / ITEM_SAMPLES) * ITEM_SAMPLES;
  const int pair = (row - p.top) * GROUP_ROWS + (int) get_local_id (1) + region.y / 2;
  const int kept_y = 2 * pair + (what & FIELD_KEEPS_BOTTOM), y = kept_y ^ 1;
  if (x >= region.x + region.width)
    return;
  uint words[ITEM_WORDS];
  if (kept_y >= region.y && kept_y < region.y + region.height) {
    load_words_between (words, src + p.src + kept_y * p.src_stride, x, 0, p.width, INPUTS_ALIGNED >= ALIGNED);
    store_words_at (dst, p.dst, p.dst_stride, region, words, x, kept_y);
  }
  if (y < region.y || y >= region.y + region.height)
    return;
  const struct plane plane = {p.width, p.height, 0, 0};
  make_words (words, src, p.src, p.src_stride, dst, p.dst, p.dst_stride, keep, region, plane, before, p.before, after, p.after, what, x, y);
#if KEEPS
  uint masks[ITEM_WORDS], own[ITEM_WORDS];
  load_words_between (masks, keep, x, region.x, region.x + region.width, true);
  load_words_between (own, src + p.src + y * p.src_stride, x, 0, p.width, INPUTS_ALIGNED >= ALIGNED);
#pragma unroll
  for (int w = 0; w < ITEM_WORDS; w++)
    words[w] = (words[w] & masks[w]) | (own[w] & ~masks[w]);
#endif
  store_words_at (dst, p.dst, p.dst_stride, region, words, x, y);
}
