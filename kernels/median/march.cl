/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clmedian, large windows of any rank on the gpu back end: more than 8 bits, devices with little local memory, and
 * while median/descent.cl is being built (after Huang, Yang and Tang, A fast two-dimensional median filtering
 * algorithm, 1979). A work item marches down ITEM_ROWS samples of one column; its window takes in a row of
 * samples and releases one, so that the time grows with the width of the window only.
 *
 * BINS counters per item, in local memory, count the samples of the values base .. base + BINS - 1. At 8 bit those are
 * all values. At more, they stand around the last median; when the median leaves them, the window is read again, once
 * to find the right 256th of all values and once to count around it. Neighbouring items' counters are neighbours in
 * memory, so that they lie in different banks.
 *
 * Has no row in docs/performance.md, whose medians are of 8 bits. */
#if BACKEND_GPU

/* ITEMS is the size of a work-group, BINS a power of two, 256 .. 1 << DEPTH. */
#define MARCH_PART (VALUES / 256)

struct march
{
  local ushort *counts;      /* of this item: bin b is counts[b * ITEMS] */
  int base;                  /* value of bin 0 */
  int median;                /* the bin where the search for the rank goes on */
  int less;                  /* samples of the window below that bin's value */
  int x, y;
  bool inside;               /* in x the window does not reach over the plane's edge */
};

static inline int
window_sample (SRC_PARAMS, const struct march *m, int dx, int row)
{
  if (m->inside)
    return LOAD (src[src_offset + row * src_stride + m->x + dx * NC]);
  return load_sample (SRC_ARGS, m->x + dx * NC, row);
}

/* Takes a row of the window in (by = 1), or lets it go (by = -1). */
static inline void
march_row (int2 radius, SRC_PARAMS, struct march *m, int y, int by)
{
  const int row = row_place (y, plane);
  const int value = m->base + m->median;
  int less = 0;
#pragma unroll 4
  for (int dx = -radius.x; dx <= radius.x; dx++) {
    const int v = row < 0 ? plane.value : window_sample (SRC_ARGS, m, dx, row);
    const uint bin = v - m->base;
    less += v < value;
    if (BINS == VALUES || bin < BINS)
      m->counts[bin * ITEMS] += by;
  }
  m->less += by * less;
}

/* Counts the whole window. */
static inline void
march_count (int2 radius, SRC_PARAMS, struct march *m)
{
  for (int bin = 0; bin < BINS; bin++)
    m->counts[bin * ITEMS] = 0;
  m->median = 0;
  m->less = 0;
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
  while (m->less <= rank && m->median < BINS) {
    const int next = m->less + m->counts[m->median * ITEMS];
    if (next > rank)
      return true;
    m->less = next;
    m->median++;
  }
  return false;
}

/* Finds which of 256 parts of all values the rank is in, and counts the values around it. */
static inline void
march_centre (int2 radius, SRC_PARAMS, struct march *m,
    int rank)
{
  for (int bin = 0; bin < 256; bin++)
    m->counts[bin * ITEMS] = 0;
  for (int dy = -radius.y; dy <= radius.y; dy++) {
    const int row = row_place (m->y + dy, plane);
    for (int dx = -radius.x; dx <= radius.x; dx++) {
      const int v = row < 0 ? plane.value : window_sample (SRC_ARGS, m, dx, row);
      m->counts[v / MARCH_PART * ITEMS]++;
    }
  }
  int part = 0;
  for (int less = m->counts[0]; less <= rank; less += m->counts[part * ITEMS])
    part++;
  m->base = clamp (part * MARCH_PART + MARCH_PART / 2 - BINS / 2, 0, VALUES - BINS);
  march_count (radius, SRC_ARGS, m);
  march_search (m, rank);
}

kernel __attribute__ ((reqd_work_group_size (ITEMS, 1, 1))) void
median_march (PLANE_ARGS, int limit, int rank, int2 radius)
{
  local ushort counts[BINS * ITEMS];
  const int top = region.y + (int) get_global_id (1) * ITEM_ROWS;
  const int bottom = min (top + ITEM_ROWS, region.y + region.height);
  struct march m;
  m.counts = counts + get_local_id (0);
  m.base = 0;
  m.x = region.x + get_global_id (0);
  m.y = top;
  m.inside = m.x >= radius.x * NC && m.x + radius.x * NC < plane.width;
  if (m.x >= region.x + region.width || top >= bottom)
    return;

  const sample_t mask = keep[m.x];
  march_count (radius, SRC_ARGS, &m);
  for (;;) {
    if (!march_search (&m, rank))
      march_centre (radius, SRC_ARGS, &m, rank);
    const sample_t original = src[src_offset + m.y * src_stride + m.x];
    dst[dst_offset + m.y * dst_stride + m.x]
        = merge_sample (beyond (m.base + m.median, LOAD (original), limit), original, mask);
    if (m.y + 1 == bottom)
      return;
    march_row (radius, SRC_ARGS, &m, m.y - radius.y, -1);
    m.y++;
    march_row (radius, SRC_ARGS, &m, m.y + radius.y, 1);
  }
}

#endif
