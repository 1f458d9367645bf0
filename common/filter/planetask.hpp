/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is to be done to a plane, and which part of it one kernel does. */
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

/** What becomes of a plane whose samples are parts of words: it is filtered, stays as it is, or becomes neutral chroma. */
enum class WordPart { filtered, kept, neutral };

/** How far a filter looks from the sample that it writes, in pixels. */
struct Window {
  int left, right, top, bottom;

  static Window centered (int radius_x, int radius_y) { return {radius_x, radius_x, radius_y, radius_y}; }
};

/** A bit for each sample of a pixel whose component is one of these; padding is none. */
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

/** One plane (or one field of it) to filter. */
struct PlaneTask {
  PlaneView src, dst;
  /** Index of the plane in the frame's format, and which of so many fields its rows are. */
  int plane, field = 0, n_fields = 1;
  /** What to write; and where it is several rectangles that do not overlap (Operation::takes_regions()), these, with what lies around
   *  them as the region. */
  Rect region;
  std::span<const Rect> regions = {};
  /** Components to filter, a bit for each; the others are copied. */
  unsigned components;
  Border border;
  /** The sample that BORDER_CONSTANT stands for. */
  int border_sample;
  /** The same in planes that are not chroma. */
  int luma_border_sample = 0;
  /** Every plane of the frame (or field) that src belongs to. */
  std::span<const PlaneView> frame;
  /** This plane of every input frame (or of its field), of which src is number main. */
  std::span<const PlaneView> inputs;
  size_t main = 0;
  /** Where samples are parts of words: what a kernel does to the other part; and border_sample there. */
  WordPart beside = WordPart::kept;
  int beside_border_sample = 0;
  /** Steps on the results, which kernels that can run them do not store without. */
  AfterPoints *after = nullptr;

  int samples_per_pixel () const { return src.layout->samples_per_pixel; }
};

/** A source area and the samples to write from it. On the cpu back end every sample that the window reaches from the
 *  region is readable in src; on the gpu back end src is the whole plane and the kernel knows about borders. */
struct Patch {
  ::cl::Memory src;
  int src_offset, src_stride;
  ::cl::Memory dst;
  int dst_offset, dst_stride;
  /** In samples. */
  int x, y, width, height;
  /** As those of PlaneView. */
  bool src_image = false, src_split = false, dst_image = false, dst_split = false;
  /** As that of PlaneLayout; and whether the other part of the words becomes neutral chroma. */
  int part = -1;
  bool neutral_beside = false;

  /** A rectangle of the plane as it is, without what a window would need around it. */
  GST_CL_API static Patch of (const PlaneTask &task, const Rect &rect);
  /** The task's region. */
  static Patch of (const PlaneTask &task) { return of (task, task.region); }
};

/** A multiple of every vector's length in samples: rows of that many leave a loop no remainder. */
inline constexpr int row_multiple = 64;

}  // namespace gst::cl
