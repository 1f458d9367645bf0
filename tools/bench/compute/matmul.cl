/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Products of matrices of floats of any size: result (rows x columns) = a (rows x inner) * b (inner x columns).
 *
 * Every element is summed by fma in the order of `inner`, on both back ends, so that it comes out the same. Spans are
 * the offset and the distance of rows, in elements; size is rows, inner, columns.
 */
#if BACKEND_CPU

/* A work item of multiply() has this many columns, and blocks of rows in registers. It takes `inner` in parts, so that the
 * panel's part fits into the first-level cache. */
#define COLUMNS 32
#define ROWS 8
#define ROWS_PER_JOB 128
#define DEPTH_PER_PASS 512

/* packed[block][k][row]: ROWS rows of a for each k, zeros beyond the last row. */
kernel void
pack_blocks (global const float *restrict a, ulong2 span, global float *restrict packed, int4 size)
{
  const int first = (int) get_global_id (0) * ROWS;
  global float *to = packed + (size_t) first * size.y;
  for (int row = 0; row < ROWS; row++) {
    global const float *from = a + span.x + (first + row) * span.y;
    if (first + row < size.x)
      for (int k = 0; k < size.y; k++)
        to[k * ROWS + row] = from[k];
    else
      for (int k = 0; k < size.y; k++)
        to[k * ROWS + row] = 0;
  }
}

/* packed[panel][k][column], likewise for columns of b. */
kernel void
pack_panels (global const float *restrict b, ulong2 span, global float *restrict packed, int4 size)
{
  const int first = (int) get_global_id (0) * COLUMNS, n = min (COLUMNS, size.z - first);
  for (int k = 0; k < size.y; k++) {
    global const float *from = b + span.x + k * span.y + first;
    global float *to = packed + ((size_t) first * size.y + (size_t) k * COLUMNS);
    if (n == COLUMNS) {
      vstore16 (vload16 (0, from), 0, to);
      vstore16 (vload16 (1, from), 1, to);
    } else {
      for (int i = 0; i < COLUMNS; i++)
        to[i] = i < n ? from[i] : 0;
    }
  }
}

/* Loads a part of a row of the result, which may end inside. */
static inline float16
load_part (global const float *from, int n)
{
  if (n >= 16)
    return vload16 (0, from);
  float part[16];
  for (int i = 0; i < 16; i++)
    part[i] = i < n ? from[i] : 0;
  return vload16 (0, part);
}

static inline void
store_part (float16 v, global float *to, int n)
{
  if (n >= 16) {
    vstore16 (v, 0, to);
  } else {
    float part[16];
    vstore16 (v, 0, part);
    for (int i = 0; i < n; i++)
      to[i] = part[i];
  }
}

static inline void
multiply_block (global const float *restrict a, global const float *restrict b, int n, bool begin, global float *to,
    size_t stride, int rows, int columns)
{
  float16 left[ROWS], right[ROWS];
#pragma unroll
  for (int r = 0; r < ROWS; r++) {
    const bool load = !begin && r < rows;
    left[r] = load ? load_part (to + r * stride, columns) : 0;
    right[r] = load ? load_part (to + r * stride + 16, columns - 16) : 0;
  }
  for (int k = 0; k < n; k++) {
    const float16 b_left = vload16 (0, b + k * COLUMNS), b_right = vload16 (1, b + k * COLUMNS);
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
      const float16 v = a[k * ROWS + r];
      left[r] = fma (v, b_left, left[r]);
      right[r] = fma (v, b_right, right[r]);
    }
  }
#pragma unroll
  for (int r = 0; r < ROWS; r++)
    if (r < rows) {
      store_part (left[r], to + r * stride, columns);
      store_part (right[r], to + r * stride + 16, columns - 16);
    }
}

kernel void
multiply (global const float *restrict a, global const float *restrict b, global float *restrict result, ulong2 span,
    int4 size)
{
  const int column = (int) get_global_id (0) * COLUMNS, first = (int) get_global_id (1) * ROWS_PER_JOB;
  const int end = min (first + ROWS_PER_JOB, size.x);
  int k = 0;
  do {
    const int n = min (DEPTH_PER_PASS, size.y - k);
    for (int row = first; row < end; row += ROWS)
      multiply_block (a + ((size_t) row * size.y + (size_t) k * ROWS),
          b + ((size_t) column * size.y + (size_t) k * COLUMNS), n, k == 0, result + span.x + row * span.y + column,
          span.y, end - row, size.z - column);
    k += DEPTH_PER_PASS;
  } while (k < size.y);
}

#else

/* 16 x 16 work items share tiles of a and b in local memory. Each has PER_ITEM x PER_ITEM elements of the result in registers,
 * 16 apart, so that neighbouring items access neighbouring elements. */
#define ITEMS 16
#define TILE (ITEMS * PER_ITEM)
#define TILE_DEPTH 16

kernel __attribute__ ((reqd_work_group_size (ITEMS, ITEMS, 1))) void
multiply (global const float *restrict a, ulong2 a_span, global const float *restrict b, ulong2 b_span,
    global float *restrict result, ulong2 span, int4 size)
{
  local float a_tile[TILE_DEPTH][TILE + 1], b_tile[TILE_DEPTH][TILE];
  const int x = (int) get_local_id (0), y = (int) get_local_id (1);
  const int column = (int) get_group_id (0) * TILE, row = (int) get_group_id (1) * TILE;
  float sum[PER_ITEM][PER_ITEM];
#pragma unroll
  for (int j = 0; j < PER_ITEM; j++)
#pragma unroll
    for (int i = 0; i < PER_ITEM; i++)
      sum[j][i] = 0;

  for (int k = 0; k < size.y; k += TILE_DEPTH) {
#pragma unroll
    for (int i = 0; i < PER_ITEM; i++) {
      /* neighbours in x load TILE_DEPTH elements of a row of a, and TILE columns of a row of b */
      const int a_row = row + y + i * ITEMS, b_column = column + x + i * ITEMS;
      a_tile[x][y + i * ITEMS] =
          a_row < size.x && k + x < size.y ? a[a_span.x + a_row * a_span.y + (k + x)] : 0;
      b_tile[y][x + i * ITEMS] =
          b_column < size.z && k + y < size.y ? b[b_span.x + (k + y) * b_span.y + b_column] : 0;
    }
    barrier (CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (int d = 0; d < TILE_DEPTH; d++) {
      float a_part[PER_ITEM], b_part[PER_ITEM];
#pragma unroll
      for (int i = 0; i < PER_ITEM; i++) {
        a_part[i] = a_tile[d][y + i * ITEMS];
        b_part[i] = b_tile[d][x + i * ITEMS];
      }
#pragma unroll
      for (int j = 0; j < PER_ITEM; j++)
#pragma unroll
        for (int i = 0; i < PER_ITEM; i++)
          sum[j][i] = fma (a_part[j], b_part[i], sum[j][i]);
    }
    barrier (CLK_LOCAL_MEM_FENCE);
  }
#pragma unroll
  for (int j = 0; j < PER_ITEM; j++)
#pragma unroll
    for (int i = 0; i < PER_ITEM; i++)
      if (row + y + j * ITEMS < size.x && column + x + i * ITEMS < size.z)
        result[span.x + (row + y + j * ITEMS) * span.y + (column + x + i * ITEMS)] = sum[j][i];
}

#endif
