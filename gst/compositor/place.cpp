/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "compositor/place.hpp"

#include <gst/video/video.h>

#include <algorithm>

namespace gst::cl {

namespace {

/* Larger than any picture, while sums of two such numbers do not overflow. */
constexpr int far = 1 << 29;

int
scaled (int n, int num, int den)
{
  return int (std::min<guint64> (gst_util_uint64_scale_int (guint64 (n), num, den), far));
}

/* Changes the size so that its pixels cover the picture's area. */
void
reshape (int &width, int &height, const GstVideoInfo &picture, PixelShape par)
{
  guint n, d;
  if (!gst_video_calculate_display_ratio (
          &n, &d, width, height, GST_VIDEO_INFO_PAR_N (&picture), GST_VIDEO_INFO_PAR_D (&picture), par.n, par.d))
    return;
  if (height % n && width % d == 0)
    height = scaled (width, d, n);
  else
    width = scaled (height, n, d);
}

/* The largest centred rectangle with the picture's aspect ratio inside this size. */
Rect
fit (int width, int height, const GstVideoInfo &picture, PixelShape par)
{
  PixelShape shape;
  if (!gst_util_fraction_multiply (GST_VIDEO_INFO_WIDTH (&picture), GST_VIDEO_INFO_HEIGHT (&picture),
          GST_VIDEO_INFO_PAR_N (&picture), GST_VIDEO_INFO_PAR_D (&picture), &shape.n, &shape.d)
      || !gst_util_fraction_multiply (shape.n, shape.d, par.d, par.n, &shape.n, &shape.d) || shape.n <= 0)
    return {0, 0, width, height};
  const GstVideoRectangle from{0, 0, width, scaled (width, shape.d, shape.n)}, to{0, 0, width, height};
  if (from.h == 0)
    return {};
  GstVideoRectangle result;
  gst_video_center_rect (&from, &to, &result, TRUE);
  return {result.x, result.y, result.w, result.h};
}

}  // namespace

Rect
place_picture (const Placing &placing, const GstVideoInfo &picture, PixelShape par, bool zero_is_unscaled)
{
  const auto wanted = [&] (int set, int own) { return set < 0 || (set == 0 && zero_is_unscaled) ? own : std::min (set, far); };
  int width = wanted (placing.width, GST_VIDEO_INFO_WIDTH (&picture));
  int height = wanted (placing.height, GST_VIDEO_INFO_HEIGHT (&picture));
  Rect rect{};
  if (width == 0 || height == 0)
    return rect;
  if (placing.policy == SizingPolicy::keep_aspect_ratio) {
    rect = fit (width, height, picture, par);
  } else {
    reshape (width, height, picture, par);
    rect = {0, 0, width, height};
  }
  rect.x += std::clamp (placing.x, -far, far);
  rect.y += std::clamp (placing.y, -far, far);
  return rect;
}

Rect
on_chroma (Rect rect, int subsample_x, int subsample_y)
{
  const auto next = [] (int place, int subsampling) {
    const int rest = (1 << subsampling) - 1;
    return (place + rest) & ~rest;
  };
  rect.x = next (rect.x, subsample_x);
  rect.y = next (rect.y, subsample_y);
  return rect;
}

Rect
visible_part (const Rect &rect, int width, int height)
{
  const int left = std::clamp (rect.x, 0, width), top = std::clamp (rect.y, 0, height);
  return {left, top, std::clamp (rect.x + rect.width, 0, width) - left, std::clamp (rect.y + rect.height, 0, height) - top};
}

}  // namespace gst::cl
