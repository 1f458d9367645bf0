/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A filter at work on one stream: everything that depends on device and caps, made whole and dropped whole. */
#pragma once

#include "filter/operation.hpp"
#include "filter/settings.hpp"

#include <deque>

namespace gst::cl {

/** What the property `stats` shows. */
struct StreamStats {
  std::string device, path, algorithm;
  guint64 frames = 0;
  FrameCounts frame_counts;
  BuildCounts builds;
  KernelTimes times;
  guint64 allocations = 0;
};

class GST_CL_API Stream {
public:
  /** Throws Failure. */
  Stream (ContextRef context, const FilterDescription &description, GstCaps *in_caps, GstCaps *out_caps);
  ~Stream ();

  /** Whether these settings change nothing in buffer, so that it can pass as it is where the memory is the same. */
  bool is_neutral (const Settings &settings, GstBuffer *buffer);
  bool same_memory () const { return in_opencl == out_opencl; }

  /** A buffer for a result. Throws Failure. */
  BufferRef acquire_output () { return acquire_buffer (pool.get ()); }
  /** Enqueues the work; returns without waiting for it unless too many frames are under way. Throws. */
  void filter (GstBuffer *in, GstBuffer *out, const Settings &settings);

  StreamStats stats () const;

private:
  std::vector<PlaneTask> make_tasks (const Frame &in, const Frame &out, const Settings &settings, int field,
      int n_fields);
  void run_task (const PlaneTask &task, const Settings &settings);
  void run_plane (PlaneTask task, const Settings &settings, const std::vector<Rect> &regions, int field, int n_fields);
  void run_frame (const Frame &in, const Frame &out, const Settings &settings, GstBuffer *buffer);
  void limit_frames_under_way (const Fence &fence);
  void count_frame (const Frame &in, Frame &out);
  guint64 count_allocations () const;

  ContextRef context;
  const FilterDescription &description;
  GstVideoInfo info;
  const Format &format;
  bool in_opencl, out_opencl;
  FrameMapper mapper;
  PoolRef pool;
  Runner runner;
  std::unique_ptr<Operation> operation;
  std::optional<Values> operation_values;
  /** The last answer of the description's neutral(), and to what. */
  std::optional<std::pair<Values, bool>> known_neutral;
  std::array<std::array<PlaneView, 3>, 2> field_views;
  std::deque<::cl::Event> under_way;
  const char *input_path = "";
  guint64 frames = 0;
  std::optional<guint64> allocations_at_first;
};

}  // namespace gst::cl
