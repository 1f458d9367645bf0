/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Frames from one allocation of a device to another. */
#pragma once

#include "interop/cuda.hpp"
#include "memory/placement.hpp"

#include <array>

namespace gst::cl::cuda {

/** Copies frames of info to memory that OpenCL has imported. There are two ways. The GPU copies within its memory, but it runs CUDA
 *  and OpenCL in turns, and to change over takes ten times as long as the copy. Or its engines for transfers, which need no turn,
 *  take the frame to host memory and back. Which one is faster depends on what else CUDA does, so both are timed all along.
 *  One streaming thread uses it. */
class Copier {
public:
  Copier (std::shared_ptr<const Exchange> exchange, const GstVideoInfo &info);
  ~Copier ();
  Copier (const Copier &) = delete;
  Copier &operator= (const Copier &) = delete;

  /** Returns when the copy is complete. The planes of both are within their memory. Throws Failure. */
  void copy (GstBuffer *from, GstBuffer *to);

  /** After as many frames each way was tried. */
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
  /** Where frames pass; the second one brings them back from the host. */
  Stream stream = nullptr, returning = nullptr;
  Event passed = nullptr;
  void *pages = nullptr;
  /** The last times of each way, in microseconds; 0 for none. */
  std::array<std::array<gint64, n_samples>, 2> times = {};
  guint64 n_frames = 0;
};

}  // namespace gst::cl::cuda
