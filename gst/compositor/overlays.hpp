/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Draws the overlays of GstVideoOverlayCompositionMeta on a picture, mostly subtitles. */
#pragma once

#include "compositor/layer.hpp"

namespace gst::cl {

/** Maps positions in the input picture to positions on a canvas: multiplied by x and y, minus the part that the canvas omits at
 *  the left and at the top. */
struct PictureScale {
  double x, y;
  int left, top;

  Rect apply (int px, int py, int width, int height) const;
};

/** The overlays of a buffer from bottom to top. The buffer owns them. */
std::vector<GstVideoOverlayRectangle *> overlays_of (GstBuffer *buffer);

/** The overlays of one pad, kept between frames. */
class Overlays {
public:
  void draw (Runner &writer, const Canvas &canvas, const std::vector<GstVideoOverlayRectangle *> &rectangles,
      const PictureScale &scale, bool profile);

private:
  struct Known {
    Layer layer;
    /** The sequence number of its pixels on the device. */
    std::optional<guint> seqnum;
  };

  const ::cl::Buffer *upload (size_t i, GstVideoOverlayRectangle *rectangle, GstVideoInfo &info);

  /** Launches kernels on the rectangles' pixels. */
  std::optional<Runner> reader;
  std::vector<Known> known;
};

/** A region that a detector has found (GstVideoRegionOfInterestMeta, or an analytics meta), in pixels of the input picture. */
struct Region {
  int x, y, width, height;
  std::string label;
};

std::vector<Region> regions_of (GstBuffer *buffer);

/** Draws boxes with labels. */
void draw_regions (Runner &writer, const Canvas &canvas, const std::vector<Region> &regions, const PictureScale &scale);

}  // namespace gst::cl
