/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The common properties and operation of clerode, cldilate and clmorphology. */
#pragma once

#include "filter/operation.hpp"
#include "morphology/element.hpp"

namespace gst::cl {

inline constexpr GEnumValue morphology_shape_values[] = {
    {int (MorphologyShape::rect), "Every sample of the window", "rect"},
    {int (MorphologyShape::cross), "The middle row and the middle column", "cross"},
    {int (MorphologyShape::ellipse), "(dx/rx)^2 + (dy/ry)^2 <= 1", "ellipse"},
    {},
};

/* method: clerode and cldilate have no such property. */
struct MorphologySettings {
  MorphologyMethod method = MorphologyMethod::open;
  int radius = 1, radius_y = -1;
  MorphologyShape shape = MorphologyShape::rect;
  std::string element;
  int iterations = 1;

  MorphologyElement shaped () const;
};

template <MorphologyMethod step> struct MorphologyStepSettings : MorphologySettings {
  MorphologyStepSettings () { method = step; }
};

/* Whether the settings change no sample. */
bool morphology_is_neutral (const MorphologySettings &settings);

/* Why a text is not an element. */
std::optional<std::string> morphology_complaint (const std::string &text);

inline constexpr Property morphology_radius = window_size (
    property<&MorphologySettings::radius> ("radius", "Samples to the left and right of the element's centre", 0, 127));
inline constexpr Property morphology_radius_y = window_size (
    property<&MorphologySettings::radius_y> ("radius-y", "Samples above and below the element's centre; -1 = radius", -1, 127));
inline constexpr Property morphology_shape =
    property<&MorphologySettings::shape> ("shape", "Shape of the structuring element, if the property element is \"\"",
        enum_type<"GstClMorphologyShape", morphology_shape_values>);
inline constexpr Property morphology_element = property<&MorphologySettings::element> ("element",
    "Your own element: rows of 0 and 1 separated by ';', samples by spaces or commas, 1..31 each way; \"\" = shape",
    morphology_complaint);
inline constexpr Property morphology_iterations =
    property<&MorphologySettings::iterations> ("iterations", "How many times each step is repeated", 1, 64);

/* The properties of an element of one step. */
inline constexpr Property morphology_properties[] = {
    morphology_radius,
    morphology_radius_y,
    morphology_shape,
    morphology_element,
    morphology_iterations,
};

std::unique_ptr<Operation> make_morphology ();

/* Describes an element with MorphologySettings, whose default values are those of S. */
template <typename S>
constexpr FilterDescription
morphology_description (const char *long_name, const char *description, std::span<const Property> properties)
{
  return {.long_name = long_name,
      .description = description,
      .properties = properties,
      .windowed = true,
      .operation = {OperationType::Kind::filter, copy_settings<S>, make_morphology},
      .neutral = of_settings<morphology_is_neutral>};
}

}  // namespace gst::cl
