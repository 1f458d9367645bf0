/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Converts frames in a stage whose result has other caps, or composes several frames. Handles the layout of planes on each side
 * separately. */
#pragma once

#include "filter/stage.hpp"

namespace gst::cl {

/** Everything about a frame's work except its planes. */
struct ChainFrame {
  const FrameTimes &times;
  /** The buffer whose metas hold the regions of interest. */
  GstBuffer *buffer;
  /** One entry for each stage. */
  std::span<const Settings> settings;
  bool interlaced;
};

/** Calls a Converter with all planes of a frame, or of each of its fields. */
class GST_CL_API Conversion {
public:
  Conversion (const ContextRef &context, const GstVideoInfo &in_info, const GstVideoInfo &out_info, Backend backend);

  void run (Stage &stage, const Planes &in, const Planes &out, const ChainFrame &frame);
  /** Like run(), for a Composer. */
  void compose (Stage &stage, std::span<ComposeInput> inputs, const Planes &out, const ChainFrame &frame);

  /** Whether a frame of one format is also a valid frame of the other. */
  const bool same_frames;
  /** Runs kernels on planes of the result's format. */
  Runner writer;

private:
  Planes enter (Runner &runner, const Planes &in) const;
  Planes make_result (const Planes &out);
  void leave (const Planes &result, const Planes &out);

  const GstVideoInfo in_info, out_info;
  const Format &in_format, &out_format;
  std::optional<Arrangement> entrance, exit;
};

/** Whether frames of these caps can differ only in their times. */
GST_CL_API bool describe_same_frames (const GstVideoInfo &a, const GstVideoInfo &b);

}  // namespace gst::cl
