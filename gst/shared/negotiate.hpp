/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Caps of a conversion, as videoconvertscale negotiates them. */
#pragma once

#include <gst/video/video.h>

namespace gst::cl {

/** The caps to which, or from which, frames of caps can be converted in the same memory: every format, size and colorimetry. */
GstCaps *convertible_caps (GstCaps *caps);

/** Returns the part of `to` that is closest to `from`, which is fixed: the format that loses least, and a size that keeps the
 *  aspect ratio. Takes ownership of `to`. downstream: whether `to` are caps of the result. */
GstCaps *fixate_conversion (GstCaps *from, GstCaps *to, bool downstream);

}  // namespace gst::cl
