/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clnlmeans: removes noise and keeps edges and texture (non-local means): averages samples of a search window, weighted by
 * how similar their surroundings are. */
#include "core/arithmetic.hpp"
#include "filter/gstclfilter.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace gst::cl::clnlmeans {

enum : unsigned { STRENGTH, PATCH_RADIUS, SEARCH_RADIUS };

const Property properties[] = {
    real_property ("strength", "How different patches may look, as a fraction of full scale; 0 = no filtering", 0, 1, 0.05),
    integer_property ("patch-radius", "Samples on each side of a patch's centre", 0, 8, 3),
    integer_property ("search-radius", "Samples on each side of the search window's centre", 1, 24, 7),
};

class NlMeans : public Operation {
public:
  void update (const Values &values) override
  {
    strength = values.real (STRENGTH);
    patch = values.integer (PATCH_RADIUS);
    search = values.integer (SEARCH_RADIUS);
  }

  void run (Runner &runner, const PlaneTask &task) override
  {
    const KernelSpec spec = spec_for (runner, task);
    if (runner.backend () == Backend::gpu)
      run_groups (runner, task, spec);
    else
      run_tiles (runner, task, spec);
  }

  std::string algorithm () const override { return "running sums"; }

private:
  /** How far from a sample others are read, in pixels. */
  int margin () const { return search + patch; }

  /* Turns a sum of squares into the exponent of 2 as shared/weight.clh has it. Lower strengths would give a copy
   * anyway; this keeps the factor within a float. */
  float exponent_factor (int max_value) const
  {
    constexpr double exponent_scale = 1 << 23, least_strength = 1e-9;
    const double h = std::max (strength, least_strength) * max_value;
    const int samples = (2 * patch + 1) * (2 * patch + 1);
    return float (-exponent_scale * std::numbers::log2e / (h * h * samples));
  }

  /* Those of both back ends. */
  Arguments arguments (const Runner &runner, const PlaneTask &task) const
  {
    return {exponent_factor (runner.format ().max_value ()), search, task.samples_per_pixel ()};
  }

  KernelSpec spec_for (const Runner &runner, const PlaneTask &task) const
  {
    KernelSpec spec{
        .sources = {"shared/weight.clh", "nlmeans/nlmeans.cl"}, .function = "nlmeans", .options = {{"PATCH_RADIUS", patch}}};
    if (runner.backend () == Backend::cpu) {
      spec.options += {{"TILE_SAMPLES", tile_samples}, {"TILE_ROWS", tile_rows}};
    } else {
      spec.options += {{"GROUP_SAMPLES", group_samples (task)}, {"GROUP_ROWS", group_rows}};
    }
    return spec;
  }

  /* A tile has as many rows as there are, so that one program serves frames of any height: the edges of the region are
   * whole tiles, but Runner must not make a separate program for fewer rows. */
  void run_tiles (Runner &runner, const PlaneTask &task, const KernelSpec &spec) const
  {
    KernelSpec whole_tiles = spec;
    whole_tiles.item_rows = tile_rows;
    for (const Patch &part : patches_of (runner, task, Window::centered (margin (), margin ()), whole_tiles))
      runner.launch (spec, task, part, arguments (runner, task),
          WorkSize{{size_t (divide_up (part.width, tile_samples)), size_t (divide_up (part.height, tile_rows))}, {1, 1}});
  }

  /* First the plane with its surroundings, then the filter, which does not handle borders. */
  void run_groups (Runner &runner, const PlaneTask &task, const KernelSpec &spec) const
  {
    const Patch region = Patch::of (task);
    const int samples = task.src.layout->samples_per_pixel, width = group_samples (task);
    const size_t columns = divide_up (region.width, width), rows = divide_up (region.height, group_rows);
    const cl_int4 area{{region.x - margin () * samples, region.y - margin (), int (columns) * width + 2 * margin () * samples,
        int (rows) * group_rows + 2 * margin ()}};
    const ::cl::Buffer &padded =
        runner.memory.buffer ("padded", size_t (area.s[2]) * area.s[3] * runner.format ().sample_size ());

    constexpr size_t pad_x = 32, pad_y = 4;
    KernelSpec pad = spec;
    pad.function = "nlmeans_pad";
    runner.launch_range (pad, task,
        {{size_t (round_up (area.s[2], pad_x)), size_t (round_up (area.s[3], pad_y))}, {pad_x, pad_y}},
        {region.src, region.src_offset, region.src_stride, padded, area, Runner::plane_argument (task)});

    const size_t items = width / item_pixels;
    Arguments all = arguments (runner, task);
    all.insert (all.end (), {padded, area.s[2], margin ()});
    runner.launch (spec, task, region, all, WorkSize{{columns * items, rows * group_rows}, {items, group_rows}});
  }

  /** What a work-group of the gpu back end writes: whole items of this many pixels. */
  static int group_samples (const PlaneTask &task)
  {
    const int samples = task.src.layout->samples_per_pixel;
    return group_items / samples * samples * item_pixels;
  }

  static constexpr int tile_samples = 256, tile_rows = 32;
  static constexpr int group_items = 16, group_rows = 16, item_pixels = 8;

  double strength = 0;
  int patch = 0, search = 1;
};

const FilterDescription description{
    .long_name = "OpenCL non-local means",
    .description = "Removes noise and keeps texture by averaging samples with similar surroundings",
    .properties = properties,
    .windowed = true,
    .create = [] () -> std::unique_ptr<Operation> { return std::make_unique<NlMeans> (); },
    .neutral = [] (const Values &values) { return values.real (STRENGTH) <= 0; },
};

GST_CL_DEFINE_FILTER (GstClNlMeans, gst_cl_nlmeans, clnlmeans, description)

}  // namespace gst::cl::clnlmeans
