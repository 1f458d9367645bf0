/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The work of cldeinterlace: makes a frame from one field by interpolating the other's rows. */
#pragma once

#include "filter/operation.hpp"

namespace gst::cl {

enum class DeinterlaceMethod { bwdif, yadif, linear, weave };

/** How many frames on either side a method reads. */
inline size_t
reach_of (DeinterlaceMethod method)
{
  return method == DeinterlaceMethod::linear ? 0 : 1;
}

/** What to make of a frame: FrameTimes::job. */
struct FieldJob {
  /** Which rows are kept: those of the bottom field, otherwise those of the top one. */
  bool keeps_bottom = false;
  /** Whether that is the later field of the frame. */
  bool is_second = false;
  /** The frame has only this field: nothing is read from other times. */
  bool is_alone = false;
  /** The unchanged frame, in other memory. */
  bool is_copy = false;

  unsigned packed () const { return keeps_bottom | is_second << 1 | is_alone << 2 | is_copy << 3; }
  static FieldJob of (unsigned packed) { return {(packed & 1) != 0, (packed & 2) != 0, (packed & 4) != 0, (packed & 8) != 0}; }
};

class Deinterlace : public Operation {
public:
  explicit Deinterlace (DeinterlaceMethod (*method_of) (const Values &)) : method_of (method_of) {}

  void update (const Values &values) override { method = method_of (values); }
  void begin_frame (Runner &, const FrameInfo &info) override { job = FieldJob::of (info.job); }
  /** Makes all planes at once where it can. */
  void prepare (Runner &runner, const FrameTask &frame) override;
  void run (Runner &runner, const PlaneTask &task) override;
  std::string algorithm () const override;

private:
  /** A plane of the frame, of those around it, and of the result. */
  struct FieldPlane {
    const PlaneView &src, &dst, &previous, &next;
    int alignment (int sample_size) const;
    bool shares_memory (const FieldPlane &other) const;
  };

  FieldPlane field_plane (const PlaneTask &task) const;
  cl_int what_of (const PlaneTask &task) const;
  void make_planes (Runner &runner, std::span<const PlaneTask> tasks, std::span<const FieldPlane> planes);

  DeinterlaceMethod (*const method_of) (const Values &);
  DeinterlaceMethod method = DeinterlaceMethod::bwdif;
  FieldJob job;
  /** The frame at hand is made. */
  bool is_made = false;
};

}  // namespace gst::cl
