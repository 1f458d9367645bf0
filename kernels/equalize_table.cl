/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tables that equalise, from histograms (histogram.cl) of `total` values each, table for histogram. The host defines
 * CLAHE: 0 for
 *
 *   table[v] = round ((cdf[v] - cdf_min) / (total - cdf_min) * max), cdf_min = the count of the lowest value that occurs
 *
 * and the identity where there is only one value; 1 for
 *
 *   table[v] = round (cdf[v] / total * max)
 *
 * of histograms that are clipped to `limit`, where all values share what was cut off: batch for each, and one more for
 * the first `residual` of every `step`th.
 *
 * A histogram is cut into parts of `part` values, a job each, that sum up for themselves what stands before them.
 */
#define VALUES (MAX_VALUE + 1)

/* What a job knows of the whole histogram. */
typedef struct
{
  uint total, least;
  uint batch, residual;
  float inverse_step, scale;
} summary_t;

static inline summary_t
summarize (uint total, uint least, uint cut_off)
{
  summary_t s;
  s.total = total;
  s.least = least;
  s.batch = cut_off / VALUES;
  s.residual = cut_off % VALUES;
  s.inverse_step = s.residual ? 1.0f / max (VALUES / s.residual, 1u) : 1.0f;
  s.scale = (float) MAX_VALUE / (float) total;
  return s;
}

/* sum: of the clipped counts up to value */
static inline sample_t
equalized (summary_t s, uint sum, uint value)
{
#if CLAHE
  /* half a value more, so that no rounding moves the quotient over an integer */
  const uint steps = (uint) (int) (((float) (int) value + 0.5f) * s.inverse_step) + 1;
  const uint cdf = sum + (value + 1) * s.batch + (steps < s.residual ? steps : s.residual);
  return (sample_t) (as_int ((float) cdf * s.scale + 8388608.0f) & 0x1ffff);
#else
  if (s.total == s.least)
    return (sample_t) value;
  if (sum < s.least)
    return 0;
  const uint divisor = s.total - s.least;
  const ulong product = (ulong) (sum - s.least) * MAX_VALUE;
  const ulong quotient = (product >> 32) == 0 ? (uint) product / divisor : product / divisor;
  const ulong twice_rest = 2 * (product - quotient * divisor);
  return (sample_t) (quotient + (twice_rest > divisor || (twice_rest == divisor && (quotient & 1))));
#endif
}

#define TABLE_ARGS \
  global const uint *restrict histograms, uint total, uint limit, int first_histogram, int held, int part, \
      global sample_t *restrict tables

#if BACKEND_CPU

/* The running sum is no vector code, what follows is. */
#define CHUNK 256

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
  const summary_t summary = summarize (total, least, cut_off);
  for (int v = first; v < first + part; v += CHUNK) {
    uint sums[CHUNK];
    for (int i = 0; i < CHUNK; i++)
      sums[i] = sum += min (counts[v + i], limit);
    for (int i = 0; i < CHUNK; i++)
      table[v + i] = equalized (summary, sums[i], v + i);
  }
}

#else

#define GROUP 256

/* Sums over the items up to and with each one, in place. */
static inline void
scan_group (local uint *sums)
{
  const int lid = get_local_id (0);
  barrier (CLK_LOCAL_MEM_FENCE);
  for (int distance = 1; distance < GROUP; distance *= 2) {
    const uint before = lid >= distance ? sums[lid - distance] : 0;
    barrier (CLK_LOCAL_MEM_FENCE);
    sums[lid] += before;
    barrier (CLK_LOCAL_MEM_FENCE);
  }
}

/* Group (part, histogram), of GROUP items; part is a multiple of GROUP. */
kernel __attribute__ ((reqd_work_group_size (GROUP, 1, 1))) void
equalize_table (TABLE_ARGS)
{
  local uint sums[GROUP], lowest;
  const int lid = get_local_id (0);
  const int at = (first_histogram + (int) get_group_id (1)) % held, first = (int) get_group_id (0) * part;
  global const uint *restrict counts = histograms + (size_t) at * VALUES;
  global sample_t *restrict table = tables + (size_t) at * VALUES;
  uint before = 0, least = 0, cut_off = 0, sum = 0;
#if CLAHE
  for (int v = lid; v < VALUES; v += GROUP)
    cut_off += max (counts[v], limit) - limit;
  sums[lid] = cut_off;
  scan_group (sums);
  cut_off = sums[GROUP - 1];
#else
  if (lid == 0)
    lowest = VALUES - 1;
  barrier (CLK_LOCAL_MEM_FENCE);
  int occupied = lid;
  while (occupied < VALUES && counts[occupied] == 0)
    occupied += GROUP;
  if (occupied < VALUES)
    atomic_min (&lowest, (uint) occupied);
  barrier (CLK_LOCAL_MEM_FENCE);
  least = counts[lowest];
#endif
  if (first > 0) {
    for (int v = lid; v < first; v += GROUP)
      sum += min (counts[v], limit);
    barrier (CLK_LOCAL_MEM_FENCE);
    sums[lid] = sum;
    scan_group (sums);
    before = sums[GROUP - 1];
  }
  const summary_t summary = summarize (total, least, cut_off);
  for (int v = first + lid; v < first + part; v += GROUP) {
    barrier (CLK_LOCAL_MEM_FENCE);
    sums[lid] = min (counts[v], limit);
    scan_group (sums);
    table[v] = equalized (summary, before + sums[lid], v);
    before += sums[GROUP - 1];
  }
}

#endif
