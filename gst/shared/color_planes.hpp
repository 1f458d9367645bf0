/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Filters of YUV whose results depend on luma, U and V together. They write one plane at a time and read all three. */
#pragma once

#include "filter/operation.hpp"

namespace gst::cl {

/** A component's samples; offset is the position of the first one. */
struct ComponentView {
  PlaneView view;
  int offset;
};

/** A component's samples in a frame; the first component's if the frame does not have it. */
ComponentView find_component (std::span<const PlaneView> planes, int component);

class ColorPlanes {
public:
  /** Makes sure that every plane of a frame is in a buffer. */
  void prepare (Runner &runner, const FrameTask &frame);
  /** Begins a frame whose planes are in buffers. */
  void begin (std::span<const PlaneView> frame) { planes.assign (frame.begin (), frame.end ()); }
  /** A step on luma, U and V; alpha stays unchanged. */
  Launch launch (const Runner &runner, const PlaneTask &task, const PointStep &step) const;
  /** Releases the frame. */
  void finish () { planes.clear (); }

private:
  std::vector<PlaneView> planes;
};

}  // namespace gst::cl
