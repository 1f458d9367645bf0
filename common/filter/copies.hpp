/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What happens to samples that no filter changes. */
#pragma once

#include "filter/runner.hpp"

namespace gst::cl {

/** Copies a rectangle of the plane unchanged. */
GST_CL_API void copy_samples (Runner &runner, const PlaneTask &task, const Rect &rect);

/** The common property `mix`, on task.region of a buffer. */
GST_CL_API void mix_samples (Runner &runner, const PlaneTask &task, double amount);

/** A task on copies in scratch memory of whatever is an image. */
class BufferedTask {
public:
  /** Copies src and the inputs. Both outlive it. */
  BufferedTask (Runner &runner, const PlaneTask &task);

  /** Copies what was written of a region to the task's dst. */
  void copy_back (const Rect &region);

  PlaneTask inside;

private:
  PlaneView in_buffer (const PlaneView &plane, const std::string &name);

  Runner &runner;
  const PlaneTask &task;
  std::vector<PlaneView> inputs;
};

}  // namespace gst::cl
