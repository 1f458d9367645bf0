/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds out which kernels a frame would run, without running them. */
#pragma once

#include "filter/chain.hpp"

namespace gst::cl {

/** What a stream's next frame would be filtered with and by. */
struct Rehearsal {
  const ContextRef &context;
  const GstVideoInfo &info;
  std::span<const StagePlan> stages;
  /** Of each stage. */
  std::span<const Settings> settings;
  /** With its regions of interest. */
  GstBuffer *frame;
  bool interlaced;
  /** How many inputs the frame is made from, and which is the main one. */
  size_t inputs = 1, main = 0;
  /** Whether there is a result. */
  bool writes = true;
  /** What the result is; null: the same as the input. */
  const GstVideoInfo *out_info = nullptr;
};

/** The kernels of such frames from the second on, too, on the cpu back end. Throws what filtering would throw. */
GST_CL_API std::set<KernelForm> rehearse (const Rehearsal &rehearsal);

}  // namespace gst::cl
