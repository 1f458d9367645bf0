/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Otsu's threshold of histograms: the first t with the greatest variance between values up to t and above t, (total * sum (t) - count (t) *
 * sum)^2 / (count (t) * (total - count (t))) but for constants. Floats decide if the difference is clear, as it nearly always is,
 * else cross products in integers of 256 bits, so that every device finds the same t. A group has a histogram, an item OTSU_BINS bins. */
enum { OTSU_BINS = (MAX_VALUE + GROUP) / GROUP };

/* A candidate. Its numerator is difference^2, whose upper part is under 2^16, as there are less than 2^32 samples. */
struct split {
  ulong difference[2]; /* lower part first */
  ulong divisor;
  float estimate;
  int t;
};

static inline void scaled_square (ulong *product, const ulong *difference, ulong factor) /* difference^2 * factor, lowest part first */
{
  const ulong low = difference[0], high = difference[1], cross = low * high;
  ulong square[3];
  square[0] = low * low;
  square[1] = mul_hi (low, low) + (cross << 1);
  square[2] = high * high + (mul_hi (low, high) << 1 | cross >> 63) + (square[1] < cross << 1);
  ulong carry = 0;
  for (int i = 0; i < 3; i++) {
    product[i] = square[i] * factor + carry;
    carry = mul_hi (square[i], factor) + (product[i] < carry);
  }
  product[3] = carry;
}

static inline bool is_better (const struct split *a, const struct split *b) /* a greater variance, or the same at a lower t */
{
  const float margin = 1.0001f;
  if (a->estimate > b->estimate * margin)
    return true;
  if (a->estimate * margin < b->estimate)
    return false;
  ulong left[4], right[4];
  scaled_square (left, a->difference, b->divisor);
  scaled_square (right, b->difference, a->divisor);
  for (int i = 3; i >= 0; i--)
    if (left[i] != right[i])
      return left[i] > right[i];
  return a->t < b->t;
}

/* below: the count and sum of the values up to t; all: of all values. */
static inline struct split split_at (int t, ulong2 below, ulong2 all)
{
  const ulong count = below.x, sum = below.y, total = all.x, total_sum = all.y;
  struct split found = {{0, 0}, 1, 0, t};
  if (count == total)
    return found;
  const ulong left[2] = {total * sum, mul_hi (total, sum)}, right[2] = {count * total_sum, mul_hi (count, total_sum)};
  const bool less = left[1] < right[1] || (left[1] == right[1] && left[0] < right[0]);
  const ulong low = left[0] - right[0], high = left[1] - right[1] - (left[0] < right[0]);
  found.difference[0] = less ? -low : low;
  found.difference[1] = less ? ~high + (low == 0) : high;
  found.divisor = count * (total - count);
  const float two_to_64 = 18446744073709551616.0f;
  const float mean = ((float) found.difference[1] * two_to_64 + (float) found.difference[0]) / (float) total;
  found.estimate = mean * (mean / (float) found.divisor);
  return found;
}

/* Finds the t of each histogram, and writes it to `limits` and, once for each pixel, to `row`. */
kernel void find_otsu (global const uint *restrict counts, global int *restrict limits, global sample_t *restrict row, int pixels)
{
  const int item = get_local_id (0), histogram = get_group_id (0), histograms = get_num_groups (0);
  const int begin = item * OTSU_BINS, end = min (begin + OTSU_BINS, VALUES);
  local ulong2 sums[2 * GROUP]; /* of counts, and of values */
  local struct split best[GROUP];
  counts += histogram * VALUES;

  ulong2 mine = (ulong2) (0, 0), all;
  for (int v = begin; v < end; v++)
    mine += (ulong2) (counts[v], (ulong) counts[v] * v);
  ulong2 below = sum_before (sums, mine, &all);

  struct split own = {{0, 0}, 1, 0, begin};
  for (int v = begin; v < end; v++) {
    if (counts[v] == 0) /* the same split as before */
      continue;
    below += (ulong2) (counts[v], (ulong) counts[v] * v);
    const struct split other = split_at (v, below, all);
    if (is_better (&other, &own))
      own = other;
  }
  best[item] = own;
  for (int step = GROUP / 2; step > 0; step /= 2) {
    barrier (CLK_LOCAL_MEM_FENCE);
    if (item < step) {
      const struct split other = best[item + step];
      if (is_better (&other, &own))
        own = other;
      best[item] = own;
    }
  }
  barrier (CLK_LOCAL_MEM_FENCE);
  const int t = best[0].t;
  if (item == 0)
    limits[histogram] = t;
  for (int p = item; p < pixels; p += GROUP)
    row[p * histograms + histogram] = (sample_t) t;
}
