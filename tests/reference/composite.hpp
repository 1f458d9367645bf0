/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pictures over one another. */
#pragma once

#include "convert.hpp"

namespace ref {

struct CompositeLayer {
  Picture picture;
  int x = 0, y = 0, width = 0, height = 0; /* 0: those of the picture */
  double alpha = 1;
  std::string op = "over"; /* source over add */
};

/* A picture of the format and size of `like`, filled with a background (checker black white transparent), with the layers from the
 * first to the last. The colours of all are GStreamer's usual ones. */
Picture composite (const Picture &like, const std::string &background, const std::vector<CompositeLayer> &layers);

}  // namespace ref
