/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clblend: blends several streams of the same size and format into one: weighted sum, average, difference, product, maximum
 * or minimum of the samples. */
#include "core/arithmetic.hpp"
#include "filter/gstclaggregator.hpp"
#include "filter/runner.hpp"
#include "shared/range.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <vector>

namespace gst::cl::clblend {

enum class BlendMode { add, average, difference, multiply, lighten, darken };

enum class BlendSum { float32, int32, int64 };

struct BlendPlan {
  /** The type of the fold: the fastest one with an exact result, if there is one. */
  BlendSum sum = BlendSum::float32;
  /** One weight for each frame. For products, the first weight is the scale of each step. */
  std::vector<double> weights;
  /** result = round (fold / divisor + bias), computed as n / (4 * divisor) with n = 4 * fold + offset. */
  double divisor = 1, offset = 0;
  /** The samples that mean 0 and 1 in products; products clamp samples to this range. */
  double black = 0, white = 0;
  /** FOLD of kernels/blend/blend.cl. */
  const char *fold = "sum";
};

constexpr double largest_weight = 10;

/* The type that holds every n, and every remainder during its division; real numbers are floats. gain bounds the fold in
 * samples of full scale, divisor bounds its divisor. The bounds come from the ranges of the properties and not from their
 * values, so that a moving slider keeps its program. */
BlendSum
sum_type (double gain, double divisor, double max, bool exact)
{
  if (!exact || 4 * max * (gain + divisor) <= 0x1p24)
    return BlendSum::float32;
  return 4 * (max + 1) * (gain + 2 * divisor) < 0x1p31 ? BlendSum::int32 : BlendSum::int64;
}

/* Twice the bias times the divisor decides every tie: its integer part, and whether there is a fraction. */
double
offset_for (double bias, double divisor, bool exact)
{
  const double twice = 2 * bias * divisor, whole = std::floor (twice);
  return exact ? 2 * whole + (twice > whole ? 1 : 0) : 2 * twice;
}

BlendPlan
plan_sum (BlendMode mode, std::span<const double> weights, double bias, double max)
{
  BlendPlan plan{.weights = {weights.begin (), weights.end ()}};
  const double total = std::accumulate (weights.begin (), weights.end (), 0.0);
  if (mode == BlendMode::average && total != 0)
    plan.divisor = std::abs (total);
  if (mode == BlendMode::average && total < 0)
    std::ranges::transform (plan.weights, plan.weights.begin (), std::negate ());
  const bool exact = std::ranges::all_of (plan.weights, is_integer);
  const double gain = largest_weight * double (weights.size ());
  plan.sum = sum_type (gain, mode == BlendMode::average ? gain : 1, max, exact);
  plan.offset = offset_for (bias, plan.divisor, exact);
  return plan;
}

/* The product of n samples, divided n - 1 times by the greatest sample; exact as long as 64 bits hold the numerator. */
BlendPlan
plan_product (size_t n, double bias, double max)
{
  const double divisor = std::pow (max, double (n - 1));
  const bool exact = 4 * (max + 1) * 3 * divisor < 0x1p63;
  BlendPlan plan{.weights = std::vector<double> (n, exact ? 1.0 : 1 / max)};
  plan.divisor = exact ? divisor : 1;
  plan.sum = sum_type (divisor, divisor, max, exact);
  plan.offset = offset_for (bias, plan.divisor, exact);
  return plan;
}

const char *
blend_fold (BlendMode mode)
{
  static constexpr const char *names[] = {"sum", "sum", "difference", "multiply", "lighten", "darken"};
  return names[int (mode)];
}

BlendPlan
plan_blend (BlendMode mode, std::span<const double> weights, double bias, int max, int black, int white)
{
  if (mode == BlendMode::add || mode == BlendMode::average)
    return plan_sum (mode, weights, bias, max);
  BlendPlan plan{.weights = std::vector<double> (weights.size (), 1.0)};
  if (mode == BlendMode::multiply) {
    plan = plan_product (weights.size (), bias + black, white - black);
    plan.black = black;
    plan.white = white;
  } else
    plan.offset = offset_for (bias, 1, true);
  plan.fold = blend_fold (mode);
  return plan;
}

/* A sum of weights times (v - neutral) is a sum of weights times v, plus a constant. */
BlendPlan
plan_chroma_blend (BlendMode mode, std::span<const double> weights, int max, int neutral)
{
  std::vector<double> signs (weights.size (), -1.0);
  signs[0] = 1;
  const std::span<const double> factors = mode == BlendMode::difference ? std::span<const double> (signs) : weights;
  const double total = std::accumulate (factors.begin (), factors.end (), 0.0);
  const bool mean = mode == BlendMode::average && total != 0;
  return plan_sum (mode == BlendMode::average ? mode : BlendMode::add, factors, mean ? 0 : neutral * (1 - total), max);
}

constexpr GEnumValue blend_mode_values[] = {
    {int (BlendMode::add), "Weighted sum", "add"},
    {int (BlendMode::average), "Weighted sum over the sum of the weights", "average"},
    {int (BlendMode::difference), "Absolute difference, from the first pad to the last", "difference"},
    {int (BlendMode::multiply), "Product of values from 0 to 1", "multiply"},
    {int (BlendMode::lighten), "The maximum; the chroma of the lightest pixel", "lighten"},
    {int (BlendMode::darken), "The minimum; the chroma of the darkest pixel", "darken"},
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
      return {"", blend_chroma (runner, task, lumas, settings.mode, range)};
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
        return {"", fold<cl_float, cl_float4> (runner, task, plan, "SUM_FLOAT")};
      case BlendSum::int32:
        return {"", fold<cl_int, cl_int4> (runner, task, plan, "SUM_INT")};
      default:
        return {"", fold<cl_long, cl_long4> (runner, task, plan, "SUM_LONG")};
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
    const size_t pitch = round_up (width, most_item_samples);
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
        .any_pixel = true,
        .joins_chroma = true,
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
