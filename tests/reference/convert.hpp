/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <string>

#include "picture.hpp"

namespace ref {

/* What the caps of one side say. */
struct Colors {
  double red = 0.299, blue = 0.114; /* their weights in luma */
  bool limited = true;              /* of YUV; RGB and gray are full here */
  bool cosited_x = false, cosited_y = false;
};

struct Convert {
  std::string method = "bilinear"; /* nearest bilinear bicubic lanczos area */
  bool nearest_chroma = false;
  Colors in, out;
  int x = 0, y = 0, width = 0, height = 0; /* where the picture stands in the result; 0: everywhere */
};

/* A picture of the format and size of `like`. No dither. */
Picture convert (const Picture &in, const Picture &like, const Convert &settings);

}  // namespace ref
