/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The rectangles of a frame that are to be filtered. */
#pragma once

#include "filter/runner.hpp"
#include "filter/settings.hpp"

namespace gst::cl {

/** In pixels of the frame, within it, none of them empty. */
std::vector<Rect> find_regions (const Settings &settings, const GstVideoInfo &info, GstBuffer *buffer);

/** The rectangle that region covers on a plane of these dimensions, grown outwards to whole samples. */
GST_CL_API Rect region_on_plane (const Rect &region, const PlaneView &plane);

/** The pixels that samples of a plane stand for, within a frame (or field) of first_plane's size. */
GST_CL_API Rect in_pixels (const Rect &rect, const PlaneLayout &layout, const PlaneView &first_plane);

/** The rows of a rectangle that belong to one of two fields, 0 or 1, in rows of that field. */
Rect region_on_field (const Rect &region, int field);

}  // namespace gst::cl
