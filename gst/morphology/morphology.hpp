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

/* Their order in a table, after an element's own properties. */
enum MorphologyProperty : unsigned {
  MORPHOLOGY_RADIUS,
  MORPHOLOGY_RADIUS_Y,
  MORPHOLOGY_SHAPE,
  MORPHOLOGY_ELEMENT,
  MORPHOLOGY_ITERATIONS
};

inline constexpr Property morphology_radius =
    window_size (integer_property ("radius", "Samples to the left and right of the element's centre", 0, 127, 1));
inline constexpr Property morphology_radius_y =
    window_size (integer_property ("radius-y", "Samples above and below the element's centre; -1 = radius", -1, 127, -1));
inline constexpr Property morphology_shape =
    enum_property ("shape", "Shape of the structuring element, if the property element is \"\"",
        enum_type<"GstClMorphologyShape", morphology_shape_values>, int (MorphologyShape::rect));
inline constexpr Property morphology_element = text_property ("element",
    "Your own element: rows of 0 and 1 separated by ';', samples by spaces or commas, 1..31 each way; \"\" = shape", "");
inline constexpr Property morphology_iterations =
    integer_property ("iterations", "How many times each step is repeated", 1, 64, 1);

/* What differs between the elements' tables: the method, and the index of the first property above. */
struct MorphologySettings {
  MorphologyMethod method;
  MorphologyElement element;
  int iterations;
};

MorphologySettings morphology_settings (MorphologyMethod method, const Values &values, unsigned first);

/* Whether the settings change no sample. */
bool morphology_is_neutral (const MorphologySettings &settings);

/* For FilterDescription::complaint: why a text is not an element. */
std::optional<std::string> morphology_complaint (unsigned i, const std::string &text);

/* Makes an operation that reads its settings with this function. */
std::unique_ptr<Operation> morphology_create (MorphologySettings (*read) (const Values &));

/* Describes an element whose properties settings_of() reads. */
template <MorphologySettings (*settings_of) (const Values &)>
constexpr FilterDescription
morphology_description (const char *long_name, const char *description, std::span<const Property> properties)
{
  return {.long_name = long_name,
      .description = description,
      .properties = properties,
      .windowed = true,
      .create = [] { return morphology_create (settings_of); },
      .neutral = [] (const Values &values) { return morphology_is_neutral (settings_of (values)); },
      .complaint = morphology_complaint};
}

/* The properties of an element of one step. */
inline constexpr Property morphology_properties[] = {
    morphology_radius,
    morphology_radius_y,
    morphology_shape,
    morphology_element,
    morphology_iterations,
};

template <MorphologyMethod method>
MorphologySettings
morphology_step_settings (const Values &values)
{
  return morphology_settings (method, values, 0);
}

}  // namespace gst::cl
