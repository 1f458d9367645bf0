/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "adjust/curves.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <glib.h>
#include <limits>
#include <optional>

namespace gst::cl {

namespace {

constexpr size_t most_points = 64;

/* Parses the number at `at`, and moves `at` after it; returns nothing if there is none. */
std::optional<double>
take_number (const char *&at)
{
  gchar *end = nullptr;
  const double v = g_ascii_strtod (at, &end);
  if (end == at || !std::isfinite (v))
    return std::nullopt;
  at = end;
  return v;
}

#define BLANKS " \t\r\n"

void
skip (const char *&at, const char *letters)
{
  at += strspn (at, letters);
}

std::string
refusal (const char *text, const char *at, const std::string &why)
{
  return why + " (character " + std::to_string (at - text + 1) + ")";
}

/* Slopes at the points: the mean of the neighbouring secants, at most three times the smaller one, so that the curve does not
 * overshoot. */
std::vector<double>
monotone_slopes (const std::vector<CurvePoint> &points)
{
  const size_t n = points.size ();
  std::vector<double> secants, slopes (n);
  for (size_t i = 0; i + 1 < n; i++)
    secants.push_back ((points[i + 1].y - points[i].y) / (points[i + 1].x - points[i].x));
  slopes.front () = secants.front ();
  slopes.back () = secants.back ();
  for (size_t i = 1; i + 1 < n; i++)
    slopes[i] = secants[i - 1] * secants[i] <= 0 ? 0 : (secants[i - 1] + secants[i]) / 2;
  for (size_t i = 0; i + 1 < n; i++) {
    if (secants[i] == 0) {
      slopes[i] = slopes[i + 1] = 0;
      continue;
    }
    const double a = slopes[i] / secants[i], b = slopes[i + 1] / secants[i], length = std::hypot (a, b);
    if (length > 3) {
      slopes[i] *= 3 / length;
      slopes[i + 1] *= 3 / length;
    }
  }
  return slopes;
}

}  // namespace

CurveParse
parse_curve (const std::string &text)
{
  CurveParse result;
  const char *const begin = text.c_str (), *at = begin;
  const auto refuse = [&] (const std::string &why) { return CurveParse{{}, refusal (begin, at, why)}; };
  for (skip (at, BLANKS ";"); *at; skip (at, BLANKS ";")) {
    const std::optional<double> x = take_number (at);
    skip (at, BLANKS ",");
    const std::optional<double> y = x ? take_number (at) : std::nullopt;
    if (!y)
      return refuse ("\"" + std::string (at, strcspn (at, ";")) + "\" is not a number; points are \"x y; x y\"");
    skip (at, BLANKS);
    if (*at && *at != ';')
      return refuse ("a point has more than two numbers");
    if (*x < 0 || *x > 1 || *y < 0 || *y > 1)
      return refuse ("a point lies outside 0 .. 1");
    if (!result.points.empty () && *x <= result.points.back ().x)
      return refuse ("the x of a point is not greater than the x of the point before");
    if (result.points.size () == most_points)
      return refuse ("there are more than " + std::to_string (most_points) + " points");
    result.points.push_back ({*x, *y});
  }
  if (result.points.size () == 1)
    return refuse ("a curve needs two or more points");
  return result;
}

Curve
make_curve (const std::vector<CurvePoint> &points)
{
  constexpr double all = std::numeric_limits<float>::max ();
  if (points.empty ())
    return {-all, all, {{0, 1, {0, 1}}}};
  /* the narrowest edge by which floats can still divide */
  constexpr double least_width = 1e-30;
  const std::vector<double> slopes = monotone_slopes (points);
  Curve curve{0, 1, {}};
  for (size_t i = 0; i + 1 < points.size (); i++) {
    const double width = points[i + 1].x - points[i].x, rise = points[i + 1].y - points[i].y;
    const double first = width * slopes[i], last = width * slopes[i + 1];
    curve.pieces.push_back ({points[i].x, 1 / std::max (width, least_width),
        {points[i].y, first, 3 * rise - 2 * first - last, first + last - 2 * rise}});
  }
  return curve;
}

double
Curve::operator() (double v) const
{
  const auto next = std::ranges::upper_bound (pieces, v, {}, &CurvePiece::begin);
  const CurvePiece &piece = next == pieces.begin () ? pieces.front () : *(next - 1);
  const double t = std::clamp ((v - piece.begin) * piece.scale, least, most);
  return piece.c[0] + t * (piece.c[1] + t * (piece.c[2] + t * piece.c[3]));
}

}  // namespace gst::cl
