/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The filters that a frame of a stream passes on the device, one after another: the filter of an element, or the filters of
 * clchain. */
#pragma once

#include "filter/stage.hpp"

namespace gst::cl {

/** Calls a Converter with all planes of a frame, or of each of its fields. */
class GST_CL_API Conversion {
public:
  Conversion (const ContextRef &context, const GstVideoInfo &in_info, const GstVideoInfo &out_info, Backend backend);

  void run (Stage &stage, const ChainFrame &frame, const Planes &out);
  /** The same for planes as filters see them. behind: steps that run in the same kernel, on these components of the result. */
  void run_seen (Stage &stage, const Planes &in, const Planes &out, const ChainFrame &frame, std::span<const PointStep> behind,
      unsigned components);
  /** Like run(), for a Composer. */
  void compose (Stage &stage, std::span<ComposeInput> inputs, const Planes &out, const ChainFrame &frame);

  /** Whether a frame of one format is also a valid frame of the other. */
  const bool same_frames;
  /** Runs kernels on planes of the result's format. */
  Runner writer;

private:
  const GstVideoInfo in_info, out_info;
  const Format &in_format, &out_format;
  const Arrangement entrance, exit;
};

/** Runs the stages of a stream. Filters of single pixels are joined into one kernel: with each other, with a following filter
 *  that runs them as it loads samples, or with a preceding filter that runs them before it stores samples. All stages use one
 *  queue. Not thread-safe; throws when a kernel does not build or a command fails. */
class GST_CL_API Chain {
public:
  /** plans has at least one entry. video and out_info come from the caps; out_info differs from video only when the first stage
   *  converts; of several stages, it may change colorimetry only. */
  Chain (const ContextRef &context, const GstVideoInfo &video, const GstVideoInfo &out_info, Backend backend,
      std::span<const StagePlan> plans);

  /** Finds the regions of the next frame. They hold for every call with this buffer until the next enter(). */
  void enter (std::span<const Settings> settings, GstBuffer *buffer, const MaskRef &mask = {});
  /** Call this when the next frame does not continue the stream. */
  void forget_regions ();
  bool is_neutral (std::span<const Settings> settings, GstBuffer *buffer);
  bool observes (std::span<const Settings> settings) const;
  void update (std::span<const Settings> settings);

  cl_command_queue queue () const { return stages.front ()->runner.commands.queue (); }
  /** Runs commands of the frame that belong to no stage. */
  Runner &runner () { return stages.front ()->runner; }
  Runner &result_runner () { return conversion ? conversion->writer : runner (); }
  bool composes () const { return stages.front ()->description.composes (); }
  const std::vector<std::unique_ptr<Stage>> &all () const { return stages; }

  void select_queue (bool profile);
  /** Like the functions of Runner. */
  void begin_frame (const std::vector<::cl::Event> &wait, bool profile);
  Fence end_frame (std::vector<TimedCommands> timed = {});
  void finish () noexcept;
  /** Like Runner::rehearse(). */
  void rehearse (std::set<KernelForm> &forms);

  /** Lets the stages observe the frame as it passes them. Writes the result unless result is null. */
  void run (ChainFrame &frame, const Planes *result);
  /** Like run(), for a filter that composes inputs of its own caps. */
  void compose (std::vector<ComposeInput> inputs, const Planes &out, const ChainFrame &frame)
  {
    conversion->compose (*stages.front (), inputs, out, frame);
  }

  std::string algorithm () const;
  BuildCounts builds () const;
  /** Times of whole frames. */
  const std::shared_ptr<FrameTimer> timer = std::make_shared<FrameTimer> ();
  guint64 allocations () const;

private:
  /** A stage that changes or observes the frame at hand. */
  struct Active {
    size_t index;
    Stage &stage;
    const Settings &settings;
    Regions regions;
    bool writes, looks;
  };

  bool is_neutral (size_t stage, const Settings &settings, const Regions &regions);
  Regions regions_of (size_t stage, const Settings &settings, GstBuffer *buffer, bool enters = false);
  FrameInfo frame_info (const ChainFrame &frame, const Stage &stage) const;
  /** Stages for other sizes of regions, when windows grow with regions. The most recently used stage comes first. run: the
   *  last call of run () that used it. */
  struct ScaledStage {
    size_t original;
    int scale;
    std::unique_ptr<Stage> stage;
    guint64 run = 0;
    /** The settings for this scale, and the settings that they were made from. */
    Values grown = {}, from = {};
  };

  ScaledStage &scaled_stage (size_t i, int scale);
  void filter_scaled (const Active &active, const ChainFrame &frame, const Planes &result);
  std::vector<Active> find_active (const ChainFrame &frame);
  bool is_whole (const Active &active) const;
  bool is_point (const Active &active) const;
  bool is_place (const Active &active) const;
  void count_times (const ::cl::Event &last, std::vector<TimedCommands> timed);
  bool may_join (const Active &first, const Active &next) const;
  size_t group_length (std::span<const Active> from, bool places) const;
  size_t conversion_length (std::span<const Active> from, bool whole_planes) const;
  void run_conversion (std::span<const Active> group, const ChainFrame &frame, const Planes &out);
  void run_places (std::span<const Active> points, const Planes &in, const Planes &out);
  void run_joined (std::span<const Active> group, const ChainFrame &frame, const Planes &out);
  void run_fused (std::span<const Active> points, const Active *last, const PlaneTask &task);
  void run_behind (const Active &window, std::span<const Active> points, const PlaneTask &task);
  void run_points (std::span<const Active> points, const PointSteps &steps, const PlaneTask &task);
  static PointSteps steps_of (std::span<const Active> points, const PlaneTask &task);
  void note_joined (std::span<const Active> group);
  const Planes &between (size_t i, const Planes &like);
  Stage &stage (size_t i) { return takes_words ? in_words->stage : *stages[i]; }

  /** A second form of the only stage, with its view of frames, for settings with which it filters packed words directly. */
  struct InWords {
    Arrangement arrangement;
    Stage stage;
  };

  const ContextRef context;
  /** video: of the caps; info: of the picture in a buffer; result: of the picture in a result. */
  const GstVideoInfo video, info, result;
  const Backend backend;
  const std::vector<StagePlan> plans;
  /** The buffer whose regions the stages have. */
  const GstBuffer *entered = nullptr;
  /** Set when filters cannot read frames in place. */
  std::optional<Arrangement> arrangement;
  std::vector<std::unique_ptr<Stage>> stages;
  /** in_words is made when it is first needed; takes_words: whether it filters the frame at hand. */
  std::unique_ptr<InWords> in_words;
  bool takes_words = false;
  std::vector<ScaledStage> scaled;
  guint64 runs = 0;
  /** Allocations of scaled stages that were removed. */
  guint64 gone_allocations = 0;
  BuildCounts gone_builds;
  /** The arguments of begin_frame () for the frame at hand. */
  std::vector<::cl::Event> frame_waits;
  bool frame_profiled = false;
  std::set<KernelForm> *rehearsed = nullptr;
  /** Set when the stage converts. */
  std::optional<Conversion> conversion;
  /** The runners of all stages. */
  std::vector<Runner *> runners;
  /** Stages that ran within the kernel of the stage before them, for `stats`. */
  std::set<const Stage *> joined;
  /** Two sets of scratch planes between stages: one is read while the other is written. */
  std::array<std::optional<Planes>, 2> intermediate;
  /** The count that the reaper must reach before the times of the last frame are complete. */
  guint64 last_timed = 0;
};

}  // namespace gst::cl
