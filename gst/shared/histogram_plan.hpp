/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Histograms on the device: counted and kept there, for kernels of the same queue that turn them into tables or thresholds. */
#pragma once

#include "shared/range.hpp"

namespace gst::cl {

/** The values that are counted. */
enum class HistogramOf {
  /** One value per pixel: the intensity of RGB as an integer (kernels/shared/intensity.clh), or else sample 0 of the pixel,
   *  which is luma in a luma plane. */
  intensity,
  /** Each sample of the pixel separately. */
  components,
};

/** A rectangle divided into tiles of one size. Where tiles extend beyond its right or lower edge, reflect101 continues the
 *  rectangle. */
struct HistogramTiles {
  int columns = 1, rows = 1;
  /** In pixels. */
  int width = 0, height = 0;
};

/** How many histograms a tile has: 1 for the intensity, otherwise one for each sample of the pixel. */
int histograms_per_tile (const PlaneTask &task, HistogramOf of);

/** Launches, and the buffer in which they count. */
struct HistogramCount {
  Launches launches;
  ::cl::Buffer counts;
};

/** Counts task.region of task.src, which may be an image; task.dst is not used. The buffer holds a
 *  cl_uint for each value: histogram s, of sample s of the pixel (task.src.layout->components[s] says which component
 *  that is), begins at s * (max + 1). Samples whose component is not in task.components, and padding, are not counted:
 *  their counts are 0. For the intensity there is one histogram, for all task.components.
 *
 *  The buffer is kept under its name from call to call, and overwritten by the next call of that name. */
HistogramCount count_histogram (Runner &runner, const PlaneTask &task, HistogramOf of, const ScratchName &name);

/** Tables that equalise (kernels/shared/equalized.clh), made from histograms of tiles that are clipped to limit, or from whole
 *  histograms. */
struct EqualizingTables {
  bool clahe;
  /** The smallest and the largest entry. Values outside are clamped. */
  BlackWhite range;
  /** The sum of a histogram's counts, and the limit for each count. */
  cl_uint total, limit;
  /** The number of rows of tiles that are kept; row r is in place r % held_rows. */
  int held_rows;
  /** The tables of a tile begin at ((r % held_rows) * columns + c) * histograms_per_tile * (max + 1), in samples. */
  ::cl::Buffer buffer;
};

/** Counts n_rows rows of tiles of task.region, starting at first_row, and makes tables of the counts. */
Launches make_tables (Runner &runner, const PlaneTask &task, HistogramOf of, const HistogramTiles &tiles, int first_row,
    int n_rows, const EqualizingTables &tables, const ScratchName &name);

/** The argument of kernels/shared/intensity.clh: the weights of red, green and blue in the order of a pixel's samples. */
cl_uint intensity_weights (const PlaneLayout &layout);
/** Like intensity_weights(), for a plane of RGB or of luma; luma has the weight 100. */
cl_uint luma_weights (const Format &format, const PlaneLayout &layout);

}  // namespace gst::cl
