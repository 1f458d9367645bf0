/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Converts samples from one colorimetry to another. */
#pragma once

#include "memory/format.hpp"

#include <array>
#include <gst/video/video.h>

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

/** Values of the property primaries. */
enum class PrimariesMode { none, merge_only, fast };

/** Component i of a result is the sum of factors[i] times the components, plus constants[i]. */
struct ColorConversion {
  std::array<std::array<double, 4>, 4> factors;
  std::array<double, 4> constants;
};

/** The conversion of samples of `from` to samples of `to`; the formats are as filters see them. Missing alpha is opaque. */
ColorConversion convert_colors (const GstVideoInfo &from, const Format &from_format, const GstVideoInfo &to,
    const Format &to_format, PrimariesMode primaries);

/** The samples of an opaque pixel in black or white. */
std::array<int, 4> black_of (const GstVideoInfo &info, const Format &format);
std::array<int, 4> white_of (const GstVideoInfo &info, const Format &format);

}  // namespace gst::cl
