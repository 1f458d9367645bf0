/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clblur: blurs each component with a gaussian, or with the mean of a square window (box). */
#include "blur/bands.hpp"
#include "blur/gaussian.hpp"
#include "blur/matrixwindow.hpp"
#include "core/arithmetic.hpp"
#include "filter/gstclfilter.hpp"
#include "filter/runner.hpp"

#include <algorithm>

using namespace gst::cl;

namespace {

enum : unsigned { TYPE, SIGMA, RADIUS };

enum class BlurType { gaussian, box };

constexpr int default_box_radius = 2;

constexpr GEnumValue type_values[] = {
    {int (BlurType::gaussian), "Weights that fall off as a gaussian", "gaussian"},
    {int (BlurType::box), "The mean of the window", "box"},
    {},
};

const Property properties[] = {
    enum_property ("type", "How the samples of the window are weighted", enum_type<"GstClBlurType", type_values>,
        int (BlurType::gaussian)),
    real_property ("sigma", "Standard deviation of the gaussian, in samples", 0, 100, 2),
    integer_property ("radius", "Samples on each side of the window's centre; 0 = 3*sigma, or 2 for box", 0, 512, 0),
};

/* Sums behind a row's end that may be read and written, twice BOX_LANES of kernels/blur/box.cl. */
constexpr int box_sums_behind = 32;

struct Mean {
  cl_int radius, count;
  cl_float inverse;
};

/* WIDE_TOTALS of blur/mean.clh, which else has sums of 32 bits with a sign. At 16 bits one program serves all radii. */
bool
has_wide_totals (const Runner &runner, const Mean &mean)
{
  return runner.format ().depth > 12 || gint64 (mean.count) * runner.format ().max_value () > G_MAXINT32;
}

Options
total_options (const Runner &runner, const Mean &mean)
{
  return {{"WIDE_TOTALS", has_wide_totals (runner, mean)}};
}

size_t
total_size (const Runner &runner, const Mean &mean)
{
  return has_wide_totals (runner, mean) ? sizeof (cl_ulong) : sizeof (cl_uint);
}

void
run_bands (Runner &runner, const PlaneTask &task, const Mean &mean)
{
  /* A band begins with the sum of its first window. */
  const Bands bands = cut_bands (runner, task, 1, std::max (32, mean.radius));
  const int samples = task.src.layout->samples_per_pixel;
  const size_t pitch = size_t (task.src.width + 2 * mean.radius) * samples + box_sums_behind;
  const size_t blank = size_t (task.src.width) * samples * runner.format ().sample_size ();
  const cl_ulong each = round_up (pitch * (total_size (runner, mean) + sizeof (cl_uint)) + blank, scratch_unit);
  const KernelSpec spec{.sources = {"lib/tile.clh", "blur/separable.clh", "blur/mean.clh", "blur/box.cl"},
      .function = "box",
      .options = total_options (runner, mean),
      .jobs = size_t (bands.count)};
  const ::cl::Buffer &scratch = runner.memory.buffer ("box", each * bands.count);
  runner.launch (spec, task, Patch::of (task), {mean.count, mean.inverse, mean.radius, cl_int (bands.rows), scratch, each});
}

void
run_two_passes (Runner &runner, const PlaneTask &task, const Mean &mean, int sum_pitch)
{
  constexpr int column_samples = 4, least_band = 64;
  constexpr size_t column_group = 128, row_group = 256;
  const int samples = task.src.layout->samples_per_pixel;
  const int row_samples = samples == 3 ? 12 : 16; /* whole pixels, for the sums of a group */
  const Patch from = Patch::of (task, columns_reached (task, mean.radius));
  const ::cl::Buffer &sums = runner.memory.buffer ("box", size_t (sum_pitch) * from.height * sizeof (cl_uint));
  const int band = std::max (least_band, mean.radius);
  const size_t items = divide_up (from.x + from.width, column_samples) - from.x / column_samples;
  const KernelSpec columns{
      .sources = {"blur/mean.clh", "blur/box.cl"}, .function = "box_columns", .options = {{"COLUMNS", 1}, {"WIDE_TOTALS", 0}}};
  runner.launch_range (columns, task,
      {{round_up (items, column_group), size_t (divide_up (from.height, band))}, {column_group, 1}},
      {from.src, from.src_offset, from.src_stride, Runner::plane_argument (task),
          cl_int4{{from.x, from.y, from.width, from.height}}, mean.radius, cl_int (band), sums, cl_int (sum_pitch)});

  const KernelSpec rows{.sources = columns.sources,
      .function = "box_rows",
      .options = Options{{"GROUP_ITEMS", row_group}} + total_options (runner, mean),
      .item_samples = row_samples,
      .local_x = row_group,
      .local_y = 1};
  const Patch to = Patch::of (task);
  const size_t group_samples = row_group * row_samples;
  const size_t groups = divide_up (to.x % row_samples + to.width, group_samples);
  const ::cl::Buffer &totals = runner.memory.buffer (
      "box-totals", groups * to.height * (group_samples + (2 * mean.radius + 1) * samples) * total_size (runner, mean));
  runner.launch (rows, task, to, {mean.count, mean.inverse, mean.radius, sums, cl_int (sum_pitch), totals});
}

/* What a tile's column sums and their reach leave room for in 32 KiB of local memory. */
constexpr int max_tile_radius = 16;

KernelSpec
tile_spec ()
{
  constexpr int segments = 8, rows = 16;
  return {.sources = {"blur/tile_edge.clh", "blur/box_tile.cl"},
      .function = "box_tile",
      .options = {{"SEGMENTS", segments}, {"TILE_ROWS", rows}, {"MAX_RADIUS", max_tile_radius}},
      .item_samples = 48,
      .local_x = segments,
      .local_y = rows};
}

/* Writes the means of windows of 2 * radius + 1 samples each way to task.region. */
void
run_box (Runner &runner, const PlaneTask &task, int radius)
{
  const int count = (2 * radius + 1) * (2 * radius + 1);
  const Mean mean{radius, count, float (1.0 / count)};
  if (runner.backend () == Backend::cpu)
    return run_bands (runner, task, mean);
  if (takes_matrix_window (runner, radius)) {
    const MatrixWindow window{"blur/box_matrix.cl", "box_matrix", std::vector<int> (2 * radius + 1, 1), 1, 0};
    if (run_matrix_window (runner, task, window, {mean.inverse}))
      return;
  }
  if (runner.format ().depth == 8 && radius <= max_tile_radius && runner.ready (tile_spec (), task))
    return runner.launch (tile_spec (), task, Patch::of (task), {mean.radius, mean.inverse});
  const int pitch = sums_pitch (task);
  for (const PlaneTask &part : cut_parts (task, pitch * sizeof (cl_uint), radius))
    run_two_passes (runner, part, mean, pitch);
}

class Blur : public Operation {
public:
  void update (const Values &values) override
  {
    type = BlurType (values.integer (TYPE));
    sigma = values.real (SIGMA);
    radius = values.integer (RADIUS);
    weights.reset ();
  }

  void run (Runner &runner, const PlaneTask &task) override
  {
    if (type == BlurType::box) {
      run_box (runner, task, radius ? radius : default_box_radius);
      return;
    }
    if (!weights)
      weights = gaussian_weights (sigma, radius ? radius : gaussian_radius (sigma), runner.format ().max_value ());
    run_gaussian (runner, task, *weights, std::nullopt);
  }

  std::string algorithm () const override { return type == BlurType::box ? "running-sum" : "separable"; }

private:
  BlurType type = BlurType::gaussian;
  double sigma = 0;
  int radius = 0;
  /** They depend on the depth, so they are made for the first plane. */
  std::optional<GaussianWeights> weights;
};

const FilterDescription description{
    .long_name = "OpenCL blur",
    .description = "Blurs video with a gaussian or a box of any size",
    .properties = properties,
    .windowed = true,
    .create = [] () -> std::unique_ptr<Operation> { return std::make_unique<Blur> (); },
    .neutral =
        [] (const Values &values) {
          return BlurType (values.integer (TYPE)) == BlurType::gaussian && values.real (SIGMA) == 0;
        },
};

}  // namespace

GST_CL_DEFINE_FILTER (GstClBlur, gst_cl_blur, clblur, description)
