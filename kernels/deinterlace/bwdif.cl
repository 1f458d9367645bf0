/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rows between those of a field by Weston's filters, kept within what yadif's look at other times allows.
 *
 * In units of 1/8192: 4309 and -213 weigh the field's rows 1 and 3 rows away, which have the low frequencies; 5570, -3801 and 1016,
 * a quarter of them, weigh the other field's rows 0, 2 and 4 rows away, which have the high ones. Where the picture moves more than
 * it has detail, the field alone is taken by 5077 and -981: the same low frequencies, and 768 = 5077 - 4309 = 981 - 213 for the
 * others. */
static inline int
weston (num_t near, num_t far, num_t centre, num_t second, num_t fourth, bool rests)
{
  const int high = (5570 * centre - 3801 * second + 1016 * fourth) >> 2;
  return (4309 * near - 213 * far + (rests ? high : 768 * (near - far))) >> 13;
}

static inline int
weston_alone (num_t near, num_t far)
{
  return clamp ((5077 * near - 981 * far) >> 13, 0, MAX_VALUE);
}

/* Nothing else where nothing changes. */
static inline num_t
settled (num_t value, num_t centre, num_t change, num_t detail)
{
  const num_t allowed = change ? detail : (num_t) 0;
  return min (max (within (value, centre, allowed), (num_t) 0), (num_t) MAX_VALUE);
}

#define BWDIF_CENTRE(i) const num_t gap = distance_of (E0 (i), L0 (i)), centre = mean (E0 (i), L0 (i));
#define BWDIF_CHANGE(i) \
  const num_t change = change_around (gap, BWDIF_U1 (i), BWDIF_D1 (i), BU (i), BD (i), AU (i), AD (i));

#define BWDIF_U1(i) FIELD_AT (u1, i)
#define BWDIF_D1(i) FIELD_AT (d1, i)
#define BWDIF_U3(i) FIELD_AT (u3, i)
#define BWDIF_D3(i) FIELD_AT (d3, i)
#define BWDIF_EU4(i) FIELD_AT (eu4, i)
#define BWDIF_LU4(i) FIELD_AT (lu4, i)
#define BWDIF_ED4(i) FIELD_AT (ed4, i)
#define BWDIF_LD4(i) FIELD_AT (ld4, i)

/* Rows: field's own BWDIF_U3 BWDIF_U1 BWDIF_D1 BWDIF_D3, other field's E and L at 0, 2 and 4 rows up and down, own of the frames around BU BD AU AD. */
#define WHOLE(i)                                                                                            \
  BWDIF_CENTRE (i)                                                                                                \
  BWDIF_CHANGE (i)                                                                                                \
  const num_t detail = with_detail (change, centre, BWDIF_U1 (i), BWDIF_D1 (i), mean (EU2 (i), LU2 (i)), mean (ED2 (i), LD2 (i))); \
  const num_t second = (num_t) ((num_t) (EU2 (i) + LU2 (i)) + (num_t) (ED2 (i) + LD2 (i))); \
  const num_t fourth = (num_t) ((num_t) (BWDIF_EU4 (i) + BWDIF_LU4 (i)) + (num_t) (BWDIF_ED4 (i) + BWDIF_LD4 (i))); \
  const num_t value = (num_t) weston ((num_t) (BWDIF_U1 (i) + BWDIF_D1 (i)), (num_t) (BWDIF_U3 (i) + BWDIF_D3 (i)), (num_t) (E0 (i) + L0 (i)),                    \
      second, fourth, distance_of (BWDIF_U1 (i), BWDIF_D1 (i)) > gap); \
  const num_t result = settled (value, centre, change, detail);

/* Where rows are missing: the mean of those beside; detail only where there are two rows on either side. */
#define BWDIF_AT_EDGE(i)                                                                                          \
  BWDIF_CENTRE (i)                                                                                                \
  BWDIF_CHANGE (i)                                                                                                \
  const num_t detail = with_detail (change, centre, BWDIF_U1 (i), BWDIF_D1 (i), mean (EU2 (i), LU2 (i)), mean (ED2 (i), LD2 (i))); \
  const num_t result = settled (mean (BWDIF_U1 (i), BWDIF_D1 (i)), centre, change, has_detail ? detail : change);

#define BWDIF_NEEDED_ROWS                                                                              \
  const int above = row_beside (y, -1, plane.height), below = row_beside (y, 1, plane.height);   \
  const bool at_edge = y < 4 || y + 5 > plane.height, has_detail = y >= 2 && y + 3 <= plane.height; \
  const int up2 = max (y - 2, 0), down2 = min (y + 2, plane.height - 1);                         \
  const int up3 = y > 2 ? y - 3 : below, down3 = y + 3 < plane.height ? y + 3 : above;           \
  const int up4 = max (y - 4, 0), down4 = min (y + 4, plane.height - 1);

#define BWDIF_LOAD_ROWS          \
  FIELD_LOAD (u1, src, above)    \
  FIELD_LOAD (d1, src, below)    \
  FIELD_LOAD (u3, src, up3)      \
  FIELD_LOAD (d3, src, down3)    \
  OTHER_ROWS                     \
  FIELD_LOAD (eu4, earlier, up4) \
  FIELD_LOAD (lu4, later, up4)   \
  FIELD_LOAD (ed4, earlier, down4) \
  FIELD_LOAD (ld4, later, down4)

#if BACKEND_CPU

/* Two rows, one of the field and one that is made, or one of them if the other is `end`. */
static inline void
make_rows (FIELD_ARGS, int kept_y, int made_y, int end)
{
  global const sample_t *restrict kept_src = src + (src_offset + kept_y * src_stride + region.x);
  global sample_t *restrict kept_dst = dst + (dst_offset + kept_y * dst_stride + region.x);
  FIELD_ROW_AT (made_y)
  OTHER_FIELD
  const int y = made_y;
  BWDIF_NEEDED_ROWS
  BWDIF_LOAD_ROWS
  if (kept_y < end)
    COPY_ROW (kept_dst, kept_src)
  if (made_y == end)
    return;
  if (what & IS_ALONE) {
    ROW_LOOP (NUM_BYTES)
    for (int x = 0; x < region.width; x++)
      RESULT (x, weston_alone ((num_t) (BWDIF_U1 (x) + BWDIF_D1 (x)), (num_t) (BWDIF_U3 (x) + BWDIF_D3 (x))));
  } else if (at_edge) {
    ROW_LOOP (NUM_BYTES)
    for (int x = 0; x < region.width; x++) {
      BWDIF_AT_EDGE (x)
      RESULT (x, result);
    }
  } else {
    ROW_LOOP (NUM_BYTES)
    for (int x = 0; x < region.width; x++) {
      WHOLE (x)
      RESULT (x, result);
    }
  }
}

/* How many pairs of rows from y on, of which made_y is in the first, have all that vectors of bytes need. */
static inline int
byte_pairs (struct region region, struct plane plane, int what, int y, int made_y, int end)
{
  if (!BYTES_AT_ONCE || region.width < BYTES_AT_ONCE || (what & IS_ALONE) || made_y < 4)
    return 0;
  return min ((end - y) / 2, (plane.height - 3 - made_y) / 2);
}

#define FIELD_VALUES \
  src, src_offset, src_stride, dst, dst_offset, dst_stride, keep, region, plane, before, before_at, after, after_at, what

kernel void
deinterlace_bwdif (FIELD_ARGS)
{
  const int end = region.y + ITEM_Y + ITEM_ROWS;
  for (int y = end - ITEM_ROWS; y < end;) {
    const int kept_y = IS_KEPT (y) ? y : y + 1, made_y = 2 * y + 1 - kept_y;
    const int pairs = byte_pairs (region, plane, what, y, made_y, end);
    if (pairs <= 0) {
      make_rows (FIELD_VALUES, kept_y, made_y, end);
      y += 2;
      continue;
    }
#if BYTES_AT_ONCE
    for (int left = 0; left < region.width; left += BYTES_AT_ONCE)
      make_column (FIELD_VALUES, region.x + min (left, region.width - BYTES_AT_ONCE), made_y, kept_y, pairs);
#endif
    y += 2 * pairs;
  }
}

#else

/* Both of the above in one, for rows that are the same for all items beside each other. */
#define BWDIF_MADE(i)                                                                                             \
  BWDIF_CENTRE (i)                                                                                                \
  BWDIF_CHANGE (i)                                                                                                \
  const num_t detail = with_detail (change, centre, BWDIF_U1 (i), BWDIF_D1 (i), mean (EU2 (i), LU2 (i)), mean (ED2 (i), LD2 (i))); \
  const num_t second = EU2 (i) + LU2 (i) + ED2 (i) + LD2 (i), fourth = BWDIF_EU4 (i) + BWDIF_LU4 (i) + BWDIF_ED4 (i) + BWDIF_LD4 (i); \
  const num_t between = weston (BWDIF_U1 (i) + BWDIF_D1 (i), BWDIF_U3 (i) + BWDIF_D3 (i), E0 (i) + L0 (i), second, fourth,          \
      distance_of (BWDIF_U1 (i), BWDIF_D1 (i)) > gap);                                                                  \
  const num_t value = at_edge ? mean (BWDIF_U1 (i), BWDIF_D1 (i)) : between;                                            \
  const num_t result = settled (value, centre, change, has_detail ? detail : change);

#define BWDIF_EACH_SAMPLE _Pragma ("unroll") for (int i = 0; i < ITEM_SAMPLES; i++)

/* Rows are pointers here: their words are loaded without a branch between them, so that the device waits for memory once. */
#undef FIELD_LOAD
#undef FIELD_AT
#define FIELD_LOAD(name, from, line) global const sample_t *row_##name = FIELD_ROW_OF (from, from##_at, line);

#if INPUTS_ALIGNED == 16
#define BWDIF_WORDS(name)                   \
  uint words_##name[WORDS_OF (ITEM_SAMPLES)]; \
  load_vectors (words_##name, (global const uint *) (row_##name + item_x));
#else
#define BWDIF_WORDS(name)                   \
  uint words_##name[WORDS_OF (ITEM_SAMPLES)]; \
  _Pragma ("unroll") for (int w = 0; w < ITEM_WORDS; w++) words_##name[w] = ((global const uint *) (row_##name + item_x))[w];
#endif

kernel void
deinterlace_bwdif (FIELD_ARGS)
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
  BWDIF_NEEDED_ROWS
  const bool alone = what & IS_ALONE;
  BWDIF_LOAD_ROWS

#define FIELD_AT(name, i) ((num_t) LOAD (row_##name[i]))
  if (!INPUTS_ALIGNED || ITEM_SAMPLES % SAMPLES_PER_WORD || item_x + ITEM_SAMPLES > plane.width) {
    int samples[ITEM_SAMPLES];
#pragma unroll 1
    for (int i = 0; i < ITEM_SAMPLES; i++) {
      const int x = min (item_x + i, plane.width - 1);
      if (alone) {
        samples[i] = weston_alone (BWDIF_U1 (x) + BWDIF_D1 (x), BWDIF_U3 (x) + BWDIF_D3 (x));
      } else {
        BWDIF_MADE (x)
        samples[i] = result;
      }
    }
    store_item (samples, y);
    return;
  }

#undef FIELD_AT
#define FIELD_AT(name, i) unpack_sample (words_##name[(i) / SAMPLES_PER_WORD], (i) % SAMPLES_PER_WORD)
  int results[ITEM_SAMPLES];
  BWDIF_WORDS (u1) BWDIF_WORDS (d1) BWDIF_WORDS (u3) BWDIF_WORDS (d3)
  if (alone) {
    BWDIF_EACH_SAMPLE
      results[i] = weston_alone (BWDIF_U1 (i) + BWDIF_D1 (i), BWDIF_U3 (i) + BWDIF_D3 (i));
  } else {
    BWDIF_WORDS (bu) BWDIF_WORDS (bd) BWDIF_WORDS (au) BWDIF_WORDS (ad)
    BWDIF_WORDS (e0) BWDIF_WORDS (l0) BWDIF_WORDS (eu2) BWDIF_WORDS (lu2) BWDIF_WORDS (ed2) BWDIF_WORDS (ld2)
    BWDIF_WORDS (eu4) BWDIF_WORDS (lu4) BWDIF_WORDS (ed4) BWDIF_WORDS (ld4)
    BWDIF_EACH_SAMPLE
    {
      BWDIF_MADE (i)
      results[i] = result;
    }
  }
  store_item (results, y);
}

#endif
