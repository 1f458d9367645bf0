/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Frames of any format into pixels of PIXEL_SAMPLES values at full resolution, and back plane by plane.
 *
 * The host defines
 *   PIXEL_SAMPLES               1 or 4
 *   PLANE_<c>, SAMPLE_<c>       for each component c = 0 .. 3 the plane that has it, and which sample of a pixel it is
 *                               there; 3 for the plane of one that the format has not
 *   NC_0, NC_1, NC_2            samples of a pixel of each plane
 *   SUB_X, SUB_Y                log2 of the subsampling, of all planes but the first
 */
#if PACK

#define PLANE_PARAM(n) global const sample_t *restrict plane##n, int2 place##n
#define FIRST_AT(sample) plane0[place0.x + y * place0.y + x * NC_0 + (sample)]
#define SECOND_AT(sample) plane1[place1.x + (y >> SUB_Y) * place1.y + (x >> SUB_X) * NC_1 + (sample)]
#define THIRD_AT(sample) plane2[place2.x + (y >> SUB_Y) * place2.y + (x >> SUB_X) * NC_2 + (sample)]
/* the conditions are constants */
#define STORED(plane, sample) \
  ((plane) == 0 ? FIRST_AT (sample) : (plane) == 1 ? SECOND_AT (sample) : THIRD_AT (sample))
#define PACK_PART(c) (sample_t) (PLANE_##c < 3 ? LOAD (STORED (PLANE_##c, SAMPLE_##c)) : 0)

/* size: of the frame in pixels. place: offset and stride of the pixels, in samples. */
kernel void
program_pack (PLANE_PARAM (0), PLANE_PARAM (1), PLANE_PARAM (2), int2 size, global sample_t *restrict pixels, int2 place)
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

/* The component of each sample of a pixel of this plane, a byte each; of padding, which is never filtered, any. */
#define COMPONENT(k) ((order >> (8 * (k))) & 3)

/* The mean over the block of pixels that a sample stands for, as far as it is in the frame. */
static inline int
block_mean (global const sample_t *restrict pixels, int2 place, int2 size, int order, int at, int row)
{
  const int column = at / NC, component = PIXEL_SAMPLES == 1 ? 0 : COMPONENT (at % NC);
  const int left = column << BLOCK_X, top = row << BLOCK_Y;
#if BLOCK_X == 0 && BLOCK_Y == 0
  return pixels[place.x + top * place.y + left * PIXEL_SAMPLES + component];
#else
  const int right = min (left + (1 << BLOCK_X), size.x), bottom = min (top + (1 << BLOCK_Y), size.y);
  int sum = 0;
  for (int y = top; y < bottom; y++)
    for (int x = left; x < right; x++)
      sum += pixels[place.x + y * place.y + x * PIXEL_SAMPLES + component];
  /* a block has 1, 2 or 4 pixels */
  const int bits = (right - left > 1) + (bottom - top > 1);
  const int mean = sum >> bits, rest = sum - (mean << bits), tie = (1 << bits) >> 1;
  return mean + (bits > 0 && (rest > tie || (rest == tie && (mean & 1))));
#endif
}

kernel void
program_unpack (PLANE_ARGS, global const sample_t *restrict pixels, int2 place, int2 size, int order)
{
#if BACKEND_CPU
  PLANE_BEGIN (sizeof (int))
  OUT (block_mean (pixels, place, size, order, region.x + item_x, item_y));
  PLANE_END
#else
  GPU_ITEM
  if (!ITEM_IN_REGION)
    return;
  int v[ITEM_SAMPLES];
#pragma unroll
  for (int i = 0; i < ITEM_SAMPLES; i++)
    v[i] = item_x + i < plane.width ? block_mean (pixels, place, size, order, item_x + i, item_y) : 0;
  store_item (v, item_y);
#endif
}

#endif
