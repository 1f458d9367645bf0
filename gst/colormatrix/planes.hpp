/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clcolormatrix on YUV: a plane at a time, of samples of all of them. */
#pragma once

#include "colormatrix/plan.hpp"
#include "filter/operation.hpp"

namespace gst::cl {

class ColorMatrixPlanes {
public:
  /** Sees to it that every plane of a frame is in a buffer. */
  void prepare (Runner &runner, const FrameTask &frame);
  /** Enqueues what writes task.region; alpha stays as it is. plan: of plan_yuv_matrix(). */
  void run (Runner &runner, const PlaneTask &task, const ColorPlan &plan) const;
  /** Lets go of the frame. */
  void finish () { planes.clear (); }

private:
  /** A component's samples; offset is that of the first one. */
  struct Input {
    PlaneView view;
    int offset;
  };
  Input input (int component) const;

  std::vector<PlaneView> planes;
};

}  // namespace gst::cl
