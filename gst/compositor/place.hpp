/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Positions of the pads' pictures in the result. */
#pragma once

#include "filter/kernelspec.hpp"

#include <optional>

namespace gst::cl {

enum class Operator { source, over, add };
enum class SizingPolicy { none, keep_aspect_ratio };
enum class Background { checker, black, white, transparent };

struct CompositorSettings {
  Background background = Background::checker;
  bool zero_size_is_unscaled = true, draw_regions = false;
};

/** The settings of a pad. */
struct Placing {
  int x = 0, y = 0, width = -1, height = -1;
  double alpha = 1;
  Operator op = Operator::over;
  SizingPolicy policy = SizingPolicy::none;
};

/** A pixel-aspect-ratio. */
struct PixelShape {
  int n, d;
};

/** A picture's rectangle in a result whose pixels have shape par; empty if nothing is visible. If the pixel shapes differ, the
 *  width or the height follows from the other one. zero_is_unscaled: a width or height of 0 stands for the picture's, as
 *  negative ones always do. */
Rect place_picture (const Placing &placing, const GstVideoInfo &picture, PixelShape par, bool zero_is_unscaled);

/** Moves a rectangle right and down to whole chroma samples. */
Rect on_chroma (Rect rect, int subsample_x, int subsample_y);

/** The part of a rectangle inside a frame of this size. */
Rect visible_part (const Rect &rect, int width, int height);

inline bool
contains (const Rect &outer, const Rect &inner)
{
  return outer.x <= inner.x && outer.y <= inner.y && outer.x + outer.width >= inner.x + inner.width
         && outer.y + outer.height >= inner.y + inner.height;
}

}  // namespace gst::cl
