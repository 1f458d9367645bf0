/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* appsrc ! element ! fakesink, fed with rotating frames. */
#pragma once

#include "bench.hpp"

#include <gst/app/gstappsrc.h>
#include <gst/cl/cl.h>

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>

namespace bench {

/** Where the frames lie on both sides of the element. */
enum class Memory {
  /** Pages of our own: the element has to take them as they are. */
  system,
  /** Buffers of the pool that the element proposes, written anew for every frame. */
  proposed,
  /** OpenCL memory on both sides. */
  opencl,
};

class Pipeline {
public:
  /** Throws std::runtime_error where the pipeline does not start. */
  Pipeline (GstClContext *context, const std::string &device, const Case &what, const Frames &frames, Memory memory,
      bool profile);
  ~Pipeline ();
  Pipeline (const Pipeline &) = delete;
  Pipeline &operator= (const Pipeline &) = delete;

  /** Filters n frames and waits until the last is complete; microseconds per frame. */
  double run (int n);
  /** The time of one frame's kernels, in microseconds, after run(). */
  double kernel_us () const;
  /** A string of the element's `stats`. */
  std::string stat (const char *name) const;

private:
  void build (const std::string &device, const Case &what, GstCaps *caps, bool profile);
  void fill (GstClContext *context, const Frames &frames, GstCaps *caps);
  GstBufferPool *proposed_pool (GstCaps *caps);
  void fill_from_pool (GstBufferPool *pool, const Frames &frames, GstCaps *caps);
  void push (GstBuffer *buffer);
  GstBuffer *wait_for_last ();
  void wait_until_complete (GstBuffer *buffer);
  bool has_error ();
  [[noreturn]] void fail ();
  void release ();

  Memory memory;
  GstElement *pipeline = nullptr, *source = nullptr, *filter = nullptr;
  GstBufferPool *pool = nullptr;
  std::vector<GstBuffer *> inputs;
  guint64 n_pushed = 0;
  std::string error;

  std::mutex mutex;
  std::condition_variable arrived;
  guint64 n_arrived = 0;
  /** Results are kept as long as inputs, so that they rotate over as many buffers. */
  std::deque<GstBuffer *> outputs;
};

}  // namespace bench
