/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A frame, or several, on the way through a stage whose result has other caps: planes as filters see them, on either side by itself. */
#pragma once

#include "filter/stage.hpp"

namespace gst::cl {

/** A frame's work, but for its planes. */
struct ChainFrame {
  const FrameTimes &times;
  /** Where regions of interest are. */
  GstBuffer *buffer;
  /** Of each stage. */
  std::span<const Settings> settings;
  bool interlaced;
};

/** Calls a Converter with all planes of a frame, or of each field. */
class GST_CL_API Conversion {
public:
  Conversion (const ContextRef &context, const GstVideoInfo &in_info, const GstVideoInfo &out_info, Backend backend);

  void run (Stage &stage, const Planes &in, const Planes &out, const ChainFrame &frame);
  /** The same for a Composer. */
  void compose (Stage &stage, std::span<ComposeInput> inputs, const Planes &out, const ChainFrame &frame);

  /** Whether a frame of the one is a frame of the other. */
  const bool same_frames;
  /** For kernels on planes of the result's format. */
  Runner writer;

private:
  Planes enter (Runner &runner, const Planes &in, bool takes_images) const;
  Planes make_result (const Planes &out, bool takes_images);
  void leave (const Planes &result, const Planes &out);

  const GstVideoInfo in_info, out_info;
  const Format &in_format, &out_format;
  std::optional<Arrangement> entrance, exit;
};

/** Whether frames of these caps differ in nothing but time. */
GST_CL_API bool describe_same_frames (const GstVideoInfo &a, const GstVideoInfo &b);

}  // namespace gst::cl
