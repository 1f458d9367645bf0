/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Statistics of a picture: how often each value occurs, and the brightness from left to right. */
#pragma once

#include "../common/glib.hpp"
#include "../common/mappedframe.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace studio {

struct Scopes {
  static constexpr int levels = 256, columns = 256;
  enum Component { red, green, blue, luma };
  /* number of counted pixels with each value */
  std::array<std::array<unsigned, levels>, 4> histogram{};
  /* for each column of the picture, the number of pixels with each luma */
  std::array<std::array<unsigned, levels>, columns> waveform{};
  unsigned pixels = 0;
};

/* Measures a frame in BGRx; of a large frame, a part of the pixels, spread evenly. Counts nothing if the frame cannot be read.
   Luma is BT.709's, from 0 for black to 255 for white. */
inline Scopes
measure (GstSample *frame)
{
  /* more pixels make no visible difference in scopes of this size */
  constexpr double enough = 60000;
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
