/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cases.hpp"

namespace test::sobel_cases {

static Settings
sobel_settings (Windows, Random &random)
{
  return random_edges (ref::Edges::Sobel, random);
}

static std::vector<Settings>
special_sobel ()
{
  return special_edges (ref::Edges::Sobel);
}

static const Element sobel ("clsobel", sobel_settings, special_sobel);

}  // namespace test::sobel_cases
