/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Converts linear light from one set of primaries to another. */
#pragma once

#include <gst/video/video.h>

#include <array>

namespace gst::cl {

using Matrix3 = std::array<std::array<double, 3>, 3>;

inline constexpr Matrix3 identity_matrix{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};

Matrix3 operator* (const Matrix3 &a, const Matrix3 &b);
/** m must not be singular. */
Matrix3 inverse (const Matrix3 &m);

/** X, Y, Z from linear R, G, B of 0..1, with Y = 1 for white (SMPTE RP 177). Row 1 has the weights of luminance. */
Matrix3 to_xyz (GstVideoColorPrimaries primaries);
/** Returns the identity if either is unknown. */
Matrix3 convert_primaries (GstVideoColorPrimaries from, GstVideoColorPrimaries to);

}  // namespace gst::cl
