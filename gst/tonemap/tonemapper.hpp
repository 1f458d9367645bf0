/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cltonemap's operation. */
#pragma once

#include "filter/operation.hpp"

#include <optional>

namespace gst::cl {

/** Indices in the element's table. */
enum ToneMapProperty : unsigned { ALGORITHM, TARGET, PEAK, SMOOTHING, DESATURATE, GAMUT };

enum class ToneCurve { bt2390, hable, mobius, reinhard, linear, clip };

enum class Gamut { relative, desaturate, clip };

/** Brightness according to the caps, in nits. */
struct CapsPeaks {
  /** Peak of the picture. */
  std::optional<double> source;
  /** Peak of the display for the result. */
  std::optional<double> result;
};

/** The property's value in nits; nothing if the peak is to be measured, or if the text is invalid. */
std::optional<double> parse_peak (const std::string &text);
/** Why text is not a peak; nothing if it is one. */
std::optional<std::string> complain_of_peak (const std::string &text);

std::unique_ptr<Operation> make_tone_mapper (const CapsPeaks &peaks);

}  // namespace gst::cl
