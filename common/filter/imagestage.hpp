/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* GST_CL_BACKEND=image: frames go through OpenCL images on their way, as if they were GL textures, so that what kernels
 * do with images is tested where there is no GL. */
#pragma once

#include "filter/runner.hpp"

#include <functional>

namespace gst::cl {

class GST_CL_API ImageStage {
public:
  using Planes = std::array<PlaneView, most_planes>;

  /** source and result say which of them is to be in images. */
  ImageStage (const ContextRef &context, const GstVideoInfo &info, bool source, bool result);

  /** Copies from to images, calls filter with them, and copies what it wrote to to. Planes for which the device has no
   *  images, or which are images already, stay what they are. */
  void run (
      Runner &runner, const Planes &from, const Planes &to, const std::function<void (const Planes &, const Planes &)> &filter);

private:
  struct Staged {
    PlaneView source, result;
  };

  void make_images (int plane, const ContextRef &context, const GstVideoInfo &info);

  const Format &format;
  const bool source, result;
  /** Images of every plane, none where memory is null. */
  std::array<Staged, most_planes> staged;
};

}  // namespace gst::cl
