/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cases.hpp"

namespace test::scharr_cases {

static Settings
scharr_settings (Windows, Random &random)
{
  return random_edges (ref::Edges::Scharr, random);
}

static std::vector<Settings>
special_scharr ()
{
  return special_edges (ref::Edges::Scharr);
}

static const Element scharr ("clscharr", scharr_settings, special_scharr);

}  // namespace test::scharr_cases
