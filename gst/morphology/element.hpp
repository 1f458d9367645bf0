/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Structuring elements: turns a shape or a string into runs of samples, and an operation into steps.
 * Independent of GStreamer and OpenCL. */
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gst::cl {

/* In the order of the elements' enums. */
enum class MorphologyShape { rect, cross, ellipse };
enum class MorphologyMethod { open, close, gradient, tophat, blackhat, erode, dilate };

/* Adjacent samples, relative to the sample that is written. */
struct MorphologyRun {
  int row, first, last;

  bool operator== (const MorphologyRun &) const = default;
};

/* The extent of an element from the sample that is written. Negative: the element does not include that sample. */
struct MorphologyReach {
  int left, right, top, bottom;

  int width () const { return left + right + 1; }
  int height () const { return top + bottom + 1; }
};

class MorphologyElement {
public:
  static MorphologyElement rectangle (const MorphologyReach &reach);
  static MorphologyElement of_shape (MorphologyShape shape, int radius_x, int radius_y);
  /* Runs from top to bottom, at least one. */
  explicit MorphologyElement (std::vector<MorphologyRun> runs);

  const std::vector<MorphologyRun> &runs () const { return all; }
  const MorphologyReach &reach () const { return extent; }
  int samples () const;
  bool is_rectangle () const { return samples () == extent.width () * extent.height (); }
  /* Whether the element is a row and a column through the sample that is written. */
  bool is_cross () const;
  bool is_single_sample () const { return all.size () == 1 && all[0] == MorphologyRun{0, 0, 0}; }
  MorphologyElement reflected () const;

private:
  std::vector<MorphologyRun> all;
  MorphologyReach extent;
};

struct MorphologyParse {
  std::optional<MorphologyElement> element;
  std::string error; /* if there is no element: the wrong token, its position, and the expected ones */
};

/* Parses an element of 0 and 1, written like the matrix of a convolution. */
MorphologyParse morphology_parse_element (std::string_view text);

/* The effect of the border rule on repeated steps. */
enum class MorphologyBorder {
  ignore, /* samples outside the plane are ignored */
  mirror, /* reflections */
  repeat, /* wrap */
  constant
};

/* One erosion or dilation; the element is not mirrored. */
struct MorphologyStep {
  bool dilate;
  MorphologyElement element;
};

/* The steps for `iterations` erosions or dilations on a plane of this size. Rectangles are merged into fewer, larger ones if
 * the border rule allows it. */
std::vector<MorphologyStep> morphology_steps (
    const MorphologyElement &element, bool dilate, int iterations, MorphologyBorder border, int width, int height);

/* The largest reach of rectangles in steps. */
inline constexpr int morphology_max_reach = 511;

}  // namespace gst::cl
