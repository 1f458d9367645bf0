/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "reference.hpp"

#include "../../elements/filtercase.hpp"

namespace test::histogram_cases {

static Settings
settings_for (const ref::Overlay &set)
{
  return {.properties =
              format ("display=overlay bins=%d components=%u range=%s", set.bins, set.components, set.full ? "full" : "auto"),
      .filter = [set] (const ref::Picture &p, const ref::Scene &scene) { return ref::overlay (p, set, scene); },
      .keeps_spare = true};
}

/* Frames pass, whatever is posted. */
static Settings
passing (const char *properties)
{
  return {
      .properties = properties, .filter = [] (const ref::Picture &p, const ref::Scene &) { return p; }, .keeps_spare = true};
}

static const Element element (
    "clhistogram",
    [] (Windows, Random &random) {
      if (random.chance (20))
        return passing ("interval=1");
      ref::Overlay set;
      set.bins = random.pick ({2, 7, 64, 256, 1000, 65536});
      if (random.chance (30))
        set.components = random.between (0, 15);
      set.full = random.chance (30);
      return settings_for (set);
    },
    [] () -> std::vector<Settings> {
      return {passing ("bins=2"), passing ("bins=65536 post-messages=false"), settings_for ({256, 15}),
          settings_for ({65536, 15}), settings_for ({2, 15}), settings_for ({300, 1}), settings_for ({256, 0}),
          settings_for ({256, 15, true})};
    });

}  // namespace test::histogram_cases
