/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds out which kernels a frame would run, without running them. */
#pragma once

#include "filter/chain.hpp"

namespace gst::cl {

/** The next frame of a stream, its filters and settings. */
struct Rehearsal {
  const ContextRef &context;
  const GstVideoInfo &info;
  std::span<const StagePlan> stages;
  /** One entry for each stage. */
  std::span<const Settings> settings;
  /** The frame, with its regions of interest. */
  GstBuffer *frame;
  bool interlaced;
  /** The number of inputs of the frame, and the index of the main one. */
  size_t inputs = 1, main = 0;
  /** Whether a result is written. */
  bool writes = true;
  /** The format of the result; null if it is the input's. */
  const GstVideoInfo *out_info = nullptr;
};

/** Returns the kernels of such frames, including the kernels that only later frames need, on the cpu back end. Throws the
 *  errors that filtering would throw. */
GST_CL_API std::set<KernelForm> rehearse (const Rehearsal &rehearsal);

}  // namespace gst::cl
