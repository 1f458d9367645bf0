/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Converts samples from one colorimetry to another. */
#pragma once

#include "memory/format.hpp"

#include <array>

namespace gst::cl {

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
