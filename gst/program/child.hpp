/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Exposes the scalar arguments of a kernel as properties of an object, for controllers and sliders. */
#pragma once

#include "program/params.hpp"

namespace gst::cl {

/** A new object called "params", floating. Its properties are those arguments that are one number; setting one sets the field
 *  in the property `params` of owner, which outlives it. */
GstObject *make_params_object (GstElement *owner, const std::vector<ProgramArgument> &arguments);

/** Whether an object has the properties that these arguments would have. */
bool fits_arguments (GstObject *object, const std::vector<ProgramArgument> &arguments);

}  // namespace gst::cl
