/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clequalize: equalises the histogram of each frame, either for the whole picture or by tiles with limited contrast (CLAHE).
 * */
#include "equalize/plan.hpp"
#include "filter/copies.hpp"
#include "filter/gstclfilter.hpp"

using namespace gst::cl;

namespace {

enum : unsigned { METHOD, DOMAIN, STRENGTH, CLIP_LIMIT, TILES_X, TILES_Y, RANGE };

constexpr GEnumValue method_values[] = {
    {int (EqualizeMethod::global), "One table for the whole picture", "global"},
    {int (EqualizeMethod::clahe), "One table per tile, with limited contrast", "clahe"},
    {},
};

constexpr GEnumValue domain_values[] = {
    {int (EqualizeDomain::intensity), "The brightness; colours follow", "intensity"},
    {int (EqualizeDomain::per_component), "Every component by itself", "per-component"},
    {int (EqualizeDomain::luma), "Former name of intensity", "luma"},
    {},
};

const Property properties[] = {
    enum_property ("method", "One table for the whole picture, or one per tile",
        enum_type<"GstClEqualizeMethod", method_values>, int (EqualizeMethod::global)),
    enum_property ("domain", "Equalise the brightness, or each component by itself",
        enum_type<"GstClEqualizeDomain", domain_values>, int (EqualizeDomain::intensity)),
    real_property ("strength", "0 leaves the frame unchanged, 1 applies the full result", 0, 1, 1),
    real_property ("clip-limit", "For clahe: limit of each count, in multiples of the mean count; 0 = no limit", 0, 100, 2),
    integer_property ("tiles-x", "For clahe: number of tiles side by side", 1, 64, 8),
    integer_property ("tiles-y", "For clahe: number of tiles on top of each other", 1, 64, 8),
    range_property (),
};

class Equalize : public Operation {
public:
  void update (const Values &values) override
  {
    settings.method = EqualizeMethod (values.integer (METHOD));
    settings.domain = EqualizeDomain (values.integer (DOMAIN));
    settings.clip_limit = values.real (CLIP_LIMIT);
    settings.tiles_x = values.integer (TILES_X);
    settings.tiles_y = values.integer (TILES_Y);
    settings.range = Range (values.integer (RANGE));
    strength = values.real (STRENGTH);
  }

  void begin_frame (Runner &runner, const FrameInfo &info) override
  {
    range = black_and_white (info.video, runner.format (), settings.range);
  }

  void run (Runner &runner, const PlaneTask &task) override
  {
    if (!changes (runner.format (), task.plane)) {
      copy_samples (runner, task, task.region);
      return;
    }
    const BlackWhite spread = on_plane (range, runner.format (), task.plane);
    if (settings.method == EqualizeMethod::clahe)
      equalize_tiles (runner, task, settings, spread);
    else
      equalize_whole (runner, task, settings, spread);
    if (strength < 1)
      mix_samples (runner, task, strength);
  }

  /* mix reads what was written */
  bool takes_images () const override { return strength == 1; }

  bool takes_words (const Runner &runner) const override { return runner.backend () == Backend::gpu; }

  WordPart part_of (const Format &format, int plane) const override
  {
    return changes (format, plane) ? WordPart::filtered : WordPart::kept;
  }

  std::string algorithm () const override { return settings.method == EqualizeMethod::clahe ? "clahe" : "global"; }

private:
  bool changes (const Format &format, int plane) const
  {
    return settings.domain == EqualizeDomain::per_component || format.model != ColorModel::yuv || plane == 0;
  }

  EqualizeSettings settings;
  BlackWhite range{};
  double strength = 1;
};

const FilterDescription description{
    .long_name = "OpenCL histogram equalisation",
    .description = "Equalises the histogram of each frame, whole or by tiles (CLAHE)",
    .properties = properties,
    .create = [] () -> std::unique_ptr<Operation> { return std::make_unique<Equalize> (); },
    .neutral = [] (const Values &values) { return values.real (STRENGTH) == 0; },
};

}  // namespace

GST_CL_DEFINE_FILTER (GstClEqualize, gst_cl_equalize, clequalize, description)
