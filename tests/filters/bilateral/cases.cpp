/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "../../elements/filtercase.hpp"

namespace test {

Settings
settings_for (const ref::Bilateral &set, const std::string &properties)
{
  return {.properties = properties,
      .filter = [set] (const ref::Picture &p, const ref::Scene &scene) { return ref::bilateral (p, set, scene.border); },
      .tolerance = 1};
}

}  // namespace test

namespace test::bilateral_cases {

static Settings
settings_for (const ref::Bilateral &set)
{
  static const char *const distances[] = {"intensity", "per-component", "color"};
  return test::settings_for (set, format ("sigma-space=%.9g sigma-range=%.9g radius=%d distance=%s window=%s", set.sigma_space,
                                      set.sigma_range, set.radius, distances[set.distance], set.circle ? "circle" : "square"));
}

static const Element bilateral (
    "clbilateral",
    [] (Windows windows, Random &random) {
      using enum ref::Bilateral::Distance;
      ref::Bilateral set;
      set.radius = pick (windows, random, {1, 2}, {0, 1, 2, 3, 4}, {12, 20});
      set.sigma_space = windows == Windows::Huge ? 30 : random.pick ({0.5, 1.0, 1.5, 2.0});
      set.sigma_range = random.pick ({0.03, 0.1, 0.25, 1.0});
      set.distance = random.pick ({Intensity, PerComponent, Color});
      set.circle = random.chance (40);
      return settings_for (set);
    },
    [] {
      std::vector<Settings> all;
      auto add = [&] (double space, double range, int radius, ref::Bilateral::Distance distance, bool circle = false) {
        all.push_back (settings_for ({space, range, radius, distance, circle}));
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
    });

}  // namespace test::bilateral_cases
