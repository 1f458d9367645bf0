/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "reference.hpp"

#include "../../elements/filtercase.hpp"

namespace test::pixelate_cases {

static Settings
settings_for (const ref::Pixelate &set)
{
  return {.properties = format ("size=%d blocks=%d anchor=%s", set.size, set.blocks, set.by_region ? "region" : "frame"),
      .filter = [set] (const ref::Picture &p, const ref::Scene &scene) { return ref::pixelate (p, set, scene.region); }};
}

static const Element pixelate (
    "clpixelate",
    [] (Windows, Random &random) {
      ref::Pixelate set;
      set.size = random.chance (70) ? random.between (2, 20) : random.between (2, 512);
      set.blocks = random.chance (30) ? random.between (1, 64) : 0;
      set.by_region = random.chance (50);
      return settings_for (set);
    },
    [] {
      return settings_of (settings_for, {{2}, {5}, {512}, {.blocks = 1}, {.blocks = 64, .by_region = true}, {7, 0, true}});
    });

}  // namespace test::pixelate_cases
