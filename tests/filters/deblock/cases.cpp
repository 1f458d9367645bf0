/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "../../elements/filtercase.hpp"
#include "reference.hpp"

test::Settings
test::deblock_with (const ref::Deblock &set)
{
  return {.properties = format (
              "block-size=%d strength=%.17g offset-x=%d offset-y=%d", set.block_size, set.strength, set.offset_x, set.offset_y),
      .filter = [set] (const ref::Picture &p, const ref::Scene &scene) { return ref::deblock (p, set, scene.border); }};
}

namespace test::deblock_cases {

static const Element deblock (
    "cldeblock",
    [] (Windows, Random &random) {
      return deblock_with ({random.pick ({4, 8, 16, 32}), random.steps (0.125, 1, 14),
          random.chance (40) ? 0 : random.between (0, 31), random.chance (40) ? 0 : random.between (0, 31)});
    },
    [] {
      /* 0.001 is a limit of less than 1 at 8 bits */
      return settings_of (
          deblock_with, {{4, 0.5, 0, 0}, {4, 1, 31, 1}, {8, 0.5, 0, 0}, {8, 1, 31, 1}, {16, 0.5, 0, 0}, {16, 1, 31, 1},
                            {32, 0.5, 0, 0}, {32, 1, 31, 1}, {8, 0.001, 0, 0}, {4, 0.25, 2, 3}});
    });

}  // namespace test::deblock_cases
