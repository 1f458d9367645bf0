/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Division and rounding of counts and sizes. */
#pragma once

#include <cmath>
#include <type_traits>

namespace gst::cl {

/** n / unit, rounded up; n >= 0, unit > 0. */
template <typename N, typename Unit>
constexpr std::common_type_t<N, Unit>
divide_up (N n, Unit unit)
{
  return (std::common_type_t<N, Unit> (n) + unit - 1) / unit;
}

/** The smallest multiple of unit that is at least n. */
template <typename N, typename Unit>
constexpr std::common_type_t<N, Unit>
round_up (N n, Unit unit)
{
  return divide_up (n, unit) * unit;
}

inline bool
is_integer (double v)
{
  return v == std::floor (v);
}

}  // namespace gst::cl
