/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "../../elements/filtercase.hpp"

namespace test {

Settings
settings_for (const ref::Median &set, const std::string &properties)
{
  return {.properties = properties,
      .filter = [set] (const ref::Picture &p, const ref::Scene &scene) { return ref::median (p, set, scene.border); },
      .keeps_spare = set.threshold > 0};
}

}  // namespace test

namespace test::median_cases {

static const Element median (
    "clmedian",
    [] (Windows windows, Random &random) {
      ref::Median set;
      set.radius = pick (windows, random, {1, 2}, {1, 2, 3, 5, 7}, {31, 127});
      set.radius_y = pick (windows, random, {-1}, {-1, -1, 0, 1, 4}, {-1, 0, 127});
      std::string properties = format ("radius=%d", set.radius);
      if (set.radius_y >= 0)
        properties += format (" radius-y=%d", set.radius_y);
      if (random.chance (50)) {
        set.percentile = random.chance (40) ? random.between (0, 1) : random.steps (0, 1, 64);
        properties += format (" percentile=%.17g", set.percentile);
      }
      if (random.chance (30)) {
        set.threshold = random.steps (0, 0.5, 32);
        properties += format (" threshold=%.17g", set.threshold);
      }
      return settings_for (set, properties);
    },
    [] {
      std::vector<Settings> all;
      auto add = [&] (int rx, int ry, double percentile, double threshold) {
        all.push_back (settings_for (ref::Median{rx, ry, percentile, threshold},
            format ("radius=%d radius-y=%d percentile=%.9g threshold=%.9g", rx, ry, percentile, threshold)));
        all.back ().heavy = rx > 15;
      };
      for (const int radius : {1, 2, 3, 5, 7, 10, 22, 127})
        add (radius, -1, 0.5, 0);
      /* further cases of the same networks and histograms: half of the programs here */
      if (takes_all ())
        for (const int radius : {4, 6, 8, 15, 40})
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
      add (2, -1, 0.5, 0.2); /* 51 of 255: a difference of exactly 51 does not count */
      add (9, -1, 0.5, 1);
      /* deep samples that do not start at a word's lowest bit */
      add (10, -1, 0.5, 0);
      all.back ().format = GST_VIDEO_FORMAT_P012_LE;
      all.back ().heavy = true;
      return all;
    });

}  // namespace test::median_cases
