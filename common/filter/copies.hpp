/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copies of samples that no filter changes. */
#pragma once

#include "filter/runner.hpp"

namespace gst::cl {

/** Copies a rectangle of the plane unchanged. */
GST_CL_API void copy_samples (Runner &runner, const PlaneTask &task, const Rect &rect);

/** Copies a whole plane to another one of its size and layout. */
GST_CL_API void copy_plane (Runner &runner, const PlaneView &from, const PlaneView &to);
/** Returns plane if it is a buffer, else a copy of the image in scratch memory of that name. */
GST_CL_API PlaneView in_buffer (Runner &runner, const PlaneView &plane, const ScratchName &name);

/** Whether a frame of these caps is interlaced. */
GST_CL_API bool is_interlaced (const GstVideoInfo &info, GstBuffer *buffer);
/** Views every second row, starting with row `field` (0 or 1). */
GST_CL_API PlaneView field_of (PlaneView view, int field);
/** Like field_of(), for reading beside other planes. With an odd number of chroma rows, one of the two fields of frame_height /
 *  2 rows lacks its last chroma row. Then the view repeats the row before it; a field without any chroma row gets the other
 *  field's row. */
GST_CL_API PlaneView field_to_read (
    Runner &runner, const PlaneView &plane, int field, int frame_height, const ScratchName &name);

/** Converts the common property `mix` to the number that kernels take. */
cl_long mix_amount (Runner &runner, double amount);
/** Applies the common property `mix` to task.region of a buffer. */
GST_CL_API void mix_samples (Runner &runner, const PlaneTask &task, double amount);

/** A task whose images are replaced by copies in scratch memory. */
class BufferedTask {
public:
  /** Copies src and the inputs. runner and task must outlive the object. */
  BufferedTask (Runner &runner, const PlaneTask &task);

  /** Copies a region of the result to the task's dst. */
  void copy_back (const Rect &region);

  PlaneTask inside;

private:
  Runner &runner;
  const PlaneTask &task;
  std::vector<PlaneView> inputs;
};

}  // namespace gst::cl
