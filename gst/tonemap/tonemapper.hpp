/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The work of cltonemap on a stream. */
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
  /** Of the picture. */
  std::optional<double> source;
  /** Of the display that the result is for. */
  std::optional<double> result;
};

/** What the property says: nothing if the peak is to be measured. Also nothing for text that parse_peak() rejects. */
std::optional<double> parse_peak (const std::string &text);
/** Why text is not a peak; nothing if it is one. */
std::optional<std::string> complain_of_peak (const std::string &text);

std::unique_ptr<Operation> make_tone_mapper (const CapsPeaks &peaks);

}  // namespace gst::cl
