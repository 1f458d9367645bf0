/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The common properties and operation of clerode, cldilate and clmorphology. */
#pragma once

#include "filter/operation.hpp"
#include "morphology/element.hpp"

namespace gst::cl {

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

/* With `operation`, or those of an element of one step. */
std::span<const Property> morphology_properties (bool has_operation);

std::unique_ptr<Operation> make_morphology ();

/* Describes an element with MorphologySettings, whose default values are those of S. */
template <typename S>
FilterDescription
morphology_description (const char *long_name, const char *description)
{
  return {.long_name = long_name,
      .description = description,
      .properties = morphology_properties (std::is_same_v<S, MorphologySettings>),
      .windowed = true,
      .operation = {OperationType::Kind::filter, copy_settings<S>, make_morphology},
      .neutral = of_settings<morphology_is_neutral>};
}

}  // namespace gst::cl
