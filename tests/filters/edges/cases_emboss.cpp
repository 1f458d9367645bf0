/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "../../elements/filtercase.hpp"
#include "reference.hpp"

#include <cmath>

namespace test::emboss_cases {

static Settings
settings_for (const ref::Emboss &set)
{
  Settings settings;
  settings.properties =
      format ("angle=%.17g depth=%.17g domain=%s", set.angle, set.depth, set.gray ? "intensity" : "per-component");
  settings.filter = [set] (const ref::Picture &p, const ref::Scene &scene) { return ref::emboss (p, set, scene.border); };
  /* integer factors of the gradient: integer depths along a diagonal */
  const bool diagonal = std::fmod (set.angle, 90) == 45;
  settings.tolerance = set.depth == std::floor (set.depth) && (diagonal || set.depth == 0) ? 0 : 1;
  return settings;
}

static Settings
emboss_settings (Windows, Random &random)
{
  ref::Emboss set;
  set.angle = random.chance (50) ? random.pick ({45, 135, 225, 315}) : random.steps (0, 360, 64);
  set.depth = random.chance (50) ? random.between (0, 10) : random.steps (0, 10, 64);
  set.gray = random.chance (50);
  return settings_for (set);
}

static std::vector<Settings>
special_emboss ()
{
  std::vector<Settings> all;
  for (const bool gray : {false, true})
    for (const ref::Emboss &set :
        {ref::Emboss{45, 1, gray}, {225, 10, gray}, {0, 0, gray}, {0, 1, gray}, {360, 10, gray}, {90, 2.5, gray}})
      all.push_back (settings_for (set));
  return all;
}

static const Element emboss ("clemboss", emboss_settings, special_emboss);

}  // namespace test::emboss_cases
