/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The guide of a chroma plane: four times the mean of the luma block at each chroma sample; at the frame's edge, of the
 * part of the block that exists. The plane is written with a margin on every side, filled by the border's
 * rule, so no filter needs to handle the guide's borders.
 *
 * The host defines SUBSAMPLE_X and SUBSAMPLE_Y, 0 to 2, and plane.clh's values
 * for the luma plane, which is src.
 *
 *   guide    chroma sample (x, y) has its guide at (y + margin) * guide_stride + x + margin, all of them written for
 *            -margin <= x < width + margin, and y likewise
 *
 * A work item writes GUIDE_STRIP guides side by side: global size (ceil ((width + 2 margin) / GUIDE_STRIP),
 * height + 2 margin).
 */

/* Of the luma plane, and of the chroma plane in pixels. The host passes four ints for each of the two. */
struct sizes
{
  int luma_width, luma_height, width, height;
};

struct outside
{
  int rule, value, margin, unused;
};

#if BACKEND_CPU
#define GUIDE_STRIP 64
#else
#define GUIDE_STRIP 1
#endif

#define BLOCK_WIDTH (1 << SUBSAMPLE_X)
#define BLOCK_HEIGHT (1 << SUBSAMPLE_Y)

#define BILATERAL_BLOCK_SUM(left, right)                              \
  (LOAD (ROW_SAMPLE (upper, left)) + LOAD (ROW_SAMPLE (upper, right)) \
      + LOAD (ROW_SAMPLE (lower, left)) + LOAD (ROW_SAMPLE (lower, right)))

/* Of the block in these rows and in that column of the chroma plane; -1 stands for what lies outside. */
static inline guide_t
block_guide (SRC_PARAM, source_row_t upper, source_row_t lower, int column, int width, int value)
{
  const int left = column * BLOCK_WIDTH, right = min (left + BLOCK_WIDTH - 1, width - 1);
  return column < 0 ? 4 * value : BILATERAL_BLOCK_SUM (left, right);
}

#if SUBSAMPLE_X > 1 || SUBSAMPLE_Y > 1
/* Four times the mean of what exists of a block with more columns or rows than two. */
static inline guide_t
large_block_guide (SRC_PARAM, int src_offset, int src_stride, int column, int row, struct sizes size)
{
  const int left = column * BLOCK_WIDTH, right = min (left + BLOCK_WIDTH, size.luma_width);
  const int top = row * BLOCK_HEIGHT, bottom = min (top + BLOCK_HEIGHT, size.luma_height), n = (right - left) * (bottom - top);
  int sum = 0;
  for (int y = top; y < bottom; y++)
    for (int x = left; x < right; x++)
      sum += LOAD (ROW_SAMPLE (SRC_ROW (y), x));
  return (4 * sum + n / 2) / n;
}
#endif

kernel void
bilateral_guide (SRC_PARAM, int src_offset, int src_stride, global guide_t *restrict guide, int guide_stride, struct sizes size,
    struct outside outside)
{
  const int margin = outside.margin;
  const int first = (int) get_global_id (0) * GUIDE_STRIP - margin;
  const int last = min (first + GUIDE_STRIP, size.width + margin);
  const int y = (int) get_global_id (1) - margin;
  if (first >= last || y >= size.height + margin)
    return;
  global guide_t *restrict to = guide + (y + margin) * guide_stride + margin;
  const int row = border_index (y, size.height, outside.rule);
  if (row < 0) {
    for (int x = first; x < last; x++)
      to[x] = 4 * outside.value;
    return;
  }

#if SUBSAMPLE_X > 1 || SUBSAMPLE_Y > 1
  for (int x = first; x < last; x++) {
    const int column = border_index (x, size.width, outside.rule);
    to[x] = column < 0 ? 4 * outside.value : large_block_guide (src, src_offset, src_stride, column, row, size);
  }
#else
  /* A block that lacks a row or a column repeats the other one for its mean. */
  const int top = row * BLOCK_HEIGHT, bottom = min (top + BLOCK_HEIGHT - 1, size.luma_height - 1);
  const source_row_t upper = SRC_ROW (top), lower = SRC_ROW (bottom);
  const int whole_first = clamp (0, first, last);
  const int whole_last = clamp (size.luma_width / BLOCK_WIDTH, whole_first, last);
  for (int x = first; x < whole_first; x++)
    to[x] = block_guide (src, upper, lower, border_index (x, size.width, outside.rule), size.luma_width, outside.value);
  for (int x = whole_first; x < whole_last; x++) {
    const int left = x * BLOCK_WIDTH, right = left + BLOCK_WIDTH - 1;
    to[x] = BILATERAL_BLOCK_SUM (left, right);
  }
  for (int x = whole_last; x < last; x++)
    to[x] = block_guide (src, upper, lower, border_index (x, size.width, outside.rule), size.luma_width, outside.value);
#endif
}
