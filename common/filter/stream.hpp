/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A filter at work on one stream: everything that depends on device and caps, made whole and dropped whole. */
#pragma once

#include "filter/chain.hpp"
#include "filter/imagestage.hpp"
#include "filter/rehearsal.hpp"
#include "filter/source.hpp"
#include "filter/watchdog.hpp"

#include <deque>

namespace gst::cl {

/** What the property `stats` shows. */
struct StreamStats {
  std::string device, path, algorithm;
  guint64 frames = 0;
  FrameCounts frame_counts;
  BuildCounts builds;
  std::shared_ptr<const FrameTimer> timer;
  guint64 allocations = 0;
  GlCounts gl;
  LinkCounts others;
  /** Frames in memory of others that were copied through the host. */
  guint64 staged_frames = 0;
  /** Of the last frame. */
  guint64 regions = 0;
};

class GST_CL_API Stream {
public:
  /** Enough to keep a device busy while frames come and go; more would only add latency. */
  static constexpr size_t most_frames_under_way = 3;

  /** What a frame is filtered with, for each stage in order. */
  using StageSettings = std::span<const Settings>;

  /** links: of the memory in any caps; out_link: another one for the result, where both have GL memory for
   *  different frames. in_caps are those of the main input; out_caps are null where nothing is written. Stages after the
   *  first look at one frame only. Throws Failure. */
  Stream (ContextRef context, Links links, std::span<const StagePlan> stages, GstCaps *in_caps, GstCaps *out_caps,
      std::shared_ptr<GlLink> out_link = {});
  /** The same with one stage. */
  Stream (ContextRef context, Links links, const FilterDescription &description, GstCaps *in_caps, GstCaps *out_caps,
      Reporter &reporter);
  ~Stream ();

  /** Other stages from the next frame on. Waits until the old ones are done and have reported. */
  void set_stages (std::span<const StagePlan> stages);

  /** Before all that follows about a frame, for elements that ask is_neutral() or filter it more than once. */
  void enter (StageSettings settings, GstBuffer *buffer, const MaskRef &mask) { chain->enter (settings, buffer, mask); }
  void forget_regions () { chain->forget_regions (); }
  /** Whether these settings change nothing in buffer, so that it can pass as it is where the memory is the same. */
  bool is_neutral (StageSettings settings, GstBuffer *buffer) { return chain->is_neutral (settings, buffer); }
  bool observes (StageSettings settings) const { return chain->observes (settings); }
  /** Frames like this one, made from that many inputs, filtered by these stages. Refers to all of them. */
  Rehearsal rehearsal_of (
      std::span<const StagePlan> stages, StageSettings settings, GstBuffer *frame, size_t inputs, size_t main = 0) const;
  bool has_textures () const { return (input.link && input.link->textures) || (out_link && out_link->textures); }
  /** Whether memory of others is exchanged without the host. */
  bool is_linked () const { return has_textures () || !input.links.empty (); }
  bool same_memory () const { return input.kind == out_kind; }
  const GstVideoInfo &input_info () const { return input.info; }
  const GstVideoInfo &output_info () const { return out_info; }

  /** A buffer for a result. Throws Failure. */
  BufferRef acquire_output () { return next_output ? std::exchange (next_output, {}) : acquire_buffer (pool.get ()); }
  /** Enqueues the work; returns without waiting for it unless too many frames are under way, or GL is to have the
   *  result and could not wait by itself. The result is made from inputs[main], looking at the others. Without out there
   *  is none, and Operation::observe() alone is called. Throws; Overdue once the operation's patience is over, which has been
   *  reported. */
  void filter (
      std::span<GstBuffer *const> inputs, size_t main, GstBuffer *out, const FrameTimes &times, StageSettings settings);
  void filter (
      std::span<GstBuffer *const> inputs, size_t main, GstBuffer *out, const FrameTimes &times, const Settings &settings)
  {
    filter (inputs, main, out, times, StageSettings (&settings, 1));
  }
  /** The same for inputs with caps of their own, and a filter that composes. There may be none. */
  void filter (std::span<const SourceFrame> inputs, GstBuffer *out, const FrameTimes &times, const Settings &settings);
  /** Which frame stands at that time stamp; nothing where the framerate is not fixed. */
  std::optional<guint64> number_at (GstClockTime timestamp) const;
  /** Waits until everything enqueued is done and reported. Throws where a frame failed since filter() left. */
  void drain ();
  /** Whether the device does not come to the end of a frame. Such a stream cannot be destroyed: what is queued uses it. */
  bool is_hung () const;

  StreamStats stats () const;
  /** Of stage i by itself; what concerns the frame as a whole is that of stats (). */
  StreamStats stats_of (size_t i) const;

private:
  /** own: the source again where it is one with caps of its own. */
  struct Input {
    GstBuffer *buffer;
    FrameSource *source;
    OwnSource *own;
    bool texture;
    /** Among all inputs, those too that are left out. */
    size_t number;
    std::optional<Frame> frame;
  };

  /** One frame on its way through the device: its buffers while they are planes of kernels. */
  struct Trip {
    const FrameTimes times;
    const StageSettings settings;
    /** The result itself, or what is copied to it later; null where nothing is written. */
    BufferRef out_buffer;
    bool out_texture = false;
    /** Whether the host copies the result to memory of others. */
    bool out_staged = false;
    std::optional<Frame> out;
    Fence fence;
    std::vector<Input> inputs;
    size_t main = 0;
    /** Whether textures are OpenCL's. */
    bool acquired = false;
  };

  struct Textures {
    GlTextures *reached_by;
    std::vector<Frame *> frames;
  };

  std::vector<bool> shown_of (std::span<const SourceFrame> inputs) const;
  Trip make_trip (size_t main, GstBuffer *result, const FrameTimes &times, StageSettings settings);
  void run (Trip &trip, GstBuffer *result);
  void map (Trip &trip);
  void begin (Trip &trip);
  void work (Trip &trip);
  void compose (Trip &trip);
  void end (Trip &trip);
  void abandon (Trip &trip) noexcept;
  ::cl::Event release (Trip &trip);
  std::vector<Textures> textures_of (Trip &trip);
  void visit_gl (const Trip &trip, const std::function<void ()> &work);
  void copy_by_host (GstBuffer *from, GstBuffer *to);
  void require_moved (const Trip &trip) const;
  PoolRef make_pool (GstCaps *caps) const;
  void watch (Fence &fence);
  void wait_for (const ::cl::Event &event) const;
  void limit_frames_under_way (const Fence &fence);
  void give_up () noexcept;
  std::string path () const;
  void count_frame (Trip &trip);
  void count_sources ();
  guint64 count_allocations () const;
  GlCounts gl_counts () const;
  LinkCounts link_counts () const;

  ContextRef context;
  /** As the caps have it; input and out_info are pictures in buffers. */
  const GstVideoInfo in_video, out_video;
  /** Of all inputs that have no caps of their own. */
  FrameSource input;
  /** Of results; that of inputs where both are frames of the same caps. */
  std::shared_ptr<GlLink> out_link;
  GstVideoInfo out_info;
  MemoryKind out_kind;
  /** Of out_kind, where that is of another interface than GL; input has it. */
  MemoryLink *out_other;
  FrameMapper writer;
  PoolRef pool;
  /** What the textures were told to expect. */
  BufferRef next_output;
  /** For results that the host copies on their way to memory of others. */
  PoolRef staging_pool;
  std::unique_ptr<Chain> chain;
  /** What chains before it have built. */
  BuildCounts earlier_builds;
  std::optional<ImageStage> image_stage, result_image_stage;
  /** A frame's last command, and how much the reaper had been left with by then. */
  struct UnderWay {
    ::cl::Event end;
    guint64 left;
  };
  std::deque<UnderWay> under_way;
  /** From the first frame of an operation without endless patience on. */
  std::unique_ptr<Watchdog> watchdog;
  const char *input_path = "";
  guint64 frames = 0, staged_frames = 0;
  /** Whether the chain has not had a frame yet. */
  bool is_new = true;
  std::optional<guint64> allocations_at_first;
  /** Of the last frame, where these have caps of their own. */
  std::vector<std::shared_ptr<OwnSource>> sources;
};

/** What a driver says when a device, or what is shared with GL, was lost. */
GST_CL_API bool is_loss (const ::cl::Error &error);

}  // namespace gst::cl
