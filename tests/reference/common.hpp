/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What every filter does around its formula: rounding, planes, mix, region of interest, fields. */
#pragma once

#include <functional>
#include <vector>

#include "border.hpp"
#include "picture.hpp"

namespace ref {

/* Half to even, then 0 .. max. */
int round_to_sample (double v, int max);

struct Rectangle {
  int x, y, width, height; /* width or height 0: to the edge of the frame */
};

struct Common {
  unsigned planes = 7;
  double mix = 1;
  bool whole_frame = true; /* else only the rectangles in roi */
  std::vector<Rectangle> roi;
  /* with any of these, and without whole_frame, samples get as much of the filtered picture as the regions give them */
  bool ellipse = false, inverted = false;
  double feather = 0, expand = 0;
  Border border;
  bool interlaced = false; /* two interleaved fields, each a picture of its own */
};

/* What a filter knows beside the picture. */
struct Scene {
  Border border;
  Rectangle region;            /* of the picture, that is written: nothing else of the result is looked at */
  unsigned frame = 0;          /* its number in the stream */
  int field = 0, n_fields = 1; /* which of so many, whose rows the picture's are */
};

/* The whole picture, filtered. */
using Filter = std::function<Picture (const Picture &, const Scene &)>;

/* The bit of the `planes` property that names a component, 0 for padding. */
unsigned plane_bit (char component);

/* From 0 to 1: how much a sample of a component gets, of a frame or of one of its fields with so many columns and rows of pixels. */
double weight_of (const Common &common, const Component &component, int x, int y, int width, int height, int field);

/* Filters a picture as an element does, with all that is common to elements. */
Picture apply (const Picture &in, const Common &common, const Filter &filter, unsigned frame = 0);

}  // namespace ref
