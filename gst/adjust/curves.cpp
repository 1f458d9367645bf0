/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "adjust/curves.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <glib.h>

namespace gst::cl {

namespace {

constexpr size_t most_points = 64;

/* The number at `at`, which then points after it; nothing if there is none. */
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

/* Slopes at the points: the secants' mean, and no more than three times the lesser one, so that nothing overshoots. */
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
      return refuse ("the x of a point is not greater than that of the point before");
    if (result.points.size () == most_points)
      return refuse ("there are more than " + std::to_string (most_points) + " points");
    result.points.push_back ({*x, *y});
  }
  if (result.points.size () == 1)
    return refuse ("a curve needs two or more points");
  return result;
}

Curve::Curve (std::vector<CurvePoint> points_) : points (std::move (points_))
{
  if (!points.empty ())
    slopes = monotone_slopes (points);
}

double
Curve::operator() (double v) const
{
  if (points.empty ())
    return v;
  if (v <= points.front ().x)
    return points.front ().y;
  if (v >= points.back ().x)
    return points.back ().y;
  const auto next = std::ranges::upper_bound (points, v, {}, &CurvePoint::x);
  const size_t i = size_t (next - points.begin ()) - 1;
  const double width = points[i + 1].x - points[i].x, t = (v - points[i].x) / width, s = 1 - t;
  /* Hermite's basis */
  return points[i].y * s * s * (1 + 2 * t) + points[i + 1].y * t * t * (1 + 2 * s) + width * slopes[i] * t * s * s
         - width * slopes[i + 1] * t * t * s;
}

}  // namespace gst::cl
