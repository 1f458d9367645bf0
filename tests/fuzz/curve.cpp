/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tone curves of cladjust. */
#include "adjust/curves.hpp"

#include "fuzz.hpp"

#include <algorithm>

using namespace gst::cl;

void
fuzz::run (const uint8_t *data, size_t size)
{
  const CurveParse parse = parse_curve (Reader (data, size).all ());
  require (parse.error.empty () || parse.points.empty ());
  if (!parse.error.empty ())
    return;
  /* as kernels/adjust/adjust.clh does it */
  const Curve curve = make_curve (parse.points);
  constexpr int steps = 16;
  constexpr float rounding = 1e-5f;
  for (int i = 0; i <= steps; i++) {
    float v = curve.pieces[0].c[0];
    for (const CurvePiece &piece : curve.pieces) {
      const float t = std::clamp ((float (i) / steps - piece.begin) * piece.scale, curve.least, curve.most);
      v += t * (piece.c[1] + t * (piece.c[2] + t * piece.c[3]));
    }
    require (v >= -rounding && v <= 1 + rounding);
  }
}
