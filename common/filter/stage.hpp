/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One filter at work in a stream: its operation, what that keeps on the device, and the walk over the planes, fields and regions
 * of a frame. */
#pragma once

#include "filter/arrangement.hpp"
#include "filter/operation.hpp"
#include "filter/weighing.hpp"

#include <optional>

namespace gst::cl {

/** Which filter, and who hears of it. Both outlive the stage. */
struct StagePlan {
  const FilterDescription *description;
  Reporter *reporter;
  /** Where the operation is not the description's. */
  std::function<std::unique_ptr<Operation> ()> create;
};

/** The input of one frame's work. */
struct InputPlanes {
  /** Those of every input frame; which of them the result is made from, and takes its unfiltered samples from. */
  std::vector<Planes> frames;
  size_t main = 0;
};

/** How a frame is filtered. */
struct StageFrame {
  const Settings &settings;
  const Regions &regions;
  /** Whether its rows are those of two fields. */
  bool interlaced;
  /** Of the regions, those that are filtered, and whether what is not is copied. */
  struct Part {
    int first = 0, end = G_MAXINT;
    bool copies = true;
  } part = {};
};

class GST_CL_API Stage {
public:
  /** seen: the format of what it is given. */
  Stage (const ContextRef &context, const GstVideoInfo &info, const Format &seen, Backend backend, const StagePlan &plan);

  /** Whether these settings change nothing in regions. */
  bool is_neutral (const Settings &settings, const Regions &regions);
  bool observes (const Settings &settings) const { return description.observes && description.observes (settings.own); }
  void update (const Settings &settings);
  /** "" before the first update(). */
  std::string algorithm () const { return operation_values ? operation->algorithm () : ""; }

  /** Operation::observe() for every plane, field and region. */
  void observe (const InputPlanes &in, const StageFrame &how);
  /** What becomes of task.region of a plane where others are fused with the operation. */
  struct Fusion {
    std::function<void (const PlaneTask &task)> run;
    bool takes_images;
    /** Whether the operation is to see the frame before, as Operation::prepare() has it. */
    bool prepares = false;
  };
  /** Operation::run(), or fusion's, for every plane, field and region; everything else is copied. */
  void filter (const InputPlanes &in, const Planes &out, const StageFrame &how, const Fusion *fusion = nullptr);

  /** Of the frame at hand, and where those of the next one come from. */
  Regions regions;
  RegionSource region_source;

  const FilterDescription &description;
  /** Whether it has a window that can grow with a region. */
  const bool scales;
  Reporter &reporter;
  /** Its own: scratch memory and tables have names. */
  Runner runner;
  const std::unique_ptr<Operation> operation;

private:
  /** Views of one field, or of the whole frame, that tasks refer to: those of each input, and of each plane. They hold images
   *  of textures, which must not outlive the frame. */
  struct Views {
    /** Of so many fields. */
    int field, n_fields;
    Planes frame;
    std::array<std::vector<PlaneView>, most_planes> inputs;
  };

  int count_fields (const StageFrame &how) const;
  std::vector<PlaneTask> make_tasks (Views &seen, const InputPlanes &in, const Planes &out, const Settings &settings);
  WordPart part_of (const Settings &settings, int plane) const;
  void share_words (Views &seen, std::vector<PlaneTask> &tasks, const StageFrame &how);
  std::vector<Rect> rects_of (const PlaneTask &task, const Views &seen, const std::vector<Rect> &regions) const;
  std::vector<Rect> filled_rects_of (const PlaneTask &task, const Views &seen, const std::vector<Rect> &regions) const;
  void prepare (const Views &seen, const std::vector<PlaneTask> &tasks, const StageFrame &how, std::vector<Rect> rects);
  bool takes_at_once (std::span<const Rect> rects) const;
  bool weighs (const PlaneTask &task, const Views &seen, const StageFrame &how) const;
  std::vector<WeighedPart> parts_of (const PlaneTask &task, const Views &seen, const StageFrame &how) const;
  void filter_weighed (const Views &seen, const std::vector<PlaneTask> &tasks, const StageFrame &how);
  void weigh_plane (const PlaneTask &task, const PlaneView &filtered, std::span<const WeighedPart> parts,
      const Weighing &weighing, const StageFrame &how);
  void run_plane (const PlaneTask &task, const Settings &settings, const std::vector<Rect> &rects, const Fusion *fusion);

  const GstVideoInfo info;
  const Format &format;
  const unsigned components;
  std::optional<Values> operation_values;
  /** The last answer of the description's neutral(), and to what. */
  std::optional<std::pair<Values, bool>> known_neutral;
};

}  // namespace gst::cl
