/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "../../elements/filtercase.hpp"
#include "reference.hpp"

namespace test::levels_cases {

static Settings
settings_for (const ref::Levels &set)
{
  return {.properties = format (
              "black=%.17g white=%.17g gamma=%.17g range=%s", set.black, set.white, set.gamma, set.full ? "full" : "auto"),
      .filter = [set] (const ref::Picture &p, const ref::Scene &) { return ref::levels (p, set); },
      .tolerance = 1,
      .keeps_spare = true}; /* chroma */
}

/* Each frame separately; behaviour.cpp tests sequences. */
static Settings
auto_settings (double clip, double gamma)
{
  Settings settings = settings_for ({});
  settings.properties = format ("auto=true smoothing=1 clip=%.17g gamma=%.17g", clip, gamma);
  settings.filter = [clip, gamma] (const ref::Picture &p, const ref::Scene &scene) {
    const ref::Points points = ref::percentiles (p, clip, scene.region);
    const double span = p.white () - p.black ();
    return ref::levels (p, {(points.black - p.black ()) / span, (points.white - p.black ()) / span, gamma});
  };
  return settings;
}

static const Element levels (
    "cllevels",
    [] (Windows, Random &random) {
      const double gamma = random.chance (50) ? 1 : random.steps (0.25, 4, 16);
      if (random.chance (50))
        return auto_settings (random.pick ({0.0, 0.005, 0.0625, 0.25, 0.5}), gamma);
      return settings_for ({random.steps (0, 0.5, 16), random.steps (0.5, 1, 16), gamma, random.chance (30)});
    },
    [] () -> std::vector<Settings> {
      return {
          settings_for ({0.25, 0.75, 1}),
          settings_for ({0.125, 0.125, 2}), /* nothing to stretch: unchanged */
          settings_for ({0.9, 0.2, 1}),     /* a negative */
          settings_for ({0, 1, 2, true}),
          settings_for ({0, 1, 0.1}),
          settings_for ({0, 1, 10}),
          settings_for ({0.1, 0.3, 2.2}),
          auto_settings (0, 1),
          auto_settings (0.005, 1),
          auto_settings (0.1, 0.5),
          auto_settings (0.5, 3),
      };
    });

}  // namespace test::levels_cases
