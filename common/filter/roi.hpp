/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The regions of a frame to filter: finds them, and maps them to planes and fields. */
#pragma once

#include "filter/mask.hpp"
#include "filter/property.hpp"
#include "filter/tracks.hpp"

#include <gst/cl/gstcl-prelude.h>
#include <gst/video/video.h>

#include <vector>

namespace gst::cl {

/** The regions of one frame. */
struct Regions {
  /** The rectangles that filters write, in pixels of the buffer's picture, inside it and not empty: one for each region, or one
   *  around everything outside the regions if inverted. */
  std::vector<Rect> rects;
  /** The rectangles of the regions in pixels of the whole frame; they may extend beyond it. */
  std::vector<Rect> shapes;
  bool ellipse = false, inverted = false;
  double feather = 0;
  /** If windows grow with regions: the exponent of 2 ^ (1/4) for each shape, in rising order. */
  std::vector<int> scales;
  /** A mask of the whole frame that multiplies the mix, or null. */
  MaskRef mask = {};
  /** Which rows of the frame the picture has: one of two fields, or all. */
  int field = 0, n_fields = 1;
  /** How many regions the frame has. */
  unsigned count = 0;

  bool empty () const { return rects.empty (); }
  /** Whether rects alone describe the regions. */
  bool is_plain () const { return !ellipse && !inverted && feather == 0 && scales.empty () && !mask; }
};

/** Finds the regions of one filter, frame by frame. */
class GST_CL_API RegionSource {
public:
  /** buffer holds a whole frame of info. continues: whether it follows the frame of the last such call. has_scales: whether the
   *  filter has windows. */
  Regions find (
      const CommonSettings &common, const GstVideoInfo &info, GstBuffer *buffer, bool continues, bool has_scales = false);
  /** Call this when later frames do not continue the earlier ones. */
  void forget () { tracks.clear (); }

private:
  std::vector<Detection> detections (const CommonSettings &common, const GstVideoInfo &info, GstBuffer *buffer);
  const std::vector<Detection> &listed (const std::string &lines);

  Tracks tracks;
  /** The last value of roi-list, and its regions. */
  std::string lines;
  std::vector<Detection> of_lines;
};

/** Returns settings in which a quarter of the picture stands for regions that come with frames. */
std::vector<Settings> with_regions (std::span<const Settings> settings, const GstVideoInfo &info);

/** Returns values whose window sizes have grown by 2 ^ (scale/4). */
Values scaled_values (std::span<const Property> table, Values values, int scale);

/** The rectangle that region covers on a plane of these dimensions, extended to whole samples. */
GST_CL_API Rect region_on_plane (const Rect &region, const PlaneView &plane);

/** The pixels that samples of a plane cover, within a frame (or field) of first_plane's size. */
GST_CL_API Rect in_pixels (const Rect &rect, const PlaneLayout &layout, const PlaneView &first_plane);

/** The rows of a rectangle that belong to field 0 or 1, counted in rows of that field. */
Rect region_on_field (const Rect &region, int field);

}  // namespace gst::cl
