/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Chooses clbilateral's kernels from its settings. */
#pragma once

#include "filter/plan.hpp"

namespace gst::cl {

struct BilateralSettings {
  enum class Distance { intensity, per_component, color };

  double sigma_space = 3, sigma_range = 0.1;
  /** 0 derives the radius from sigma_space. */
  int radius = 0;
  Distance distance = Distance::intensity;
  bool circle = false, grid = false;

  /** Whether every frame is unchanged. */
  bool neutral () const { return sigma_space <= 0 || sigma_range <= 0; }
  /** The radius of the window. */
  int window_radius () const;
};

/** What a plan depends on besides the settings. */
struct BilateralPlane {
  bool gpu;
  /** Local memory of a work-group in bytes, on the gpu back end. */
  size_t local_memory;
  int samples_per_pixel;
  /** The component of each sample, negative for padding, as in the format table. */
  std::array<int, 4> components;
  /** Components to filter, a bit for each. */
  unsigned selected;
  bool rgb;
  int depth;
  /** Size in pixels of the plane. */
  int width, height;

  auto operator<=> (const BilateralPlane &) const = default;
};

/** The approximation: see kernels/bilateral/grid.cl. */
struct BilateralGrid {
  int columns, rows, layers;
  /** Number of cells in all grids, and bytes of a cell. */
  int cells, cell_bytes;
  float per_pixel, layer_scale;
  /** Weights of the blurs; the first is the weight of the cell itself. */
  std::vector<float> space_taps, layer_taps;

  size_t bytes () const { return size_t (cells) * cell_bytes; }
};

struct BilateralPlan {
  /** The exact method. */
  Launches exact;
  /** The grid, if it replaces the exact method. */
  std::optional<BilateralGrid> grid;
  /** -D values of kernels/bilateral/bilateral.clh, for the grid. */
  Options options;
  /** If distances are taken in the guide plane of kernels/bilateral/guide.cl: its margin, and GUIDE_ARGS. */
  std::optional<int> guide_margin;
  Arguments guide;
};

/** The guide plane's memory. Its numbers are four times a sample of `depth` bits, and have 16 bits if that suffices. */
ScratchArgument bilateral_guide (int width, int height, int margin, int depth);

BilateralPlan plan_bilateral (const BilateralSettings &settings, const BilateralPlane &plane);

}  // namespace gst::cl
