/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Makes cllevels' tables if black and white are percentiles. ring: both for LEVELS_RING frames, then their sums over the frames in use. */
enum { LEVELS_RING = 600 };

/* One group finds black and white, the lowest values v for which more than `below`, or `above`, samples are at most v, writes both to
 * `slot`, and adds up the last `frames` pairs. */
kernel __attribute__ ((reqd_work_group_size (GROUP, 1, 1))) void
levels_measure (global const uint *restrict counts, uint below, uint above, int slot, int frames, global uint *restrict ring)
{
  local uint shared[2 * GROUP], pair[2], total[2];
  const int lid = get_local_id (0), each = VALUES / GROUP;
  global const uint *restrict mine = counts + lid * each;
  uint sum = 0, all;
#pragma unroll 4
  for (int i = 0; i < each; i++)
    sum += mine[i];
  const uint before = sum_before (shared, sum, &all);
  for (int i = 0; i < 2; i++) {
    const uint count = i == 0 ? below : above;
    uint cdf = before;
    if (cdf <= count && before + sum > count) {
      int value = 0;
      while ((cdf += mine[value]) <= count)
        value++;
      pair[i] = lid * each + value;
    }
  }
  barrier (CLK_LOCAL_MEM_FENCE);
  for (int i = lid; i < 2; i += GROUP)
    ring[2 * slot + i] = total[i] = pair[i];
  barrier (CLK_LOCAL_MEM_FENCE);
  for (int i = 1 + lid; i < frames; i += GROUP) {
    const int at = (slot + LEVELS_RING - i) % LEVELS_RING;
    atomic_add (total, ring[2 * at]);
    atomic_add (total + 1, ring[2 * at + 1]);
  }
  barrier (CLK_LOCAL_MEM_FENCE);
  for (int i = lid; i < 2; i += GROUP)
    ring[2 * LEVELS_RING + i] = total[i];
}

/* x^y for 0 <= x <= 1 and y > 0, without a call, which stops a CPU's vectoriser. The error is below 2^-18 for 0.1 <= y <= 10. */
static inline float power (float x, float y)
{
  /* x = m * 2^e, m between the roots of 1/2 and 2; log2 (m) by the series of atanh */
  const int root_half = 0x3f3504f3, one = 0x3f800000, bits = as_int (x), e = (bits - root_half) >> 23;
  const float m = as_float (bits - (e << 23)), s = (m - 1) / (m + 1), s2 = s * s;
  const float log2_m = s * (2.88539008f + s2 * (0.961796694f + s2 * (0.577078016f + s2 * (0.412198583f + s2 * 0.320598898f))));
  const float t = y * e + y * log2_m;
  /* 2^t = 2^whole * 2^part, part in -1/2 .. 1/2 by its series; adding 1.5 * 2^23 leaves no fraction bits */
  const float bounded = t > -60 ? t : -60, shifted = bounded + 12582912.0f, part = bounded - (shifted - 12582912.0f);
  const float series = 1 + part * (0.693147181f + part * (0.240226507f
              + part * (0.0555041087f + part * (0.00961812911f + part * (0.00133335581f + part * 0.000154035304f)))));
  const float result = as_float (as_int (series) + (as_int (shifted) << 23));
  return x > 0 ? result : 0;
}

/* table[v] = low + round (span * x^inverse_gamma), x = (v - black) / (white - black) in 0 .. 1, and the identity where black is white. The
 * sample takes the low bits of 2^23 + round (): LLVM 18 (PoCL 6) ends the process over a mask here. */
kernel void levels_table (global const uint *restrict ring, int frames, float inverse_gamma, int low, int span, global sample_t *restrict table)
{
  const int value = get_global_id (0), black = (int) ring[2 * LEVELS_RING], white = (int) ring[2 * LEVELS_RING + 1], range = white - black;
  const float x = (float) (value * frames - black) / (float) (range ? range : 1), inside = x < 0 ? 0 : x > 1 ? 1 : x;
  const float bent = inverse_gamma == 1 ? inside : power (inside, inverse_gamma);
  table[value] = (sample_t) (range ? low + as_int (bent * span + 8388608.0f) : value);
}
