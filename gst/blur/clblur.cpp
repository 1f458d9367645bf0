/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clblur: blurs each component with a gaussian, or with the mean of a square window (box). */
#include "blur/gaussian.hpp"
#include "shared/matrixwindow.hpp"
#include "core/arithmetic.hpp"
#include "filter/gstclfilter.hpp"
#include "shared/separable.hpp"

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
  const Bands bands = cut_bands (int (runner.cl ().device.compute_units), task.region.height, 1, std::max (32, mean.radius));
  const int samples = task.src.layout->samples_per_pixel;
  const size_t pitch = size_t (task.src.width + 2 * mean.radius) * samples + box_sums_behind;
  const size_t blank = size_t (task.src.width) * samples * runner.format ().sample_size ();
  const cl_ulong each = round_up (pitch * (total_size (runner, mean) + sizeof (cl_uint)) + blank, scratch_unit);
  const KernelSpec spec{.sources = {"blur/mean.clh", "shared/bands.clh", "blur/box.cl"},
      .function = "box",
      .options = total_options (runner, mean),
      .jobs = size_t (bands.count)};
  const ::cl::Buffer &scratch = runner.memory.buffer ("box", each * bands.count);
  runner.launch (spec, task, Patch::of (task), {mean.count, mean.inverse, mean.radius, cl_int (bands.rows), scratch, each});
}

/* Columns are summed into memory, in parts that stay in a device's cache, and rows of these sums are. */
void
run_two_passes (Runner &runner, const PlaneTask &task, const Mean &mean)
{
  constexpr int least_band = 64;
  constexpr size_t group = 64;
  const int samples = task.samples_per_pixel (), item = samples == 3 ? 12 : 16;
  /* a row of an item begins with the sum of a whole window */
  const int chunks = std::clamp (mean.radius / 8, 2, 32);
  const KernelSpec rows{.sources = {"blur/mean.clh", "blur/box.cl"},
      .function = "box_rows",
      .options = total_options (runner, mean),
      .item_samples = item,
      .local_x = 8,
      .local_y = 16};
  KernelSpec columns = rows;
  columns.function = "box_columns";
  const int before = divide_up (mean.radius * samples, 4) * 4, unit = item * chunks;
  const int first = Patch::of (task).x / item * item, end = Patch::of (task).x + Patch::of (task).width;
  const int items = divide_up (end - first, unit), pitch = items * unit + 2 * before + item;
  for (const PlaneTask &part : cut_parts (task, pitch * sizeof (cl_uint), std::max (least_band, mean.radius))) {
    const Patch patch = Patch::of (part);
    const int band = std::max (least_band, mean.radius);
    const ScratchArgument sums{"box", size_t (pitch) * patch.height * sizeof (cl_uint)};
    runner.launch_range (columns, part,
        {{round_up (size_t (pitch / 4), group), size_t (divide_up (patch.height, band))}, {group, 1}},
        {patch.src, patch.src_offset, patch.src_stride, Runner::plane_argument (part),
            cl_int4{{first - before, patch.y, pitch / 4 * 4, patch.height}}, mean.radius, cl_int (band), sums, cl_int (pitch)});
    runner.launch (rows, part, patch,
        {mean.count, mean.inverse, mean.radius, before - mean.radius * samples, chunks, sums, cl_int (pitch)},
        WorkSize{{size_t (divide_up (items, rows.local_x) * rows.local_x),
                     size_t (divide_up (patch.height, rows.local_y) * rows.local_y)},
            {size_t (rows.local_x), size_t (rows.local_y)}});
  }
}

/* Writes the means of windows of 2 * radius + 1 samples each way to task.region. */
void
run_box (Runner &runner, const PlaneTask &task, int radius)
{
  const int count = (2 * radius + 1) * (2 * radius + 1);
  const Mean mean{radius, count, float (1.0 / count)};
  if (runner.backend () == Backend::cpu)
    return run_bands (runner, task, mean);
  const std::vector<int> ones (2 * radius + 1, 1);
  if (takes_matrix_window (runner, radius))
    return run_matrix_window (runner, task, {ones, ones, true});
  run_two_passes (runner, task, mean);
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
