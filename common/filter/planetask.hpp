/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Describes the work on one plane, and the part of it that one kernel does. */
#pragma once

#include "filter/settings.hpp"
#include "memory/frame.hpp"

#include <span>

namespace gst::cl {

/** A rectangle in pixels of its plane. */
struct Rect {
  int x, y, width, height;

  bool empty () const { return width <= 0 || height <= 0; }
  bool operator== (const Rect &) const = default;
};

/** What happens to a plane whose samples share words with another plane: it is filtered, kept, or set to neutral chroma. */
enum class WordPart { filtered, kept, neutral };

/** How many pixels a filter reads on each side of the sample that it writes. */
struct Window {
  int left, right, top, bottom;

  static Window centered (int radius_x, int radius_y) { return {radius_x, radius_x, radius_y, radius_y}; }
};

/** Returns a bit for each sample of a pixel that belongs to one of these components; padding has no bit. */
inline unsigned
samples_of (const PlaneLayout &layout, unsigned components)
{
  unsigned samples = 0;
  for (int i = 0; i < layout.samples_per_pixel; i++)
    if (layout.components[i] != padding && (components >> layout.components[i] & 1))
      samples |= 1u << i;
  return samples;
}

struct AfterPoints;
struct BeforePoints;

/** One plane to filter, or one field of it. */
struct PlaneTask {
  PlaneView src, dst;
  /** The plane's index in the frame's format, and the field that its rows belong to; n_fields is 1 for a whole frame. */
  int plane, field = 0, n_fields = 1;
  /** What to write; and where it is several rectangles that do not overlap (Abilities::many_regions), these, with what lies around
   *  them as the region. */
  Rect region;
  std::span<const Rect> regions = {};
  /** Components to filter, a bit for each; the others are copied. */
  unsigned components;
  Border border;
  /** The sample value outside the plane with BORDER_CONSTANT. */
  int border_sample;
  /** The same for planes that are not chroma. */
  int luma_border_sample = 0;
  /** Every plane of the frame (or field) that src belongs to. */
  std::span<const PlaneView> frame;
  /** This plane of every input frame (or of its field); src is inputs[main]. */
  std::span<const PlaneView> inputs;
  size_t main = 0;
  /** If samples share words: what a kernel does to the other plane, and the border sample there. */
  WordPart beside = WordPart::kept;
  int beside_border_sample = 0;
  /** Steps to apply to results before they are stored, by kernels that can do so. */
  AfterPoints *after = nullptr;
  /** Steps to apply to samples as they are loaded (Abilities::joins_points). If no kernel does this, or it is not built yet, then
   *  nothing is written. */
  BeforePoints *before = nullptr;

  int samples_per_pixel () const { return src.layout->samples_per_pixel; }
};

/** A source area and the samples to write from it. On the cpu back end src contains every sample that the window reaches; on
 *  the gpu back end src is the whole plane, and the kernel handles borders. */
struct Patch {
  ::cl::Memory src;
  int src_offset, src_stride;
  ::cl::Memory dst;
  int dst_offset, dst_stride;
  /** In samples. */
  int x, y, width, height;
  /** Like the members of PlaneView. */
  bool src_image = false, src_split = false, dst_image = false, dst_split = false;
  /** part: see PlaneLayout. neutral_beside: whether the other plane in the words is set to neutral chroma. */
  int part = -1;
  bool neutral_beside = false;

  /** A rectangle of the plane itself, without the margin of a window. */
  GST_CL_API static Patch of (const PlaneTask &task, const Rect &rect);
  /** The task's region. */
  static Patch of (const PlaneTask &task) { return of (task, task.region); }
};

/** A multiple of every vector length in samples. Loops over rows of such a length have no remainder. */
inline constexpr int row_multiple = 64;

}  // namespace gst::cl
