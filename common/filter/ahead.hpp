/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Work for an element's first frames before they come, so that the first frames of a live source are not late. */
#pragma once

#include "filter/mask.hpp"
#include "filter/operation.hpp"

#include <optional>

namespace gst::cl {

/** The frames of a stream that has not begun, and the work on them. */
struct Expected {
  GstVideoInfo info;
  /** Empty if nothing is written. */
  std::optional<GstVideoInfo> result;
  std::vector<StagePlan> stages;
  /** One entry for each stage. */
  std::vector<Settings> settings;
  size_t inputs = 1;
  /** Stands for the masks that come with frames, or null. */
  MaskRef mask = {};
};

/** Ignores errors, which filtering reports. */
class Ahead {
public:
  /** Starts building the programs. */
  Ahead (const ContextRef &context, Expected expected);

  /** Waits for the builds. runs: whether to filter black frames, too, because drivers compile or load kernels at their first
   *  launch. */
  void finish (const ContextRef &context, bool runs) const;

private:
  void run (const ContextRef &context) const;

  const Expected frames;
  std::vector<ProgramCache::Build> builds;
};

}  // namespace gst::cl
