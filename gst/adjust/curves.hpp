/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tone curves through points. */
#pragma once

#include <string>
#include <vector>

namespace gst::cl {

struct CurvePoint {
  double x, y;
};

/** Parses points of "x y; x y; ...", from 0 to 1, with rising x; at least two, or none for "". */
struct CurveParse {
  std::vector<CurvePoint> points;
  /** The error in the text, or "". */
  std::string error;
};
CurveParse parse_curve (const std::string &text);

/** The value is c[0] + t (c[1] + t (c[2] + t c[3])) with t = (v - begin) * scale, clamped to the curve's minimum and
 *  maximum. */
struct CurvePiece {
  double begin, scale, c[4];
};

struct Curve {
  double least, most;
  std::vector<CurvePiece> pieces;

  double operator() (double v) const;
};

/** The monotone cubic through points (Fritsch and Carlson, Monotone Piecewise Cubic Interpolation, SIAM J. Numer. Anal. 17, 1980): it
 *  neither overshoots nor turns between them, and is constant before the first and after the last point. Without points it is v itself. */
Curve make_curve (const std::vector<CurvePoint> &points);

}  // namespace gst::cl
