/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clbilateral: smooths areas and keeps edges: a weighted mean of the window in which near and similar samples count most. */
#include "bilateral/plan.hpp"
#include "core/arithmetic.hpp"
#include "filter/gstclfilter.hpp"

namespace gst::cl::clbilateral {

constexpr GEnumValue distance_values[] = {
    {int (BilateralSettings::Distance::intensity), "Difference of intensity (YUV: of luma), one weight for all components",
        "intensity"},
    {int (BilateralSettings::Distance::per_component), "Difference of each component by itself", "per-component"},
    {int (BilateralSettings::Distance::color), "Euclidean distance of R, G and B (YUV: as intensity)", "color"},
};

constexpr GEnumValue window_values[] = {
    {false, "All of the square", "square"},
    {true, "Pixels within the radius", "circle"},
};

constexpr GEnumValue method_values[] = {
    {false, "The formula, within 1", "exact"},
    {true, "A bilateral grid: approximate, for large sigmas", "grid"},
};

constexpr Property properties[] = {
    window_size (property<&BilateralSettings::sigma_space> (
        "sigma-space", "Standard deviation of the weight over distance, in samples; 0 = no filtering", 0, 100)),
    property<&BilateralSettings::sigma_range> (
        "sigma-range", "Standard deviation of the weight over difference, as a fraction of full scale; 0 = no filtering", 0, 1),
    window_size (property<&BilateralSettings::radius> (
        "radius", "Samples on each side of the window's centre; 0 = ceil (2 * sigma-space)", 0, 64)),
    property<&BilateralSettings::distance> (
        "distance", "How the difference of two pixels is measured", enum_type<"GstClBilateralDistance", distance_values>),
    property<&BilateralSettings::circle> ("window", "Shape of the window", enum_type<"GstClBilateralWindow", window_values>),
    property<&BilateralSettings::grid> (
        "method", "Exact, or a fast approximation for large sigmas", enum_type<"GstClBilateralMethod", method_values>),
};

/* CPU compilers compile a kernel again for every local size; other drivers may choose one. */
std::array<size_t, 2>
free_group (const Runner &runner)
{
  const size_t items = runner.backend () == Backend::cpu ? 1 : 0;
  return {items, items};
}

class Bilateral : public With<BilateralSettings> {
public:
  void changed () override { plans.clear (); }

  Plan plan (Runner &runner, const PlaneTask &task) override
  {
    const PlaneLayout &layout = *task.src.layout;
    const BilateralPlane plane{.gpu = runner.backend () == Backend::gpu,
        .local_memory = runner.cl ().device.local_bytes,
        .samples_per_pixel = layout.samples_per_pixel,
        .components = layout.components,
        .selected = task.components,
        .rgb = runner.format ().model == ColorModel::rgb,
        .depth = runner.format ().depth,
        .width = task.src.width,
        .height = task.src.height};
    const BilateralPlan &known = plans.get (plane, [&] { return plan_bilateral (settings, plane); });
    Launches launches;
    if (known.guide_margin)
      launches.push_back (make_guide (runner, task, *known.guide_margin));
    launches += known.grid ? by_grid (runner, task, known, *known.grid) : known.exact;
    return {known.grid ? "grid" : "exact", std::move (launches)};
  }

private:
  /* Makes the luma at the resolution of the task's chroma plane, with a margin; see kernels/bilateral/guide.cl. */
  static Launch make_guide (const Runner &runner, const PlaneTask &task, int margin)
  {
    constexpr int cpu_strip = 64;
    const int strip = runner.backend () == Backend::cpu ? cpu_strip : 1;
    const PlaneView &luma = task.frame[0];
    const cl_int stride = task.src.width + 2 * margin, rows = task.src.height + 2 * margin;
    const PlaneLayout &layout = *task.src.layout;
    KernelSpec spec{.sources = {"bilateral/bilateral.clh", "bilateral/guide.cl"},
        .function = "bilateral_guide",
        .options = {{"SUBSAMPLE_X", layout.subsample_x}, {"SUBSAMPLE_Y", layout.subsample_y}, {"GUIDE_STRIP", strip}}};
    const std::array<size_t, 2> global{size_t (stride + strip - 1) / strip, size_t (rows)};
    PlaneTask luma_task = task;
    luma_task.src = luma;
    return Launch::range (std::move (spec), {global, free_group (runner)},
        {luma.memory, luma.offset, luma.stride,
            bilateral_guide (task.src.width, task.src.height, margin, runner.format ().depth), stride,
            cl_int4{{luma.width, luma.height, task.src.width, task.src.height}},
            cl_int4{{cl_int (task.border), task.luma_border_sample, margin, 0}}})
        .on (luma_task);
  }

  /* Splat, blur along both axes of space (layers are blurred by the splat), slice. */
  static Launches by_grid (const Runner &runner, const PlaneTask &task, const BilateralPlan &plan, const BilateralGrid &grid)
  {
    const auto spec_for = [&] (const char *function, int item_samples) {
      return KernelSpec{.sources = {"lib/pixel.clh", "shared/weight.clh", "bilateral/bilateral.clh", "bilateral/grid.cl"},
          .function = function,
          .options = plan.options,
          .item_samples = item_samples,
          .tunable = {.local = true}};
    };
    const ScratchArgument cells{"grid-cells", grid.bytes ()}, blurred{"grid-blurred", grid.bytes ()};
    const TableArgument space_taps{{"grid-space-taps", task.plane}, grid.space_taps};
    const TableArgument layer_taps{{"grid-layer-taps", task.plane}, grid.layer_taps};
    const cl_int space_reach = cl_int (grid.space_taps.size ()) - 1, layer_reach = cl_int (grid.layer_taps.size ()) - 1;
    const cl_int4 size{{grid.columns, grid.rows, grid.layers, 0}};

    constexpr size_t cpu_group = 256;
    const bool cpu = runner.backend () == Backend::cpu;
    const WorkSize columns{{size_t (grid.columns), size_t (grid.rows)}, free_group (runner)};
    const WorkSize all_cells{{cpu ? round_up (size_t (grid.cells), cpu_group) : size_t (grid.cells), 1},
        cpu ? std::array{cpu_group, size_t (1)} : free_group (runner)};
    const Arguments seen{cells, size, grid.per_pixel, grid.layer_scale};
    const KernelSpec blur = spec_for ("bilateral_blur", 1);
    return {Launch::range (spec_for ("bilateral_splat", 1), columns,
                Arguments{task.src.memory, task.src.offset, task.src.stride, task.src.width, task.src.height} + plan.guide
                    + seen + Arguments{layer_taps, layer_reach}),
        Launch::range (blur, all_cells,
            {cells, blurred, cl_int (grid.cells), cl_int (grid.layers), cl_int (grid.columns), space_taps, space_reach}),
        Launch::range (blur, all_cells,
            {blurred, cells, cl_int (grid.cells), cl_int (grid.layers * grid.columns), cl_int (grid.rows), space_taps,
                space_reach}),
        Launch (spec_for ("bilateral_slice", task.src.layout->samples_per_pixel), plan.guide + seen)};
  }

  PlanCache<BilateralPlane, BilateralPlan> plans;
};

const FilterDescription description{
    .long_name = "OpenCL bilateral filter",
    .description = "Smooths areas and keeps edges",
    .properties = properties,
    .windowed = true,
    .operation = operation_type<Bilateral> (),
    .neutral = of_settings<[] (const BilateralSettings &settings) { return settings.neutral (); }>,
};

GST_CL_DEFINE_FILTER (GstClBilateral, gst_cl_bilateral, clbilateral, description)

}  // namespace gst::cl::clbilateral
