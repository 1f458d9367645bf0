/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* linear: the mean of the rows above and below, rounded half to even. weave: the rows of the field before. */
static inline int
halved (int sum)
{
  return (sum + (sum >> 1 & 1)) >> 1;
}

#if BACKEND_CPU

kernel void
deinterlace_linear (FIELD_ARGS)
{
  FIELD_ROW
  if (IS_KEPT (item_y)) {
    COPY_ROW (item_dst, item_src)
    return;
  }
  const int2 src_at = (int2) (src_offset, src_stride);
  global const sample_t *above = FIELD_ROW_OF (src, src_at, row_beside (item_y, -1, plane.height));
  global const sample_t *below = FIELD_ROW_OF (src, src_at, row_beside (item_y, 1, plane.height));
  ROW_LOOP (NUM_BYTES)
  for (int x = 0; x < region.width; x++)
    RESULT (x, halved (FIELD_SAMPLE (above, x) + FIELD_SAMPLE (below, x)));
}

kernel void
deinterlace_weave (FIELD_ARGS)
{
  FIELD_ROW
  if (IS_KEPT (item_y)) {
    COPY_ROW (item_dst, item_src)
    return;
  }
  OTHER_FIELD
  global const sample_t *row = FIELD_ROW_OF (earlier, earlier_at, item_y);
  ROW_LOOP (sizeof (sample_t))
  for (int x = 0; x < region.width; x++)
    RESULT (x, LOAD (row[x]));
}

#else

kernel void
deinterlace_linear (FIELD_ARGS)
{
  GPU_ITEM
  if (!ITEM_IN_REGION)
    return;
  if (IS_KEPT (item_y)) {
    COPY_ITEM
    return;
  }
  const int2 src_at = (int2) (src_offset, src_stride);
  int above[ITEM_SAMPLES], below[ITEM_SAMPLES];
  LOAD_ITEM (above, src, src_at, row_beside (item_y, -1, plane.height));
  LOAD_ITEM (below, src, src_at, row_beside (item_y, 1, plane.height));
#pragma unroll
  for (int i = 0; i < ITEM_SAMPLES; i++)
    above[i] = halved (above[i] + below[i]);
  store_item (above, item_y);
}

kernel void
deinterlace_weave (FIELD_ARGS)
{
  GPU_ITEM
  if (!ITEM_IN_REGION)
    return;
  if (IS_KEPT (item_y)) {
    COPY_ITEM
    return;
  }
  OTHER_FIELD
  int values[ITEM_SAMPLES];
  LOAD_ITEM (values, earlier, earlier_at, item_y);
  store_item (values, item_y);
}

#endif
