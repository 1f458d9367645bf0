/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copies the pixels of a plane in another order. The host defines PIXEL_SAMPLES, samples of a pixel; TURNED, 1 if rows of the result are
 * columns of the source; DIRECTION, -1 if a row of the result (with TURNED, a column) runs backwards, else 1. first: the source of the
 * result's first sample; step_x, step_y: from there to the source of the pixel to the right and of the pixel below. offset, stride: of the
 * result. A cpu item writes FLIP_BAND rows, so that it reads whole cache lines; a gpu item FLIP_PIXELS pixels, about a word. */
enum { FLIP_BAND = TURNED ? 16 : 1, FLIP_PIXELS = PIXEL_SAMPLES * SAMPLE_BITS > 16 ? 1 : 32 / (PIXEL_SAMPLES * SAMPLE_BITS) };

static inline void copy_pixel (global sample_t *restrict to, global const sample_t *restrict from)
{
  UNROLL for (int s = 0; s < PIXEL_SAMPLES; s++)
    to[s] = from[s];
}

ITEM_KERNEL (flip, (global const sample_t *restrict src, global sample_t *restrict dst, int first, int step_x, int step_y, int offset,
    int stride, int width, int height), (src, dst, first, step_x, step_y, offset, stride, width, height))
{
#if BACKEND_CPU
  const int y = ITEM (1) * FLIP_BAND, rows = min (FLIP_BAND, height - y);
  global const sample_t *restrict in = src + (first + y * step_y);
  global sample_t *restrict out = dst + (offset + y * stride);
  if (!TURNED)
    for (int x = 0; x < width; x++)
      copy_pixel (out + x * PIXEL_SAMPLES, in + DIRECTION * PIXEL_SAMPLES * x);
  else if (rows == FLIP_BAND)
    for (int x = 0; x < width; x++)
      UNROLL for (int r = 0; r < FLIP_BAND; r++)
        copy_pixel (out + r * stride + x * PIXEL_SAMPLES, in + x * step_x + DIRECTION * PIXEL_SAMPLES * r);
  else
    for (int r = 0; r < rows; r++)
      for (int x = 0; x < width; x++)
        copy_pixel (out + r * stride + x * PIXEL_SAMPLES, in + x * step_x + DIRECTION * PIXEL_SAMPLES * r);
#else
  const int x = ITEM (0) * FLIP_PIXELS, y = ITEM (1);
  for (int i = x; y < height && i < min (x + FLIP_PIXELS, width); i++)
    copy_pixel (dst + offset + y * stride + i * PIXEL_SAMPLES, src + first + i * step_x + y * step_y);
#endif
}

/* Turns chroma with fewer columns than rows: a result is the mean of the rows that it covers. last: the last column and row of luma;
 * mirror: 1 to count from `last` on; subsampling: log2, of columns and rows; src_plane, dst_plane: offset and stride. */
kernel void turn_chroma (global const sample_t *restrict src, global sample_t *restrict dst, int2 src_plane, int2 dst_plane, int2 last,
    int2 mirror, int2 subsampling, int width, int height)
{
  const int x = get_global_id (0), y = get_global_id (1), rows = 1 << (subsampling.x - subsampling.y);
  if (x >= width || y >= height)
    return;
  const int luma_column = min (y << subsampling.y, last.x), column = (mirror.x ? last.x - luma_column : luma_column) >> subsampling.x;
  for (int s = 0; s < PIXEL_SAMPLES; s++) {
    int sum = 0;
    for (int i = 0; i < rows; i++) {
      const int luma_row = min ((x << subsampling.x) + (i << subsampling.y), last.y);
      const int row = (mirror.y ? last.y - luma_row : luma_row) >> subsampling.y;
      sum += src[src_plane.x + row * src_plane.y + column * PIXEL_SAMPLES + s] >> SHIFT;
    }
    dst[dst_plane.x + y * dst_plane.y + x * PIXEL_SAMPLES + s] = (sample_t) ((sum + rows / 2) / rows << SHIFT);
  }
}
