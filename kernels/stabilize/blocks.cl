/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds how far each block of the small picture has moved, by phase correlation. A group works on a block: of one item on the cpu back
 * end, which calculates with whole rows of a block at once, and of an item for each column on the gpu back end. */
#define CELLS (BLOCK * BLOCK)

#if BACKEND_CPU
#define EACH_COLUMN(x) ROW_LOOP (sizeof (float)) for (int x = 0; x < BLOCK; x++)
#define SYNCHRONIZE(fence)
#define IS_FIRST_ITEM 1
#else
#define EACH_COLUMN(x) for (int x = (int) get_local_id (0); x < BLOCK; x += (int) get_local_size (0))
#define SYNCHRONIZE(fence) barrier (fence)
#define IS_FIRST_ITEM (get_local_id (0) == 0)
#endif

/* What the host tabulates: windows across and down, cosines of a turn in 64 steps, a low pass by frequency. */
#define WINDOW_X(tables, x) (tables)[x]
#define WINDOW_Y(tables, y) (tables)[BLOCK + (y)]
#define COSINE(tables, i) (tables)[2 * BLOCK + ((i) & (BLOCK - 1))]
#define LOW_PASS(tables, i) (tables)[3 * BLOCK + (i)]

/* A complex number; in memory the real parts of a block stand before the imaginary ones. */
struct number
{
  float re, im;
};

static inline struct number
load (global const float *restrict from, int i)
{
  return (struct number) {from[i], from[CELLS + i]};
}

static inline void
store (global float *restrict to, int i, float re, float im)
{
  to[i] = re;
  to[CELLS + i] = im;
}

static inline struct number
turned_back (struct number v, struct number by)
{
  return (struct number) {v.re * by.re + v.im * by.im, v.im * by.re - v.re * by.im};
}

static inline struct number
sum (struct number a, struct number b)
{
  return (struct number) {a.re + b.re, a.im + b.im};
}

static inline struct number
difference (struct number a, struct number b)
{
  return (struct number) {a.re - b.re, a.im - b.im};
}

static inline float
size_of (struct number v)
{
  return sqrt (v.re * v.re + v.im * v.im);
}

static inline struct number
root_of_one (global const float *restrict tables, int turn)
{
  return (struct number) {COSINE (tables, turn), COSINE (tables, turn + 3 * BLOCK / 4)};
}

/* A pass of a transform along columns, radix 4 by Stockham: of parts of that length parts four times as long are made. */
static inline void
transform_pass (global const float *restrict in, global float *restrict out, global const float *restrict tables, int length)
{
  const int quarter = BLOCK / 4, step = quarter / length;
#pragma unroll 1
  for (int i = 0; i < quarter; i++) {
    const int k = i & (length - 1);
    const struct number once = root_of_one (tables, k * step), twice = root_of_one (tables, 2 * k * step),
                        thrice = root_of_one (tables, 3 * k * step);
    global const float *restrict from = in + i * BLOCK;
    global float *restrict to = out + (4 * (i - k) + k) * BLOCK;
    EACH_COLUMN (x)
    {
      const struct number v0 = load (from, x), v1 = turned_back (load (from, quarter * BLOCK + x), once);
      const struct number v2 = turned_back (load (from, 2 * quarter * BLOCK + x), twice);
      const struct number v3 = turned_back (load (from, 3 * quarter * BLOCK + x), thrice);
      const struct number even = sum (v0, v2), odd = sum (v1, v3), differ = difference (v0, v2);
      const float turned_re = v1.im - v3.im, turned_im = v3.re - v1.re;
      store (to, x, even.re + odd.re, even.im + odd.im);
      store (to, length * BLOCK + x, differ.re + turned_re, differ.im + turned_im);
      store (to, 2 * length * BLOCK + x, even.re - odd.re, even.im - odd.im);
      store (to, 3 * length * BLOCK + x, differ.re - turned_re, differ.im - turned_im);
    }
  }
}

/* The transform of a block in work, which is lost, turned by the diagonal: rows of out are frequencies across. That of what was
 * turned stands as it should. With both parts swapped, in and out, it goes back, times CELLS. */
static inline void
transform_block (global float *work, global float *out, global const float *restrict tables)
{
#pragma unroll 1
  for (int direction = 0; direction < 2; direction++) {
#pragma unroll 1
    for (int length = 1; length < BLOCK; length *= 4)
      transform_pass (length == 4 ? out : work, length == 4 ? work : out, tables, length);
    SYNCHRONIZE (CLK_GLOBAL_MEM_FENCE);
    if (direction)
      return;
    for (int y = 0; y < 2 * BLOCK; y++)
      EACH_COLUMN (x)
      {
        work[y * BLOCK + x] = out[y / BLOCK * CELLS + x * BLOCK + y % BLOCK];
      }
    SYNCHRONIZE (CLK_GLOBAL_MEM_FENCE);
  }
}

/* The sample of the small picture at a place between others, or beyond its edge. */
static inline float
sample_at (global const float *restrict small, int width, int height, float u, float v)
{
  const float inside_u = fmin (fmax (u, 0.0f), (float) (width - 1)), inside_v = fmin (fmax (v, 0.0f), (float) (height - 1));
  const int i = (int) inside_u, j = (int) inside_v, at = j * width + i;
  const int right = i + 1 < width, below = j + 1 < height ? width : 0;
  const float part_u = inside_u - (float) i, part_v = inside_v - (float) j;
  const float upper = small[at] + part_u * (small[at + right] - small[at]);
  const float lower = small[at + below] + part_u * (small[at + below + right] - small[at + below]);
  return upper + part_v * (lower - upper);
}

/* The spectra of all blocks of a small picture, without their mean, through a window that falls to 0 at the block's edge.
 *
 * estimate   where what was at a place of the picture before stands now (path.cl): blocks are taken from there
 * unit       a sample of the small picture in pixels of the frame
 * window     the sum of the window
 * size       of the small picture, of which blocks take every step-th sample, 1 or 2: the mean of as many each way */
kernel void
find_spectra (global const float *restrict small, struct blocks blocks, global const float *restrict tables,
    global const float4 *restrict estimate, float4 unit_and_window, int4 size_and_step, global float *restrict works,
    global float *restrict spectra)
{
  local float sums[BLOCK];
  const int block = get_group_id (0), width = size_and_step.x, height = size_and_step.y;
  global float *restrict work = works + 2 * CELLS * block;
  const float2 unit = unit_and_window.xy;
  const float4 moved = *estimate;
  const float step = (float) size_and_step.z;
  /* places from the middle, in samples of the small picture */
  const float left = step * ((float) block_start (block % blocks.columns, blocks.columns, blocks.width) + 0.5f - 0.5f * (float) blocks.width);
  const float top = step * ((float) block_start (block / blocks.columns, blocks.rows, blocks.height) + 0.5f - 0.5f * (float) blocks.height);
  const float across = 1.0f + moved.x, aside = -moved.y * unit.y / unit.x, down = moved.y * unit.x / unit.y;
  const float2 start = moved.zw / unit + 0.5f * (float2) ((float) width, (float) height) - 0.5f;

  EACH_COLUMN (x)
  {
    sums[x] = 0;
  }
  for (int y = 0; y < BLOCK; y++) {
    const float row_x = aside * (top + step * (float) y) + start.x, row_y = across * (top + step * (float) y) + start.y;
    const float weight = WINDOW_Y (tables, y);
    EACH_COLUMN (x)
    {
      const float value = sample_at (
          small, width, height, across * (left + step * (float) x) + row_x, down * (left + step * (float) x) + row_y);
      work[y * BLOCK + x] = value;
      sums[x] += weight * WINDOW_X (tables, x) * value;
    }
  }
  SYNCHRONIZE (CLK_LOCAL_MEM_FENCE);
  float all = 0;
  for (int x = 0; x < BLOCK; x++)
    all += sums[x];
  const float mean = all / unit_and_window.z;
  for (int y = 0; y < BLOCK; y++) {
    const float weight = WINDOW_Y (tables, y);
    EACH_COLUMN (x)
    {
      store (work, y * BLOCK + x, (work[y * BLOCK + x] - mean) * weight * WINDOW_X (tables, x), 0);
    }
  }
  transform_block (work, spectra + 2 * CELLS * block, tables);
}

/* Of that part of the spectrum is what moves found. */
#define LOW 8

/* The direction that a block tells of best, and how well it tells of the other one, 0..1: a block of stripes tells of motion across
 * them alone. leak: mean squares of frequencies that the window alone gives; noise as below. */
static inline float4
axes_of (global const float *restrict before, global const float *restrict now, float noise, float2 leak)
{
  float all = 0, xx = 0, xy = 0, yy = 0;
#pragma unroll 1
  for (int kx = -LOW; kx <= LOW; kx++)
#pragma unroll 1
    for (int ky = -LOW; ky <= LOW; ky++) {
      const int i = (kx + BLOCK) % BLOCK * BLOCK + (ky + BLOCK) % BLOCK;
      const float amount = fmax (size_of (turned_back (load (now, i), load (before, i))) - 4 * noise, 0.0f), u = (float) kx, v = (float) ky;
      all += amount;
      xx += amount * u * u;
      xy += amount * u * v;
      yy += amount * v * v;
    }
  if (all <= 0)
    return (float4) (1, 0, 0, 0);
  xx = xx / all - leak.x;
  yy = yy / all - leak.y;
  xy /= all;
  const float middle = 0.5f * (xx + yy), apart = sqrt (0.25f * (xx - yy) * (xx - yy) + xy * xy);
  const float2 along = xx > yy ? (float2) (middle + apart - yy, xy) : (float2) (xy, middle + apart - xx);
  const float length = sqrt (along.x * along.x + along.y * along.y);
  return (float4) (length > 0 ? along / length : (float2) (1, 0), clamp ((middle - apart) * 10 - 0.5f, 0.0f, 1.0f), 0);
}

/* The place of the top of a parabola through three values, from that of the second one, which is at i of a period. */
static inline float
top_place (int i, float before, float top, float after)
{
  const float bend = before + after - 2 * top;
  return (float) (i < BLOCK / 2 ? i : i - BLOCK) + (bend < 0 ? 0.5f * (before - after) / bend : 0.0f);
}

/* How far each block has moved between two pictures, in samples of the small picture: the place of the greatest value of what the
 * normalised product of both spectra transforms to. Of a block the result has the shift, the response, which is 1 where all of the block
 * moves and little where nothing of it is found again, and the greatest response that its content allows. axes: axes_of(). noise is
 * added to amounts, so that frequencies count by what they have above it; norm is the sum of the low pass. */
kernel void
correlate_blocks (global const float *restrict before, global const float *restrict now, global const float *restrict tables,
    float noise, float norm, float2 leak, global float *restrict works, global float *restrict surfaces, global float4 *restrict shifts,
    global float4 *restrict axes)
{
  local float content[BLOCK], best[BLOCK];
  local int rows[BLOCK];
  const int block = get_group_id (0), first = 2 * CELLS * block;
  before += first, now += first, works += first, surfaces += first;
  EACH_COLUMN (x)
  {
    content[x] = 0;
    best[x] = -1;
    rows[x] = 0;
  }
  for (int y = 0; y < BLOCK; y++) {
    const float pass = LOW_PASS (tables, y);
    EACH_COLUMN (x)
    {
      const int i = y * BLOCK + x;
      const struct number product = turned_back (load (now, i), load (before, i));
      const float amount = size_of (product), weight = pass * LOW_PASS (tables, x) / (amount + noise);
      store (works, i, product.im * weight, product.re * weight);
      content[x] += amount * weight;
    }
  }
  transform_block (works, surfaces, tables);
  global const float *restrict values = surfaces + CELLS;
  for (int y = 0; y < BLOCK; y++)
    EACH_COLUMN (x)
    {
      const float value = values[y * BLOCK + x];
      rows[x] = value > best[x] ? y : rows[x];
      best[x] = value > best[x] ? value : best[x];
    }
  SYNCHRONIZE (CLK_LOCAL_MEM_FENCE);
  if (!IS_FIRST_ITEM)
    return;
  int at = 0;
  float all = 0;
  for (int x = 0; x < BLOCK; x++) {
    all += content[x];
    at = best[x] > best[at] ? x : at;
  }
  const int row = rows[at], up = (row + BLOCK - 1) % BLOCK, down = (row + 1) % BLOCK;
  const float top = best[at];
  const float x = top_place (at, values[row * BLOCK + (at + BLOCK - 1) % BLOCK], top, values[row * BLOCK + (at + 1) % BLOCK]);
  const float y = top_place (row, values[up * BLOCK + at], top, values[down * BLOCK + at]);
  const float4 axis = axes_of (before, now, noise, leak);
  const float along = axis.x * x + axis.y * y;
  shifts[block] = (float4) (axis.z > 0 ? x : along * axis.x, axis.z > 0 ? y : along * axis.y, top / norm, all / norm);
  axes[block] = axis;
}

/* Of blocks that have hardly moved: the plane through the phases of low frequencies, by least squares with the amounts as
 * weights, where an angle is as good as its sine. Responses stay. An item takes a block. */
kernel void
find_slopes (global const float *restrict before, global const float *restrict now, int n, global const float4 *restrict axes,
    global float4 *restrict shifts)
{
  const int block = (int) get_global_id (0);
  if (block >= n)
    return;
  before += 2 * CELLS * block, now += 2 * CELLS * block;
  float xx = 0, xy = 0, yy = 0, x = 0, y = 0;
#pragma unroll 1
  for (int kx = -LOW; kx <= LOW; kx++)
#pragma unroll 1
    for (int ky = kx > 0 ? 0 : 1; ky * ky <= LOW * LOW - kx * kx; ky++) {
      const int i = (kx + BLOCK) % BLOCK * BLOCK + ky;
      const struct number product = turned_back (load (now, i), load (before, i));
      const float amount = size_of (product), u = (float) kx, v = (float) ky;
      xx += amount * u * u;
      xy += amount * u * v;
      yy += amount * v * v;
      x -= u * product.im;
      y -= v * product.im;
    }
  const float turn = 6.2831853f / BLOCK, square = xx * yy - xy * xy;
  const float4 axis = axes[block];
  float2 moved = (float2) (x * yy - y * xy, y * xx - x * xy) / (square * turn);
  /* blocks that are not near, or have an edge in one direction only, give no information */
  bool counts = square > 1e-4f * xx * yy && fabs (moved.x) < 2 && fabs (moved.y) < 2;
  if (axis.z <= 0) {
    const float along = (axis.x * x + axis.y * y) / ((axis.x * axis.x * xx + 2 * axis.x * axis.y * xy + axis.y * axis.y * yy) * turn);
    counts = fabs (along) < 2;
    moved = along * axis.xy;
  }
  shifts[block].xy = counts ? moved : (float2) (1e6f, 1e6f);
}
