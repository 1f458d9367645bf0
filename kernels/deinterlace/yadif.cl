/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rows between those of a field along the edges of the picture, kept within what other times allow.
 *
 * a and b are the rows above and below, at -3 .. 3 pixels around the sample. The direction whose three pairs of samples differ
 * least is that of an edge; steep ones win ties, and a flatter one is looked at where the less flat one to its side was better. */
#define YADIF_REACH 3

static inline num_t
pairs (num_t a0, num_t b0, num_t a1, num_t b1, num_t a2, num_t b2)
{
  return (num_t) (distance_of (a0, b0) + distance_of (a1, b1) + distance_of (a2, b2));
}

#define YADIF_EDGE_ARGS(v) num_t v##_3, num_t v##_2, num_t v##_1, num_t v##0, num_t v##1, num_t v##2, num_t v##3

static inline num_t
along_edge (YADIF_EDGE_ARGS (a), YADIF_EDGE_ARGS (b))
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
#define YADIF_KEPT_WITHIN(i, value)                                                                                  \
  const num_t gap = distance_of (E0 (i), L0 (i)), centre = mean (E0 (i), L0 (i));                                    \
  const num_t change = max (change_around (gap, U (i), D (i), BU (i), BD (i), AU (i), AD (i)), least);               \
  const num_t detail = with_detail (change, centre, U (i), D (i), mean (EU2 (i), LU2 (i)), mean (ED2 (i), LD2 (i))); \
  const num_t result = within (value, centre, has_detail ? detail : change);

/* Two rows off is twice as far to the side where the row beside is. least: no limit where other times are not known. */
#define YADIF_NEEDED_ROWS                                                                                         \
  const int above = row_beside (y, -1, plane.height), below = row_beside (y, 1, plane.height);                    \
  const int up2 = clamp (2 * above - y, 0, plane.height - 1), down2 = clamp (2 * below - y, 0, plane.height - 1); \
  const bool has_detail = y != 1 && y + 2 != plane.height;                                                        \
  const num_t least = what & IS_ALONE ? MAX_VALUE : 0;

#if BACKEND_CPU

#define U(x) FIELD_AT (u, x)
#define D(x) FIELD_AT (d, x)
#define YADIF_AROUND(row, x)                                                                                         \
  FIELD_SAMPLE (row, x - 3 * NC), FIELD_SAMPLE (row, x - 2 * NC), FIELD_SAMPLE (row, x - NC), FIELD_SAMPLE (row, x), \
      FIELD_SAMPLE (row, x + NC),                                                                                    \
      FIELD_SAMPLE (row, x + 2 * NC), FIELD_SAMPLE (row, x + 3 * NC)

#define YADIF_NO_EDGES(from, to)               \
  for (int x = from; x < to; x++) {            \
    YADIF_KEPT_WITHIN (x, mean (U (x), D (x))) \
    RESULT (x, result);                        \
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
  YADIF_NEEDED_ROWS
  FIELD_LOAD (u, src, above)
  FIELD_LOAD (d, src, below)
  OTHER_ROWS
  const int left = clamp (YADIF_REACH * NC - region.x, 0, region.width);
  const int right = clamp (plane.width - YADIF_REACH * NC - region.x, left, region.width);
  YADIF_NO_EDGES (0, left)
  ROW_LOOP (NUM_BYTES)
  for (int x = left; x < right; x++) {
    YADIF_KEPT_WITHIN (x, along_edge (YADIF_AROUND (row_u, x), YADIF_AROUND (row_d, x)))
    RESULT (x, result);
  }
  YADIF_NO_EDGES (right, region.width)
}

#else

/* Whole words on either side of an item. */
#define YADIF_LEAD ((YADIF_REACH * NC + SAMPLES_PER_WORD - 1) / SAMPLES_PER_WORD * SAMPLES_PER_WORD)
#define YADIF_SPAN (ITEM_SAMPLES + 2 * YADIF_LEAD)

#define U(i) u[YADIF_LEAD + (i)]
#define D(i) d[YADIF_LEAD + (i)]
#define YADIF_AROUND(V, i) V (i - 3 * NC), V (i - 2 * NC), V (i - NC), V (i), V (i + NC), V (i + 2 * NC), V (i + 3 * NC)

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
  YADIF_NEEDED_ROWS
  int u[YADIF_SPAN], d[YADIF_SPAN], results[ITEM_SAMPLES];
  LOAD_ROW (u, YADIF_SPAN, FIELD_ROW_OF (src, src_at, above), item_x - YADIF_LEAD);
  LOAD_ROW (d, YADIF_SPAN, FIELD_ROW_OF (src, src_at, below), item_x - YADIF_LEAD);
  OTHER_ROWS
#pragma unroll
  for (int i = 0; i < ITEM_SAMPLES; i++) {
    const int x = item_x + i;
    const bool has_edges = x >= YADIF_REACH * NC && x < plane.width - YADIF_REACH * NC;
    const int edge = along_edge (YADIF_AROUND (U, i), YADIF_AROUND (D, i));
    YADIF_KEPT_WITHIN (i, has_edges ? edge : mean (U (i), D (i)))
    results[i] = result;
  }
  store_item (results, y);
}

#endif
