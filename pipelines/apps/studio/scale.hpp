/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where numbers stand on a slider. */
#pragma once

#include <glib-object.h>

namespace studio {

/* Linear over short ranges, and logarithmic over long ones, so that small numbers keep their share of the way. */
class NumberScale {
public:
  explicit NumberScale (const GParamSpec *spec);

  /* Whether a slider is of use; ranges without end have none. */
  bool has_slider () const { return slider; }
  bool is_integer () const { return integer; }
  bool is_logarithmic () const { return logarithmic; }
  double least () const { return low; }
  double greatest () const { return high; }
  double step () const { return increment; }
  int digits () const;
  /* 0 .. 1 */
  double place_of (double number) const;
  double number_at (double place) const;

private:
  double low = 0, high = 1, increment = 1, unit = 1;
  bool integer = true, logarithmic = false, slider = true;
};

bool is_number (const GParamSpec *spec);
double number_of (const GValue *value);
void set_number (GValue *value, double number);

}  // namespace studio
