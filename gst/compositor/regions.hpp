/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Draws the regions that detectors have found (GstVideoRegionOfInterestMeta) as boxes with labels. */
#pragma once

#include "compositor/overlays.hpp"

namespace gst::cl {

/** A region in pixels of the input picture. */
struct Region {
  int x, y, width, height;
  std::string label;
};

std::vector<Region> regions_of (GstBuffer *buffer);

void draw_regions (Runner &writer, const Canvas &canvas, const std::vector<Region> &regions, const PictureScale &scale);

}  // namespace gst::cl
