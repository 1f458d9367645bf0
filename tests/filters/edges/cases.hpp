/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shared by the cases of clprewitt, clsobel and clscharr. */
#pragma once

#include "../../elements/filtercase.hpp"
#include "reference.hpp"

#include <cmath>

namespace test {

inline Settings
settings_for (const ref::Edges &set)
{
  static const char *const outputs[] = {"magnitude", "l1", "x", "y"};
  static const char *const domains[] = {"per-component", "intensity", "auto"};
  Settings settings;
  settings.properties = format ("output=%s scale=%.17g delta=%.17g signed=%s domain=%s", outputs[set.output], set.scale,
      set.delta, set.is_signed ? "true" : "false", domains[set.domain]);
  settings.filter = [set] (const ref::Picture &p, const ref::Scene &scene) { return ref::edges (p, set, scene.border); };
  settings.tolerance = set.scale == std::floor (set.scale) ? 0 : 1;
  return settings;
}

inline Settings
random_edges (ref::Edges::Operator which, Random &random)
{
  ref::Edges set;
  set.which = which;
  set.output = random.pick ({ref::Edges::Magnitude, ref::Edges::L1, ref::Edges::X, ref::Edges::Y});
  set.scale = random.chance (50) ? 1 : random.chance (50) ? random.pick ({0, 2, 3, 255, 65535}) : random.steps (0, 4, 64);
  if (random.chance (50))
    set.delta = random.steps (-1, 1, 32);
  set.is_signed = random.chance (50);
  set.domain = random.pick ({ref::Edges::PerComponent, ref::Edges::Intensity, ref::Edges::Auto});
  return settings_for (set);
}

inline std::vector<Settings>
special_edges (ref::Edges::Operator which)
{
  using Edges = ref::Edges;
  std::vector<Settings> all;
  for (const Edges &set : {
           Edges{which, Edges::Magnitude, 1, 0.5},                          /* full scale is odd, so its half gives ties */
           Edges{which, Edges::Magnitude, 1, 0.1},                          /* exactly a tenth, not the nearest double */
           Edges{which, Edges::Magnitude, 1, -0.3125},                      /* a negative delta, not a multiple of a half */
           Edges{which, Edges::Magnitude, 65535, -1},                       /* one step, or saturated */
           Edges{which, Edges::Magnitude, 0.25, 0},                         /* within 1 */
           Edges{which, Edges::L1, 1, 0.03},                                /* */
           Edges{which, Edges::X, 3, 0.5, true},                            /* signed, with ties of halves of g */
           Edges{which, Edges::Y, 1, -0.25, true},                          /* */
           Edges{which, Edges::Magnitude, 1, 0, false, Edges::Intensity},   /* */
           Edges{which, Edges::Magnitude, 2, 0.5, false, Edges::Intensity}, /* */
           Edges{which, Edges::L1, 1, 0.1, false, Edges::Intensity},        /* */
           Edges{which, Edges::Magnitude, 1, 0, false, Edges::Auto},        /* */
           Edges{which, Edges::X, 50, -0.5, true, Edges::Intensity},        /* halves, quarters */
       })
    all.push_back (settings_for (set));
  return all;
}

}  // namespace test
