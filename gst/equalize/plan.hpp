/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How a plane is equalised: histograms, tables from them, and the map, all on the device. */
#pragma once

#include "shared/histogram_plan.hpp"

namespace gst::cl {

enum class EqualizeMethod { global, clahe };
/** luma is what intensity was called. */
enum class EqualizeDomain { intensity, per_component, luma };

struct EqualizeSettings {
  EqualizeMethod method = EqualizeMethod::global;
  EqualizeDomain domain = EqualizeDomain::intensity;
  /** In means of the bins; 0 does not clip. */
  double clip_limit = 2;
  int tiles_x = 8, tiles_y = 8;
  Range range = Range::automatic;
};

/** The tiles of a rectangle. If one direction is not divisible, both get more pixels until they are. */
HistogramTiles clahe_tiles (const Rect &rect, int columns, int rows);

/** Enqueue what writes task.region with one table, or with those of tiles. range: what values are spread over. */
void equalize_whole (Runner &runner, const PlaneTask &task, const EqualizeSettings &settings, const BlackWhite &range);
void equalize_tiles (Runner &runner, const PlaneTask &task, const EqualizeSettings &settings, const BlackWhite &range);

}  // namespace gst::cl
