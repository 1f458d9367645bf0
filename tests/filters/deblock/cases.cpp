/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "../../elements/filtercase.hpp"
#include "reference.hpp"

test::Settings
test::deblock_with (const ref::Deblock &set)
{
  Settings settings;
  settings.properties =
      format ("block-size=%d strength=%.17g offset-x=%d offset-y=%d", set.block_size, set.strength, set.offset_x, set.offset_y);
  settings.filter = [set] (const ref::Picture &p, const ref::Scene &scene) { return ref::deblock (p, set, scene.border); };
  return settings;
}

namespace test::deblock_cases {

static Settings
deblock_settings (Windows, Random &random)
{
  return deblock_with ({random.pick ({4, 8, 16, 32}), random.steps (0.125, 1, 14),
      random.chance (40) ? 0 : random.between (0, 31), random.chance (40) ? 0 : random.between (0, 31)});
}

static std::vector<Settings>
special_deblock ()
{
  std::vector<Settings> all;
  for (const int block : {4, 8, 16, 32}) {
    all.push_back (deblock_with ({block, 0.5, 0, 0}));
    all.push_back (deblock_with ({block, 1, 31, 1}));
  }
  all.push_back (deblock_with ({8, 0.001, 0, 0})); /* a limit of less than 1 at 8 bits */
  all.push_back (deblock_with ({4, 0.25, 2, 3}));
  return all;
}

static const Element deblock ("cldeblock", deblock_settings, special_deblock);

}  // namespace test::deblock_cases
