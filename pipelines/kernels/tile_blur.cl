/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The mean of a square window, from a tile in local memory: each work-group reads its part of the frame and the margin around it
 * once, and then all its items read the tile.
 *
 * Per pixel, in any format.
 *
 *   gst-launch-1.0 videotestsrc ! clprogram location=pipelines/kernels/tile_blur.cl params::radius=4 ! videoconvert ! autovideosink
 */
// @param radius int 3 [0, 8] "Half the window: it is 2 * radius + 1 pixels wide and high"

#define GROUP 16
#define MOST 8
#define SIDE (GROUP + 2 * MOST)

// @group 16 16
kernel void
tile_blur (PIXEL_ARGS, int radius)
{
  PIXEL_BEGIN
  local float4 tile[SIDE][SIDE];
  const int column = get_local_id (0), row = get_local_id (1), side = GROUP + 2 * radius;
  for (int j = row; j < side; j += GROUP)
    for (int i = column; i < side; i += GROUP)
      tile[j][i] = pixel_at (x - column + i - radius, y - row + j - radius);
  barrier (CLK_LOCAL_MEM_FENCE);

  float4 sum = 0;
  for (int j = 0; j <= 2 * radius; j++)
    for (int i = 0; i <= 2 * radius; i++)
      sum += tile[row + j][column + i];
  const int window = 2 * radius + 1;
  OUT_PIXEL (sum / (window * window));
}
