/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Walks over the planes, fields and regions of a frame, and has an operation look at each or write it. */
#pragma once

#include "filter/operation.hpp"
#include "filter/settings.hpp"

namespace gst::cl {

using Planes = std::array<PlaneView, 3>;

/** The input of one frame's work. */
struct InputPlanes {
  /** Those of every input frame; which of them the result is made from, and takes its unfiltered samples from. */
  std::vector<Planes> frames;
  size_t main = 0;
};

class GST_CL_API PlaneWork {
public:
  PlaneWork (Runner &runner, Operation &operation, const FilterDescription &description, const GstVideoInfo &info);

  /** Operation::observe() for every plane, field and region. interlaced: whether the frame's rows are those of two
   *  fields. */
  void observe (const InputPlanes &in, const Settings &settings, const std::vector<Rect> &regions, bool interlaced);
  /** Operation::run() for every plane, field and region; everything else is copied. */
  void filter (
      const InputPlanes &in, const Planes &out, const Settings &settings, const std::vector<Rect> &regions, bool interlaced);

  /** The same for an operation that others are fused with: work enqueues what becomes of task.region of a plane.
   *  windowed: as that of the description. */
  using Work = std::function<void (const PlaneTask &task)>;
  void filter_by (const Work &work, bool takes_images, bool windowed, const InputPlanes &in, const Planes &out,
      const Settings &settings, const std::vector<Rect> &regions, bool interlaced);

private:
  /** Views of one field, or of the whole frame, that tasks refer to: those of each input, and of each plane. They hold images
   *  of textures, which must not outlive the frame. */
  struct Views {
    Planes frame;
    std::array<std::vector<PlaneView>, 3> inputs;
  };

  std::vector<PlaneTask> make_tasks (
      Views &seen, const InputPlanes &in, const Planes &out, const Settings &settings, int field, int n_fields) const;
  std::vector<Rect> rects_of (const PlaneTask &task, const std::vector<Rect> &regions, int field, int n_fields) const;
  void prepare (const Views &seen, const std::vector<PlaneTask> &tasks, const Settings &settings,
      const std::vector<Rect> &regions, int field, int n_fields);
  void filter_fields (const Work &work, bool prepares, bool takes_images, bool windowed, const InputPlanes &in,
      const Planes &out, const Settings &settings, const std::vector<Rect> &regions, bool interlaced);
  void run_plane (
      const PlaneTask &task, const Settings &settings, const std::vector<Rect> &rects, const Work &work, bool takes_images);

  Runner &runner;
  Operation &operation;
  const FilterDescription &description;
  const GstVideoInfo info;
  const Format &format;
};

}  // namespace gst::cl
