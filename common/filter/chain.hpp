/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The filters that a frame goes through in a stream, one after another on the device: one, or those of clchain. */
#pragma once

#include "filter/conversion.hpp"

namespace gst::cl {

/** Filters of single pixels that follow one another, by themselves, before one that takes them while it loads or behind one that
 *  runs them before it stores, run as one kernel. All stages use one queue. */
class GST_CL_API Chain {
public:
  /** One plan at least. Infos are those of the caps; out_info: that of the result, which is another one where a single stage
   *  converts. */
  Chain (const ContextRef &context, const GstVideoInfo &video, const GstVideoInfo &out_info, Backend backend,
      std::span<const StagePlan> plans);

  /** Finds the regions of the next frame, which are those of all calls with this buffer up to the next enter(). */
  void enter (std::span<const Settings> settings, GstBuffer *buffer, const MaskRef &mask = {});
  /** What comes is no continuation of what came. */
  void forget_regions ();
  bool is_neutral (std::span<const Settings> settings, GstBuffer *buffer);
  bool observes (std::span<const Settings> settings) const;
  void update (std::span<const Settings> settings);

  cl_command_queue queue () const { return stages.front ()->runner.commands.queue (); }
  /** For what else belongs to the frame. */
  Runner &runner () { return stages.front ()->runner; }
  Runner &result_runner () { return conversion ? conversion->writer : runner (); }
  bool converts () const { return conversion.has_value (); }
  bool composes () const { return stages.front ()->description.composes; }
  const std::vector<std::unique_ptr<Stage>> &all () const { return stages; }

  void select_queue (bool profile);
  /** As those of Runner. */
  void begin_frame (const std::vector<::cl::Event> &wait, bool profile);
  Fence end_frame (std::vector<TimedCommands> timed = {});
  void finish () noexcept;
  /** As that of Runner. */
  void rehearse (std::set<KernelForm> &forms);

  /** Has stages look at the frame as it is on its way through them and, where result is not null, writes the result. */
  void run (InputPlanes in, const Planes *result, const ChainFrame &frame);
  /** The same where the filter composes. */
  void compose (std::vector<ComposeInput> inputs, const Planes &out, const ChainFrame &frame)
  {
    conversion->compose (*stages.front (), inputs, out, frame);
  }

  std::string algorithm () const;
  BuildCounts builds () const;
  /** Of frames as a whole. */
  const std::shared_ptr<FrameTimer> timer = std::make_shared<FrameTimer> ();
  guint64 allocations () const;

private:
  /** A stage that has something to do with a frame. */
  struct Active {
    size_t index;
    Stage &stage;
    const Settings &settings;
    Regions regions;
    bool writes, looks;
  };

  Regions regions_of (size_t stage, const Settings &settings, GstBuffer *buffer, bool enters = false);
  FrameInfo frame_info (const ChainFrame &frame, const Stage &stage) const;
  Stage &scaled_stage (size_t i, int scale);
  void filter_scaled (const Active &active, const InputPlanes &in, const Planes &result, const ChainFrame &frame);
  void filter_frame (InputPlanes in, const Planes *result, const ChainFrame &frame);
  std::vector<Active> find_active (const ChainFrame &frame);
  bool is_point (const Active &active) const;
  void count_times (const ::cl::Event &last, std::vector<TimedCommands> timed);
  bool may_join (const Active &first, const Active &next) const;
  size_t group_length (std::span<const Active> from) const;
  void run_joined (std::span<const Active> group, const InputPlanes &in, const Planes &out, const StageFrame &how);
  void run_fused (std::span<const Active> points, const Active *last, const PlaneTask &task);
  void run_behind (const Active &window, std::span<const Active> points, const PlaneTask &task);
  void run_points (std::span<const Active> points, const PointSteps &steps, const PlaneTask &task);
  static PointSteps steps_of (std::span<const Active> points, const PlaneTask &task);
  void note_joined (std::span<const Active> group);
  const Planes &between (size_t i, const Planes &like);
  bool may_take_words () const;
  Stage &stage (size_t i) { return takes_words ? in_words->stage : *stages[i]; }

  /** The only stage once more, and how it sees frames, for settings with which it takes the words of packed ones. */
  struct InWords {
    Arrangement arrangement;
    Stage stage;
  };

  const ContextRef context;
  /** As the caps have it, and what a buffer holds. */
  const GstVideoInfo video, info;
  const Backend backend;
  const std::vector<StagePlan> plans;
  /** Whose regions the stages have. */
  const GstBuffer *entered = nullptr;
  /** Where filters do not see frames as they lie. */
  std::optional<Arrangement> arrangement;
  std::vector<std::unique_ptr<Stage>> stages;
  /** Since it was first needed; and whether it is for the frame at hand. */
  std::unique_ptr<InWords> in_words;
  bool takes_words = false;
  /** Stages for regions of other sizes, where windows grow with them; the one that was used last comes first. */
  struct ScaledStage {
    size_t original;
    int scale;
    std::unique_ptr<Stage> stage;
  };
  std::vector<ScaledStage> scaled;
  /** As the frame at hand began. */
  std::vector<::cl::Event> frame_waits;
  bool frame_profiled = false;
  std::set<KernelForm> *rehearsed = nullptr;
  /** Where the stage converts. */
  std::optional<Conversion> conversion;
  /** Of all of them. */
  std::vector<Runner *> runners;
  /** Stages whose work the kernel of the one before did, as far as `stats` tell. */
  std::set<const Stage *> joined;
  /** What the others read while one writes. */
  std::array<std::optional<Planes>, 2> intermediate;
  /** How much the reaper has to have released when the times of the last frame count. */
  guint64 last_timed = 0;
};

}  // namespace gst::cl
