/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Makes a small picture of floats, 0 .. 255: means of boxes of luma, or of the intensity of RGB. boxes: their size in pixels, and the start
 * of the first. size: of the result. weights: a byte for each sample of a pixel, lowest first, in hundredths. scale: of weighted sums. */
/* CHUNK: how many columns of samples are summed side by side, and the widest box. FIRST_SAMPLES: samples of a pixel of the first plane, which
 * is luma in a program for both planes of NV12. An item makes a row on the cpu back end, a sample on the gpu one. */
enum { CHUNK = 512, FIRST_SAMPLES = ANY_PIXEL ? 1 : MOST_NC };
static inline uint weighted (int s, int value, uint weights) { return (uint) value * (weights >> (8 * (s % FIRST_SAMPLES)) & 0xff); }

ITEM_KERNEL (shrink_picture, (global const sample_t *restrict src, int src_offset, int src_stride, int4 boxes, int2 size, uint weights,
    float scale, global float *restrict small), (src, src_offset, src_stride, boxes, size, weights, scale, small))
{
  const int y = ITEM (1), width = boxes.x * FIRST_SAMPLES;
  global const sample_t *restrict from = src + src_offset + (boxes.w + y * boxes.y) * src_stride + boxes.z * FIRST_SAMPLES;
#if BACKEND_CPU
  const int at_once = CHUNK / width;
  for (int first = 0; first < size.x; first += at_once) {
    const int n = min (at_once, size.x - first);
    uint columns[CHUNK] = {0};
    for (int row = 0; row < boxes.y; row++) {
      global const sample_t *restrict samples = from + row * src_stride + first * width;
      ROW_LOOP (sizeof (uint))
      for (int i = 0; i < n * width; i++)
        columns[i] += weighted (i, LOAD (samples[i]), weights);
    }
    for (int x = 0; x < n; x++) {
      float sum = 0;
      for (int i = 0; i < width; i++)
        sum += (float) columns[x * width + i];
      small[y * size.x + first + x] = sum * scale;
    }
  }
#else
  const int x = ITEM (0);
  if (x >= size.x || y >= size.y)
    return;
  float sum = 0;
  for (int row = 0; row < boxes.y; row++)
    for (int i = 0; i < width; i++)
      sum += (float) weighted (i, LOAD (from[row * src_stride + x * width + i]), weights);
  small[y * size.x + x] = sum * scale;
#endif
}
