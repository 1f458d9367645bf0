/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clblend: blends several streams of the same size and format into one: weighted sum, average, difference, product, maximum
 * or minimum of the samples. */
#include "blend/plan.hpp"
#include "filter/gstclaggregator.hpp"
#include "filter/runner.hpp"
#include "shared/range.hpp"

#include <algorithm>
#include <cmath>

namespace gst::cl::clblend {

constexpr GEnumValue blend_mode_values[] = {
    {int (BlendMode::add), "Weighted sum", "add"},
    {int (BlendMode::average), "Weighted sum over the sum of the weights", "average"},
    {int (BlendMode::difference), "Absolute difference, from the first pad to the last", "difference"},
    {int (BlendMode::multiply), "Product of values from 0 to 1", "multiply"},
    {int (BlendMode::lighten), "The maximum; the chroma of the lightest pixel", "lighten"},
    {int (BlendMode::darken), "The minimum; the chroma of the darkest pixel", "darken"},
    {},
};

struct BlendSettings {
  BlendMode mode = BlendMode::add;
  double bias = 0;
};

struct PadSettings {
  double weight = 1;
};

constexpr Property properties[] = {
    property<&BlendSettings::mode> (
        "mode", "How the samples at one position are combined", enum_type<"GstClBlendMode", blend_mode_values>),
    property<&BlendSettings::bias> ("bias", "Added to the result, as a fraction of full scale", -1, 1),
};

constexpr Property pad_properties[] = {
    property<&PadSettings::weight> ("weight", "Factor for this stream, for add and average", -10, 10),
};

/* Whether chroma follows luma in that mode. */
constexpr bool
needs_luma (BlendMode mode)
{
  return mode == BlendMode::multiply || mode == BlendMode::lighten || mode == BlendMode::darken;
}

KernelSpec
chroma_spec (BlendMode mode, const PlaneLayout &layout, bool first, bool last)
{
  return {.sources = {"shared/block.clh", "blend/chroma.cl"},
      .function = "blend_chroma",
      .options = {{"MULTIPLY", mode == BlendMode::multiply}, {"FIRST", first}, {"LAST", last},
          {"SUBSAMPLE_X", layout.subsample_x}, {"SUBSAMPLE_Y", layout.subsample_y}}};
}

cl_float4
numbers_of (BlendMode mode, const Format &format, const BlackWhite &range)
{
  if (mode == BlendMode::multiply)
    return {{cl_float (range.black), 1.0f / cl_float (range.white - range.black), cl_float (format.neutral_chroma ()),
        cl_float (range.white - range.black)}};
  return {{mode == BlendMode::lighten ? 1.0f : -1.0f, 0, 0, 0}};
}

/* The order of frames in a fold: the main one, then the others. */
std::vector<size_t>
fold_order (size_t n, size_t main)
{
  std::vector<size_t> order{main};
  for (size_t i = 0; i < n; i++)
    if (i != main)
      order.push_back (i);
  return order;
}

/* Folds a plane of chroma. lumas: the luma planes of all inputs, in buffers. */
Launches
blend_chroma (
    const Runner &runner, const PlaneTask &task, std::span<const PlaneView> lumas, BlendMode mode, const BlackWhite &range)
{
  /* a single frame is the result; with its luma each product is one */
  std::vector<size_t> order = fold_order (task.inputs.size (), task.main);
  const bool alone = order.size () == 1;
  if (alone)
    order.push_back (task.main);
  const BlendMode folded = alone ? BlendMode::lighten : mode;
  const int width = task.src.width * task.samples_per_pixel ();
  const ScratchArgument state{"chroma-state", sizeof (cl_float) * width * task.src.height};
  const PlaneView &src_luma = lumas[task.main];
  Launches launches;
  for (size_t i = 1; i < order.size (); i++) {
    const PlaneView &other = task.inputs[order[i]], &luma = lumas[order[i]];
    const KernelSpec spec = chroma_spec (folded, *task.src.layout, i == 1, i + 1 == order.size ());
    launches.emplace_back (spec, Arguments{other.memory, other.offset, other.stride, src_luma.memory, src_luma.offset,
                                     src_luma.stride, luma.memory, luma.offset, luma.stride, cl_int2{{luma.width, luma.height}},
                                     state, cl_int (width), numbers_of (folded, runner.format (), range)});
  }
  return launches;
}

/* Number of frames per launch, besides the first one. */
constexpr size_t inputs_per_launch = 3;
/* twice the shipped number of samples per item; see free_on_gpu() */
constexpr size_t most_item_samples = 32;

class Blend : public With<BlendSettings> {
public:
  void changed () override { algorithm = blend_fold (settings.mode); }

  void begin_frame (Runner &runner, const FrameInfo &info) override
  {
    range = black_and_white (info.video, runner.format (), Range::automatic);
  }

  void prepare (Runner &runner, const FrameTask &task) override
  {
    lumas.clear ();
    if (runner.format ().model == ColorModel::yuv && needs_luma (settings.mode))
      for (const PlaneView &plane : task.planes[0])
        lumas.push_back (in_buffer (runner, plane, {"luma", int (lumas.size ())}));
  }

  Plan plan (Runner &runner, const PlaneTask &task) override
  {
    const Format &format = runner.format ();
    const bool chroma = format.is_chroma (task.plane);
    if (chroma && needs_luma (settings.mode))
      return {{"", blend_chroma (runner, task, lumas, settings.mode, range)}};
    std::vector<double> weights;
    for (const size_t i : fold_order (task.inputs.size (), task.main))
      weights.push_back (pads[i].as<PadSettings> ().weight);
    const BlackWhite of_samples =
        format.is_luma (task.plane) || format.model == ColorModel::gray ? range : BlackWhite{0, format.max_value ()};
    const double bias = settings.bias * format.max_value ();
    const BlendPlan plan =
        chroma ? plan_chroma_blend (settings.mode, weights, format.max_value (), format.neutral_chroma ())
               : plan_blend (settings.mode, weights, bias, format.max_value (), of_samples.black, of_samples.white);
    switch (plan.sum) {
      case BlendSum::float32:
        return {{"", fold<cl_float, cl_float4> (runner, task, plan, "SUM_FLOAT")}};
      case BlendSum::int32:
        return {{"", fold<cl_int, cl_int4> (runner, task, plan, "SUM_INT")}};
      default:
        return {{"", fold<cl_long, cl_long4> (runner, task, plan, "SUM_LONG")}};
    }
  }

private:
  /* The frames except the main one, aligned for wide loads. Adds the copies of those that are not. */
  static std::vector<PlaneView> other_inputs (Runner &runner, const PlaneTask &task, Launches &copies)
  {
    constexpr int load_bytes = 16;
    const int unit = load_bytes / runner.format ().sample_size ();
    std::vector<PlaneView> views;
    for (size_t i = 0; i < task.inputs.size (); i++) {
      if (i == task.main)
        continue;
      PlaneView view = task.inputs[i];
      if (runner.backend () == Backend::gpu && (view.offset % unit || view.stride % unit)) {
        PlaneTask copying = task;
        copying.src = view;
        copying.dst = view = runner.scratch_plane ({"aligned", int (i)}, view);
        copies.push_back (copy_launch (runner, copying, task.region).on (copying));
      }
      views.push_back (view);
    }
    return views;
  }

  /* Folds all frames in one launch, or in several with the intermediate fold in scratch memory. */
  template <typename Sum, typename Sum4>
  static Launches fold (Runner &runner, const PlaneTask &task, const BlendPlan &plan, const char *type)
  {
    Launches launches;
    const std::vector<PlaneView> others = other_inputs (runner, task, launches);
    /* a width of whole items for every item size, so that samples written beyond a row do not overlap the next one */
    const size_t width = size_t (task.src.width) * task.src.layout->samples_per_pixel;
    const size_t pitch = (width + most_item_samples - 1) / most_item_samples * most_item_samples;
    const size_t sums_bytes = sizeof (Sum) * (others.size () > inputs_per_launch ? pitch * task.src.height : 1);
    size_t done = 0;
    for (int launch = 0; launch == 0 || done < others.size (); launch++) {
      const size_t n = std::min (inputs_per_launch, others.size () - done);
      const KernelSpec spec = spec_for (runner, plan, type, n, launch == 0, done + n == others.size ());
      Sum4 weights{{Sum (plan.weights[0]), 0, 0, 0}};
      std::array<PlaneView, inputs_per_launch> frames{task.src, task.src, task.src};
      for (size_t i = 0; i < n; i++) {
        frames[i] = others[done + i];
        weights.s[1 + i] = Sum (plan.weights[1 + done + i]);
      }
      const ScratchArgument from{{"sums", launch % 2}, sums_bytes}, to{{"sums", (launch + 1) % 2}, sums_bytes};
      launches.emplace_back (spec,
          Arguments{frames[0].memory, frames[0].offset, frames[0].stride, frames[1].memory, frames[1].offset, frames[1].stride,
              frames[2].memory, frames[2].offset, frames[2].stride, weights, from, to, cl_int (pitch), Sum (4 * plan.divisor),
              cl_float (1 / (4 * plan.divisor)), Sum (plan.offset), cl_int (0), Sum (plan.black), Sum (plan.white)});
      done += n;
    }
    return launches;
  }

  static KernelSpec spec_for (
      const Runner &runner, const BlendPlan &plan, const char *type, size_t inputs, bool first, bool last)
  {
    const bool gpu = runner.backend () == Backend::gpu;
    return {.sources = {"lib/point.clh", "shared/quotient.clh", "blend/blend.cl"},
        .function = "blend",
        .options = {{type, 1}, {"FOLD", plan.fold}, {"INPUTS", inputs}, {"FIRST", first}, {"LAST", last}},
        .item_samples = gpu ? 16 / runner.format ().sample_size () : 1,
        .tunable = free_on_gpu (gpu, 16 / runner.format ().sample_size ())};
  }

  BlackWhite range{};
  /* The luma of all inputs, for modes in which chroma follows luma. */
  std::vector<PlaneView> lumas;
};

const AggregatorDescription description{
    .filter =
        {
            .long_name = "OpenCL blender",
            .klass = "Filter/Effect/Video/Hardware",
            .description = "Blends streams of the same size and format: sum, average, difference, product and others",
            .properties = properties,
            .operation = operation_type<Blend> (),
        },
    .pad_properties = pad_properties,
    .pad_settings = copy_settings<PadSettings>,
};

GST_CL_DEFINE_AGGREGATOR (GstClBlend, gst_cl_blend, clblend, description)

}  // namespace gst::cl::clblend
