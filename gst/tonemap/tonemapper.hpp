/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cltonemap's operation. */
#pragma once

#include "filter/operation.hpp"

#include <algorithm>
#include <gst/video/video.h>
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

/** SDR white on a display that also shows HDR: report ITU-R BT.2408. */
constexpr double sdr_white = 203, pq_peak = 10000;
/** The reference display of HLG: recommendation ITU-R BT.2100; its system gamma applies to this peak. */
constexpr double hlg_peak = 1000, hlg_gamma = 1.2;

/** Whether the signal is HDR: PQ or HLG. */
bool is_hdr (const GstVideoColorimetry &colorimetry);
bool is_hlg (const GstVideoColorimetry &colorimetry);

/** The light of the greatest signal, in nits. */
double unit_of (const GstVideoColorimetry &colorimetry);

/** The light of a signal, both in 0..1: for HLG in front of the camera, otherwise on the display. SDR whose
 *  caps name a camera curve is displayed with gamma 2.4 (recommendation ITU-R BT.1886), not with the inverse of that curve. */
double light_of (GstVideoTransferFunction transfer, double signal);
double signal_of (GstVideoTransferFunction transfer, double light);

/** The primaries of the caps, or the usual ones for the transfer function if the caps name none. */
GstVideoColorPrimaries primaries_of (const GstVideoColorimetry &colorimetry);

/** The maximum brightness of the picture in nits, according to the caps: the content light level, or else the mastering
 *  display. */
std::optional<double> peak_of_caps (const GstCaps *caps);

}  // namespace gst::cl
