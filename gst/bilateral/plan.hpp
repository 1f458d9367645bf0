/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Chooses clbilateral's kernels from its settings. */
#pragma once

#include "filter/kernelspec.hpp"

namespace gst::cl {

struct BilateralSettings {
  enum class Distance { intensity, per_component, color };

  double sigma_space = 3, sigma_range = 0.1;
  /** 0 = from sigma_space. */
  int radius = 0;
  Distance distance = Distance::intensity;
  bool circle = false, grid = false;

  /** Whether every frame is unchanged. */
  bool neutral () const { return sigma_space <= 0 || sigma_range <= 0; }
  /** How far the window reaches. */
  int window_radius () const;
};

/** What a plan depends on besides the settings. */
struct BilateralPlane {
  bool gpu;
  /** Bytes of a work-group of the gpu back end. */
  size_t local_memory;
  int samples_per_pixel;
  /** Which component each of them is, negative for padding, as in the format table. */
  std::array<int, 4> components;
  /** Components to filter, a bit for each. */
  unsigned selected;
  bool rgb;
  int depth;
  /** In pixels of the plane. */
  int width, height;

  auto operator<=> (const BilateralPlane &) const = default;
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
  /** The last one takes the radius as an argument. */
  Plan exact;
  /** Where there is one, it replaces the exact method. */
  std::optional<BilateralGrid> grid;
  /** -D values of kernels/bilateral/bilateral.clh, for the grid. */
  Options options;
  /** Where distances are taken in the guide plane of kernels/bilateral/guide.cl: the margin that it needs, and GUIDE_ARGS. */
  std::optional<int> guide_margin;
  Arguments guide;
};

/** The guide plane's memory: four times a sample with that many bits, in 16 bits where it fits them. */
ScratchArgument bilateral_guide (int width, int height, int margin, int depth);

BilateralPlan plan_bilateral (const BilateralSettings &settings, const BilateralPlane &plane);

}  // namespace gst::cl
