/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One filter of a stream: its operation, its data on the device, and the loop over the planes, fields and regions of a
 * frame. */
#pragma once

#include "filter/arrangement.hpp"
#include "filter/operation.hpp"
#include "filter/roi.hpp"

#include <optional>

namespace gst::cl {

/** How to filter regions of a plane: the rectangles to filter together, and the regions that are then mixed from them. */
struct WeighedPart {
  std::vector<Rect> rects;
  /** Indices of Regions::shapes. */
  int first, end;
  /** The rectangle around them. */
  Rect bounds;
};

/** Whether filtering one rectangle around all takes less time than filtering each. */
bool is_cheaper_once (const Device &device, const std::vector<Rect> &rects);

/** The smallest rectangle around all rectangles, some of which may be empty. */
Rect around (std::span<const Rect> rects);

/** Rectangles to give to each run(): one, or if it takes several, as many as do not overlap. */
std::vector<std::vector<Rect>> layers_of (std::span<const Rect> rects, bool takes_several);

/** How regions are filtered: together, as a rectangle around them; each separately; or one after the other, if they overlap. */
enum class Apart { no, each, one_by_one };

/** rects: regions.rects on a plane, some of them empty. */
std::vector<WeighedPart> parts_of (const Device &device, const Regions &regions, const std::vector<Rect> &rects, Apart apart);

/** Which rows of a frame a picture has; n_fields is 1 for a whole frame. */
struct RowsOfFrame {
  int field, n_fields;
  /** The number of rows of the frame. */
  int height;
};

/** The weights of one frame or field. */
class Weighing {
public:
  /** width and height of the picture in pixels. */
  Weighing (Runner &runner, const Regions &regions, int width, int height, const RowsOfFrame &rows);

  /** Mixes `filtered`, the result of part's regions, into task.dst where these regions have the greatest weight; task.dst already
   *  has the samples of task.src around the regions. If filtered is null, task.dst has the results of all regions, and the samples
   *  of task.src are mixed into it. All are buffers. */
  void mix (const PlaneTask &task, const PlaneView *filtered, const WeighedPart &part, double amount) const;

private:
  Runner &runner;
  const Regions &regions;
  const int width, height;
  const RowsOfFrame rows;
  ::cl::Buffer table, mask;
  int tiles_across, n_tiles;
};

/** A frame that passes the stages of a chain. */
struct ChainFrame {
  const FrameTimes &times;
  /** One entry for each stage. */
  std::span<const Settings> settings;
  /** The buffer whose metas hold the regions of interest. */
  GstBuffer *buffer = nullptr;
  bool interlaced = false;
  /** The planes of every input. The result is made from planes[main], and so are its unfiltered samples. Each stage gets
   *  the planes of the stage before it. */
  std::vector<Planes> planes = {};
  size_t main = 0;
};

/** How to filter a frame. */
struct StageFrame {
  const Settings &settings;
  const Regions &regions;
  /** Which of the regions to filter, and whether to copy everything else. */
  struct Part {
    int first = 0, end = G_MAXINT;
    bool copies = true;
  } part = {};
};

class GST_CL_API Stage {
public:
  /** seen: the format of the planes that the stage gets. */
  Stage (const ContextRef &context, const GstVideoInfo &info, const Format &seen, Backend backend, const StagePlan &plan);

  /** Whether these settings change nothing in regions. */
  bool is_neutral (const Settings &settings, const Regions &regions);
  bool observes (const Settings &settings) const { return description.observes && description.observes (settings.own); }
  void update (const Settings &settings);
  /** Empty before the first update(). */
  std::string algorithm () const { return known ? operation->algorithm : ""; }
  /** The operation, which must be a filter. */
  Filter &as_filter () const { return static_cast<Filter &> (*operation); }
  Abilities abilities () const { return description.has_regions () ? as_filter ().abilities (runner) : Abilities{}; }

  /** Calls Filter::observe() for every plane, field and region. */
  void observe (const ChainFrame &frame, const StageFrame &how);
  /** A replacement of run(): writes task.region of a plane with the operation and other filters in one kernel. */
  struct Fusion {
    std::function<void (const PlaneTask &task)> run;
    bool takes_images;
    /** Whether Filter::prepare() must run first. */
    bool prepares = false;
  };
  /** Calls Filter::run(), or fusion's run(), for every plane, field and region. Copies everything else. */
  void filter (const ChainFrame &frame, const Planes &out, const StageFrame &how, const Fusion *fusion = nullptr);

  /** The regions of the frame at hand, and the source of regions. */
  Regions regions;
  RegionSource region_source;

  const FilterDescription &description;
  /** Whether the filter has a window that can grow with a region. */
  const bool scales;
  Reporter &reporter;
  /** Each stage has its own, because scratch memory and tables are found by name. */
  Runner runner;
  const std::unique_ptr<Operation> operation;

private:
  /** Views of one field, or of the whole frame, to which tasks refer: the planes of each input. They hold images of textures,
   *  so they must not outlive the frame. */
  struct Views {
    /** n_fields is 1 for a whole frame. */
    int field, n_fields;
    Planes frame;
    std::array<std::vector<PlaneView>, most_planes> inputs;
  };

  int count_fields (const ChainFrame &frame) const;
  std::vector<PlaneTask> make_tasks (Views &seen, const ChainFrame &frame, const Planes &out, const Settings &settings);
  void share_words (Views &seen, std::vector<PlaneTask> &tasks, const StageFrame &how);
  std::vector<Rect> rects_of (const PlaneTask &task, const std::vector<Rect> &regions) const;
  std::vector<Rect> filled_rects_of (const PlaneTask &task, const std::vector<Rect> &regions) const;
  std::vector<Rect> measured_rects_of (const PlaneTask &task, const Regions &regions) const;
  void prepare (const Views &seen, const std::vector<PlaneTask> &tasks, const StageFrame &how, std::vector<Rect> rects);
  bool weighs (const PlaneTask &task, const StageFrame &how) const;
  std::vector<WeighedPart> parts_of (const PlaneTask &task, const StageFrame &how) const;
  void filter_weighed (const Views &seen, const std::vector<PlaneTask> &tasks, const StageFrame &how);
  void weigh_plane (const PlaneTask &task, const PlaneView &filtered, std::span<const WeighedPart> parts,
      const Weighing &weighing, const StageFrame &how);
  void copy_around (const PlaneTask &task, const std::vector<Rect> &rects);

  const GstVideoInfo info;
  const Format &format;
  const unsigned components;
  /** The settings of the operation, and whether they are neutral. */
  std::optional<Settings> known;
  std::optional<std::pair<Values, bool>> known_neutral;
};

}  // namespace gst::cl
