/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clerode and cldilate: replace each sample by the minimum or maximum under a structuring element. clmorphology combines both: it
 * removes details smaller than the element, extracts them, or finds edges. */
#include "filter/gstclfilter.hpp"
#include "morphology/step.hpp"

#include <algorithm>

namespace gst::cl {

namespace {

/* method: clerode and cldilate have no such property. */
struct MorphologySettings {
  MorphologyMethod method = MorphologyMethod::open;
  int radius = 1, radius_y = -1;
  MorphologyShape shape = MorphologyShape::rect;
  std::string element;
  int iterations = 1;

  /* The text has been checked, so it parses. */
  MorphologyElement shaped () const
  {
    return element.empty () ? MorphologyElement::of_shape (shape, radius, radius_y < 0 ? radius : radius_y)
                            : *morphology_parse_element (element).element;
  }

  /* Whether no sample changes. */
  bool neutral () const
  {
    return method != MorphologyMethod::gradient && method != MorphologyMethod::tophat && method != MorphologyMethod::blackhat
           && shaped ().is_single_sample ();
  }
};

template <MorphologyMethod step> struct MorphologyStepSettings : MorphologySettings {
  MorphologyStepSettings () { method = step; }
};

constexpr GEnumValue operation_values[] = {
    {int (MorphologyMethod::open), "Erosion, then dilation", "open"},
    {int (MorphologyMethod::close), "Dilation, then erosion", "close"},
    {int (MorphologyMethod::gradient), "Dilation minus erosion", "gradient"},
    {int (MorphologyMethod::tophat), "The picture minus its opening", "tophat"},
    {int (MorphologyMethod::blackhat), "The closing minus the picture", "blackhat"},
    {int (MorphologyMethod::erode), "The least sample", "erode"},
    {int (MorphologyMethod::dilate), "The greatest sample", "dilate"},
};

constexpr GEnumValue shape_values[] = {
    {int (MorphologyShape::rect), "Every sample of the window", "rect"},
    {int (MorphologyShape::cross), "The middle row and the middle column", "cross"},
    {int (MorphologyShape::ellipse), "(dx/rx)^2 + (dy/ry)^2 <= 1", "ellipse"},
};

std::optional<std::string>
complaint (const std::string &text)
{
  if (text.empty ())
    return std::nullopt;
  MorphologyParse parse = morphology_parse_element (text);
  return parse.element ? std::nullopt : std::optional (std::move (parse.error));
}

constexpr Property all_properties[] = {
    property<&MorphologySettings::method> (
        "operation", "Operation to compute", enum_type<"GstClMorphologyOperation", operation_values>),
    window_size (
        property<&MorphologySettings::radius> ("radius", "Samples to the left and right of the element's centre", 0, 127)),
    window_size (property<&MorphologySettings::radius_y> (
        "radius-y", "Samples above and below the element's centre; -1 = radius", -1, 127)),
    property<&MorphologySettings::shape> ("shape", "Shape of the structuring element, if the property element is \"\"",
        enum_type<"GstClMorphologyShape", shape_values>),
    property<&MorphologySettings::element> ("element",
        "Your own element: rows of 0 and 1 separated by ';', samples by spaces or commas, 1..31 each way; \"\" = shape",
        complaint),
    property<&MorphologySettings::iterations> ("iterations", "How many times each step is repeated", 1, 64),
};

MorphologyBorder
border_of (const PlaneTask &task)
{
  switch (task.border) {
    case Border::replicate:
      return MorphologyBorder::ignore;
    case Border::reflect:
    case Border::reflect101:
      return MorphologyBorder::mirror;
    case Border::wrap:
      return MorphologyBorder::repeat;
    case Border::constant:
      break;
  }
  return MorphologyBorder::constant;
}

/* Grows an interval along one axis to the samples that a step reads for it, including the samples themselves, for components that are
 * copied. A window that is folded back at the edge may read anywhere. */
void
grow (int &begin, int &size, int before, int after, int plane_size, MorphologyBorder border)
{
  int first = begin - std::max (before, 0), last = begin + size + std::max (after, 0);
  const bool folds = border == MorphologyBorder::mirror || border == MorphologyBorder::repeat;
  if (folds && (first < 0 || last > plane_size)) {
    first = 0;
    last = plane_size;
  }
  begin = std::max (first, 0);
  size = std::min (last, plane_size) - begin;
}

class Morphology : public With<MorphologySettings> {
public:
  void changed () override { element = settings.shaped (); }

  Abilities abilities (const Runner &) const override
  {
    return {.joins_points = settings.method == MorphologyMethod::erode || settings.method == MorphologyMethod::dilate};
  }

  Plan plan (Runner &runner, const PlaneTask &task) override
  {
    if (task.before)
      return plan_on_points (runner, task);
    Algorithm all;
    MorphologyEnd end{0, task.src};
    std::vector<MorphologyStep> steps;
    switch (settings.method) {
      case MorphologyMethod::erode:
      case MorphologyMethod::dilate:
        steps = stage (task, settings.method == MorphologyMethod::dilate);
        break;
      case MorphologyMethod::gradient:
        end.finish = MORPHOLOGY_ABOVE;
        end.other = eroded (runner, task, all);
        steps = stage (task, true);
        break;
      case MorphologyMethod::open:
      case MorphologyMethod::tophat:
        end.finish = settings.method == MorphologyMethod::tophat ? MORPHOLOGY_BELOW : 0;
        steps = stages (task, false);
        break;
      case MorphologyMethod::close:
      case MorphologyMethod::blackhat:
        end.finish = settings.method == MorphologyMethod::blackhat ? MORPHOLOGY_ABOVE : 0;
        steps = stages (task, true);
        break;
    }
    /* a difference of chroma is centred on the neutral sample */
    if (end.finish && runner.format ().is_chroma (task.plane))
      end.finish |= MORPHOLOGY_SIGNED;
    add_steps (runner, task, steps, end, all);
    return {std::move (all)};
  }

private:
  Plan plan_on_points (Runner &runner, const PlaneTask &task) const
  {
    const std::vector<MorphologyStep> steps = stage (task, settings.method == MorphologyMethod::dilate);
    return steps.size () == 1 ? morphology_plan_on_points (runner, with_border (runner, task, steps[0]), steps[0]) : Plan{};
  }

  std::vector<MorphologyStep> stage (const PlaneTask &task, bool dilate) const
  {
    return morphology_steps (*element, dilate, settings.iterations, border_of (task), task.src.width, task.src.height);
  }

  /* An erosion and a dilation, in either order. */
  std::vector<MorphologyStep> stages (const PlaneTask &task, bool dilate_first) const
  {
    std::vector<MorphologyStep> steps = stage (task, dilate_first), second = stage (task, !dilate_first);
    std::ranges::move (second, std::back_inserter (steps));
    return steps;
  }

  PlaneView eroded (Runner &runner, const PlaneTask &task, Algorithm &all) const
  {
    PlaneTask erosion = task;
    erosion.dst = runner.scratch_plane ("morphology-eroded", task.src);
    add_steps (runner, erosion, stage (task, false), {0, task.src}, all);
    return erosion.dst;
  }

  /* Sets ignored samples to a value that no extremum selects. */
  static PlaneTask with_border (const Runner &runner, PlaneTask task, const MorphologyStep &step)
  {
    if (border_of (task) == MorphologyBorder::ignore) {
      task.border = Border::constant;
      task.border_sample = step.dilate ? 0 : runner.format ().max_value ();
    }
    return task;
  }

  /* Adds steps in order through intermediate planes; each step writes the area that later steps read. */
  void add_steps (
      Runner &runner, PlaneTask task, const std::vector<MorphologyStep> &steps, const MorphologyEnd &end, Algorithm &all) const
  {
    const MorphologyBorder border = border_of (task);
    std::vector<Rect> regions (steps.size (), task.region);
    for (size_t i = steps.size () - 1; i > 0; i--) {
      Rect &r = regions[i - 1] = regions[i];
      const MorphologyReach &reach = steps[i].element.reach ();
      grow (r.x, r.width, reach.left, reach.right, task.src.width, border);
      grow (r.y, r.height, reach.top, reach.bottom, task.src.height, border);
    }
    const PlaneView result = task.dst, source = task.src;
    for (size_t i = 0; i < steps.size (); i++) {
      const bool last = i + 1 == steps.size ();
      task.region = regions[i];
      task.dst = last ? result : runner.scratch_plane (i % 2 ? "morphology-odd" : "morphology-even", source);
      Algorithm step =
          morphology_algorithm (runner, with_border (runner, task, steps[i]), steps[i], last ? end : MorphologyEnd{0, source});
      all.name = step.name;
      all.launches += std::move (step.launches);
      task.src = task.dst;
    }
  }

  std::optional<MorphologyElement> element;
};

/* Describes an element with MorphologySettings, whose default values are S's; only clmorphology has `operation`. */
template <typename S>
FilterDescription
describe (const char *long_name, const char *description)
{
  return {.long_name = long_name,
      .description = description,
      .properties = std::span (all_properties).subspan (std::is_same_v<S, MorphologySettings> ? 0 : 1),
      .windowed = true,
      .operation = {OperationType::Kind::filter, copy_settings<S>, operation_type<Morphology> ().create},
      .neutral = of_settings<[] (const MorphologySettings &settings) { return settings.neutral (); }>};
}

const FilterDescription erode = describe<MorphologyStepSettings<MorphologyMethod::erode>> (
                            "OpenCL erosion", "Replaces each sample by the minimum under a structuring element"),
                        dilate = describe<MorphologyStepSettings<MorphologyMethod::dilate>> (
                            "OpenCL dilation", "Replaces each sample by the maximum under a structuring element"),
                        morphology = describe<MorphologySettings> (
                            "OpenCL morphology", "Opening, closing, gradient and hats with a structuring element");

}  // namespace

GST_CL_DEFINE_FILTER (GstClErode, gst_cl_erode, clerode, erode)
GST_CL_DEFINE_FILTER (GstClDilate, gst_cl_dilate, cldilate, dilate)
GST_CL_DEFINE_FILTER (GstClMorphology, gst_cl_morphology, clmorphology, morphology)

}  // namespace gst::cl
