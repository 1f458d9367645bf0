/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Smooths the steps that transform coding leaves at block edges: across lines between columns first, then, on that result, between rows. p3
 * p2 p1 p0 | q0 q1 q2 q3 are samples across a line of the grid; all numbers are integers:
 *
 *   s = q0 - p0                   the step
 *   e = 3 s - (q1 - p1)           twice the step that remains when both sides are extended to the line by their slopes
 *   m = min (2 |s|, |e|) where s and e have the same sign, else 0
 *   a = max (|p1 - p0|, |p2 - p1|, |p3 - p2|, the same of q)    the changes within the blocks
 *   c = sign (s) max (0, min (m, limit - m) - 2 a)
 *
 * and the i-th sample from the line becomes round (p_i + taps_i c / 32) or round (q_i - taps_i c / 32), half to even: steps are smoothed
 * that are small against the limit and large against their surroundings, without a jump in strength. Lines stand before pixels x with (x -
 * grid.left) % grid.width == 0, a power of two, and rows alike. taps: 0 to 2 in x to z; w has all bits set, or none for blocks of two,
 * whose p2, p3, q2 and q3 belong to others and do not count. */
struct grid { int width, height, left, top; };
enum { REACH = 3, LOOK = 4 }; /* how many samples on each side of a line change, and are read */

/* c of the formula. p: p3 p2 p1 p0 q0 q1 q2 q3. outer: w of the taps. */
static inline num_t correction (const num_t *p, num_t limit, num_t outer)
{
  const num_t s = difference_of (p[4], p[3]), twice = total (s, s), e = difference_of (total (twice, s), difference_of (p[5], p[2]));
  const num_t near = greater (distance_of (p[2], p[3]), distance_of (p[5], p[4]));
  const num_t middle = greater (distance_of (p[1], p[2]), distance_of (p[6], p[5]));
  const num_t far = greater (distance_of (p[0], p[1]), distance_of (p[7], p[6])), around = greater (near, greater (middle, far) & outer);
  const num_t m = lesser (magnitude_of (twice), magnitude_of (e));
  const num_t found = difference_of (lesser (m, difference_of (limit, m)), total (around, around));
  return with_sign (greater (found, 0), s, e);
}

/* The line that corrects row y, 0 if there is none; *factor: the factor of c in the row, in 32nds. */
static inline int line_of_row (int y, int height, struct grid grid, int4 taps, int *factor)
{
  const int after = (y - grid.top) & (grid.height - 1), reach = min (grid.height / 2, REACH);
  const int tap = after < reach ? after : after - grid.height, line = y - tap, i = tap < 0 ? -1 - tap : tap;
  const int size = i == 0 ? taps.x : i == 1 ? taps.y : taps.z;
  const bool found = tap >= -reach && line > 0 && line < height;
  *factor = !found ? 0 : tap < 0 ? size : -size;
  return found ? line : 0;
}

#if BACKEND_CPU
/* An item filters TILE_SAMPLES x TILE_ROWS samples: across the lines between columns into rows of its own, and from these the result. */
enum { ROWS_AROUND = REACH - 1 + LOOK };

/* lines: all ones where the sample stands behind a line, else 0, from 2 pixels before the first one on. step: samples of a pixel. */
static inline void smooth_columns (num_t *restrict to, global const sample_t *restrict from, global const short *restrict lines, int n,
    int limit, int4 taps, int step)
{
  num_t c[TILE_SAMPLES + (2 * REACH - 1) * MOST_SAMPLES];
  const num_t top = limit, outer = taps.w, tap0 = taps.x, tap1 = taps.y, tap2 = taps.z;
  global const sample_t *p3 = from - 6 * step, *p2 = from - 5 * step, *p1 = from - 4 * step, *p0 = from - 3 * step;
  global const sample_t *q0 = from - 2 * step, *q1 = from - step, *q2 = from, *q3 = from + step;
  WIDE_LOOP
  for (int x = 0; x < n + 5 * step; x++) {
    const num_t p[] = {LOAD (p3[x]), LOAD (p2[x]), LOAD (p1[x]), LOAD (p0[x]), LOAD (q0[x]), LOAD (q1[x]), LOAD (q2[x]), LOAD (q3[x])};
    c[x] = correction (p, top, outer) & lines[x];
  }
  WIDE_LOOP
  for (int x = 0; x < n; x++) {
    const num_t near = c[x + 3 * step] - c[x + 2 * step], next = c[x + 4 * step] - c[x + step], far = c[x + 5 * step] - c[x];
    to[x] = corrected (LOAD (from[x]), tap0 * near + tap1 * next + tap2 * far);
  }
}

ITEM_KERNEL (deblock, (PLANE_ARGS, int limit, struct grid grid, int4 taps_x, int4 taps_y, global const short *restrict lines), (PLANE_NAMES,
    limit, grid, taps_x, taps_y, lines))
{
  const int tile_x = ITEM (0) * TILE_SAMPLES, tile_row = ITEM (1) * TILE_ROWS;
  const int width = min (TILE_SAMPLES, region.width - tile_x), rows = min (TILE_ROWS, region.height - tile_row);
  const int x = region.x + tile_x, y = region.y + tile_row;
  num_t middle[TILE_ROWS + 2 * ROWS_AROUND][TILE_SAMPLES], c[TILE_SAMPLES];
  for (int r = 0; r < rows + 2 * ROWS_AROUND; r++)
    smooth_columns (middle[r], src + src_offset + (y + r - ROWS_AROUND) * src_stride + x, lines + x, width, limit, taps_x, NC);

  const num_t top = limit, outer = taps_y.w;
  int c_line = 0;
  for (int r = 0; r < rows; r++) {
    int tap;
    const int line = line_of_row (y + r, plane.height, grid, taps_y, &tap);
    if (line && line != c_line) {
      num_t (*p)[TILE_SAMPLES] = middle + (line - y + ROWS_AROUND - LOOK);
      WIDE_LOOP
      for (int i = 0; i < width; i++) {
        const num_t column[] = {p[0][i], p[1][i], p[2][i], p[3][i], p[4][i], p[5][i], p[6][i], p[7][i]};
        c[i] = correction (column, top, outer);
      }
      c_line = line;
    }
    const num_t *restrict row = middle[r + ROWS_AROUND];
    const num_t factor = tap;
    global const sample_t *from = src + src_offset + (y + r) * src_stride + x;
    global sample_t *to = dst + dst_offset + (y + r) * dst_stride + x;
    if (line) {
      WIDE_LOOP
      for (int i = 0; i < width; i++)
        to[i] = merge_sample ((sample_t) corrected (row[i], factor * c[i]), from[i], keep[tile_x + i]);
    } else {
      WIDE_LOOP
      for (int i = 0; i < width; i++)
        to[i] = merge_sample ((sample_t) row[i], from[i], keep[tile_x + i]);
    }
  }
}
#elif COLUMNS
/* Lines may stand before every UNIT-th pixel from FIRST on of an item's pixels. In each of its TURNS an item filters eight samples, and reads eight
 * more on either side: a component of its pixels, or a part of these if they have one sample. Numbers hold samples of ITEM_ROWS rows. */
enum { TURNS = ITEM_SAMPLES / 8, LEAD = 8 * TURNS, SPAN_WORDS = WORDS_OF (ITEM_SAMPLES + 2 * LEAD), TURN_WORDS = 8 / SAMPLES_PER_WORD };

#if MOST_NC == 3 || MOST_NC > SAMPLES_PER_WORD
#define EACH_TURN UNROLL
static inline int word_at (int i, int k) { return (i * NC + k) / SAMPLES_PER_WORD; } /* of sample i of turn k */
static inline int place_at (int i, int k) { return (i * NC + k) % SAMPLES_PER_WORD; }
#else
#define EACH_TURN ROLLED /* so that the program has the filter once */
enum { STEP = MOST_NC > 2 ? MOST_NC : 1 };
static inline int word_at (int i, int k) { return i * STEP / SAMPLES_PER_WORD; }
static inline int place_at (int i, int k) { return i * STEP % SAMPLES_PER_WORD + (STEP > 1 ? k : 0); }
#endif
#if MOST_NC <= 2
enum { FROM_STEP = 3 * TURN_WORDS, TO_STEP = TURN_WORDS };
/* turn_word (): word i of the samples of turn k. item_word (): word i of an item's results from turn k. Words are read before a choice
 * between them, because an index that depends on it would put the array into memory. */
static inline uint turn_word (const uint *words, int i, int k, struct plane plane)
{
  const uint selector = SAMPLE_BITS == 8 ? 0x6420 + 0x1111 * k : 0x5410 + 0x2222 * k;
  const uint component = MOST_NC > 1 ? permute_bytes (words[2 * i], words[2 * i + 1], selector) : 0;
  const uint first = words[i + (TURNS - 1) * TURN_WORDS], second = words[i + 2 * (TURNS - 1) * TURN_WORDS];
  return NC > 1 ? component : k ? second : first;
}

static inline uint item_word (const uint *results, int i, int k, struct plane plane)
{
  const uint selector = SAMPLE_BITS == 8 ? (i % 2 ? 0x4342 : 0x4140) : i % 2 ? 0x4432 : 0x4410, own = results[i % TURN_WORDS];
  const uint apart = permute_bytes (results[i / 2], 0, selector) << SAMPLE_BITS * k;
  return NC > 1 ? apart : i / TURN_WORDS == k ? own : 0;
}
#else
enum { FROM_STEP = SPAN_WORDS, TO_STEP = ITEM_WORDS };
#endif

kernel void deblock_columns (PLANE_ARGS, int limit, struct grid grid, int4 taps)
{
  GPU_ITEM_IN_REGION
  uint words[SPAN_WORDS * ITEM_ROWS], results[ITEM_WORDS * ITEM_ROWS] = {0};
  load_rows (words, ITEM_ROWS, SPAN_WORDS, SRC_ARGS, item_x - LEAD, item_y, LEAD);
  const num_t factors[REACH] = {factor_of (taps.x), factor_of (taps.y), factor_of (taps.z)};
  EACH_TURN for (int k = 0; k < TURNS; k++) {
    num_t v[24], t[8] = {0};
#if MOST_NC <= 2
    uint from[FROM_STEP * ITEM_ROWS], to[TO_STEP * ITEM_ROWS] = {0};
    UNROLL for (int i = 0; i < FROM_STEP * ITEM_ROWS; i++)
      from[i] = turn_word (words + i / FROM_STEP * SPAN_WORDS, i % FROM_STEP, k, plane);
#else
    uint *const from = words, *const to = results;
#endif
    UNROLL for (int i = 0; i < 24; i++)
      v[i] = NUMBER_LANES == 2 ? (num_t) pair_of (from[word_at (i, k)], from[FROM_STEP + word_at (i, k)], place_at (i, k))
                               : (num_t) unpack_sample (from[word_at (i, k)], place_at (i, k));
    const int first = pixels_of (item_x, plane) + (NC == 1 ? 8 * k : 0);
    UNROLL for (int j = 1 - REACH; j < 8 + REACH; j++) {
      const int line = first + j;
      if ((j - FIRST) & (UNIT - 1))
        continue;
      const bool is_line = line > 0 && line * NC < plane.width && !((line - grid.left) & (grid.width - 1));
      if ((j - FIRST) & 7 && !is_line)
        continue; /* in planes of larger blocks, at all of these */
      const num_t c = correction (v + 8 + j - LOOK, is_line ? ONE * limit : 0, taps.w);
      UNROLL for (int i = 0; i < REACH; i++) {
        const num_t change = product (c, factors[i]);
        if (j + i >= 0 && j + i < 8)
          t[j + i] = difference_of (t[j + i], change);
        if (j - 1 - i >= 0 && j - 1 - i < 8)
          t[j - 1 - i] = total (t[j - 1 - i], change);
      }
    }
    UNROLL for (int i = 0; i < 8; i++) {
      const num_t result = corrected (v[8 + i], t[i]);
      UNROLL for (int r = 0; r < ITEM_ROWS; r++)
        to[r * TO_STEP + word_at (i, k)] |= ((uint) result >> 16 * r & MAX_VALUE) << (SHIFT + SAMPLE_BITS * place_at (i, k));
    }
#if MOST_NC <= 2
    UNROLL for (int i = 0; i < ITEM_WORDS * ITEM_ROWS; i++)
      results[i] |= item_word (to + i / ITEM_WORDS * TO_STEP, i % ITEM_WORDS, k, plane);
#endif
  }
  UNROLL for (int r = 0; r < ITEM_ROWS; r++)
    store_row (DST_ARGS, results + r * ITEM_WORDS, words + r * SPAN_WORDS + LEAD / SAMPLES_PER_WORD, item_x, item_y + r);
}
#else
enum { NUMBERS = ITEM_WORDS * NUMBERS_PER_WORD };

/* Filters the result of deblock_columns (). The region may begin above first_row, so that an item has all rows around a line. */
kernel void deblock_rows (PLANE_ARGS, int limit, struct grid grid, int4 taps, int first_row)
{
  GPU_ITEM_IN_REGION
  num_t c[NUMBERS] = {0};
  int c_line = 0;
  ROLLED for (int y = max (item_y, first_row); y < min (item_y + ITEM_ROWS, region.y + region.height); y++) {
    int tap;
    const int line = line_of_row (y, plane.height, grid, taps, &tap);
    if (line && line != c_line) {
      uint p[2 * LOOK * WORDS_OF (ITEM_SAMPLES)];
      load_rows (p, 2 * LOOK, ITEM_WORDS, SRC_ARGS, item_x, line - LOOK, 0);
      ROLLED for (int n = 0; n < NUMBERS_PER_WORD; n++)
        UNROLL for (int w = 0; w < ITEM_WORDS; w++) {
          num_t v[2 * LOOK];
          UNROLL for (int r = 0; r < 2 * LOOK; r++)
            v[r] = number_of (p[r * ITEM_WORDS + w] >> (NUMBER_LANES == 2 ? 8 * n : SAMPLE_BITS * n), 0);
          c[w] = c[NUMBERS - ITEM_WORDS + w];
          c[NUMBERS - ITEM_WORDS + w] = correction (v, ONE * limit, taps.w);
        }
      c_line = line;
    }
    uint row[WORDS_OF (ITEM_SAMPLES)], results[WORDS_OF (ITEM_SAMPLES)] = {0};
    const num_t factor = factor_of (tap);
    load_words (row, y);
    UNROLL for (int i = 0; i < NUMBERS; i++) {
      const num_t v = number_of (row[i / NUMBERS_PER_WORD], i % NUMBERS_PER_WORD);
      results[i / NUMBERS_PER_WORD] |= stored_number (corrected (v, product (c[i % NUMBERS_PER_WORD * ITEM_WORDS + i / NUMBERS_PER_WORD], factor)), i % NUMBERS_PER_WORD);
    }
    store_row (DST_ARGS, results, row, item_x, y);
  }
}
#endif
