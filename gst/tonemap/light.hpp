/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The light of video signals, in nits (cd/m²) of a display. */
#pragma once

#include <gst/video/video.h>

#include <optional>

namespace gst::cl {

/** SDR white on a display that also shows HDR: report ITU-R BT.2408. */
constexpr double sdr_white = 203;
constexpr double pq_peak = 10000;
/** The reference display of HLG: recommendation ITU-R BT.2100; its system gamma applies to this peak. */
constexpr double hlg_peak = 1000, hlg_gamma = 1.2;

/** Whether the signal is HDR: PQ or HLG. */
bool is_hdr (const GstVideoColorimetry &colorimetry);
bool is_hlg (const GstVideoColorimetry &colorimetry);

/** The light of the greatest signal, in nits. */
double unit_of (const GstVideoColorimetry &colorimetry);

/** The light of a signal, both in 0..1: for HLG in front of the camera, otherwise on the display. SDR is displayed as
 *  recommendation ITU-R BT.1886 says, with gamma 2.4, whatever camera curve its caps name. */
double light_of (GstVideoTransferFunction transfer, double signal);
double signal_of (GstVideoTransferFunction transfer, double light);

/** The primaries of the caps, or the usual ones for the transfer function if the caps name none. */
GstVideoColorPrimaries primaries_of (const GstVideoColorimetry &colorimetry);

/** The maximum brightness of the picture in nits, according to the caps: the content light level, or else the mastering
 *  display. */
std::optional<double> peak_of_caps (const GstCaps *caps);

}  // namespace gst::cl
