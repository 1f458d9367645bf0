/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tone curves of cladjust. */
#include "adjust/curves.hpp"

#include "fuzz.hpp"

using namespace gst::cl;

void
fuzz::run (const uint8_t *data, size_t size)
{
  const CurveParse parse = parse_curve (Reader (data, size).all ());
  require (parse.error.empty () || parse.points.empty ());
  if (!parse.error.empty ())
    return;
  const Curve curve = make_curve (parse.points);
  constexpr int steps = 16;
  constexpr double rounding = 1e-9;
  for (int i = 0; i <= steps; i++) {
    const double v = curve (double (i) / steps);
    require (v >= -rounding && v <= 1 + rounding);
  }
}
