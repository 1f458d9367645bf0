/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What happens to samples that no filter changes. */
#pragma once

#include "filter/runner.hpp"

namespace gst::cl {

/** Copies a rectangle of the plane unchanged. */
GST_CL_API void copy_samples (Runner &runner, const PlaneTask &task, const Rect &rect);

/** Copies a whole plane to another one of its size and layout. */
GST_CL_API void copy_plane (Runner &runner, const PlaneView &from, const PlaneView &to);
/** plane where it is a buffer, else a copy of the image in scratch memory of that name. */
GST_CL_API PlaneView in_buffer (Runner &runner, const PlaneView &plane, const ScratchName &name);

/** Whether a frame of these caps has two fields. */
GST_CL_API bool is_interlaced (const GstVideoInfo &info, GstBuffer *buffer);
/** A view of every second row, from row field on. */
GST_CL_API PlaneView field_of (PlaneView view, int field);
/** The same to read from, beside other planes. A field of frame_height / 2 rows may lack the last row of chroma, which the other field
 *  has alone: then a row behind the view repeats its last one; or the view is the other field's row, where it would have none. */
GST_CL_API PlaneView field_to_read (
    Runner &runner, const PlaneView &plane, int field, int frame_height, const ScratchName &name);

/** The common property `mix` as kernels take it. */
cl_long mix_amount (Runner &runner, double amount);
/** The common property `mix`, on task.region of a buffer. */
GST_CL_API void mix_samples (Runner &runner, const PlaneTask &task, double amount);

/** A task on copies in scratch memory of whatever is an image. */
class BufferedTask {
public:
  /** Copies src and the inputs. Both outlive it. */
  BufferedTask (Runner &runner, const PlaneTask &task);

  /** Copies what was written of a region to the task's dst. */
  void copy_back (const Rect &region);

  PlaneTask inside;

private:
  Runner &runner;
  const PlaneTask &task;
  std::vector<PlaneView> inputs;
};

}  // namespace gst::cl
