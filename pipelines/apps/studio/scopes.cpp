/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "scopes.hpp"
#include "../common/mappedframe.hpp"

#include <algorithm>
#include <cmath>

namespace studio {

namespace {

/* more pixels make no visible difference in scopes of this size */
constexpr double enough = 60000;

}  // namespace

Scopes
measure (GstSample *frame)
{
  Scopes scopes;
  const MappedFrame mapped (frame);
  if (!mapped || GST_VIDEO_FRAME_FORMAT (&mapped.frame) != GST_VIDEO_FORMAT_BGRx)
    return scopes;
  const GstVideoInfo &info = mapped.frame.info;
  const int step = std::max (1, int (std::sqrt (double (info.width) * info.height / enough)));
  for (int y = step / 2; y < info.height; y += step) {
    const auto *row =
        static_cast<const guint8 *> (mapped.frame.data[0]) + gsize (y) * GST_VIDEO_FRAME_PLANE_STRIDE (&mapped.frame, 0);
    for (int x = step / 2; x < info.width; x += step) {
      const guint8 *pixel = row + 4 * gsize (x);
      const int light = int (std::lround (0.2126 * pixel[2] + 0.7152 * pixel[1] + 0.0722 * pixel[0]));
      ++scopes.histogram[Scopes::red][pixel[2]];
      ++scopes.histogram[Scopes::green][pixel[1]];
      ++scopes.histogram[Scopes::blue][pixel[0]];
      ++scopes.histogram[Scopes::luma][size_t (light)];
      ++scopes.waveform[size_t (x) * Scopes::columns / size_t (info.width)][size_t (light)];
      ++scopes.pixels;
    }
  }
  return scopes;
}

}  // namespace studio
