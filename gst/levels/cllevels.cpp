/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cllevels: sets the black point, the white point and gamma, by hand or automatically for each frame. */
#include "filter/copies.hpp"
#include "filter/gstclfilter.hpp"
#include "levels/plan.hpp"

using namespace gst::cl;

namespace {

enum : unsigned { BLACK, WHITE, GAMMA, AUTO, CLIP, SMOOTHING, RANGE };

const Property properties[] = {
    real_property ("black", "Value that becomes black, as a fraction of full scale", 0, 1, 0),
    real_property ("white", "Value that becomes white, as a fraction of full scale", 0, 1, 1),
    real_property ("gamma", "Above 1 brightens: values x of 0..1 become x^(1/gamma)", 0.1, 10, 1),
    boolean_property ("auto", "Find black and white in each frame", false),
    real_property ("clip", "For auto: fraction of the pixels that may become black, and white", 0, 0.5, 0.005),
    integer_property (
        "smoothing", "For auto: number of frames over which black and white are averaged", 0, LevelsSettings::most_frames, 12),
    range_property (),
};

LevelsSettings
settings_of (const Values &values)
{
  return {.black = values.real (BLACK),
      .white = values.real (WHITE),
      .gamma = values.real (GAMMA),
      .automatic = values.boolean (AUTO),
      .clip = values.real (CLIP),
      .smoothing = std::max (values.integer (SMOOTHING), 1),
      .range = Range (values.integer (RANGE))};
}

class Levels : public Operation {
public:
  void update (const Values &values) override
  {
    settings = settings_of (values);
    table.clear ();
    if (!settings.automatic)
      histories.clear ();
  }

  void begin_frame (Runner &runner, const FrameInfo &info) override
  {
    const BlackWhite found = black_and_white (info.video, runner.format (), settings.range);
    if (found != range)
      table.clear ();
    range = found;
    regions = 0;
    /* after a seek, perhaps to the same frame, earlier frames do not count */
    if (info.number <= number || info.number > number + settings.smoothing)
      histories.clear ();
    number = info.number;
  }

  void run (Runner &runner, const PlaneTask &task) override
  {
    if (!stretches (runner, task)) {
      copy_samples (runner, task, task.region);
      return;
    }
    if (settings.automatic) {
      const size_t region = regions++;
      if (region >= histories.size ())
        histories.emplace_back ();
      stretch (runner, task, measured_table (runner, task, settings, range, histories[region], region));
    } else {
      stretch (runner, task, set_table (runner));
    }
  }

  bool takes_images () const override { return true; }
  bool takes_words (const Runner &runner) const override { return runner.backend () == Backend::gpu; }
  WordPart part_of (const Format &, int plane) const override { return plane > 0 ? WordPart::kept : WordPart::filtered; }
  bool is_point (const Format &, unsigned) const override { return !settings.automatic; }

  std::optional<PointStep> point_step (Runner &runner, const PlaneTask &task) override
  {
    if (!stretches (runner, task))
      return std::nullopt;
    static constexpr const char *sources[] = {"levels/step.clh"};
    return PointStep{"TABLE", "TABLE", sources, PointStep::Gray::kept, {set_table (runner)}};
  }

  std::string algorithm () const override { return settings.automatic ? "auto" : "table"; }

private:
  /* The luma of YUV alone. */
  static bool stretches (const Runner &runner, const PlaneTask &task)
  {
    return runner.format ().model != ColorModel::yuv || task.plane == 0;
  }

  const ::cl::Buffer &set_table (Runner &runner)
  {
    if (table.empty ())
      table = fixed_table (runner.format (), settings, range);
    return runner.memory.table ("levels", table);
  }

  LevelsSettings settings;
  BlackWhite range{};
  /** Where black and white are set. */
  std::vector<std::byte> table;
  /** Of the regions of a frame, by their number. */
  std::vector<LevelsHistory> histories;
  size_t regions = 0;
  guint64 number = 0;
};

const FilterDescription description{
    .long_name = "OpenCL levels",
    .description = "Sets black point, white point and gamma, by hand or automatically",
    .properties = properties,
    .create = [] () -> std::unique_ptr<Operation> { return std::make_unique<Levels> (); },
    .neutral = [] (const Values &values) { return settings_of (values).neutral (); },
    .reach =
        [] (const Values &values) {
          const LevelsSettings settings = settings_of (values);
          return FrameReach{.before = settings.automatic ? unsigned (settings.smoothing - 1) : 0};
        },
};

}  // namespace

GST_CL_DEFINE_FILTER (GstClLevels, gst_cl_levels, cllevels, description)
