/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* GstColorBalance for an element that has the properties contrast, brightness, hue and saturation, which players show as sliders. */
#pragma once

#include <gst/video/colorbalance.h>

namespace gst::cl {

/** Adds the interface to a type: four channels of -1000 to 1000, named and scaled as those of videobalance. */
void implement_color_balance (GType type);

}  // namespace gst::cl
