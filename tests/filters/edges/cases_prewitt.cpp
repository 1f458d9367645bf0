/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cases.hpp"

namespace test::prewitt_cases {

static Settings
prewitt_settings (Windows, Random &random)
{
  return random_edges (ref::Edges::Prewitt, random);
}

static std::vector<Settings>
special_prewitt ()
{
  return special_edges (ref::Edges::Prewitt);
}

static const Element prewitt ("clprewitt", prewitt_settings, special_prewitt);

}  // namespace test::prewitt_cases
