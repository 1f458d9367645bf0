/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Caps on the two sides of cltonemap. */
#pragma once

#include <gst/gst.h>

namespace gst::cl {

/** caps of video with every HDR colorimetry replaced by that of SDR, and without what only HDR has. */
GstCaps *sdr_caps (GstCaps *caps);

/** caps of any colorimetry. */
GstCaps *any_colorimetry (GstCaps *caps);

}  // namespace gst::cl
