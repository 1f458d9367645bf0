/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Test frames. They decide whether OpenCL shares memory with another interface: an extension string, a
 * function pointer or a context proves nothing. */
#pragma once

#include "core/verdict.hpp"
#include "memory/frame.hpp"

namespace gst::cl {

/** The format of small frames of a test. */
GstVideoInfo trial_info (GstVideoFormat format);

/** Two small frames: the host fills them, the device inverts one into the other, and the host compares every byte. A subclass
 *  runs the kernel. */
class Trial {
public:
  /** Frames of memory with this caps feature; target: the caps' texture-target, or null. */
  Trial (MemoryLink &link, const GstVideoInfo &info, const char *feature, const char *target = nullptr);
  virtual ~Trial ();

  /** Throws Failure if the result of a frame in `from` has a wrong byte. */
  void require_inverse (GstBuffer *from);
  /** The mean time of a frame in `from` in µs. */
  double time (GstBuffer *from);

  GstBuffer *input () const { return in.get (); }

protected:
  /** Inverts from into out, and waits. */
  virtual void run (GstBuffer *from) = 0;
  /** Called after the host has written a frame, and before it reads one. */
  virtual void touch (GstBuffer *, GstMapFlags) {}

  MemoryLink &link;
  const GstVideoInfo info;
  Ref<GstCaps> caps;
  PoolRef pool;
  BufferRef in, out;
  ::cl::CommandQueue queue;
};

/** A frame on the host while it is mapped. */
class HostView {
public:
  HostView (const GstVideoInfo &info, GstBuffer *buffer, GstMapFlags flags);
  HostView (const HostView &) = delete;
  HostView &operator= (const HostView &) = delete;
  ~HostView () { gst_video_frame_unmap (&frame); }

  /** Calls visit (byte, plane, row, number of the byte in the row). */
  template <typename Visitor> void each_byte (Visitor visit)
  {
    const Format &format = *find_format (GST_VIDEO_FRAME_FORMAT (&frame));
    for (int plane = 0; plane < format.n_planes; plane++) {
      auto *rows = static_cast<guint8 *> (GST_VIDEO_FRAME_PLANE_DATA (&frame, plane));
      const PlaneExtent extent = extent_of (format, plane, GST_VIDEO_FRAME_WIDTH (&frame), GST_VIDEO_FRAME_HEIGHT (&frame));
      for (gsize row = 0; row < extent.rows; row++)
        for (gsize byte = 0; byte < extent.row_bytes; byte++)
          visit (rows[row * GST_VIDEO_FRAME_PLANE_STRIDE (&frame, plane) + byte], plane, row, byte);
    }
  }

private:
  GstVideoFrame frame = {};
};

}  // namespace gst::cl
