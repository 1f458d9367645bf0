/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Draws what detectors have found in a picture (GstVideoRegionOfInterestMeta) as boxes with labels. */
#pragma once

#include "compositor/overlays.hpp"

namespace gst::cl {

/** In pixels of the picture as it came. */
struct Region {
  int x, y, width, height;
  std::string label;
};

std::vector<Region> regions_of (GstBuffer *buffer);

void draw_regions (Runner &writer, const Canvas &canvas, const std::vector<Region> &regions, const PictureScale &scale);

}  // namespace gst::cl
