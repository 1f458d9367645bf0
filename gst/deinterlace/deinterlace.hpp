/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The operation of cldeinterlace: makes a frame from one field by interpolating the rows of the other field. */
#pragma once

#include "deinterlace/fieldcaps.hpp"
#include "deinterlace/steady.hpp"
#include "filter/operation.hpp"

namespace gst::cl {

/** How many frames on either side a method reads. */
inline size_t
reach_of (DeinterlaceMethod method)
{
  return method == DeinterlaceMethod::linear ? 0 : method == DeinterlaceMethod::motion ? 2 : 1;
}

class Deinterlace : public With<DeinterlaceSettings> {
public:
  void changed () override;
  Abilities abilities (const Runner &) const override { return {.weaves = true}; }
  void begin_frame (Runner &, const FrameInfo &info) override
  {
    job = FieldJob::of (info.job);
    first_input = info.first_input;
  }
  /** Makes all planes in one launch if possible. */
  void prepare (Runner &runner, const FrameTask &frame) override;
  void run (Runner &runner, const PlaneTask &task) override;

private:
  /** The same plane of the frame, its neighbours and the result. */
  struct FieldPlane {
    const PlaneView &src, &dst, &previous, &next;
    int alignment (int sample_size) const;
    bool shares_memory (const FieldPlane &other) const;
  };

  FieldPlane field_plane (const PlaneTask &task) const;
  bool is_steady (const PlaneTask &task) const
  {
    return settings.method == DeinterlaceMethod::motion && steady.can_run (task, job, first_input);
  }
  /** The method that interpolates a field. */
  DeinterlaceMethod filled () const
  {
    return settings.method == DeinterlaceMethod::motion ? DeinterlaceMethod::bwdif : settings.method;
  }
  cl_int what_of (const PlaneTask &task, const FieldJob &of) const;
  void make_plane (Runner &runner, const PlaneTask &task, const FieldJob &of);
  void make_planes (Runner &runner, std::span<const PlaneTask> tasks, std::span<const FieldPlane> planes, const FieldJob &of);

  FieldJob job;
  guint64 first_input = 0;
  Steady steady;
  /** Whether the current frame is already made. */
  bool is_made = false;
};

}  // namespace gst::cl
