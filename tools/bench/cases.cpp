/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The filters that are measured, as data. */
#include "cases.hpp"

#include <cmath>
#include <cstdio>
#include <stdexcept>

namespace bench {

std::string
number (double value)
{
  char text[32];
  std::snprintf (text, sizeof text, "%.9g", value);
  for (char &c : text)
    if (c == ',')
      c = '.'; /* in any locale */
  return text;
}

namespace {

std::string
matrix_text (const std::vector<float> &taps, int columns)
{
  std::string text;
  for (size_t i = 0; i < taps.size (); i++)
    text += (i == 0 ? "" : i % columns ? " " : ";") + number (taps[i]);
  return text;
}

/* Taps of full rank, which cannot be factorised: a fixed sequence of pseudo-random numbers. */
std::vector<float>
dense_taps (int window, bool integers)
{
  uint32_t state = 12345;
  std::vector<float> taps;
  for (int i = 0; i < window * window; i++) {
    state = state * 1664525 + 1013904223;
    taps.push_back (integers ? float (1 + (state >> 24) % 9) : float (1 + (state >> 16) % 9000) / 1000);
  }
  return taps;
}

std::vector<float>
gaussian_taps (int window, double sigma)
{
  std::vector<float> taps;
  double sum = 0;
  for (int i = 0; i < window; i++)
    sum += std::exp (-std::pow (i - window / 2, 2) / (2 * sigma * sigma));
  for (int i = 0; i < window; i++)
    taps.push_back (float (std::exp (-std::pow (i - window / 2, 2) / (2 * sigma * sigma)) / sum));
  return taps;
}

}  // namespace

Case
convolve_case (int window, bool integers)
{
  const std::string edge = std::to_string (window) + "x" + std::to_string (window);
  Case c{integers ? "convolve-int" : "convolve-real", window, "convolve " + edge + (integers ? " integer taps" : " real taps"),
      Operation::convolve, "clconvolve", {}, 15, dense_taps (window, integers), integers};
  c.properties = {{"matrix", matrix_text (c.taps, window)}};
  return c;
}

Case
median_case (int window)
{
  const std::string edge = std::to_string (window) + "x" + std::to_string (window);
  return {"median", window, "median " + edge, Operation::median, "clmedian", {{"radius", std::to_string (window / 2)}}, 15, {}};
}

Case
box_case (int radius)
{
  const std::string text = std::to_string (radius);
  return {"box", 2 * radius + 1, "box r " + text, Operation::box, "clblur", {{"type", "box"}, {"radius", text}}, 15, {}};
}

/* The element for this purpose; `gaussian` is the same with a matrix. */
Case
blur_case (double sigma, int radius)
{
  Case c{"blur", 2 * radius + 1, "clblur sigma " + number (sigma) + " (" + std::to_string (2 * radius + 1) + " taps)",
      Operation::gaussian, "clblur", {{"sigma", number (sigma)}, {"radius", std::to_string (radius)}}, 15, {}};
  c.sigma_space = sigma;
  return c;
}

namespace {

/* clconvolve finds that the matrix is an outer product. */
Case
gaussian_case (double sigma, int window, const char *note)
{
  Case c{"gaussian", window, "gaussian sigma " + number (sigma) + note, Operation::gaussian, "clconvolve", {}, 15,
      gaussian_taps (window, sigma)};
  c.sigma_space = sigma;
  std::vector<float> outer;
  for (float row : c.taps)
    for (float column : c.taps)
      outer.push_back (row * column);
  c.properties = {{"matrix", matrix_text (outer, window)}};
  return c;
}

Case
bilateral_case (int radius, const char *variant, const char *window, const char *distance)
{
  Case c{std::string ("bilateral") + variant, 2 * radius + 1,
      "bilateral r " + std::to_string (radius) + (*variant ? std::string (" ") + (variant + 1) : ""), Operation::bilateral,
      "clbilateral", {}, 7, {}};
  c.sigma_space = radius / 2.0;
  c.sigma_range = 0.1;
  c.has_peers = !*variant;
  c.properties = {{"radius", std::to_string (radius)}, {"sigma-space", number (c.sigma_space)},
      {"sigma-range", number (c.sigma_range)}, {"window", window}, {"distance", distance}};
  return c;
}

/* The elements' default: planes=7 leaves alpha unchanged, which peers with four channels cannot do. */
Case
with_alpha_copied (Case c)
{
  c.filter = "alpha-" + c.filter;
  c.title += ", alpha copied";
  c.planes = 7;
  c.has_peers = false;
  return c;
}

}  // namespace

std::vector<Case>
make_cases (const std::string &wanted)
{
  std::vector<Case> all;
  for (bool integers : {true, false})
    for (int window : {3, 7, 15})
      all.push_back (convolve_case (window, integers));
  all.push_back (gaussian_case (2, 13, ""));
  all.push_back (gaussian_case (8, 31, " (31 taps)"));
  for (int window : {3, 5, 7, 15, 31})
    all.push_back (median_case (window));
  for (int radius : {2, 4}) {
    /* peers have circular windows, and their distance uses all channels */
    all.push_back (bilateral_case (radius, "", "circle", "color"));
    all.push_back (bilateral_case (radius, "-square", "square", "color"));
    all.push_back (bilateral_case (radius, "-intensity", "square", "intensity"));
  }
  all.push_back (blur_case (2, 6));
  all.push_back (blur_case (8, 15));
  all.push_back (blur_case (8, 24));
  all.push_back (box_case (10));
  for (const Case &c : {convolve_case (3, true), median_case (3)})
    all.push_back (with_alpha_copied (c));
  for (Case &c : more_cases ())
    all.push_back (std::move (c));
  std::erase_if (all, [&wanted] (const Case &c) { return c.key ().find (wanted) == std::string::npos; });
  return all;
}

Case
find_case (const std::string &key)
{
  for (Case &c : make_cases (key))
    if (c.key () == key)
      return std::move (c);
  throw std::runtime_error ("no filter " + key);
}

}  // namespace bench
