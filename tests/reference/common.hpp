/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The common part of all filters: rounding, planes, mix, region of interest, fields. */
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>

#include "border.hpp"

namespace ref {

/* Rounds half to even, the default of the rounding mode, and clamps to 0 .. max. */
inline int
round_to_sample (double v, int max)
{
  return (int) std::clamp (std::nearbyint (v), 0.0, (double) max);
}

/* A component, also beyond its edges. */
struct Around {
  const Component from;
  const Border border;
  const int max, constant = round_to_sample (border.value * max, max);

  int operator() (int x, int y) const
  {
    return sample (
        x, y, from.width, from.height, border, [this] (int i, int j) { return from.at (i, j); }, constant);
  }
};

struct Rectangle {
  int x, y, width, height; /* width or height 0: up to the edge of the frame */
};

inline Places
places_of (const Rectangle &r)
{
  return {r.width, r.height, r.x, r.y};
}

struct Common {
  unsigned planes = 7;
  double mix = 1;
  bool whole_frame = true; /* otherwise only the rectangles in roi */
  std::vector<Rectangle> roi;
  /* with one of these, and without whole_frame, regions determine how much of the filtered picture a sample gets */
  bool ellipse = false, inverted = false;
  double feather = 0, expand = 0;
  Border border;
  bool interlaced = false; /* two interleaved fields, each a separate picture */
};

/* A filter's inputs besides the picture. */
struct Scene {
  Border border;
  Rectangle region;            /* the part of the picture that is written; the rest of the result is ignored */
  unsigned frame = 0;          /* its number in the stream */
  int field = 0, n_fields = 1; /* the field whose rows the picture has; n_fields is 1 for a frame */
};

/* Filters the whole picture. */
using Filter = std::function<Picture (const Picture &, const Scene &)>;

/* The bit of the property `planes` for a component, 0 for padding. */
unsigned plane_bit (char component);

/* How much a sample of a component gets, from 0 to 1; width and height are those of the frame or field in pixels. */
double weight_of (const Common &common, const Component &component, int x, int y, int width, int height, int field);

/* Filters a picture like an element, with all common properties. */
Picture apply (const Picture &in, const Common &common, const Filter &filter, unsigned frame = 0);

}  // namespace ref
