/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The filters that are measured, as data. */
#include "bench.hpp"

#include <glib.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace bench {

using enum Operation;

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

/* "3x3" */
std::string
edges_of (int window)
{
  return std::to_string (window) + "x" + std::to_string (window);
}

Case
morphology_case (const std::string &name, Operation operation, int radius)
{
  const std::string text = std::to_string (radius);
  return {name, 2 * radius + 1, name + " r " + text, operation, "cl" + name, {{"radius", text}}};
}

/* clconvolve finds that the matrix is an outer product. */
Case
gaussian_case (double sigma, int window, const char *note)
{
  Case c{"gaussian", window, "gaussian sigma " + number (sigma) + note, gaussian, "clconvolve"};
  c.taps = gaussian_taps (window, sigma);
  c.sigma_space = sigma;
  std::vector<float> outer;
  for (float row : c.taps)
    for (float column : c.taps)
      outer.push_back (row * column);
  c.properties = {{"matrix", matrix_text (outer, window)}};
  return c;
}

/* Peers have circular windows, and their distance uses all channels. */
Case
bilateral_case (int radius, const std::string &variant, const char *window, const char *distance)
{
  const std::string text = std::to_string (radius);
  Case c{"bilateral" + variant, 2 * radius + 1, "bilateral r " + text, bilateral, "clbilateral"};
  if (!variant.empty ())
    c.title += " " + variant.substr (1);
  c.planes = 7;
  c.sigma_space = radius / 2.0;
  c.sigma_range = 0.1;
  c.has_peers = variant.empty ();
  c.properties = {{"radius", text}, {"sigma-space", number (c.sigma_space)}, {"sigma-range", number (c.sigma_range)},
      {"window", window}, {"distance", distance}};
  return c;
}

/* With one component, like the peers; decoded video also has planes with one sample per pixel. */
Case
in_gray (Case c, bool deep = false)
{
  c.filter += deep ? "-gray16" : "-gray";
  c.title += deep ? ", 16-bit gray" : ", gray";
  c.gray = true;
  c.deep = deep;
  return c;
}

Case
of_frames (Case c, int inputs, int delay, double copies, bool looks_only = false)
{
  c.inputs = inputs;
  c.delay = delay;
  c.copies = copies;
  c.looks_only = looks_only;
  return c;
}

std::vector<Case>
window_cases ()
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
    all.push_back (bilateral_case (radius, "", "circle", "color"));
    all.push_back (bilateral_case (radius, "-square", "square", "color"));
    all.push_back (bilateral_case (radius, "-intensity", "square", "intensity"));
  }
  for (const auto &[sigma, radius] : {std::pair{2, 6}, {8, 15}, {8, 24}})
    all.push_back (blur_case (sigma, radius));
  all.push_back (box_case (10));
  /* the elements' default: planes=7 leaves alpha unchanged, which peers with four channels cannot do */
  for (Case c : {convolve_case (3, true), median_case (3)}) {
    c.filter = "alpha-" + c.filter;
    c.title += ", alpha copied";
    c.planes = 7;
    c.has_peers = false;
    all.push_back (std::move (c));
  }
  for (int radius : {1, 7}) {
    all.push_back (erode_case (radius));
    all.push_back (morphology_case ("dilate", dilate, radius));
  }
  return all;
}

/* What only exists in gray is all that OpenCV supports. bwdif and yadif read two and a half frames and write one, temporal
 * filters read five. */
std::vector<Case>
other_cases ()
{
  const Stage::Properties each{{"domain", "per-component"}}, always{{"mode", "always"}, {"fields", "top"}},
      yadif{{"method", "yadif"}, always[0], always[1]},
      search{{"patch-radius", "3"}, {"search-radius", "7"}, {"strength", "0.05"}};
  return {
      {"open", 7, "morphology open r 3", open, "clmorphology", {{"operation", "open"}, {"radius", "3"}}},
      {"gradient", 7, "morphology gradient r 3", gradient, "clmorphology", {{"operation", "gradient"}, {"radius", "3"}}},
      {"prewitt", 3, "prewitt", edges, "clprewitt", each, 7},
      {"sobel", 3, "sobel", edges, "clsobel", each, 7},
      {"scharr", 3, "scharr", edges, "clscharr", each, 7},
      {"unsharp", 7, "sharpen, unsharp sigma 1", unsharp, "clsharpen", {{"sigma", "1"}}, 15, {}, false, 1},
      {"sharpen", 3, "sharpen", convolve, "clsharpen", {{"method", "laplacian"}}, 15, {0, -1, 0, -1, 5, -1, 0, -1, 0}, true},
      {"emboss", 3, "emboss", convolve, "clemboss", {}, 15, {-2, -1, 0, -1, 1, 1, 0, 1, 2}, true},
      {"nlmeans", 15, "nlmeans, patch 7, search 15", nlmeans, "clnlmeans", search, 7},
      in_gray ({"nlmeans", 15, "nlmeans, patch 7, search 15", nlmeans, "clnlmeans", search, 7}),
      {"deblock", 8, "deblock", deblock, "cldeblock"},
      {"warp", 2, "warp, perspective", warp, "clwarp", {{"matrix", "0.9 0.2 30; -0.1 0.8 40; 2e-5 -3e-5 1"}}},
      {"threshold", 1, "threshold", threshold, "clthreshold", each},
      {"colormatrix", 1, "colour matrix", color_matrix, "clcolormatrix", {{"preset", "sepia"}}, 7},
      {"levels", 1, "levels, gamma 1.5", levels, "cllevels", {{"black", "0.05"}, {"white", "0.95"}, {"gamma", "1.5"}}},
      {"noise", 1, "noise, gaussian", noise, "clnoise", {{"type", "gaussian"}}, 7},
      {"equalize", 1, "equalize, global", equalize, "clequalize", {}, 7},
      in_gray ({"equalize", 1, "equalize, global", equalize, "clequalize", {}, 7}),
      in_gray ({"clahe", 1, "equalize, clahe", clahe, "clequalize", {{"method", "clahe"}}, 7}),
      of_frames ({"temporal-average", 5, "temporal, average of 5", temporal_average, "cltemporal"}, 1, 2, 3),
      of_frames (
          {"temporal-median", 5, "temporal, median of 5", temporal_median, "cltemporal", {{"method", "median"}}}, 1, 2, 3),
      of_frames ({"deinterlace-bwdif", 9, "deinterlace, bwdif", deinterlace, "cldeinterlace", always}, 1, 1, 1.75),
      of_frames ({"deinterlace-yadif", 7, "deinterlace, yadif", deinterlace, "cldeinterlace", yadif}, 1, 1, 1.75),
      of_frames ({"blend", 2, "blend, average of 2", blend, "clblend", {{"mode", "average"}}}, 2, 0, 1.5),
      of_frames ({"histogram", 1, "histogram, 256 bins", histogram, "clhistogram"}, 1, 0, 0.5, true),
      of_frames ({"compare", 2, "compare, mse", compare, "clcompare", {{"metrics", "mse"}}}, 2, 0, 1, true),
  };
}

}  // namespace

std::string
number (double value)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];
  return g_ascii_formatd (text, sizeof text, "%.9g", value);
}

Case
convolve_case (int window, bool integers)
{
  Case c{integers ? "convolve-int" : "convolve-real", window,
      "convolve " + edges_of (window) + (integers ? " integer taps" : " real taps"), convolve, "clconvolve"};
  c.taps = dense_taps (window, integers);
  c.integer_taps = integers;
  c.properties = {{"matrix", matrix_text (c.taps, window)}};
  return c;
}

Case
median_case (int window)
{
  return {"median", window, "median " + edges_of (window), median, "clmedian", {{"radius", std::to_string (window / 2)}}};
}

Case
box_case (int radius)
{
  const std::string text = std::to_string (radius);
  return {"box", 2 * radius + 1, "box r " + text, box, "clblur", {{"type", "box"}, {"radius", text}}};
}

Case
blur_case (double sigma, int radius)
{
  const std::string title = "clblur sigma " + number (sigma) + " (" + std::to_string (2 * radius + 1) + " taps)";
  Case c{"blur", 2 * radius + 1, title, gaussian, "clblur", {{"sigma", number (sigma)}, {"radius", std::to_string (radius)}}};
  c.sigma_space = sigma;
  return c;
}

Case
erode_case (int radius)
{
  return morphology_case ("erode", erode, radius);
}

std::vector<Case>
make_cases (const std::string &wanted)
{
  std::vector<Case> all = window_cases ();
  for (Case &c : other_cases ())
    all.push_back (std::move (c));
  const auto find = [&all] (const char *key) {
    return *std::find_if (all.begin (), all.end (), [key] (const Case &c) { return c.key () == key; });
  };
  for (const char *key : {"erode 3", "erode 15", "prewitt 3", "sobel 3", "warp 2", "threshold 1", "levels 1", "histogram 1",
           "convolve-int 3", "convolve-int 7", "convolve-int 15", "gaussian 13", "box 21", "median 3", "median 5", "median 7",
           "median 15", "bilateral 5", "bilateral 9", "bilateral-square 5", "bilateral-square 9"})
    all.push_back (in_gray (find (key)));
  for (const char *key : {"erode 3", "erode 15", "convolve-int 3", "convolve-int 7", "convolve-int 15", "gaussian 13", "box 21",
           "median 3", "median 5"})
    all.push_back (in_gray (find (key), true));
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
