/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Positions of the pads' pictures in the result. */
#pragma once

#include "filter/planetask.hpp"
#include "filter/property.hpp"

#include <optional>

namespace gst::cl {

enum class Operator { source, over, add };
enum class SizingPolicy { none, keep_aspect_ratio };
enum class Background { checker, black, white, transparent };

/** Indices in the tables of the element and its pads; in Values those of each pad follow one another. */
enum CompositorProperty : unsigned { BACKGROUND, ZERO_SIZE_IS_UNSCALED, DRAW_REGIONS, N_ELEMENT_PROPERTIES };
enum CompositorPadProperty : unsigned { XPOS, YPOS, WIDTH, HEIGHT, ALPHA, OPERATOR, SIZING_POLICY, N_PAD_PROPERTIES };

/** The settings of a pad. */
struct Placing {
  /** From values that begin with those of the element or, if there is none, of the pad. */
  Placing (const Values &values, unsigned first);

  int x, y, width, height;
  double alpha;
  Operator op;
  SizingPolicy policy;
};

/** A pixel-aspect-ratio. */
struct PixelShape {
  int n, d;
};

/** A picture's place in a result whose pixels have that shape: empty if nothing is visible. Pixels may be of
 * different shapes: then the width or the height follows from the other one. zero_is_unscaled: a width or height of 0
 * is that of the picture, as one below 0 always is. */
Rect place_picture (const Placing &placing, const GstVideoInfo &picture, PixelShape par, bool zero_is_unscaled);

/** A rectangle of whole chroma samples, moved right and down to them. */
Rect on_chroma (Rect rect, int subsample_x, int subsample_y);

/** The part of a rectangle within a frame of that size. */
Rect visible_part (const Rect &rect, int width, int height);

inline bool
contains (const Rect &outer, const Rect &inner)
{
  return outer.x <= inner.x && outer.y <= inner.y && outer.x + outer.width >= inner.x + inner.width
         && outer.y + outer.height >= inner.y + inner.height;
}

}  // namespace gst::cl
