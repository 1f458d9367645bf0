/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Caps of an element of several inputs: what its sink pads have negotiated, and what its result may be. */
#pragma once

#include "filter/clelement.hpp"

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

/* What the result may be, of what downstream takes: the picture of the inputs, or anything where these have caps of their own;
 * in the memory that needs the fewest copies first, at any rate. Where downstream takes anything, the memory is that of the
 * first input. The caller's. */
GstCaps *caps_of_result (ClElement &element, GstAggregator *self, GstCaps *downstream, bool own_caps);

/* A caps event of an input, without fields: the caller's, for the caller's. */
GstEvent *without_interlacing (GstEvent *event);

}  // namespace gst::cl
