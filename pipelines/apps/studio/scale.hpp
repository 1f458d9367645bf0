/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where numbers stand on a slider. */
#pragma once

#include <glib-object.h>

namespace studio {

/* Linear over short ranges, and logarithmic over long ones, so that small numbers keep their share of the way. */
class NumberScale {
public:
  explicit NumberScale (const GParamSpec *spec);
  /* A slider for a range without end, around a number that is of use. */
  void reach_around (double number);

  /* Whether a slider is of use; ranges without end have none. */
  bool has_slider () const { return slider; }
  double least () const { return least_allowed; }
  double greatest () const { return greatest_allowed; }
  /* steps of integers on the slider; 0 where there are none to be counted */
  int steps () const { return integer && !logarithmic ? int (high - low) : 0; }
  double step () const { return increment; }
  int digits () const;
  /* 0 .. 1 */
  double place_of (double number) const;
  double number_at (double place) const;

private:
  /* A number, less the origin of the range, in a logarithmic range. */
  double bent (double number) const;
  /* The middle of a range on both sides of 0 is 0. */
  double origin () const { return low < 0 && high > 0 ? 0 : low; }

  /* of the slider, and of the number */
  double low = 0, high = 1, least_allowed = 0, greatest_allowed = 1, increment = 1, unit = 1;
  bool integer = true, logarithmic = false, slider = true;
};

bool is_number (const GParamSpec *spec);
double number_of (const GValue *value);
void set_number (GValue *value, double number);

}  // namespace studio
