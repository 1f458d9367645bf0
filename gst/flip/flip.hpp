/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clflip's crop and rotation of a picture. */
#pragma once

#include "filter/operation.hpp"

namespace gst::cl {

/** A crop, followed by one of the eight orientations. */
struct Flip {
  /** Pixels to crop, reduced to whole chroma samples; -1 derives the crop from the result's size. */
  int left = 0, right = 0, top = 0, bottom = 0;
  /** turned: a row of the result is a column of the picture. mirror_x, mirror_y: the picture's columns or rows are counted from
   *  its right or bottom edge. */
  bool turned = false, mirror_x = false, mirror_y = false;

  /** may_crop (): whether the result may be smaller than the picture. crops (): whether it always is. */
  bool may_crop () const { return left || right || top || bottom; }
  bool crops () const { return left > 0 || right > 0 || top > 0 || bottom > 0; }
  bool turns () const { return turned || mirror_x || mirror_y; }
  bool operator== (const Flip &) const = default;
};

/** Sets the orientation. Methods that name none change nothing. */
void set_orientation (Flip &flip, GstVideoOrientationMethod method);

/** The part of a frame that is kept, before rotation; empty if the crops leave nothing. result: its size decides crops of -1,
 *  which are 0 without it. */
Rect kept_part (const Flip &flip, const GstVideoInfo &info, const GstVideoInfo *result = nullptr);

/** The place of a rectangle of the frame in the result; empty if it is outside. */
Rect place_in_result (const Flip &flip, const Rect &kept, const Rect &rect);

/** Returns the caps of the other pad, in any memory. direction: of the pad that has caps. */
GstCaps *flip_caps (const Flip &flip, GstPadDirection direction, GstCaps *caps);

/** Flips frames. */
std::unique_ptr<Operation> make_flip_operation (const Flip &flip);

}  // namespace gst::cl
