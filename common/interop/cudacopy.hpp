/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copies frames in CUDA memory. */
#pragma once

#include "interop/cuda.hpp"
#include "memory/placement.hpp"

#include <array>

namespace gst::cl::cuda {

/** Copies frames of info to memory that OpenCL has imported, in one of two ways: within the GPU's memory, or through host
 *  memory by the GPU's copy engines. A copy within the GPU may first have to switch the GPU from OpenCL to CUDA, which takes
 *  ten times as long as the copy; the copy engines need no switch. Both ways are timed from time to time, and the faster one is
 *  used. For one streaming thread. */
class Copier {
public:
  Copier (std::shared_ptr<const Exchange> exchange, const GstVideoInfo &info);
  ~Copier ();
  Copier (const Copier &) = delete;
  Copier &operator= (const Copier &) = delete;

  /** Copies a frame and waits for it. All planes must lie within their memory. Throws Failure. */
  void copy (GstBuffer *from, GstBuffer *to);

  /** The number of frames after which both ways have been tried. */
  static constexpr int trial_frames = 6;

private:
  enum Way { on_device, through_host };
  static constexpr int n_samples = trial_frames / 2;

  struct Side {
    Pointer base;
    Placement at;
  };
  Way choose () const;
  void start ();
  void copy_plane (Way way, const Side &from, const Side &to, const PlaneExtent &extent, guint8 *host);

  const std::shared_ptr<const Exchange> exchange;
  const Library &library;
  const GstVideoInfo info;
  const Format &format;
  /** The stream for copies, and the one for copies back from the host. */
  Stream stream = nullptr, returning = nullptr;
  Event passed = nullptr;
  void *pages = nullptr;
  /** The latest times of each way in µs; 0 for none. */
  std::array<std::array<gint64, n_samples>, 2> times = {};
  guint64 n_frames = 0;
};

}  // namespace gst::cl::cuda
