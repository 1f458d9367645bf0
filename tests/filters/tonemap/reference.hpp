/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "../../reference/color.hpp"

namespace ref {

struct ToneMap {
  std::string from = "pq", to = "sdr";   /* pq, hlg, sdr or srgb */
  bool wide_in = true, wide_out = false; /* BT.2020, otherwise BT.709 */
  std::string algorithm = "bt2390", gamut = "relative";
  double peak = 1000, target = 203, desaturate = 0.5;
};

/* The light of a gray signal of 0..1, in nits. */
double nits_of (const std::string &transfer, double signal);

/* `in` and the result have limited range if they are YUV. */
Picture tone_map (const Picture &in, const ToneMap &settings);

}  // namespace ref
