/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Filters of YUV whose samples depend on the luma, U and V of their place: a plane at a time, of samples of all of them. */
#pragma once

#include "filter/operation.hpp"
#include "filter/point.hpp"

namespace gst::cl {

/** A component's samples; offset is that of the first one. */
struct ComponentView {
  PlaneView view;
  int offset;
};

/** Where in a frame a component is; the first sample of all where it has none. */
ComponentView find_component (std::span<const PlaneView> planes, int component);

class ColorPlanes {
public:
  /** Makes sure that every plane of a frame is in a buffer. */
  void prepare (Runner &runner, const FrameTask &frame);
  /** Of a frame whose planes are in buffers. */
  void begin (std::span<const PlaneView> frame) { planes.assign (frame.begin (), frame.end ()); }
  /** Enqueues what writes task.region by a step that works on luma, U and V; alpha is unchanged. */
  void run (Runner &runner, const PlaneTask &task, const PointStep &step) const;
  /** Releases the frame. */
  void finish () { planes.clear (); }

private:
  std::vector<PlaneView> planes;
};

}  // namespace gst::cl
