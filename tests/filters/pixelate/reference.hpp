/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "../../reference/common.hpp"

namespace ref {

struct Pixelate {
  int size = 16;
  int blocks = 0; /* along the smaller side of the region; 0: use size */
  bool by_region = false;
};

Picture pixelate (const Picture &in, const Pixelate &settings, const Rectangle &region);

}  // namespace ref
