/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

namespace gst::cl {

/** How a frame is deinterlaced: FrameTimes::job. */
struct FieldJob {
  /** Which rows are kept: those of the bottom field, otherwise those of the top one. */
  bool keeps_bottom = false;
  /** Whether that is the later field of the frame. */
  bool is_second = false;
  /** The frame has only this field: nothing is read from other times. */
  bool is_alone = false;
  /** The result is a copy of the frame. */
  bool is_copy = false;
  /** The fields on either side are shown before and after it, and may be used. */
  bool is_between = false;

  unsigned packed () const { return keeps_bottom | is_second << 1 | is_alone << 2 | is_copy << 3 | is_between << 4; }
  static FieldJob of (unsigned packed)
  {
    return {(packed & 1) != 0, (packed & 2) != 0, (packed & 4) != 0, (packed & 8) != 0, (packed & 16) != 0};
  }
};

}  // namespace gst::cl
