/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cases.hpp"

namespace test::morphology_cases {

static const char *const operations[] = {"open", "close", "gradient", "tophat", "blackhat", "erode", "dilate"};

static Settings
random_settings (Windows windows, Random &random)
{
  return random_morphology (random.pick (operations), true, windows, random);
}

/* Each operation with a rectangle, and with an asymmetric element; the last step of a difference by each method. */
static std::vector<Settings>
special_settings ()
{
  const std::vector<std::vector<int>> hook = {{1, 0, 0, 0}, {1, 0, 0, 1}, {1, 1, 0, 0}};
  std::vector<Settings> all;
  for (const char *operation : operations) {
    all.push_back (settings_for ({operation, 2, 1, "rect", {}, 2}, true));
    all.push_back (settings_for ({operation, 1, -1, "rect", hook, 2}, true));
  }
  for (const char *operation : {"tophat", "blackhat", "gradient"}) {
    all.push_back (settings_for ({operation, 3, 11, "cross", {}, 1}, true));
    all.push_back (settings_for ({operation, 6, -1, "ellipse", {}, 1}, true));
    all.push_back (settings_for ({operation, 20, -1, "rect", {}, 1}, true));
    all.push_back (settings_for ({operation, 0, -1, "rect", {}, 1}, true));
  }
  return all;
}

static const Element morphology ("clmorphology", random_settings, special_settings);

}  // namespace test::morphology_cases
