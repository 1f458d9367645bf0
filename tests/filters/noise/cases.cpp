/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "reference.hpp"

#include "../../elements/filtercase.hpp"

namespace test::noise_cases {

/* The bytes are specified, so there is no tolerance. */
static Settings
settings_for (const ref::Noise &set)
{
  Settings settings;
  settings.properties = format ("type=%s strength=%.17g seed=%u temporal=%s mono=%s range=%s", set.type.c_str (), set.strength,
      set.seed, set.temporal ? "true" : "false", set.mono ? "true" : "false", set.full ? "full" : "auto");
  settings.filter = [set] (const ref::Picture &p, const ref::Scene &scene) {
    return ref::noise (p, set, scene.frame, scene.field, scene.n_fields);
  };
  return settings;
}

static const Element noise (
    "clnoise",
    [] (Windows, Random &random) {
      ref::Noise set;
      set.type = random.pick ({"gaussian", "uniform", "salt-pepper", "speckle"});
      set.strength = random.chance (50) ? random.steps (0, 1, 16) : random.steps (0, 0.2, 1009);
      set.seed = random.chance (30) ? 0 : 2u * (uint32_t) random.between (0, 0x7ffffffe) + 1;
      set.temporal = random.chance (70);
      set.mono = random.chance (40);
      set.full = random.chance (30);
      return settings_for (set);
    },
    [] () -> std::vector<Settings> {
      return {
          settings_for ({"gaussian", 0.05, 0, true, false}),
          settings_for ({"gaussian", 1, 0xffffffff, true, true}),
          settings_for ({"gaussian", 0.3, 5, false, false}),
          settings_for ({"uniform", 1, 1, true, false}),
          settings_for ({"uniform", 0.1, 1, true, true}),
          settings_for ({"speckle", 0.5, 2, true, false}),
          settings_for ({"speckle", 0.1, 2, true, true}),
          settings_for ({"salt-pepper", 1, 3, true, false}),
          settings_for ({"salt-pepper", 0, 3, true, false}),
          settings_for ({"salt-pepper", 0.25, 3, false, true}),
          settings_for ({"gaussian", 0.3, 5, true, false, true}),
          settings_for ({"salt-pepper", 0.5, 4, true, false, true}),
      };
    });

}  // namespace test::noise_cases
