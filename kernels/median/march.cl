/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clmedian, large windows of any rank, gpu (Huang, Yang and Tang, A fast two-dimensional median filtering algorithm, 1979): an item marches
 * ITEM_ROWS samples down a column; its window takes in a row and releases one. BINS counters, a power of two, cover values around the last
 * median; when the median leaves them, the window is read again, once for the right 256th of all values and once around it. Counters are in
 * local memory, the counters of neighbours in different banks. Used for more than 8 bits, which have no row in docs/measurements, on
 * devices with little local memory, and while median/descent.cl is being built.
 *
 * base, shift: the value of bin 0; a bin counts 1 << shift values. median, less: the bin where the search goes on, and samples below. */
struct march { local ushort *counts; int base, shift, median, less, x, y; };
static inline local ushort *bin_of (struct march *m, int i) { return m->counts + i * ITEMS; }

/* Adds a sample to the window (by = 1), or removes it (by = -1). */
static inline void march_sample (struct march *m, int v, int by)
{
  const uint bin = (uint) (v - m->base) >> m->shift;
  m->less += v < m->base + (m->median << m->shift) ? by : 0;
  if (BINS == VALUES || bin < BINS)
    *bin_of (m, bin) += by;
}

static inline void march_row (int2 radius, SRC_PARAMS, struct march *m, int y, int by) /* by = 1 or -1, as above */
{
  const int row = row_place (y, plane);
  if (row < 0 || m->x < radius.x * NC || m->x + radius.x * NC >= plane.width) {
    ROLLED for (int dx = -radius.x; dx <= radius.x; dx++)
      march_sample (m, row < 0 ? plane.value : load_sample (SRC_ARGS, m->x + dx * NC, row), by);
    return;
  }
#pragma unroll 4
  for (int dx = -radius.x; dx <= radius.x; dx++)
    march_sample (m, LOAD (SRC_SAMPLE (m->x + dx * NC, row)), by);
}

/* Moves m->median to the bin of the rank; false if the rank is in none. */
static inline bool march_search (struct march *m, int rank)
{
  while (m->less > rank && m->median > 0) {
    m->median--;
    m->less -= *bin_of (m, m->median);
  }
  for (; m->less <= rank && m->median < BINS; m->median++) {
    const int next = m->less + *bin_of (m, m->median);
    if (next > rank)
      return true;
    m->less = next;
  }
  return false;
}

kernel __attribute__ ((reqd_work_group_size (ITEMS, 1, 1))) void median_march (PLANE_ARGS, int limit, int rank, int2 radius)
{
  local ushort counts[BINS * ITEMS];
  struct march m = {.counts = counts + get_local_id (0), .x = region.x + get_global_id (0),
      .y = region.y + (int) get_global_id (1) * ITEM_ROWS};
  const int bottom = min (m.y + ITEM_ROWS, region.y + region.height);
  global sample_t *restrict out = dst + dst_offset + m.y * dst_stride + m.x;
  if (m.x >= region.x + region.width || m.y >= bottom)
    return;
  const sample_t mask = keep[m.x];
  bool counts_window = true;
  for (int base = 0, shift = 0;;) {
    if (counts_window) {
      for (int bin = 0; bin < BINS; bin++)
        *bin_of (&m, bin) = 0;
      m.base = base, m.shift = shift, m.median = m.less = 0;
      for (int dy = -radius.y; dy <= radius.y; dy++)
        march_row (radius, SRC_ARGS, &m, m.y + dy, 1);
    }
    if (!march_search (&m, rank)) {
      base = 0, shift = DEPTH - 8, counts_window = true;
      continue;
    }
    if (m.shift) {
      base = clamp ((m.median << m.shift) + (VALUES / 256 - BINS) / 2, 0, VALUES - BINS), shift = 0;
      continue;
    }
    const sample_t original = SRC_SAMPLE (m.x, m.y);
    *out = merge_sample (beyond (m.base + m.median, LOAD (original), limit), original, mask);
    if (++m.y == bottom)
      return;
    out += dst_stride;
    counts_window = false;
    ROLLED for (int by = -1; by < 2; by += 2)
      march_row (radius, SRC_ARGS, &m, by < 0 ? m.y - 1 - radius.y : m.y + radius.y, by);
  }
}
