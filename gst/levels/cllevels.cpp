/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cllevels: sets the black point, the white point and gamma, by hand or automatically for each frame. */
#include "filter/gstclfilter.hpp"
#include "filter/runner.hpp"
#include "shared/histogram_plan.hpp"
#include "shared/launches.hpp"
#include "shared/range.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace gst::cl::cllevels {

struct LevelsSettings {
  /* levels/levels.cl's LEVELS_RING */
  static constexpr int most_frames = 600;

  double black = 0, white = 1, gamma = 1;
  bool automatic = false;
  double clip = 0.005;
  int smoothing = 12;
  Range range = Range::automatic;

  int frames () const { return std::max (smoothing, 1); }
  bool neutral () const { return !automatic && (black == white || (black == 0 && white == 1 && gamma == 1)); }
};

/* The history of previous frames on the device, for a region of a plane. */
struct LevelsHistory {
  /* The position for the next frame's pair, and the number of pairs. */
  int next = 0, frames = 0;
  /* The number of the last frame that it measured, the plane, and the region there. */
  int measured = 0, plane = 0;
  Rect region = {};
};

/* Whether a region continues a history depends on how many samples they share. */
int64_t
shared_area (const Rect &a, const Rect &b)
{
  const int64_t width = std::min (a.x + a.width, b.x + b.width) - std::max (a.x, b.x);
  const int64_t height = std::min (a.y + a.height, b.y + b.height) - std::max (a.y, b.y);
  return std::max<int64_t> (width, 0) * std::max<int64_t> (height, 0);
}

/* Work items of the group that measures. */
constexpr size_t levels_group = 256;
constexpr size_t table_group = 64;

/* Appends a number below 2^16 as a sample, least significant byte first. */
void
append_sample (std::vector<std::byte> &table, int value, int sample_size)
{
  for (int i = 0; i < sample_size; i++)
    table.push_back (std::byte (value >> (8 * i) & 0xff));
}

/* A table with the result for every value, as bytes for the device. */
std::vector<std::byte>
fixed_table (const Format &format, const LevelsSettings &settings, const BlackWhite &range)
{
  const double whole = range.white - range.black;
  std::vector<std::byte> table;
  for (int value = 0; value <= format.max_value (); value++) {
    const double x = ((value - range.black) / whole - settings.black) / (settings.white - settings.black);
    const double bent = std::pow (std::clamp (x, 0., 1.), 1 / settings.gamma);
    append_sample (table, range.black + int (std::nearbyint (bent * whole)), format.sample_size ());
  }
  return table;
}

/* Makes a table like fixed_table() on the device, and maps by it: measures task.region of task.src. region: the number of its history. */
Launches
map_measured (Runner &runner, const PlaneTask &task, const LevelsSettings &settings, const BlackWhite &range,
    LevelsHistory &history, size_t region)
{
  const Format &format = runner.format ();
  const size_t values = format.max_value () + 1;
  auto [launches, counts] = count_histogram (runner, task, HistogramOf::intensity, "levels-counts");
  const ScratchArgument ring{
      {"levels-ring", int (region), task.field}, (LevelsSettings::most_frames + 1) * 2 * sizeof (cl_uint)};
  const ScratchArgument table{"levels-table", values * format.sample_size ()};

  history.frames = std::min (history.frames + 1, LevelsSettings::most_frames);
  const cl_int averaged = std::min (history.frames, settings.frames ());
  const cl_uint pixels = cl_uint (task.region.width) * cl_uint (task.region.height);
  /* a count exceeds clip * pixels exactly if it exceeds the integer below; the same number is clipped above white */
  const cl_uint clipped = cl_uint (std::floor (settings.clip * pixels));
  const size_t group = runner.backend () == Backend::gpu ? levels_group : 1;
  const auto spec_for = [group] (const char *function) {
    return KernelSpec{.sources = {"shared/scan.clh", "levels/levels.cl"},
        .function = function,
        .options = {{"GROUP", group}, {"SCANNED", "uint"}}};
  };
  launches += {Launch::range (spec_for ("levels_measure"), {{group, 1}, {group, 1}},
                   {counts, clipped, cl_uint (pixels - clipped - 1), cl_int (history.next), averaged, ring}),
      Launch::range (spec_for ("levels_table"), {{values, 1}, {table_group, 1}},
          {ring, averaged, float (1 / settings.gamma), range.black, range.white - range.black, table}),
      map_launch (runner, task, table, 1)};
  history.next = (history.next + 1) % LevelsSettings::most_frames;
  return launches;
}

constexpr Property properties[] = {
    property<&LevelsSettings::black> ("black", "Value that becomes black, as a fraction of full scale", 0, 1),
    property<&LevelsSettings::white> ("white", "Value that becomes white, as a fraction of full scale", 0, 1),
    property<&LevelsSettings::gamma> ("gamma", "Above 1 brightens: values x of 0..1 become x^(1/gamma)", 0.1, 10),
    property<&LevelsSettings::automatic> ("auto", "Find black and white in each frame"),
    property<&LevelsSettings::clip> ("clip", "For auto: fraction of the pixels that may become black, and white", 0, 0.5),
    property<&LevelsSettings::smoothing> (
        "smoothing", "For auto: number of frames over which black and white are averaged", 0, LevelsSettings::most_frames),
    range_property<&LevelsSettings::range> (),
};

class Levels : public With<LevelsSettings> {
public:
  void changed () override
  {
    algorithm = settings.automatic ? "auto" : "table";
    table.clear ();
    if (!settings.automatic)
      histories = {};
  }

  void begin_frame (Runner &runner, const FrameInfo &info) override
  {
    const BlackWhite found = black_and_white (info.video, runner.format (), settings.range);
    if (found != range)
      table.clear ();
    range = found;
    frame++;
    /* after a seek, perhaps to the same frame, earlier frames do not count */
    if (!shown.continues (info, settings.frames ()))
      histories = {};
  }

  Plan plan (Runner &runner, const PlaneTask &task) override
  {
    if (!stretches (runner, task))
      return {};
    if (!settings.automatic)
      return {"", map_launch (runner, task, set_table (runner), 1)};
    const size_t region = history_of (task);
    return {"", map_measured (runner, task, settings, range, histories[task.field][region], region)};
  }

  Abilities abilities (const Runner &runner) const override
  {
    return {.images = true,
        .sees_regions = settings.automatic,
        .words = runner.backend () == Backend::gpu,
        .second_plane = WordPart::kept,
        .points = settings.automatic ? 0 : Abilities::every_component};
  }

  std::optional<PointStep> point_step (Runner &runner, const PlaneTask &task) override
  {
    if (!stretches (runner, task))
      return std::nullopt;
    static constexpr const char *sources[] = {"shared/table.clh"};
    return PointStep{"TABLE", "TABLE", sources, PointStep::Gray::kept, {set_table (runner)}, {{"TABLE_APART_", false}}};
  }

private:
  /* Whether the filter changes the plane: in YUV it changes only luma. */
  static bool stretches (const Runner &runner, const PlaneTask &task)
  {
    return runner.format ().model != ColorModel::yuv || task.plane == 0;
  }

  /* The history of the region that covered most of this one: detectors list regions in any order, and move them. */
  size_t history_of (const PlaneTask &task)
  {
    std::vector<LevelsHistory> &known = histories[task.field];
    const auto is_kept = [&] (const LevelsHistory &each) { return frame - each.measured <= settings.frames (); };
    const auto shared = [&] (const LevelsHistory &each) {
      const bool is_free = each.measured < frame && each.plane == task.plane && is_kept (each);
      return is_free ? shared_area (each.region, task.region) : 0;
    };
    auto found = std::ranges::max_element (known, {}, shared);
    if (found == known.end () || shared (*found) == 0) {
      found = std::ranges::find_if_not (known, is_kept);
      found = found == known.end () ? known.emplace (found) : found;
      *found = {};
    }
    found->measured = frame, found->plane = task.plane, found->region = task.region;
    return found - known.begin ();
  }

  const ::cl::Buffer &set_table (Runner &runner)
  {
    if (table.empty ())
      table = fixed_table (runner.format (), settings, range);
    return runner.memory.table ("levels", table);
  }

  BlackWhite range{};
  /* The table, if black and white are set. */
  std::vector<std::byte> table;
  /* Histories of the regions of each field; whole frames use the first field's. */
  std::array<std::vector<LevelsHistory>, 2> histories;
  int frame = 0;
  Continuity shown;
};

const FilterDescription description{
    .long_name = "OpenCL levels",
    .description = "Sets black point, white point and gamma, by hand or automatically",
    .properties = properties,
    .operation = operation_type<Levels> (),
    .neutral = of_settings<[] (const LevelsSettings &settings) { return settings.neutral (); }>,
    .reach = of_settings<[] (const LevelsSettings &settings) {
      return FrameReach{.before = settings.automatic ? unsigned (settings.frames () - 1) : 0};
    }>,
};

GST_CL_DEFINE_FILTER (GstClLevels, gst_cl_levels, cllevels, description)

}  // namespace gst::cl::cllevels
