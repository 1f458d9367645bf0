/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "../../reference/picture.hpp"

namespace ref {

struct Flip {
  std::string direction = "identity"; /* nicks of GstVideoOrientationMethod */
  int left = 0, right = 0, top = 0, bottom = 0;
  bool fields = false; /* flips the fields of an interlaced frame separately */
};

Picture flip (const Picture &in, const Flip &settings);

}  // namespace ref
