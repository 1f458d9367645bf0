/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The regions of a frame that are to be filtered: where they come from, and what of the frame belongs to them. */
#pragma once

#include "filter/mask.hpp"
#include "filter/runner.hpp"
#include "filter/settings.hpp"
#include "filter/tracks.hpp"

namespace gst::cl {

/** Those of one frame. */
struct Regions {
  /** What filters write, in pixels of the buffer's picture and within it, none of them empty: the rectangle of each region, or of
   *  all that is not within the regions. */
  std::vector<Rect> rects;
  /** The rectangles of regions, in pixels of the whole frame, beyond which they may reach. */
  std::vector<Rect> shapes;
  bool ellipse = false, inverted = false;
  double feather = 0;
  /** Where windows grow with the regions: by which power of 2 ^ (1/4), for each shape in rising order. */
  std::vector<int> scales;
  /** What multiplies the mix, of the whole frame, where there is one. */
  MaskRef mask = {};
  /** Which rows of the frame are those of the picture: one of two fields, or all. */
  int field = 0, n_fields = 1;
  /** How many regions there are in the frame. */
  unsigned count = 0;

  bool empty () const { return rects.empty (); }
  /** Whether rects are all that there is to say. */
  bool is_plain () const { return !ellipse && !inverted && feather == 0 && scales.empty () && !mask; }
};

/** The regions of one filter, frame by frame. */
class GST_CL_API RegionSource {
public:
  /** buffer: of whole frames of info. continues: whether it is the frame after that of the last such call. has_scales: whether the filter
   *  has windows. */
  Regions find (const Settings &settings, const GstVideoInfo &info, GstBuffer *buffer, bool continues, bool has_scales = false);
  /** Regions of frames to come are none of those before. */
  void forget () { tracks.clear (); }

private:
  std::vector<Detection> detections (const Settings &settings, const GstVideoInfo &info, GstBuffer *buffer);
  const std::vector<Detection> &listed (const std::string &lines);

  Tracks tracks;
  /** The last value of roi-list, and what it says. */
  std::string lines;
  std::vector<Detection> of_lines;
};

/** Values with sizes of windows that have grown by such a power. */
Values scaled_values (std::span<const Property> table, Values values, int scale);

/** The rectangle that region covers on a plane of these dimensions, grown outwards to whole samples. */
GST_CL_API Rect region_on_plane (const Rect &region, const PlaneView &plane);

/** The pixels that samples of a plane stand for, within a frame (or field) of first_plane's size. */
GST_CL_API Rect in_pixels (const Rect &rect, const PlaneLayout &layout, const PlaneView &first_plane);

/** The rows of a rectangle that belong to one of two fields, 0 or 1, in rows of that field. */
Rect region_on_field (const Rect &region, int field);

}  // namespace gst::cl
