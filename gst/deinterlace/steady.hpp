/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Makes deinterlaced fields steady along their motion. */
#pragma once

#include "deinterlace/fieldjob.hpp"
#include "motion/search.hpp"

#include <functional>

namespace gst::cl {

class Steady {
public:
  /** Interpolates all of task.dst from a field of task.src. */
  using MakeWhole = std::function<void (Runner &runner, const PlaneTask &task, const FieldJob &job)>;

  /** Whether the neighbouring fields are among the inputs, and the first plane of the frame is filtered. first_input: the
   *  number of the window's first frame. */
  bool can_run (const PlaneTask &task, const FieldJob &job, guint64 first_input) const;
  void run (Runner &runner, const PlaneTask &task, const FieldJob &job, guint64 first_input, const MakeWhole &make);

private:
  /** A field, interpolated to a frame. */
  struct Whole {
    PlaneView plane;
    guint64 number;
  };

  Whole whole (Runner &runner, const PlaneTask &task, const FieldJob &job, guint64 first_input, const MakeWhole &make);
  void look (Runner &runner, const PlaneTask &task, std::span<const Whole> fields);
  ::cl::Buffer field (Runner &runner, int direction) const;
  void launch (Runner &runner, const PlaneTask &task, const FieldJob &job, std::span<const Whole> fields);

  /** The number of fields whose planes are kept. */
  static constexpr int kept = 4;
  std::array<std::array<std::optional<guint64>, kept>, most_planes> made{};
  MotionSearch search;
  MotionGrid grid{};
  std::optional<guint64> searched;
};

}  // namespace gst::cl
