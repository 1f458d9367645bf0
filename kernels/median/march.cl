/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clmedian, large windows of any rank on the gpu back end: more than 8 bits, devices with little local memory, and while
 * median/descent.cl is being built (after Huang, Yang and Tang, A fast two-dimensional median filtering algorithm, 1979). A work item
 * marches down ITEM_ROWS samples of one column; its window takes in a row of samples and releases one, so that the time grows with the
 * width of the window only.
 *
 * BINS counters per item, in local memory, count the samples of the values base .. base + BINS - 1. At 8 bit those are all values. At
 * more, they stand around the last median; when the median leaves them, the window is read again, once to find the right 256th of all
 * values and once to count around it. Neighbouring items' counters are neighbours in memory, so that they lie in different banks.
 *
 * ITEMS is the size of a work-group, BINS a power of two, 256 .. 1 << DEPTH.
 *
 * Has no row in docs/performance.md, whose medians are of 8 bits: for more nothing else has a time that grows so little. */
struct march
{
  local ushort *counts; /* of this item: bin b is counts[b * ITEMS] */
  int base, shift;      /* value of bin 0; a bin counts 1 << shift values */
  int median;           /* the bin where the search for the rank goes on */
  int less;             /* samples of the window below that bin's values */
  int x, y;
};

/* Takes a sample in (by = 1), or lets it go (by = -1). */
static inline void
march_sample (struct march *m, int v, int by)
{
  const uint bin = (uint) (v - m->base) >> m->shift;
  m->less += v < m->base + (m->median << m->shift) ? by : 0;
  if (BINS == VALUES || bin < BINS)
    m->counts[bin * ITEMS] += by;
}

static inline void
march_row (int2 radius, SRC_PARAMS, struct march *m, int y, int by)
{
  const int row = row_place (y, plane);
  if (row >= 0 && m->x >= radius.x * NC && m->x + radius.x * NC < plane.width) {
#pragma unroll 4
    for (int dx = -radius.x; dx <= radius.x; dx++)
      march_sample (m, LOAD (SRC_SAMPLE (m->x + dx * NC, row)), by);
  } else {
#pragma unroll 1
    for (int dx = -radius.x; dx <= radius.x; dx++)
      march_sample (m, row < 0 ? plane.value : load_sample (SRC_ARGS, m->x + dx * NC, row), by);
  }
}

/* Counts the whole window. */
static inline void
march_count (int2 radius, SRC_PARAMS, struct march *m, int base, int shift)
{
  for (int bin = 0; bin < BINS; bin++)
    m->counts[bin * ITEMS] = 0;
  m->base = base;
  m->shift = shift;
  m->median = m->less = 0;
  for (int dy = -radius.y; dy <= radius.y; dy++)
    march_row (radius, SRC_ARGS, m, m->y + dy, 1);
}

/* Moves m->median to the bin of the rank; false if that is none of the bins. */
static inline bool
march_search (struct march *m, int rank)
{
  while (m->less > rank && m->median > 0) {
    m->median--;
    m->less -= m->counts[m->median * ITEMS];
  }
  for (; m->less <= rank && m->median < BINS; m->median++) {
    const int next = m->less + m->counts[m->median * ITEMS];
    if (next > rank)
      return true;
    m->less = next;
  }
  return false;
}

kernel __attribute__ ((reqd_work_group_size (ITEMS, 1, 1))) void
median_march (PLANE_ARGS, int limit, int rank, int2 radius)
{
  local ushort counts[BINS * ITEMS];
  const int top = region.y + (int) get_global_id (1) * ITEM_ROWS, bottom = min (top + ITEM_ROWS, region.y + region.height);
  struct march m = {.counts = counts + get_local_id (0), .x = region.x + get_global_id (0), .y = top};
  if (m.x >= region.x + region.width || top >= bottom)
    return;

  bool counts_window = true;
  for (int base = 0, shift = 0;;) {
    if (counts_window)
      march_count (radius, SRC_ARGS, &m, base, shift);
    if (!march_search (&m, rank)) {
      base = 0, shift = DEPTH - 8, counts_window = true;
      continue;
    }
    if (m.shift) {
      base = clamp ((m.median << m.shift) + (VALUES / 256 - BINS) / 2, 0, VALUES - BINS), shift = 0;
      continue;
    }
    const sample_t original = SRC_SAMPLE (m.x, m.y);
    dst[dst_offset + m.y * dst_stride + m.x] = merge_sample (beyond (m.base + m.median, LOAD (original), limit), original, keep[m.x]);
    if (++m.y == bottom)
      return;
    counts_window = false;
#pragma unroll 1
    for (int by = -1; by < 2; by += 2)
      march_row (radius, SRC_ARGS, &m, by < 0 ? m.y - 1 - radius.y : m.y + radius.y, by);
  }
}
