/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a picture is made of: how often each value occurs, and how bright it is from left to right. */
#pragma once

#include "../common/glib.hpp"

#include <array>

namespace studio {

struct Scopes {
  static constexpr int levels = 256, columns = 256;
  enum Component { red, green, blue, luma };
  /* pixels looked at, of each value */
  std::array<std::array<unsigned, levels>, 4> histogram{};
  /* of each column of the picture, those of each luma */
  std::array<std::array<unsigned, levels>, columns> waveform{};
  unsigned pixels = 0;
};

/* Of a frame in BGRx; of large ones a part of the pixels, spread evenly. Nothing is counted where it cannot be read. Luma is
   that of BT.709, from 0 for black to 255 for white. */
Scopes measure (GstSample *frame);

}  // namespace studio
