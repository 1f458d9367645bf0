/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds a fade between two pictures, and makes them equally bright for the search.
 *   find_fade      compares the coarsest level, which motion changes least: maps the picture of more contrast to the mean and the contrast
 *                  of the other. If the sum of differences falls by more than a quarter, there is a fade. One group
 *   match_picture  in a fade, maps all samples of that picture. A cpu item makes SAMPLES_AT_ONCE */
enum { SAMPLES_AT_ONCE = 4096 };

static inline int matched (int x, struct fade fade, int most)
{ return clamp (fade.to + ((x - fade.from) * fade.gain + 128 >> 8), 0, most); }

/* shift: bits of a sample beyond eight, which sums leave out */
kernel void find_fade (global const sample_t *restrict a, global const sample_t *restrict b, struct level level, int shift, int most,
    global struct fade *restrict found)
{
  local uint shared;
  const int n = level.width * level.height;
  struct fade fade = {0, 0, 0, 0};
  int2 means = (int2) (0, 0);
  uint first, second;
  for (int round = 0; round < 3; round++) {
    uint2 part = (uint2) (0, 0);
    for (int i = (int) get_local_id (0); i < n; i += (int) get_local_size (0)) {
      const int at = level.at + i / level.width * level.stride + i % level.width;
      const int2 v = (int2) (a[at], b[at]);
      const int from = fade.which == 2 ? v.y : v.x, to = fade.which == 2 ? v.x : v.y;
      part += (round < 2 ? abs (v - means) : (uint2) (abs (from - to), abs (matched (from, fade, most) - to))) >> (uint) shift;
    }
    first = sum_of_group (part.x, &shared);
    second = sum_of_group (part.y, &shared);
    if (round == 0)
      means = (int2) ((int) (((ulong) first << shift) / n), (int) (((ulong) second << shift) / n));
    else if (round == 1 && second > first)
      fade = (struct fade) {2, (int) (256 * (ulong) first / second), means.y, means.x};
    else if (round == 1)
      fade = (struct fade) {1, (int) (256 * (ulong) second / max (first, 1u)), means.x, means.y};
  }
  if (get_local_id (0) == 0) {
    *found = fade;
    found->which = first > (uint) n && second < first - first / 4 ? fade.which : 0;
  }
}

kernel void match_picture (global const sample_t *restrict a, global const sample_t *restrict b, int n, int most, global struct fade *found)
{
  const struct fade fade = *found;
  if (fade.which == 0)
    return;
  global const sample_t *restrict from = fade.which == 1 ? a : b;
  global sample_t *restrict to = (global sample_t *) (found + 1);
#if BACKEND_CPU
  const int first = (int) get_global_id (1) * SAMPLES_AT_ONCE, end = min (first + SAMPLES_AT_ONCE, n);
  ROW_LOOP (sizeof (int))
  for (int i = first; i < end; i++)
#else
  for (int i = (int) get_global_id (0); i < n; i += (int) get_global_size (0))
#endif
    to[i] = (sample_t) matched (from[i], fade, most);
}
