/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "../../elements/filtercase.hpp"
#include "reference.hpp"

namespace test::equalize_cases {

static Settings
settings_for (const ref::Equalize &set)
{
  return {.properties = format ("method=%s domain=%s strength=%.17g clip-limit=%.17g tiles-x=%d tiles-y=%d range=%s",
              set.clahe ? "clahe" : "global", set.per_component ? "per-component" : "intensity", set.strength, set.clip_limit,
              set.tiles_x, set.tiles_y, set.full ? "full" : "auto"),
      .filter = [set] (const ref::Picture &p, const ref::Scene &scene) { return ref::equalize (p, set, scene.region); },
      .tolerance = set.clahe ? 1 : 0,
      .keeps_spare = !set.per_component}; /* chroma */
}

static const Element equalize (
    "clequalize",
    [] (Windows windows, Random &random) {
      ref::Equalize set;
      set.clahe = windows != Windows::Common || random.chance (50);
      set.per_component = random.chance (50);
      set.strength = random.pick ({1.0, 1.0, 0.5, 0.3});
      set.full = random.chance (30);
      if (set.clahe) {
        set.clip_limit = random.pick ({0.0, 1.0, 2.0, 3.5, 40.0});
        set.tiles_x = windows == Windows::Huge ? 17 : random.pick ({1, 2, 3, 8});
        set.tiles_y = windows == Windows::Huge ? 17 : random.pick ({1, 2, 5, 8});
      }
      return settings_for (set);
    },
    [] {
      /* with tiles of 3 and 4, the last centres of tiles are inside the frame, so that there are samples after them */
      std::vector<Settings> all = settings_of (settings_for,
          {{}, {.strength = 0.2}, {.clahe = true}, {.clahe = true, .clip_limit = 0, .tiles_x = 3}, {.per_component = true},
              {.per_component = true, .strength = 0.2}, {.clahe = true, .per_component = true},
              {.clahe = true, .per_component = true, .clip_limit = 0, .tiles_x = 3}, {.full = true},
              {.clahe = true, .tiles_x = 3, .tiles_y = 4, .full = true},
              {.clahe = true, .clip_limit = 100, .tiles_x = 1, .tiles_y = 1},
              {.clahe = true, .strength = 0.7, .clip_limit = 0.01, .tiles_x = 2, .tiles_y = 4},
              {.clahe = true, .clip_limit = 4, .tiles_x = 64, .tiles_y = 64}});
      all.back ().heavy = true;
      return all;
    });

}  // namespace test::equalize_cases
