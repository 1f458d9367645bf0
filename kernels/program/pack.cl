/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* PACK 1: frames of any format become pixels of PIXEL_SAMPLES (1 or 4) values at full resolution, chroma repeated. PACK 0: pixels become
 * planes, in a launch for each. For component c, 0 .. 3: PLANE_c, its plane, 4 if there is none; SAMPLE_c, its position in a pixel. For
 * plane p: NC_p, samples of a pixel. SUB_X, SUB_Y: log2 of chroma's subsampling; BLOCK_X, BLOCK_Y: of the result plane's. placeN, place:
 * offset and stride of planes and pixels, in samples. */
#if PACK
#define PLANE_PARAM(n) global const sample_t *restrict plane##n, int2 place##n
#define STORED_IN(n, column, row, sample) LOAD (plane##n[place##n.x + (row) *place##n.y + (column) *NC_##n + (sample)])
#define PACK_PART(c)                                                                 \
  (sample_t) (PLANE_##c == 0       ? STORED_IN (0, x, y, SAMPLE_##c)                  \
              : PLANE_##c == 1 ? STORED_IN (1, x >> SUB_X, y >> SUB_Y, SAMPLE_##c) \
              : PLANE_##c == 2 ? STORED_IN (2, x >> SUB_X, y >> SUB_Y, SAMPLE_##c) \
              : PLANE_##c == 3 ? STORED_IN (3, x, y, SAMPLE_##c)                   \
                               : 0)

kernel void
program_pack (PLANE_PARAM (0), PLANE_PARAM (1), PLANE_PARAM (2), PLANE_PARAM (3), int2 size, global sample_t *restrict pixels, int2 place)
{
  const int x = (int) get_global_id (0), y = (int) get_global_id (1);
  if (x >= size.x || y >= size.y)
    return;
  global sample_t *to = pixels + place.x + y * place.y + x * PIXEL_SAMPLES;
#if PIXEL_SAMPLES == 1
  *to = PACK_PART (0);
#elif SAMPLE_BITS == 8
  *(global uchar4 *) to = (uchar4) (PACK_PART (0), PACK_PART (1), PACK_PART (2), PACK_PART (3));
#else
  *(global ushort4 *) to = (ushort4) (PACK_PART (0), PACK_PART (1), PACK_PART (2), PACK_PART (3));
#endif
}
#else
/* A result is the mean, rounded half to even, of the sample's pixels that lie in the frame. order: the component of each sample of a pixel,
 * a byte each. For a pixel outside, the nearest one inside is loaded, but not counted: loads then need no branch. */
ITEM_KERNEL (program_unpack, (PLANE_ARGS, global const sample_t *restrict pixels, int2 place, int2 size, int order), (PLANE_NAMES, pixels, place,
    size, order))
{
  PLANE_BEGIN (sizeof (int))
  const int component = PIXEL_SAMPLES == 1 ? 0 : order >> (8 * (PLANE_X % NC)) & 3, left = PLANE_X / NC << BLOCK_X, top = item_y << BLOCK_Y;
  const int columns = min (1 << BLOCK_X, size.x - left), rows = min (1 << BLOCK_Y, size.y - top), n = columns * rows;
  int sum = 0;
#pragma unroll
  for (int i = 0; i < 1 << (BLOCK_X + BLOCK_Y); i++) {
    const int x = i & ((1 << BLOCK_X) - 1), y = i >> BLOCK_X;
    const int v = pixels[place.x + (top + min (y, rows - 1)) * place.y + (left + min (x, columns - 1)) * PIXEL_SAMPLES + component];
    sum += x < columns && y < rows ? v : 0;
  }
  const int mean = (int) (((float) sum + 0.5f) / (float) n), twice = 2 * (sum - mean * n);
  OUT (mean + (twice > n || (twice == n && (mean & 1))));
  PLANE_END
}
#endif
