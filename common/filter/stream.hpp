/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A filter's work on one stream: everything that depends on the device and the caps. A change of either replaces the whole
 * object. */
#pragma once

#include "core/watchdog.hpp"
#include "filter/chain.hpp"
#include "filter/imagestage.hpp"
#include "filter/source.hpp"

#include <deque>

namespace gst::cl {

class GST_CL_API Stream {
public:
  /** Enough frames to keep a device busy; more would only add latency. */
  static constexpr size_t most_frames_under_way = 3;

  /** The settings for a frame, one entry for each stage in order. */
  using StageSettings = std::span<const Settings>;

  /** links: for the kinds of memory in any caps. out_link: a separate link for the result, if both sides have GL memory with
   *  different frames. in_caps belongs to the main input; out_caps is null when nothing is written. Stages after the first get
   *  one frame each. Throws Failure. */
  Stream (ContextRef context, Links links, std::span<const StagePlan> stages, GstCaps *in_caps, GstCaps *out_caps,
      std::shared_ptr<GlLink> out_link = {});
  /** The same with one stage. */
  Stream (ContextRef context, Links links, const FilterDescription &description, GstCaps *in_caps, GstCaps *out_caps,
      Reporter &reporter);
  ~Stream ();

  /** Replaces the stages from the next frame on. Waits until the old stages have finished and reported. */
  void set_stages (std::span<const StagePlan> stages);

  /** Call this before the functions below, if the element calls is_neutral() or filters the frame more than once. */
  void enter (StageSettings settings, GstBuffer *buffer, const MaskRef &mask) { chain->enter (settings, buffer, mask); }
  void forget_regions () { chain->forget_regions (); }
  /** Whether these settings leave buffer unchanged, so that it can pass if both pads have the same memory. */
  bool is_neutral (StageSettings settings, GstBuffer *buffer) { return chain->is_neutral (settings, buffer); }
  bool observes (StageSettings settings) const { return chain->observes (settings); }
  /** Describes frames like this one, made from `inputs` frames and filtered by these stages. The result refers to all
   *  arguments. */
  Rehearsal rehearsal_of (
      std::span<const StagePlan> stages, StageSettings settings, GstBuffer *frame, size_t inputs, size_t main = 0) const;
  bool has_textures () const { return (input.link && input.link->textures) || (out_link && out_link->textures); }
  /** Whether frames in foreign memory are exchanged without a copy through the host. */
  bool is_linked () const { return has_textures () || !input.links.empty (); }
  bool same_memory () const { return input.kind == out_kind; }
  const GstVideoInfo &input_info () const { return input.info; }
  const GstVideoInfo &output_info () const { return out_info; }

  /** Returns a buffer for a result. Throws Failure. */
  BufferRef acquire_output () { return next_output ? std::exchange (next_output, {}) : acquire_buffer (pool.get ()); }
  /** Enqueues the work for a result that is made from inputs[main] and observes the other inputs. Returns without waiting,
   *  unless too many frames are under way, or the result goes to GL and GL cannot wait itself. If out is null, only calls
   *  Filter::observe(). Throws; throws Overdue after the watchdog has reported that the device does not finish. */
  void filter (
      std::span<GstBuffer *const> inputs, size_t main, GstBuffer *out, const FrameTimes &times, StageSettings settings);
  void filter (
      std::span<GstBuffer *const> inputs, size_t main, GstBuffer *out, const FrameTimes &times, const Settings &settings)
  {
    filter (inputs, main, out, times, StageSettings (&settings, 1));
  }
  /** The same for inputs with their own caps and a filter that composes. inputs may be empty. */
  void filter (std::span<const SourceFrame> inputs, GstBuffer *out, const FrameTimes &times, const Settings &settings);
  /** The number of the frame at this time stamp; nothing if the framerate is not fixed. */
  std::optional<guint64> number_at (GstClockTime timestamp) const;
  /** Waits until all enqueued work is done and reported. Throws if a frame has failed since filter() returned. */
  void drain ();
  /** Whether the device does not finish a frame. Such a stream must not be destroyed, because enqueued commands use it. */
  bool is_hung () const;

  StreamStats stats () const;
  /** The numbers of stage i; numbers of whole frames equal those of stats (). */
  StreamStats stats_of (size_t i) const;

private:
  /** own equals source if the input has its own caps, otherwise null. */
  struct Input {
    GstBuffer *buffer;
    FrameSource *source;
    OwnSource *own;
    bool texture;
    /** The index among all inputs, including hidden ones. */
    size_t number;
    std::optional<Frame> frame;
  };

  /** One frame on its way through the device: its buffers, mapped as planes of kernels. */
  struct Trip {
    const FrameTimes times;
    const StageSettings settings;
    /** The result, or a buffer that is copied to the result later; null if nothing is written. */
    BufferRef out_buffer;
    bool out_texture = false;
    /** Whether the host copies the result to foreign memory. */
    bool out_staged = false;
    std::optional<Frame> out;
    Fence fence;
    std::vector<Input> inputs;
    size_t main = 0;
    /** Whether OpenCL has acquired the textures. */
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
  /** Formats of the caps; input and out_info describe the pictures in buffers. */
  const GstVideoInfo in_video, out_video;
  /** The source of all inputs that share caps. */
  FrameSource input;
  /** The link of results; equals the input's if both pads have the same caps. */
  std::shared_ptr<GlLink> out_link;
  GstVideoInfo out_info;
  MemoryKind out_kind;
  /** The link for out_kind if that is not GL; owned by `input`. */
  MemoryLink *out_other;
  FrameMapper writer;
  PoolRef pool;
  /** The result whose textures were announced in advance. */
  BufferRef next_output;
  /** Buffers for results that the host copies to foreign memory. */
  PoolRef staging_pool;
  std::unique_ptr<Chain> chain;
  /** Builds of earlier chains. */
  BuildCounts earlier_builds;
  std::optional<ImageStage> image_stage, result_image_stage;
  /** A frame's last command, and the reaper's count at that time. */
  struct UnderWay {
    ::cl::Event end;
    guint64 left;
  };
  std::deque<UnderWay> under_way;
  /** Exists from the first frame of an operation with finite patience on. */
  std::unique_ptr<Watchdog> watchdog;
  const char *input_path = "";
  guint64 frames = 0, staged_frames = 0;
  /** Whether the chain has not had a frame yet. */
  bool is_new = true;
  std::optional<guint64> allocations_at_first;
  /** The sources of the last frame, if inputs have their own caps. */
  std::vector<std::shared_ptr<OwnSource>> sources;
};

/** Whether the error means that a device, or an object shared with GL, was lost. */
GST_CL_API bool is_loss (const ::cl::Error &error);

}  // namespace gst::cl
