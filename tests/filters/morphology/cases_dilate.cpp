/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cases.hpp"

namespace test::dilate_cases {

static Settings
random_dilate (Windows windows, Random &random)
{
  return random_morphology ("dilate", false, windows, random);
}

static std::vector<Settings>
special_dilate ()
{
  return special_morphology ("dilate");
}

static const Element dilate ("cldilate", random_dilate, special_dilate);

}  // namespace test::dilate_cases
