/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "../../reference/picture.hpp"

namespace ref {

/* The colorimetry of one side's caps. */
struct Colors {
  double red = 0.299, blue = 0.114; /* their weights in luma */
  bool limited = true;              /* of YUV; RGB and gray are treated as full range here */
  bool cosited_x = false, cosited_y = false;
};

struct Convert {
  std::string method = "bilinear"; /* nearest bilinear bicubic lanczos area */
  bool nearest_chroma = false;
  Colors in, out;
  int x = 0, y = 0, width = 0, height = 0; /* the picture's rectangle in the result; 0: all of it */
};

/* A picture in the format and size of `like`, without dither. */
Picture convert (const Picture &in, const Picture &like, const Convert &settings);

}  // namespace ref
