/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Statistics of a picture: how often each value occurs, and the brightness from left to right. */
#pragma once

#include "../common/glib.hpp"

#include <array>

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
Scopes measure (GstSample *frame);

}  // namespace studio
