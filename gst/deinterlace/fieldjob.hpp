/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

namespace gst::cl {

/** How to deinterlace a frame: FrameTimes::job. */
struct FieldJob {
  /** Whether the rows of the bottom field are kept; otherwise the top field's rows are. */
  bool keeps_bottom = false;
  /** Whether this field is the later one of the frame. */
  bool is_second = false;
  /** The frame has only this field, so other frames are not read. */
  bool is_alone = false;
  /** The result is a copy of the frame. */
  bool is_copy = false;
  /** The neighbouring fields are consecutive, and may be read. */
  bool is_between = false;

  unsigned packed () const { return keeps_bottom | is_second << 1 | is_alone << 2 | is_copy << 3 | is_between << 4; }
  static FieldJob of (unsigned packed)
  {
    return {(packed & 1) != 0, (packed & 2) != 0, (packed & 4) != 0, (packed & 8) != 0, (packed & 16) != 0};
  }
};

}  // namespace gst::cl
