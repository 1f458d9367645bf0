/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fills rect, in pixels, of a plane with one colour, or with squares of two, eight pixels wide. The host defines fill_t, a sample, and
 * FILL_STEP, samples of a pixel. at: offset and stride, in samples; even, odd: stored samples of a pixel. */
ITEM_KERNEL (fill_pixels, (global fill_t *restrict to, int2 at, int4 rect, int4 even, int4 odd), (to, at, rect, even, odd))
{
  const int evens[4] = {even.x, even.y, even.z, even.w}, odds[4] = {odd.x, odd.y, odd.z, odd.w};
  EACH_PLACE (sizeof (fill_t), rect.z, rect.w)
  {
    global fill_t *restrict pixel = to + at.x + (rect.y + y) * at.y + (rect.x + x) * FILL_STEP;
    UNROLL for (int s = 0; s < FILL_STEP; s++)
      pixel[s] = (fill_t) (((rect.x + x) ^ (rect.y + y)) & 8 ? odds[s] : evens[s]);
  }
}
