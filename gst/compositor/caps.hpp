/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Derives the size, format and rate of the result from the sink pads, and finds the pads under a pointer. */
#pragma once

#include "compositor/place.hpp"
#include "filter/gstclaggregatorpad.hpp"

namespace gst::cl {

/** A sink pad that has caps. */
struct PadState {
  std::shared_ptr<GstPad> pad;
  GstVideoInfo info;
  Placing placing;
};

/** In the order of zorder. */
std::vector<PadState> pad_states (GstElement *element);

/** Takes caps of the result and returns what of them suits the pads best: the format of most pixels, one with alpha where any
 *  pad needs it, a size that shows all of them, and the highest rate. */
GstCaps *fixate_result (const std::vector<PadState> &pads, GstCaps *possible, bool zero_is_unscaled);

}  // namespace gst::cl
