/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Composes pictures. */
#pragma once

#include "../convert/reference.hpp"

namespace ref {

struct CompositeLayer {
  Picture picture;
  int x = 0, y = 0, width = 0, height = 0; /* 0: the picture's size */
  double alpha = 1;
  std::string op = "over"; /* source over add */
};

/* A picture in the format and size of `like`, with a background (checker black white transparent) and the layers in order. All
 * have GStreamer's default colorimetry. */
Picture composite (const Picture &like, const std::string &background, const std::vector<CompositeLayer> &layers);

}  // namespace ref
