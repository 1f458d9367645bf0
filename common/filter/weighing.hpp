/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How much of the filtered picture each sample gets, where regions have shapes and soft edges, or are many. */
#pragma once

#include "filter/roi.hpp"

namespace gst::cl {

/** How a plane's regions are filtered: which rectangles at once, and which regions are mixed from them afterwards. */
struct WeighedPart {
  std::vector<Rect> rects;
  /** Of Regions::shapes. */
  int first, end;
  /** What lies around them. */
  Rect bounds;
};

/** Whether filtering a rectangle around all takes less time than filtering one after the other. */
bool is_cheaper_once (const Device &device, const std::vector<Rect> &rects);

/** rects: those of regions.rects on a plane, some of them empty. apart: each region is to be filtered by itself. */
std::vector<WeighedPart> parts_of (const Device &device, const Regions &regions, const std::vector<Rect> &rects, bool apart);

/** Which rows of a frame a picture has: those of one of so many fields. */
struct RowsOfFrame {
  int field, n_fields;
  /** How many rows the frame has. */
  int height;
};

/** One frame's, or one field's. */
class Weighing {
public:
  /** A picture of so many pixels. */
  Weighing (Runner &runner, const Regions &regions, int width, int height, const RowsOfFrame &rows);

  /** Mixes `filtered` into task.dst, which has the samples of task.src around the regions, and takes part's regions where they weigh
   *  most. All are buffers. */
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
