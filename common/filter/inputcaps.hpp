/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the sink pads of an element of several inputs have negotiated. */
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include <gst/video/gstvideoaggregator.h>

namespace gst::cl {

using CapsRef = std::unique_ptr<GstCaps, decltype (&gst_caps_unref)>;

/* Size and format of a sink pad other than this one; nothing where none has any. */
std::optional<GstVideoInfo> info_of_others (GstElement *element, gpointer pad);

/* The caps of the first input that has some, with its memory; the caller's. */
GstCaps *first_caps (GstElement *element);

/* The caps of all inputs that have some. */
std::vector<CapsRef> caps_of_inputs (GstElement *element);

}  // namespace gst::cl
