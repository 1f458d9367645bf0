/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Makes the guide of a chroma plane: four times the mean of the luma samples of the frame under each chroma sample, with a margin
 * on every side by the border rule, so that filters need not apply it. src is luma. SUBSAMPLE_X, SUBSAMPLE_Y: 0 to 2. An item makes
 * GUIDE_STRIP samples of a row, on the cpu back end whole blocks first, by a loop without tests. */
enum { MEAN_WIDTH = 1 << SUBSAMPLE_X, MEAN_HEIGHT = 1 << SUBSAMPLE_Y };
struct sizes { int luma_width, luma_height, width, height; }; /* of luma and of chroma, in pixels */
struct outside { int rule, value, margin, unused; };

static inline guide_t block_guide (SRC_PARAM, int src_offset, int src_stride, int left, int top, const int width, const int height)
{
  const bool repeats = MEAN_WIDTH <= 2 && MEAN_HEIGHT <= 2; /* the last sample replaces a missing one, which keeps the mean */
  const int n = repeats ? MEAN_WIDTH * MEAN_HEIGHT : width * height;
  int sum = 0;
  UNROLL for (int y = 0; y < MEAN_HEIGHT; y++) {
    const source_row_t row = SRC_ROW (top + min (y, height - 1));
    UNROLL for (int x = 0; x < MEAN_WIDTH; x++)
      sum += repeats || (x < width && y < height) ? LOAD (ROW_SAMPLE (row, left + min (x, width - 1))) : 0;
  }
  return (4 * sum + n / 2) / n;
}

ITEM_KERNEL (bilateral_guide, (SRC_PARAM, int src_offset, int src_stride, global guide_t *restrict guide, int guide_stride, struct sizes size,
    struct outside outside), (src, src_offset, src_stride, guide, guide_stride, size, outside))
{
  const int margin = outside.margin, first = ITEM (0) * GUIDE_STRIP - margin;
  const int last = min (first + GUIDE_STRIP, size.width + margin), y = ITEM (1) - margin;
  if (y >= size.height + margin)
    return;
  global guide_t *restrict to = guide + (y + margin) * guide_stride + margin;
  const int row = border_index (y, size.height, outside.rule), top = row * MEAN_HEIGHT, rows = min (MEAN_HEIGHT, size.luma_height - top);
  const int begin = BACKEND_GPU ? first : clamp (0, first, max (first, last));
  const int end = BACKEND_GPU || row < 0 || rows < MEAN_HEIGHT ? begin : clamp (size.luma_width / MEAN_WIDTH, begin, max (begin, last));
  for (int x = begin; x < end; x++)
    to[x] = block_guide (src, src_offset, src_stride, x * MEAN_WIDTH, top, MEAN_WIDTH, MEAN_HEIGHT);
  ROLLED for (int x = first == begin ? end : first; x < last; x = x + 1 == begin ? end : x + 1) {
    const int column = border_index (x, size.width, outside.rule), left = column * MEAN_WIDTH;
    to[x] = row < 0 || column < 0
                ? 4 * outside.value
                : block_guide (src, src_offset, src_stride, left, top, min (MEAN_WIDTH, size.luma_width - left), rows);
  }
}
