/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "scale.hpp"

#include <algorithm>
#include <cmath>

namespace studio {

namespace {

/* more than this is no range that a hand can choose from */
constexpr double endless = 1e7;
/* a range of so many units has its small numbers squeezed into a few pixels of a linear slider */
constexpr double long_range = 400;

template <typename Spec>
void
take_range (const GParamSpec *spec, double &low, double &high)
{
  const auto *typed = reinterpret_cast<const Spec *> (spec);
  low = double (typed->minimum);
  high = double (typed->maximum);
}

/* 1, 2 or 5 times a power of ten, at most that number */
double
round_down (double number)
{
  const double power = std::pow (10, std::floor (std::log10 (number)));
  const double first = number / power;
  return power * (first >= 5 ? 5 : first >= 2 ? 2 : 1);
}

}  // namespace

bool
is_number (const GParamSpec *spec)
{
  return G_IS_PARAM_SPEC_INT (spec) || G_IS_PARAM_SPEC_UINT (spec) || G_IS_PARAM_SPEC_INT64 (spec)
         || G_IS_PARAM_SPEC_UINT64 (spec) || G_IS_PARAM_SPEC_DOUBLE (spec) || G_IS_PARAM_SPEC_FLOAT (spec);
}

double
number_of (const GValue *value)
{
  GValue real = G_VALUE_INIT;
  g_value_init (&real, G_TYPE_DOUBLE);
  g_value_transform (value, &real);
  return g_value_get_double (&real);
}

void
set_number (GValue *value, double number)
{
  GValue real = G_VALUE_INIT;
  g_value_init (&real, G_TYPE_DOUBLE);
  g_value_set_double (&real, number);
  g_value_transform (&real, value);
}

NumberScale::NumberScale (const GParamSpec *spec)
{
  integer = !G_IS_PARAM_SPEC_DOUBLE (spec) && !G_IS_PARAM_SPEC_FLOAT (spec);
  if (G_IS_PARAM_SPEC_INT (spec))
    take_range<GParamSpecInt> (spec, low, high);
  else if (G_IS_PARAM_SPEC_UINT (spec))
    take_range<GParamSpecUInt> (spec, low, high);
  else if (G_IS_PARAM_SPEC_INT64 (spec))
    take_range<GParamSpecInt64> (spec, low, high);
  else if (G_IS_PARAM_SPEC_UINT64 (spec))
    take_range<GParamSpecUInt64> (spec, low, high);
  else if (G_IS_PARAM_SPEC_FLOAT (spec))
    take_range<GParamSpecFloat> (spec, low, high);
  else
    take_range<GParamSpecDouble> (spec, low, high);
  least_allowed = low;
  greatest_allowed = high;
  const double range = high - low;
  slider = range < endless;
  increment = integer ? 1 : std::isfinite (range) ? round_down (std::clamp (range / 100, 1e-3, 0.1)) : 0.1;
  /* full scale and what is measured in it is linear, however fine */
  unit = integer ? 1 : 0.1;
  logarithmic = slider && range / unit > long_range;
}

void
NumberScale::reach_around (double number)
{
  if (slider)
    return;
  constexpr double far = 1e9;
  least_allowed = std::max (low, -far);
  greatest_allowed = std::min (high, far);
  const double size = std::max (integer ? 10.0 : 1.0, 2 * std::abs (number));
  low = number < 0 ? -size : std::max (low, 0.0);
  high = size;
  increment = integer ? 1 : round_down (std::clamp ((high - low) / 100, 1e-3, 0.1));
  slider = true;
  logarithmic = false;
}

int
NumberScale::digits () const
{
  return integer ? 0 : std::clamp (int (std::ceil (-std::log10 (increment))), 1, 4) + (increment <= 0.01 ? 1 : 0);
}

double
NumberScale::bent (double number) const
{
  const double distance = number - origin ();
  return std::copysign (std::log1p (std::abs (distance) / unit), distance);
}

double
NumberScale::place_of (double number) const
{
  number = std::clamp (number, low, high);
  if (!logarithmic)
    return (number - low) / (high - low);
  return (bent (number) - bent (low)) / (bent (high) - bent (low));
}

double
NumberScale::number_at (double place) const
{
  place = std::clamp (place, 0.0, 1.0);
  double number = low + place * (high - low);
  if (logarithmic) {
    const double at = std::lerp (bent (low), bent (high), place);
    number = origin () + std::copysign (std::expm1 (std::abs (at)) * unit, at);
  }
  /* steps of a hand's size, without a tail of digits */
  const double grain = integer       ? 1
                       : logarithmic ? std::min (increment, round_down (std::max (std::abs (number) / 50, 1e-4)))
                                     : increment;
  return std::clamp (std::round (number / grain) * grain, low, high);
}

}  // namespace studio
