/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clframerate's interpolated picture, in plain loops. */
#pragma once

#include "../../reference/picture.hpp"

namespace ref {

struct Between {
  /* 256ths of the way from a to b */
  int phase = 128;
  /* without motion */
  bool still = false;
  double scene_threshold = 0.5;
};

Picture between_frames (const Picture &a, const Picture &b, const Between &settings);

}  // namespace ref
