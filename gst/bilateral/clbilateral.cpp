/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clbilateral: smooths areas and keeps edges: a weighted mean of the window in which near and similar samples count most. */
#include "core/arithmetic.hpp"
#include "filter/gstclfilter.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace gst::cl::clbilateral {

struct BilateralSettings {
  enum class Distance { intensity, per_component, color };

  double sigma_space = 3, sigma_range = 0.1;
  /** 0 derives the radius from sigma_space. */
  int radius = 0;
  Distance distance = Distance::intensity;
  bool circle = false, grid = false;

  /** Whether every frame is unchanged. */
  bool neutral () const { return sigma_space <= 0 || sigma_range <= 0; }
  /** The radius of the window. */
  int window_radius () const { return radius > 0 ? radius : int (std::ceil (2 * sigma_space)); }
};

/** The values besides settings that a plan depends on. */
struct BilateralPlane {
  bool gpu;
  /** Local memory of a work-group in bytes, on the gpu back end. */
  size_t local_memory;
  int samples_per_pixel;
  /** The component of each sample, negative for padding, as in the format table. */
  std::array<int, 4> components;
  /** Components to filter, a bit for each. */
  unsigned selected;
  bool rgb;
  int depth;
  /** Size in pixels of the plane. */
  int width, height;

  auto operator<=> (const BilateralPlane &) const = default;
};

/** The approximation: see kernels/bilateral/grid.cl. */
struct BilateralGrid {
  int columns, rows, layers;
  /** Number of cells in all grids, and bytes of a cell. */
  int cells, cell_bytes;
  float per_pixel, layer_scale;
  /** Weights of the blurs; the first is the weight of the cell itself. */
  std::vector<float> space_taps, layer_taps;

  size_t bytes () const { return size_t (cells) * cell_bytes; }
};

struct BilateralPlan {
  /** The exact method. */
  Launches exact;
  /** The grid, if it replaces the exact method. */
  std::optional<BilateralGrid> grid;
  /** -D values of kernels/bilateral/bilateral.clh, for the grid. */
  Options options;
  /** If distances are taken in the guide plane of kernels/bilateral/guide.cl: its size, and GUIDE_ARGS. */
  struct GuideSize {
    int margin, stride, rows;
  };
  std::optional<GuideSize> guide_size;
  Arguments guide;
};

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

/* Of exponents in shared/weight.clh */
constexpr double exponent_scale = 1 << 23;
/* Lower sigmas would give a copy anyway; these limits keep factors within a float. Products of 8-bit colours have a rounding
 * error that must stay far below 1: with this sigma, in steps, a difference of 1 has no weight. */
constexpr double least_sigma_space = 1e-3, least_sigma_range = 1e-9, least_product_sigma = 0.1;

/* bilateral/bilateral.cl's STRIP, and rows that share unpacked pixels */
constexpr int cpu_item_pixels = 128, cpu_item_rows = 4;
constexpr int gpu_item_pixels = 4, gpu_item_rows = 2;
/* With a larger radius, bilateral/quads.cl's tiles leave a device too few groups, and its programs take long to build. Measured
 * on an H200, as are its groups. */
constexpr int largest_tile_radius = 8;
constexpr int tile_group_columns = 16, tile_group_rows = 8;

/* Cells per standard deviation: more make no visible difference, fewer are too coarse. */
constexpr double finest_grid = 2, coarsest_grid = 0.75;
/* bilateral/grid.cl's LARGEST_LAYERS */
constexpr int largest_layers = 64;
/* Both buffers of cells together take about the memory of two frames. */
constexpr double pixels_per_cell = 4;

enum class Source { self, intensity, color, guide };

Source
distance_source (const BilateralSettings &settings, const BilateralPlane &plane)
{
  using Distance = BilateralSettings::Distance;
  if (settings.distance == Distance::per_component)
    return Source::self;
  if (!plane.rgb)
    return plane.components[0] == 0 ? Source::self : Source::guide;
  return settings.distance == Distance::color ? Source::color : Source::intensity;
}

/* The guide's value of full scale. */
double
guide_full_scale (Source source, int depth)
{
  const double max = (1 << depth) - 1;
  return max * (source == Source::intensity ? 100 : source == Source::guide ? 4 : 1);
}

/* How many components are filtered; alpha only where it is selected. */
int
filtered_components (const BilateralPlane &plane)
{
  if (!plane.rgb)
    return plane.samples_per_pixel;
  const bool alpha = std::ranges::find (plane.components, 3) != plane.components.end ();
  return alpha && (plane.selected & 8) ? 4 : 3;
}

/* Positions of R, G, B and the rest in the pixel. */
std::array<int, 4>
positions (const BilateralPlane &plane)
{
  std::array<int, 4> result{0, 1, 2, 3};
  if (plane.rgb)
    for (int i = 0; i < plane.samples_per_pixel; i++) {
      const int component = plane.components[i];
      result[component < 0 ? 3 : component] = i;
    }
  return result;
}

Options
build_options (const BilateralPlane &plane, Source source)
{
  Options options{{"COMPONENTS", filtered_components (plane)}};
  int kind = 0;
  for (const char *name : {"DISTANCE_SELF", "DISTANCE_INTENSITY", "DISTANCE_COLOR", "DISTANCE_GUIDE"})
    options += {{name, kind++ == int (source)}};
  const std::array<int, 4> where = positions (plane);
  for (int i = 0; i < 4; i++)
    options.emplace_back ("POSITION", i, where[i]);
  return options;
}

/* A Gaussian's weights, less the width that linear weights add where the grid is written and read. */
std::vector<float>
blur_taps (double sigma_in_cells, int reach)
{
  const double variance = sigma_in_cells * sigma_in_cells - 1.0 / 3;
  std::vector<float> taps;
  for (int i = 0; i <= reach; i++)
    taps.push_back (std::exp (-i * i / (2 * variance)));
  return taps;
}

std::optional<BilateralGrid>
plan_grid (const BilateralSettings &settings, const BilateralPlane &plane, Source source)
{
  if (source == Source::color)
    return {};
  const int components = filtered_components (plane);
  const int grids = source == Source::self ? components : 1;
  const double ss = settings.sigma_space, sr = settings.sigma_range;
  const double fineness = std::min (finest_grid, std::cbrt (ss * ss * sr / (pixels_per_cell * grids)));
  const double layer_fineness = std::min (fineness, (largest_layers - 2) * sr);
  if (layer_fineness < coarsest_grid)
    return {};

  BilateralGrid grid;
  grid.per_pixel = fineness / ss;
  grid.columns = int ((plane.width - 1) * double (grid.per_pixel)) + 2;
  grid.rows = int ((plane.height - 1) * double (grid.per_pixel)) + 2;
  grid.layers = int (layer_fineness / sr) + 2;
  grid.layer_scale = layer_fineness / sr / guide_full_scale (source, plane.depth);
  grid.cells = grid.columns * grid.rows * grid.layers * grids;
  const int values = grids == 1 ? components + 1 : 2;
  grid.cell_bytes = sizeof (float) * (values <= 2 ? 2 : values <= 4 ? 4 : 8);
  const double reach = settings.window_radius () * double (grid.per_pixel);
  grid.space_taps = blur_taps (fineness, std::max (1, int (std::lround (reach))));
  grid.layer_taps = blur_taps (layer_fineness, int (std::ceil (3 * layer_fineness)));
  return grid;
}

/* How many rows of a group fit into the tile; 0 if none does. */
int
rows_of_group (int radius, int values, size_t local_memory)
{
  constexpr int quad = 4;
  const int columns = quad * (tile_group_columns + 2 * divide_up (radius, quad));
  for (int rows = tile_group_rows; rows > 0; rows /= 2)
    if (size_t (columns) * (rows * gpu_item_rows + 2 * radius) * values * sizeof (float) <= local_memory)
      return rows;
  return 0;
}

/* The coefficient of a squared distance in the exponent of 2 of a Gaussian weight. */
double
space_exponent (const BilateralSettings &settings)
{
  const double sigma = std::max (settings.sigma_space, least_sigma_space);
  return -std::numbers::log2e / (2 * sigma * sigma);
}

/* The inputs of a form. */
struct Exact {
  const BilateralSettings &settings;
  const BilateralPlane &plane;
  Source source;

  int radius () const { return settings.window_radius (); }
  double range () const { return std::max (settings.sigma_range, least_sigma_range) * guide_full_scale (source, plane.depth); }
  bool takes_products () const { return source == Source::color && plane.depth <= 8; }
  /** How many numbers a pixel has in bilateral/quads.cl's tile. */
  int tile_values () const
  {
    return filtered_components (plane) + (takes_products () || source == Source::intensity || source == Source::guide);
  }
  /** Rows of a group whose tile fits into local memory; 0 if none does, or the window is too large. */
  int tile_rows () const
  {
    return plane.gpu && radius () <= largest_tile_radius ? rows_of_group (radius (), tile_values (), plane.local_memory) : 0;
  }
};

Launches
by_quads (const Exact &exact)
{
  KernelSpec kernel{.sources = {"bilateral/quads.cl"}, .function = "bilateral"};
  kernel.item_samples = kernel.strip_samples = gpu_item_pixels * exact.plane.samples_per_pixel;
  kernel.tunable = {.local = true};
  const cl_float scale = exact.takes_products ()
                             ? std::sqrt (std::numbers::log2e) / std::max (exact.range (), least_product_sigma)
                             : std::sqrt (std::numbers::log2e / 2) / exact.range ();
  return {{kernel, {cl_float (space_exponent (exact.settings)), scale, 1 / scale, exact.radius ()}}};
}

Launches
by_tiles (const Exact &exact)
{
  Launches launches = by_quads (exact);
  KernelSpec &kernel = launches.front ().kernel;
  kernel.tunable = {};
  kernel.item_rows = gpu_item_rows;
  kernel.local_x = tile_group_columns;
  kernel.local_y = exact.tile_rows ();
  kernel.options = {{"TILE_RADIUS", exact.radius ()}, {"GROUP_X", tile_group_columns}, {"GROUP_Y", kernel.local_y}};
  return launches;
}

Launches
by_rows (const Exact &exact)
{
  static constexpr int rows[] = {1, 2, 4};
  KernelSpec kernel{.sources = {"bilateral/bilateral.cl"}, .function = "bilateral", .item_rows = cpu_item_rows};
  kernel.strip_samples = cpu_item_pixels * exact.plane.samples_per_pixel;
  kernel.tunable = {.local = true, .rows = rows};
  const double sigma = exact.range ();
  return {{kernel, {cl_float (exponent_scale * space_exponent (exact.settings)),
                       cl_float (-exponent_scale * std::numbers::log2e / (2 * sigma * sigma)), exact.radius ()}}};
}

constexpr Form<Exact> forms[] = {
    {"exact", [] (const Exact &exact) { return exact.tile_rows () > 0; }, by_tiles},
    {"exact", [] (const Exact &exact) { return exact.plane.gpu; }, by_quads},
    {"exact", nullptr, by_rows},
};

BilateralPlan
plan_bilateral (const BilateralSettings &settings, const BilateralPlane &plane)
{
  const Source source = distance_source (settings, plane);
  BilateralPlan plan{.exact = {}, .grid = {}, .options = build_options (plane, source), .guide_size = {}, .guide = {}};
  if (source == Source::guide) {
    /* the gpu back end reads whole quads, also beyond the window, and more rows than the plane has */
    const int radius = settings.window_radius ();
    const int margin = plane.gpu ? int (round_up (radius + 2 * gpu_item_pixels, gpu_item_pixels)) : radius;
    const int stride = int (round_up (plane.width, gpu_item_pixels)) + 2 * margin, rows = plane.height + 2 * margin;
    /* four times a sample: 16 bits if that suffices */
    const size_t bytes = plane.depth <= 14 ? sizeof (cl_ushort) : sizeof (cl_uint);
    plan.guide_size = {margin, stride, rows};
    plan.guide = {ScratchArgument{"guide", size_t (stride) * rows * bytes}, margin * stride + margin, stride};
  }
  if (settings.grid)
    plan.grid = plan_grid (settings, plane, source);
  if (plan.grid)
    return plan;
  const Options options = plan.options + Options{{"CIRCLE", settings.circle}};
  const Exact exact{settings, plane, source};
  plan.exact = algorithm_of (forms, exact).launches;
  Launch &launch = plan.exact.front ();
  launch.kernel.sources.insert (
      launch.kernel.sources.begin (), {"lib/pixel.clh", "shared/weight.clh", "bilateral/bilateral.clh"});
  launch.kernel.options += options;
  launch.arguments = plan.guide + launch.arguments;
  launch.window = Window::centered (exact.radius (), exact.radius ());
  return plan;
}

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
    Launches launches = known.grid ? by_grid (runner, task, known, *known.grid) : known.exact;
    if (known.guide_size)
      launches.insert (launches.begin (), make_guide (runner, task, known, known.grid ? nullptr : &launches.front ()));
    return {known.grid ? "grid" : "exact", std::move (launches)};
  }

private:
  /* Makes the luma at the resolution of the task's chroma plane, with a margin; see kernels/bilateral/guide.cl. `filter` gets
   * the kernel in its program, since two take longer to build. */
  static Launch make_guide (const Runner &runner, const PlaneTask &task, const BilateralPlan &plan, Launch *filter)
  {
    const int strip = runner.backend () == Backend::gpu ? 1 : 64;
    const PlaneView &luma = task.frame[0];
    const auto &[margin, stride, rows] = *plan.guide_size;
    const PlaneLayout &layout = *task.src.layout;
    KernelSpec spec{.sources = {"bilateral/bilateral.clh", "bilateral/guide.cl"},
        .function = "bilateral_guide",
        .options = {{"SUBSAMPLE_X", layout.subsample_x}, {"SUBSAMPLE_Y", layout.subsample_y}, {"GUIDE_STRIP", strip}}};
    const std::array<size_t, 2> global{size_t (divide_up (stride, strip)), size_t (rows)};
    PlaneTask own_task = task;
    if (filter && !luma.image && !task.src.image && luma.layout->part == layout.part) {
      filter->kernel.sources.push_back (spec.sources.back ());
      filter->kernel.options += spec.options;
      spec = filter->kernel;
      spec.function = "bilateral_guide";
      spec.tunable = {};
    } else {
      own_task.src = luma;
    }
    return Launch::range (std::move (spec), {global, free_group (runner)},
        {luma.memory, luma.offset, luma.stride, plan.guide.front (), stride,
            cl_int4{{luma.width, luma.height, task.src.width, task.src.height}},
            cl_int4{{cl_int (task.border), task.luma_border_sample, margin, 0}}})
        .on (own_task);
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
