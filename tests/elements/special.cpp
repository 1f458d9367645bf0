/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Settings that are worth a test of their own: every preset, every window size at which an implementation may change
 * its method, numbers at the ends of their ranges. */
#include "filtercase.hpp"

namespace test {

static std::vector<Settings>
special_convolve ()
{
  std::vector<Settings> all;
  for (const char *name :
      {"edge", "sharpen", "emboss", "gaussian3", "gaussian5", "box3", "box5", "laplacian4", "laplacian8"})
    all.push_back (settings_for (ref::Convolve{ref::preset (name)}, format ("preset=%s", name)));
  auto add = [&] (const ref::Convolve &set, const char *matrix, const char *more = "", int tolerance = 0) {
    all.push_back (settings_for (set, format ("matrix=\"%s\" %s", matrix, more), tolerance));
  };
  /* matrix wins over preset */
  add ({{{1, 2, 1}}}, "1 2 1", "preset=edge");
  /* integers that a float holds, and sums that neither it nor an int does */
  add ({{{1e6, 2e6, 1e6}, {3e6, 1e6, 1}}}, "1000000 2000000 1000000;3000000 1000000 1");
  add ({{{16777216, -16777216, 1}}, 1}, "16777216 -16777216 1", "divisor=1");
  add ({{{4000, 4000, -7000}, {4000, -5000, 1}}, 3}, "4000 4000 -7000;4000 -5000 1", "divisor=3");
  /* a sum of 0 but for rounding */
  add ({{{0.1, 0.2, -0.3}}}, "0.1,0.2,-0.3", "", 1);
  add ({{{0.1, 0.2, 0.4}}, 0, -0.1}, "1e-1 .2 0.4", "bias=-0.1", 1);
  add ({{{1, 2}, {3, 4}}, 0, 0, false, true}, "1 2;3 4", "flip=true");
  add ({{{1, 2}, {3, 4}}}, " 1  2 ; 3,4 ");
  add ({{{1, -3}, {1, 0}}, -2, -0.125, true}, "1 -3;1 0", "divisor=-2 absolute=true bias=-0.125");
  add ({{{1, -3}, {1, 0}}, -2, 0.5}, "1 -3;1 0", "divisor=-2 bias=0.5");
  add ({{{0, 0}, {0, 0}}, 0, 0.25}, "0 0;0 0", "bias=0.25");
  add ({{{3}}, 2}, "3", "divisor=2");
  add ({{{1}}, 0, -0.25}, "1", "bias=-0.25");
  /* half to even */
  add ({{{1, 1}}, 4}, "1 1", "divisor=4");
  add ({{{-1, 0, 1}}, 2, 0.5}, "-1 0 1", "divisor=2 bias=0.5");
  return all;
}

static std::vector<Settings>
special_median ()
{
  std::vector<Settings> all;
  auto add = [&] (int rx, int ry, double percentile, double threshold) {
    all.push_back (settings_for (ref::Median{rx, ry, percentile, threshold},
        format ("radius=%d radius-y=%d percentile=%.9g threshold=%.9g", rx, ry, percentile, threshold)));
    all.back ().heavy = rx > 15;
  };
  for (const int radius : {1, 2, 3, 4, 5, 6, 7, 8, 10, 15, 22, 40, 127})
    add (radius, -1, 0.5, 0);
  for (const int radius : {1, 2, 3, 6, 12})
    for (const double percentile : {0.0, 0.3, 0.875, 1.0})
      add (radius, -1, percentile, 0);
  add (1, 0, 0.5, 0);
  add (7, 0, 0.5, 0);
  add (1, 7, 0.5, 0);
  add (127, 0, 0.5, 0);
  add (1, 127, 0.5, 0);
  add (10, 2, 0.6, 0);
  add (2, -1, 0.5, 0.1);
  add (2, -1, 0.5, 0.2); /* 51 of 255: a difference of 51 does not count */
  add (9, -1, 0.5, 1);
  return all;
}

static std::vector<Settings>
special_bilateral ()
{
  std::vector<Settings> all;
  auto add = [&] (double space, double range, int radius, ref::Bilateral::Distance distance, bool circle = false) {
    static const char *names[] = {"intensity", "per-component", "color"};
    all.push_back (settings_for (ref::Bilateral{space, range, radius, distance, circle},
        format ("sigma-space=%.9g sigma-range=%.9g radius=%d distance=%s window=%s", space, range, radius,
            names[distance], circle ? "circle" : "square")));
    all.back ().heavy = radius > 15;
  };
  using enum ref::Bilateral::Distance;
  for (const auto distance : {Intensity, PerComponent, Color})
    for (const bool circle : {false, true}) {
      add (2, 0.1, 0, distance, circle);
      add (1, 0.004, 2, distance, circle);
      add (3, 1, 5, distance, circle);
    }
  add (3, 0.1, 0, Intensity);
  add (0.3, 0.1, 0, Intensity);
  add (0.01, 0.1, 3, PerComponent);
  add (1, 0.0001, 2, Intensity);
  add (100, 1, 9, Color);
  add (20, 0.2, 31, Intensity);
  return all;
}

std::vector<Settings>
special_settings (const std::string &element)
{
  if (element == "clconvolve")
    return special_convolve ();
  if (element == "clmedian")
    return special_median ();
  g_assert (element == "clbilateral");
  return special_bilateral ();
}

}  // namespace test
