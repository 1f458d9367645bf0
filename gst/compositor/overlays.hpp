/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Draws the overlays of GstVideoOverlayCompositionMeta on a picture, mostly subtitles. */
#pragma once

#include "compositor/layer.hpp"

namespace gst::cl {

/** From places of a picture as it came to those on a canvas that shows it: times x and y, and less what the canvas leaves out at
 *  the left and at the top. */
struct PictureScale {
  double x, y;
  int left, top;

  Rect apply (int px, int py, int width, int height) const;
};

/** Those of a buffer, from the lowest to the uppermost. The buffer keeps them. */
std::vector<GstVideoOverlayRectangle *> overlays_of (GstBuffer *buffer);

/** Those of one pad from frame to frame. */
class Overlays {
public:
  void draw (Runner &writer, const Canvas &canvas, const std::vector<GstVideoOverlayRectangle *> &rectangles,
      const PictureScale &scale, bool profile);

private:
  struct Known {
    Layer layer;
    /** Of its pixels on the device. */
    std::optional<guint> seqnum;
  };

  const ::cl::Buffer *upload (size_t i, GstVideoOverlayRectangle *rectangle, GstVideoInfo &info);

  /** For kernels on the rectangles' pixels. */
  std::optional<Runner> reader;
  std::vector<Known> known;
};

}  // namespace gst::cl
