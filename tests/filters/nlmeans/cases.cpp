/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "../../elements/filtercase.hpp"
#include "reference.hpp"

test::Settings
test::nlmeans_with (const ref::NlMeans &set)
{
  return {.properties =
              format ("strength=%.17g patch-radius=%d search-radius=%d", set.strength, set.patch_radius, set.search_radius),
      .filter = [set] (const ref::Picture &p, const ref::Scene &scene) { return ref::nlmeans (p, set, scene.border); },
      .tolerance = 2,
      .heavy = set.patch_radius * set.search_radius > 30};
}

namespace test::nlmeans_cases {

static const Element nlmeans (
    "clnlmeans",
    [] (Windows windows, Random &random) {
      ref::NlMeans set;
      set.patch_radius = pick (windows, random, {0, 1}, {0, 1, 2, 3}, {1, 8});
      set.search_radius = pick (windows, random, {1, 2}, {1, 2, 3, 5}, {12, 24});
      set.strength = random.pick ({0.03, 0.1, 0.3, 1.0});
      return nlmeans_with (set);
    },
    [] {
      /* the last two copy, except for equal patches */
      return settings_of (nlmeans_with,
          {{}, {0.5, 3, 7}, {1, 0, 1}, {0.2, 0, 9}, {0.15, 5, 3}, {0.4, 8, 2}, {0.3, 8, 24}, {0.001, 1, 4}, {1e-12, 1, 2}});
    });

}  // namespace test::nlmeans_cases
