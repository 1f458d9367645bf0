/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* GST_CL_BACKEND=image: copies frames to OpenCL images and back, as if they were GL textures, so that tests reach the image
 * code of kernels without GL. */
#pragma once

#include "filter/runner.hpp"

#include <functional>

namespace gst::cl {

class GST_CL_API ImageStage {
public:
  using Planes = std::array<PlaneView, most_planes>;

  /** source and result tell which side uses images. */
  ImageStage (const ContextRef &context, const GstVideoInfo &info, bool source, bool result);

  /** Copies `from` to images, calls filter with them, and copies the result to `to`. Planes that are images already, or that
   *  the device has no image format for, are passed as they are. */
  void run (
      Runner &runner, const Planes &from, const Planes &to, const std::function<void (const Planes &, const Planes &)> &filter);

private:
  struct Staged {
    PlaneView source, result;
  };

  void make_images (int plane, const ContextRef &context, const GstVideoInfo &info);

  const Format &format;
  const bool source, result;
  /** Images of every plane; memory is null for planes without images. */
  std::array<Staged, most_planes> staged;
};

}  // namespace gst::cl
