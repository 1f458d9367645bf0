/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cases.hpp"

namespace test::erode_cases {

static Settings
random_erode (Windows windows, Random &random)
{
  return random_morphology ("erode", false, windows, random);
}

static std::vector<Settings>
special_erode ()
{
  return special_morphology ("erode");
}

static const Element erode ("clerode", random_erode, special_erode);

}  // namespace test::erode_cases
