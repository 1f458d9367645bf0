/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clnlmeans: removes noise and keeps edges and texture (non-local means): averages samples of a search window, weighted by
 * how similar their surroundings are. */
#include "core/arithmetic.hpp"
#include "filter/gstclfilter.hpp"

#include <algorithm>
#include <numbers>

namespace gst::cl::clnlmeans {

struct NlMeansSettings {
  double strength = 0.05;
  int patch = 3, search = 7;

  /** How far from a sample other samples are read, in pixels. */
  int margin () const { return search + patch; }
  /** The factor that turns a sum of squares into the exponent of 2 in shared/weight.clh. Lower strengths would give a copy
   *  anyway; the limit keeps the factor within a float. */
  float exponent_factor (int max_value) const
  {
    constexpr double exponent_scale = 1 << 23, least_strength = 1e-9;
    const double h = std::max (strength, least_strength) * max_value;
    const int samples = (2 * patch + 1) * (2 * patch + 1);
    return float (-exponent_scale * std::numbers::log2e / (h * h * samples));
  }
};

constexpr Property properties[] = {
    property<&NlMeansSettings::strength> (
        "strength", "How different patches may look, as a fraction of full scale; 0 = no filtering", 0, 1),
    property<&NlMeansSettings::patch> ("patch-radius", "Samples on each side of a patch's centre", 0, 8),
    property<&NlMeansSettings::search> ("search-radius", "Samples on each side of the search window's centre", 1, 24),
};

/* The values besides properties that a plan depends on. */
struct Target {
  bool gpu;
  int samples_per_pixel, sample_bytes, max_value;
  /** The size of the result in pixels. */
  int width, height;

  auto operator<=> (const Target &) const = default;
};

KernelSpec
kernel_of (const NlMeansSettings &settings)
{
  return {.sources = {"shared/weight.clh", "nlmeans/nlmeans.cl"},
      .function = "nlmeans",
      .options = {{"PATCH_RADIUS", settings.patch}}};
}

Arguments
arguments_of (const NlMeansSettings &settings, const Target &target)
{
  return {settings.exponent_factor (target.max_value), settings.search};
}

/* Each item filters a tile. */
Launches
in_tiles (const NlMeansSettings &settings, const Target &target)
{
  constexpr int samples = 256, rows = 32;
  KernelSpec kernel = kernel_of (settings);
  kernel.options += {{"TILE_SAMPLES", samples}, {"TILE_ROWS", rows}};
  kernel.any_pixel = true;
  kernel.jobs =
      size_t (divide_up (target.width * target.samples_per_pixel, samples)) * size_t (divide_up (target.height, rows));
  return {{kernel, arguments_of (settings, target), Window::centered (settings.margin (), settings.margin ())}};
}

/* The first kernel copies each component of the plane with its margin, because the filter does not handle borders. A group
 * writes whole items. */
Launches
in_groups (const NlMeansSettings &settings, const Target &target)
{
  constexpr int row_items = 16, rows = 16, pixels = row_items * 8, pad_items = 256;
  const int across = divide_up (target.width, pixels), down = divide_up (target.height, rows);
  const int pitch = across * pixels + 2 * settings.margin ();
  const size_t padded = size_t (pitch) * (down * rows + 2 * settings.margin ()) * target.samples_per_pixel;
  KernelSpec filter = kernel_of (settings);
  filter.options += {{"GROUP_PIXELS", pixels}, {"GROUP_ROWS", rows}};
  filter.joins_chroma = true;
  filter.jobs = size_t (across) * down * target.samples_per_pixel;
  filter.job_items = row_items * rows;
  KernelSpec pad = filter;
  pad.function = "nlmeans_pad";
  pad.jobs = divide_up (padded, size_t (pad_items));
  pad.job_items = pad_items;
  const Arguments arguments = arguments_of (settings, target)
                              + Arguments{ScratchArgument{"padded", padded * target.sample_bytes}, pitch, settings.margin ()};
  return {{pad, arguments}, {filter, arguments}};
}

constexpr Form<NlMeansSettings, Target> forms[] = {
    {"running sums", [] (const NlMeansSettings &, const Target &target) { return target.gpu; }, in_groups},
    {"running sums", nullptr, in_tiles},
};

class NlMeans : public With<NlMeansSettings> {
public:
  void changed () override { plans.clear (); }

  Plan plan (Runner &runner, const PlaneTask &task) override
  {
    const Target target{.gpu = runner.backend () == Backend::gpu,
        .samples_per_pixel = task.src.layout->samples_per_pixel,
        .sample_bytes = runner.format ().sample_size (),
        .max_value = runner.format ().max_value (),
        .width = task.region.width,
        .height = task.region.height};
    return plans.get (target, [&] { return Plan{algorithm_of (forms, settings, target)}; });
  }

private:
  PlanCache<Target> plans;
};

const FilterDescription description{
    .long_name = "OpenCL non-local means",
    .description = "Removes noise and keeps texture by averaging samples with similar surroundings",
    .properties = properties,
    .windowed = true,
    .operation = operation_type<NlMeans> (),
    .neutral = of_settings<[] (const NlMeansSettings &settings) { return settings.strength <= 0; }>,
};

GST_CL_DEFINE_FILTER (GstClNlMeans, gst_cl_nlmeans, clnlmeans, description)

}  // namespace gst::cl::clnlmeans
