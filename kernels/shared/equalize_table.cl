/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tables of shared/equalized.clh, from histograms (shared/histogram.cl), table for histogram.
 *
 * A histogram is cut into parts of `part` values, a job each, that sum up for themselves what stands before them.
 */
#define TABLE_ARGS \
  global const uint *restrict histograms, struct range range, uint total, uint limit, int first_histogram, int held, int part, \
      global sample_t *restrict tables

#if BACKEND_CPU

/* Job (histogram), as below. */
kernel void
gather_ends (global uint *restrict histograms, struct range range, int first_histogram, int held)
{
  global uint *restrict counts = histograms + (size_t) ((first_histogram + (int) get_global_id (0)) % held) * VALUES;
  uint below = 0, above = 0;
  for (int v = 0; v < range.low; v++) {
    below += counts[v];
    counts[v] = 0;
  }
  for (int v = range.high + 1; v < VALUES; v++) {
    above += counts[v];
    counts[v] = 0;
  }
  counts[range.low] += below;
  counts[range.high] += above;
}

/* The running sum is no vector code, what follows is. */
#define TABLE_CHUNK 256

/* Job (part, histogram); histograms are numbered from first_histogram on, in a ring of `held`. */
kernel void
equalize_table (TABLE_ARGS)
{
  const int at = (first_histogram + (int) get_global_id (1)) % held, first = (int) get_global_id (0) * part;
  global const uint *restrict counts = histograms + (size_t) at * VALUES;
  global sample_t *restrict table = tables + (size_t) at * VALUES;
  uint sum = 0, least = 0, cut_off = 0;
#if CLAHE
  for (int v = 0; v < VALUES; v++)
    cut_off += max (counts[v], limit) - limit;
#else
  for (int v = 0; v < VALUES && !least; v++)
    least = counts[v];
#endif
  for (int v = 0; v < first; v++)
    sum += min (counts[v], limit);
  const summary_t summary = summarize (range, total, least, cut_off, min (counts[range.low], limit));
  for (int v = first; v < first + part; v += TABLE_CHUNK) {
    uint sums[TABLE_CHUNK];
    for (int i = 0; i < TABLE_CHUNK; i++)
      sums[i] = sum += min (counts[v + i], limit);
    for (int i = 0; i < TABLE_CHUNK; i++)
      table[v + i] = equalized (summary, sums[i], v + i);
  }
}

#else

/* Group (histogram), of GROUP items. */
kernel __attribute__ ((reqd_work_group_size (GROUP, 1, 1))) void
gather_ends (global uint *restrict histograms, struct range range, int first_histogram, int held)
{
  gather_counts (histograms + (size_t) ((first_histogram + (int) get_group_id (0)) % held) * VALUES, range);
}

/* Group (part, histogram), of GROUP items; part is a multiple of GROUP. */
kernel __attribute__ ((reqd_work_group_size (GROUP, 1, 1))) void
equalize_table (TABLE_ARGS)
{
  local uint sums[SUM_WORDS];
  const size_t at = (first_histogram + (int) get_group_id (1)) % held;
  equalize_part (histograms + at * VALUES, sums, range, total, limit, (int) get_group_id (0) * part, part, tables + at * VALUES);
}

#endif
