/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "../../elements/filtercase.hpp"
#include "reference.hpp"

test::Settings
test::nlmeans_with (const ref::NlMeans &set)
{
  Settings settings;
  settings.properties =
      format ("strength=%.17g patch-radius=%d search-radius=%d", set.strength, set.patch_radius, set.search_radius);
  settings.filter = [set] (const ref::Picture &p, const ref::Scene &scene) { return ref::nlmeans (p, set, scene.border); };
  settings.tolerance = 2;
  settings.heavy = set.patch_radius * set.search_radius > 30;
  return settings;
}

namespace test::nlmeans_cases {

static Settings
nlmeans_settings (Windows windows, Random &random)
{
  ref::NlMeans set;
  set.patch_radius = pick (windows, random, {0, 1}, {0, 1, 2, 3}, {1, 8});
  set.search_radius = pick (windows, random, {1, 2}, {1, 2, 3, 5}, {12, 24});
  set.strength = random.pick ({0.03, 0.1, 0.3, 1.0});
  return nlmeans_with (set);
}

static std::vector<Settings>
special_nlmeans ()
{
  return {
      nlmeans_with ({}),
      nlmeans_with ({0.5, 3, 7}),
      nlmeans_with ({1, 0, 1}),
      nlmeans_with ({0.2, 0, 9}),
      nlmeans_with ({0.15, 5, 3}),
      nlmeans_with ({0.4, 8, 2}),
      nlmeans_with ({0.3, 8, 24}),
      /* a copy, except for equal patches */
      nlmeans_with ({0.001, 1, 4}),
      nlmeans_with ({1e-12, 1, 2}),
  };
}

static const Element nlmeans ("clnlmeans", nlmeans_settings, special_nlmeans);

}  // namespace test::nlmeans_cases
