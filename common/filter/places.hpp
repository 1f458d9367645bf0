/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Launches of steps on YUV, which need luma, U and V of a place at once (kernels/lib/blocks.cl). Alpha stays unchanged. */
#pragma once

#include "filter/runner.hpp"

namespace gst::cl {

/** A component's samples; offset is the position of the first one. */
struct ComponentView {
  PlaneView view;
  int offset;
};

/** A component's samples in a frame; the first component's if the frame does not have it. */
GST_CL_API ComponentView find_component (std::span<const PlaneView> planes, int component);

/** Writes task.region of one plane by one step. frame: all planes that it is made from, in buffers. */
GST_CL_API Launch place_launch (
    const Runner &runner, std::span<const PlaneView> frame, const PlaneTask &task, const PointSteps &step);

/** Writes all planes of a frame, or of a field, by steps; both are in buffers. */
GST_CL_API Launches place_launches (
    const Runner &runner, std::span<const PlaneView> src, std::span<const PlaneView> dst, const PointSteps &steps);

}  // namespace gst::cl
