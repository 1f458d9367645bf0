/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* appsrc ! element ! ... ! fakesink, fed with rotating frames. */
#pragma once

#include "bench.hpp"
#include "pads.hpp"

#include <gst/app/gstappsrc.h>
#include <gst/cl/cl.h>

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>

namespace bench {

/** The memory of frames on both sides of the element. */
enum class Memory {
  /** Pages of our own: the element has to take them as they are. */
  system,
  /** Buffers of the proposed pool, written again for every frame. */
  proposed,
  /** OpenCL memory on both sides. */
  opencl,
};

class Pipeline {
public:
  /** Starts the pipeline; without a context, start () does that, and the elements find one. Throws std::runtime_error. */
  Pipeline (GstClContext *context, const std::string &device, const Case &what, const Frames &frames,
      Memory memory = Memory::system, bool profile = false);
  Pipeline (const Pipeline &) = delete;
  Pipeline &operator= (const Pipeline &) = delete;

  void start ();

  /** Filters n frames, waits until the last is complete, and returns µs per frame. */
  double run (int n);
  /** After run(): the kernel time of the newest frame known to be complete, of all elements together, in µs. */
  double kernel_us () const;
  /** Calls run(), and returns the mean of kernel_us() over all frames. */
  double run_kernels (int n);
  /** A string and a number of the first element's `stats`. */
  std::string stat (const char *name) const;
  guint64 count (const char *name) const;
  GstElement *element () const { return filters.front (); }

private:
  void build (const std::string &device, const Case &what);
  void take (GstBuffer *result);
  double newest_kernel_us () const;
  void push_frame (guint64 number);
  void fill (GstClContext *context, const Frames &frames);
  void fill_from_pool (Ref<GstBufferPool> from, const Frames &frames);
  void push (GstElement *source, GstBuffer *buffer, guint64 number);
  GstBuffer *wait_for_last ();
  bool has_error ();
  [[noreturn]] void fail ();

  Memory memory;
  const bool profile = false;
  std::vector<GstElement *> sources, filters;
  const Caps caps;
  Ref<GstBufferPool> pool;
  std::vector<Buffer> inputs;
  guint64 n_pushed = 0, delay = 0;
  std::string error;

  std::mutex mutex;
  std::condition_variable arrived;
  guint64 n_arrived = 0;
  double kernel_sum_us = 0;
  int n_kernels = 0;
  /** Results are kept as long as inputs, so that they rotate over as many buffers. */
  std::deque<Buffer> outputs;
  Running pipeline;
};

}  // namespace bench
