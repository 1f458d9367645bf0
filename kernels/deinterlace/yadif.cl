/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rows between those of a field along the edges of the picture, kept within what other times allow.
 *
 * a and b are the rows above and below, at -3 .. 3 pixels around the sample. The direction whose three pairs of samples differ
 * least is that of an edge; steep ones win ties, and a flatter one is looked at where the less flat one to its side was better. */
#define REACH 3

static inline num_t
pairs (num_t a0, num_t b0, num_t a1, num_t b1, num_t a2, num_t b2)
{
  return (num_t) (distance_of (a0, b0) + distance_of (a1, b1) + distance_of (a2, b2));
}

#define EDGE_ARGS(v) num_t v##_3, num_t v##_2, num_t v##_1, num_t v##0, num_t v##1, num_t v##2, num_t v##3

static inline num_t
along_edge (EDGE_ARGS (a), EDGE_ARGS (b))
{
  num_t best = (num_t) (pairs (a_1, b_1, a0, b0, a1, b1) - 1), value = mean (a0, b0);
  const num_t left = pairs (a_2, b0, a_1, b1, a0, b2), far_left = pairs (a_3, b1, a_2, b2, a_1, b3);
  const num_t right = pairs (a0, b_2, a1, b_1, a2, b0), far_right = pairs (a1, b_3, a2, b_2, a3, b_1);

  const bool is_left = left < best;
  best = is_left ? left : best;
  value = is_left ? mean (a_1, b1) : value;
  const bool is_far_left = is_left & (far_left < best);
  best = is_far_left ? far_left : best;
  value = is_far_left ? mean (a_2, b2) : value;

  const bool is_right = right < best;
  best = is_right ? right : best;
  value = is_right ? mean (a1, b_1) : value;
  const bool is_far_right = is_right & (far_right < best);
  return is_far_right ? mean (a2, b_2) : value;
}

/* Limits are those of bwdif. Rows: the field's own U D, the other field's E and L at the place and two rows up and down, own
 * of the frames around BU BD AU AD. floor, detail_mask: masks of the row. */
#define KEPT_WITHIN(i, value)                                                                                      \
  const num_t gap = distance_of (E0 (i), L0 (i)), centre = mean (E0 (i), L0 (i));                                  \
  const num_t change = max (change_around (gap, U (i), D (i), BU (i), BD (i), AU (i), AD (i)), least);             \
  const num_t detail = with_detail (change, centre, U (i), D (i), mean (EU2 (i), LU2 (i)), mean (ED2 (i), LD2 (i))); \
  const num_t result = within (value, centre, has_detail ? detail : change);

/* Two rows off is twice as far to the side where the row beside is. least: no limit where other times are not known. */
#define NEEDED_ROWS                                                                                  \
  const int above = row_beside (y, -1, plane.height), below = row_beside (y, 1, plane.height);       \
  const int up2 = clamp (2 * above - y, 0, plane.height - 1), down2 = clamp (2 * below - y, 0, plane.height - 1); \
  const bool has_detail = y != 1 && y + 2 != plane.height;                                           \
  const num_t least = what & IS_ALONE ? MAX_VALUE : 0;

#if BACKEND_CPU

#define U(x) AT_ROW (u, x)
#define D(x) AT_ROW (d, x)
#define AROUND(row, x) \
  SAMPLE (row, x - 3 * NC), SAMPLE (row, x - 2 * NC), SAMPLE (row, x - NC), SAMPLE (row, x), SAMPLE (row, x + NC), \
      SAMPLE (row, x + 2 * NC), SAMPLE (row, x + 3 * NC)

#define NO_EDGES(from, to)                    \
  for (int x = from; x < to; x++) {           \
    KEPT_WITHIN (x, mean (U (x), D (x)))      \
    RESULT (x, result);                       \
  }

kernel void
deinterlace_yadif (FIELD_ARGS)
{
  FIELD_ROW
  if (IS_KEPT (item_y)) {
    COPY_ROW (item_dst, item_src)
    return;
  }
  OTHER_FIELD
  const int y = item_y;
  NEEDED_ROWS
  ROW (u, src, above)
  ROW (d, src, below)
  OTHER_ROWS
  const int left = clamp (REACH * NC - region.x, 0, region.width);
  const int right = clamp (plane.width - REACH * NC - region.x, left, region.width);
  NO_EDGES (0, left)
  ROW_LOOP (NUM_BYTES)
  for (int x = left; x < right; x++) {
    KEPT_WITHIN (x, along_edge (AROUND (row_u, x), AROUND (row_d, x)))
    RESULT (x, result);
  }
  NO_EDGES (right, region.width)
}

#else

/* Whole words on either side of an item. */
#define LEAD ((REACH * NC + SAMPLES_PER_WORD - 1) / SAMPLES_PER_WORD * SAMPLES_PER_WORD)
#define SPAN (ITEM_SAMPLES + 2 * LEAD)

#define U(i) u[LEAD + (i)]
#define D(i) d[LEAD + (i)]
#define AROUND(V, i) V (i - 3 * NC), V (i - 2 * NC), V (i - NC), V (i), V (i + NC), V (i + 2 * NC), V (i + 3 * NC)

kernel void
deinterlace_yadif (FIELD_ARGS)
{
  GPU_ITEM
  if (!ITEM_IN_REGION)
    return;
  if (IS_KEPT (item_y)) {
    COPY_ITEM
    return;
  }
  OTHER_FIELD
  const int y = item_y;
  NEEDED_ROWS
  int u[SPAN], d[SPAN], results[ITEM_SAMPLES];
  LOAD_ROW (u, SPAN, ROW_AT (src, src_at, above), item_x - LEAD);
  LOAD_ROW (d, SPAN, ROW_AT (src, src_at, below), item_x - LEAD);
  OTHER_ROWS
#pragma unroll
  for (int i = 0; i < ITEM_SAMPLES; i++) {
    const int x = item_x + i;
    const bool has_edges = x >= REACH * NC && x < plane.width - REACH * NC;
    const int edge = along_edge (AROUND (U, i), AROUND (D, i));
    KEPT_WITHIN (i, has_edges ? edge : mean (U (i), D (i)))
    results[i] = result;
  }
  store_item (results, y);
}

#endif
