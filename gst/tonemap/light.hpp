/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Light that video signals stand for, in nits (cd/m2) of a display. */
#pragma once

#include <gst/video/video.h>

#include <optional>

namespace gst::cl {

/** White of SDR on a display that also shows HDR: report ITU-R BT.2408. */
constexpr double sdr_white = 203;
constexpr double pq_peak = 10000;
/** The display that HLG is made for: recommendation ITU-R BT.2100; its system gamma goes with this peak. */
constexpr double hlg_peak = 1000, hlg_gamma = 1.2;

/** Whether the signal stands for more than SDR has: PQ or HLG. */
bool is_hdr (const GstVideoColorimetry &colorimetry);
bool is_hlg (const GstVideoColorimetry &colorimetry);

/** Nits of the greatest signal. */
double unit_of (const GstVideoColorimetry &colorimetry);

/** Light of a signal, both of 0..1: of HLG in front of the camera, else on the display. Video of standard range is shown by
 *  recommendation ITU-R BT.1886, 2.4, whatever camera curve its caps name. */
double light_of (GstVideoTransferFunction transfer, double signal);
double signal_of (GstVideoTransferFunction transfer, double light);

/** Those of the caps, or where they name none the ones that usually go with the transfer function. */
GstVideoColorPrimaries primaries_of (const GstVideoColorimetry &colorimetry);

/** The maximum brightness of the picture according to the caps: its content light level, or else the display on which it was made. In nits. */
std::optional<double> peak_of_caps (const GstCaps *caps);

}  // namespace gst::cl
