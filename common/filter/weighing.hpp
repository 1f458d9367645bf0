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

/** rects: the regions.rects on a plane, some of which may be empty. apart: filter each region separately. */
std::vector<WeighedPart> parts_of (const Device &device, const Regions &regions, const std::vector<Rect> &rects, bool apart);

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

  /** Mixes `filtered` into task.dst, with the weights of part's regions; task.dst holds the samples of task.src around the
   *  regions. All planes must be buffers. */
  void mix (const PlaneTask &task, const PlaneView &filtered, const WeighedPart &part, double amount) const;

private:
  Runner &runner;
  const Regions &regions;
  const int width, height;
  const RowsOfFrame rows;
  ::cl::Buffer table, mask;
  int tiles_across, n_tiles;
};

}  // namespace gst::cl
