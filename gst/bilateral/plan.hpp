/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From clbilateral's settings to kernels: which ones, built and called with what. Knows no GStreamer and no OpenCL. */
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace gst::cl {

struct BilateralSettings {
  enum class Distance { intensity, per_component, color };

  double sigma_space = 3, sigma_range = 0.1;
  /** 0 = from sigma_space. */
  int radius = 0;
  Distance distance = Distance::intensity;
  bool circle = false, grid = false;

  /** Whether every frame stays as it is. */
  bool neutral () const { return sigma_space <= 0 || sigma_range <= 0; }
  /** How far the window reaches. */
  int window_radius () const;
};

struct BilateralPlane {
  int samples_per_pixel;
  /** Which component each of them is, negative for padding, as in the format table. */
  std::array<int, 4> components;
  /** Components to filter, a bit for each. */
  unsigned selected;
  bool rgb;
  int depth;
  /** In pixels of the plane. */
  int width, height;
};

/** The approximation: see kernels/bilateral/grid.cl. */
struct BilateralGrid {
  int columns, rows, layers;
  /** Cells of all grids, and the bytes of one. */
  int cells, cell_bytes;
  float per_pixel, layer_scale;
  /** Weights of the blurs, that of the cell itself first. */
  std::vector<float> space_taps, layer_taps;

  size_t bytes () const { return size_t (cells) * cell_bytes; }
};

struct BilateralPlan {
  /** -D values of kernels/bilateral/bilateral.clh and of the filter's own file. */
  std::string options;
  int radius;
  /** What the kernel takes for sigma_space and sigma_range. */
  float space, range;
  /** Whether bilateral/tile.cl takes the place of bilateral/bilateral.cl; the size of its groups, and its `scale`, which takes the
   *  place of `range`. */
  bool tiled;
  static constexpr int group_columns = 16;
  int group_rows;
  float scale;
  /** Distances are taken in the guide plane of kernels/bilateral/guide.cl, which needs this margin. */
  bool guided;
  int guide_margin;
  /** What one work item writes: on the cpu back end, that many pixels of a row. */
  int item_samples, item_rows;
  /** Where there is one, it takes the place of bilateral/bilateral.cl. */
  std::optional<BilateralGrid> grid;

  const char *algorithm () const { return grid ? "grid" : "exact"; }
};

/** What the device has for the gpu back end. */
struct BilateralTarget {
  bool gpu;
  /** Bytes of a work-group. */
  size_t local_memory;
};

/** fixed_radius: the gpu back end's program is built for this radius alone, which is faster; it is ignored for large
 *  radii and on the cpu back end. */
BilateralPlan plan_bilateral (
    const BilateralSettings &settings, const BilateralPlane &plane, const BilateralTarget &target, bool fixed_radius);

}  // namespace gst::cl
