/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cltonemap's operation. */
#pragma once

#include "filter/operation.hpp"

#include <algorithm>
#include <optional>

namespace gst::cl {

enum class ToneCurve { bt2390, hable, mobius, reinhard, linear, clip };

enum class ToneTarget { sdr, caps };

enum class Gamut { relative, desaturate, clip };

struct ToneMapSettings {
  ToneCurve algorithm = ToneCurve::bt2390;
  ToneTarget target = ToneTarget::sdr;
  std::string peak = "auto";
  int smoothing = 60;
  double desaturate = 0.5;
  Gamut gamut = Gamut::relative;

  /** How many frames the measured peak is averaged over. */
  int frames () const { return std::max (smoothing, 1); }
};

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
