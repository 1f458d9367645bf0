/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Computes how much of the filtered picture each sample gets, for regions with shapes and soft edges, or for many regions. */
#pragma once

#include "filter/roi.hpp"

namespace gst::cl {

/** How to filter regions of a plane: the rectangles to filter together, and the regions that are then mixed from them. */
struct WeighedPart {
  std::vector<Rect> rects;
  /** Indices of Regions::shapes. */
  int first, end;
  /** The rectangle around them. */
  Rect bounds;
};

/** Whether filtering one rectangle around all takes less time than filtering each. */
bool is_cheaper_once (const Device &device, const std::vector<Rect> &rects);

/** What lies around rectangles, of which some may be empty. */
Rect around (std::span<const Rect> rects);

/** Rectangles that run() gets at once, one after the other or, where it takes several, as many as do not overlap. */
std::vector<std::vector<Rect>> layers_of (std::span<const Rect> rects, bool takes_several);

/** How regions may be filtered: as a rectangle around them; each by itself; or where they overlap one after the other. */
enum class Apart { no, each, one_by_one };

/** rects: those of regions.rects on a plane, some of them empty. */
std::vector<WeighedPart> parts_of (const Device &device, const Regions &regions, const std::vector<Rect> &rects, Apart apart);

/** Which rows of a frame a picture has; n_fields is 1 for a whole frame. */
struct RowsOfFrame {
  int field, n_fields;
  /** The number of rows of the frame. */
  int height;
};

/** The weights of one frame or field. */
class Weighing {
public:
  /** width and height of the picture in pixels. */
  Weighing (Runner &runner, const Regions &regions, int width, int height, const RowsOfFrame &rows);

  /** Mixes `filtered` into task.dst, which has the samples of task.src around the regions, and takes part's regions where they weigh
   *  most. Where filtered is null task.dst has what is filtered, of all regions, and gets the samples of task.src. All are buffers. */
  void mix (const PlaneTask &task, const PlaneView *filtered, const WeighedPart &part, double amount) const;

private:
  Runner &runner;
  const Regions &regions;
  const int width, height;
  const RowsOfFrame rows;
  ::cl::Buffer table, mask;
  int tiles_across, n_tiles;
};

}  // namespace gst::cl
