/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Square windows of 2 * RADIUS + 1, cpu: a network of minima and maxima (median/networks.py, morphology/square.clh) on vectors of
 * ITEM_SAMPLES neighbours. Windows of a few rows share most of their samples. PACKED: words of luma and chroma (packed 4:2:2), both at
 * once, as bytes: the window's next column stands one word further for luma, two for chroma; PLANE_ARGS are luma's, and `beside` is the
 * chroma of BORDER_CONSTANT. Wins in docs/measurements: median 3x3 to 15x15 on CPUs; YUY2, median 3x3. */
/* AREA: the samples that a tile reads, with the halo of its windows. Samples ITEMS_AHEAD items further right are prefetched: a tile reads
 * more rows than CPUs follow by themselves. */
enum {
  LUMA_MASK = PACKED ? 0xff << SHIFT : 0xffff, AREA_REACH = (PACKED ? 2 : MOST_SAMPLES) * RADIUS,
  AREA_WIDTH = ITEM_SAMPLES + 2 * AREA_REACH, AREA_HEIGHT = ITEM_ROWS + 2 * RADIUS, ITEMS_AHEAD = 4
};

#if PACKED
typedef uchar bytes_t __attribute__ ((ext_vector_type (2 * ITEM_SAMPLES)));
typedef bytes_t bytes_anywhere_t __attribute__ ((aligned (2)));

static inline bytes_t neighbours (global const sample_t *restrict p, int column) /* of each window: `column` columns from its middle */
{
  const bytes_t is_luma = __builtin_astype (row_of (LUMA_MASK), bytes_t), luma = *(global const bytes_anywhere_t *) (p + column);
  const bytes_t chroma = *(global const bytes_anywhere_t *) (p + 2 * column);
  return (luma & is_luma) | (chroma & ~is_luma);
}

typedef bytes_t network_t;
#define ROWS_INPUT(x, y) neighbours (sample + ((y) - RADIUS) * src_stride, (x) - RADIUS)
#define ROWS_RESULT(x, y, v) store_row (out + (y) *dst_stride, __builtin_astype (v, row_t))
#else
typedef row_t network_t;
#define ROWS_INPUT(x, y) row_values (load_row (sample + ((y) - RADIUS) * src_stride + ((x) - RADIUS) * step))
#define ROWS_RESULT(x, y, v) store_result (out + (y) *dst_stride, v, load_row (sample + (y) *src_stride), mask, limit)
#endif

ONCE void write_tile (global const sample_t *restrict sample, int src_stride, global sample_t *restrict out, int dst_stride, row_t mask,
    int limit, int step)
{ NETWORK (ROWS_INPUT, ROWS_RESULT); }

/* A sample of a row: its luma from `place`, its chroma from chroma_place. A negative place means the constant. */
static inline sample_t sample_of (global const sample_t *restrict row, int place, int chroma_place, struct plane plane, int beside)
{
  const int luma = place < 0 ? plane.value << SHIFT : row[place], chroma = chroma_place < 0 ? beside << CHROMA_SHIFT : row[chroma_place];
  return (sample_t) ((luma & LUMA_MASK) | (chroma & ~LUMA_MASK));
}

/* A tile at the frame's edge reads from a copy in private memory, which on a CPU a pointer to global memory can address. Copies of whole
 * edges by earlier launches would cost a cache miss for every row, and five launches. */
ITEM_KERNEL (network, (PLANE_ARGS, int limit, int beside), (PLANE_NAMES, limit, beside))
{
  const int y = region.y + ITEM_Y;
  global sample_t *out = dst + dst_offset + y * dst_stride + region.x;
  sample_t area[AREA_WIDTH * AREA_HEIGHT];
  const int reach = (PACKED ? 2 : NC) * RADIUS;
  EACH_VECTOR (item_x) {
    const int x = region.x + item_x;
    global const sample_t *from = src + src_offset + y * src_stride + x;
    int stride = src_stride;
    if (x < reach || x + ITEM_SAMPLES + reach > plane.width || y < RADIUS || y + ITEM_ROWS + RADIUS > plane.height) {
      int places[2 * AREA_REACH], chroma_places[2 * AREA_REACH];
      for (int i = 0; i < 2 * reach; i++) {
        const int at = x - reach + (i < reach ? i : i + ITEM_SAMPLES);
        const int pixel = PACKED ? border_index (at >> 1, plane.width / 2, plane.border) : 0;
        places[i] = sample_place (at, plane);
        chroma_places[i] = pixel < 0 ? -1 : pixel * 2 + (at & 1);
      }
      for (int r = 0; r < AREA_HEIGHT; r++) {
        sample_t *const to = area + r * AREA_WIDTH;
        const int row = row_place (y - RADIUS + r, plane);
        global const sample_t *restrict row_src = src + src_offset + (long) max (row, 0) * src_stride;
        const sample_t outside = sample_of (row_src, -1, -1, plane, beside);
        for (int i = 0; i < ITEM_SAMPLES; i++)
          to[reach + i] = row < 0 ? outside : row_src[x + i];
        NARROW_LOOP
        for (int i = 0; i < 2 * reach; i++)
          to[i < reach ? i : i + ITEM_SAMPLES] = row < 0 ? outside : sample_of (row_src, places[i], chroma_places[i], plane, beside);
      }
      from = (global const sample_t *) (ulong) (area + RADIUS * AREA_WIDTH + reach);
      stride = AREA_WIDTH;
    } else {
      for (int row = -RADIUS; row < ITEM_ROWS + RADIUS; row++)
        prefetch_line (from + row * stride + ITEMS_AHEAD * ITEM_SAMPLES);
    }
    write_tile (from, stride, out + item_x, dst_stride, load_row (keep + item_x), limit, NC);
  }
}
