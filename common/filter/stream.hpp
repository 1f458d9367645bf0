/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A filter at work on one stream: everything that depends on device and caps, made whole and dropped whole. */
#pragma once

#include "filter/caps.hpp"
#include "filter/imagestage.hpp"
#include "filter/operation.hpp"
#include "filter/settings.hpp"
#include "memory/gllink.hpp"

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
  GlCounts gl;
  /** Frames in GL memory that were copied through the host. */
  guint64 staged_frames = 0;
};

class GST_CL_API Stream {
public:
  /** link: where either caps have GL memory, else null. Throws Failure. */
  Stream (ContextRef context, std::shared_ptr<GlLink> link, const FilterDescription &description, GstCaps *in_caps,
      GstCaps *out_caps);
  ~Stream ();

  /** Whether these settings change nothing in buffer, so that it can pass as it is where the memory is the same. */
  bool is_neutral (const Settings &settings, GstBuffer *buffer);
  bool has_textures () const { return link && link->textures; }
  bool same_memory () const { return in_kind == out_kind; }

  /** A buffer for a result. Throws Failure. */
  BufferRef acquire_output () { return next_output ? std::exchange (next_output, {}) : acquire_buffer (pool.get ()); }
  /** Enqueues the work; returns without waiting for it unless too many frames are under way, or GL is to have the
   *  result and could not wait by itself. Throws. */
  void filter (GstBuffer *in, GstBuffer *out, const Settings &settings);

  StreamStats stats () const;

private:
  using Planes = std::array<PlaneView, 3>;

  std::vector<PlaneTask> make_tasks (const Planes &in, const Planes &out, const Settings &settings, int field,
      int n_fields);
  void run_task (const PlaneTask &task, const Settings &settings);
  void run_plane (PlaneTask task, const Settings &settings, const std::vector<Rect> &regions, int field, int n_fields);
  void run_planes (const Planes &in, const Planes &out, const Settings &settings, GstBuffer *buffer);
  void run_frame (const Frame &in, const Frame &out, const Settings &settings, GstBuffer *buffer);
  class Pass;
  PoolRef make_pool (GstCaps *caps) const;
  bool is_reached (GstBuffer *buffer, MemoryKind kind, bool writes) const;
  void limit_frames_under_way (const Fence &fence);
  void count_frame (Pass &pass);
  void enqueue (Pass &pass);
  void copy_to_texture (GstBuffer *from, GstBuffer *to);
  guint64 count_allocations () const;

  ContextRef context;
  std::shared_ptr<GlLink> link;
  const FilterDescription &description;
  GstVideoInfo info;
  const Format &format;
  MemoryKind in_kind, out_kind;
  FrameMapper mapper;
  PoolRef pool;
  /** What the textures were told to expect. */
  BufferRef next_output;
  /** For results that are staged on their way to GL. */
  PoolRef staging_pool;
  Runner runner;
  std::optional<ImageStage> image_stage;
  std::unique_ptr<Operation> operation;
  std::optional<Values> operation_values;
  /** The last answer of the description's neutral(), and to what. */
  std::optional<std::pair<Values, bool>> known_neutral;
  std::array<std::array<PlaneView, 3>, 2> field_views;
  std::deque<::cl::Event> under_way;
  const char *input_path = "";
  guint64 frames = 0, staged_frames = 0;
  std::optional<guint64> allocations_at_first;
};

}  // namespace gst::cl
