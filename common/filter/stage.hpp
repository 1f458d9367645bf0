/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One filter at work in a stream: its operation, and what that keeps on the device. */
#pragma once

#include "filter/planework.hpp"

namespace gst::cl {

/** Which filter, and who hears of it. Both outlive the stage. */
struct StagePlan {
  const FilterDescription *description;
  Reporter *reporter;
  /** Where the operation is not the description's. */
  std::function<std::unique_ptr<Operation> ()> create;
};

class GST_CL_API Stage {
public:
  Stage (const ContextRef &context, const GstVideoInfo &info, Backend backend, const StagePlan &plan);

  /** Whether these settings change nothing in regions. */
  bool is_neutral (const Settings &settings, const std::vector<Rect> &regions);
  bool observes (const Settings &settings) const { return description.observes && description.observes (settings.own); }
  void update (const Settings &settings);
  /** "" before the first update(). */
  std::string algorithm () const { return operation_values ? operation->algorithm () : ""; }

  const FilterDescription &description;
  Reporter &reporter;
  /** Its own: scratch memory and tables have names. */
  Runner runner;
  const std::unique_ptr<Operation> operation;
  PlaneWork planes;

private:
  const unsigned components;
  std::optional<Values> operation_values;
  /** The last answer of the description's neutral(), and to what. */
  std::optional<std::pair<Values, bool>> known_neutral;
};

}  // namespace gst::cl
