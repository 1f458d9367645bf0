/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "../../elements/filtercase.hpp"
#include "reference.hpp"

#include <cmath>

namespace test::sharpen_cases {

static Settings
settings_for (const ref::Sharpen &set)
{
  Settings settings;
  const bool laplacian = set.method == ref::Sharpen::Laplacian;
  settings.properties = format ("method=%s amount=%.17g sigma=%.17g threshold=%.17g", laplacian ? "laplacian" : "unsharp",
      set.amount, set.sigma, set.threshold);
  settings.filter = [set] (const ref::Picture &p, const ref::Scene &scene) { return ref::sharpen (p, set, scene.border); };
  settings.tolerance = laplacian && set.amount == std::floor (set.amount) ? 0 : 1;
  return settings;
}

static Settings
make (Windows windows, Random &random)
{
  ref::Sharpen set;
  set.method = random.chance (35) ? ref::Sharpen::Laplacian : ref::Sharpen::Unsharp;
  set.amount = random.chance (50) ? random.between (-3, 4) : random.between (-40, 40) / 8.0 + 0.03;
  switch (windows) {
    case Windows::Common:
      set.sigma = random.pick ({0.5, 1.0, 2.0});
      break;
    case Windows::Any:
      set.sigma = random.between (1, 60) / 10.0;
      break;
    case Windows::Huge:
      set.sigma = random.pick ({10.0, 20.0});
      break;
  }
  /* means of samples are hardly ever close to such a limit */
  if (random.chance (40))
    set.threshold = random.pick ({0.0101, 0.0503, 0.2017});
  return settings_for (set);
}

static std::vector<Settings>
special ()
{
  using enum ref::Sharpen::Method;
  std::vector<Settings> all;
  for (const ref::Sharpen &set : {ref::Sharpen{Unsharp, 1, 1, 0}, {Unsharp, 10, 0.1, 0}, {Unsharp, -10, 20, 0},
           {Unsharp, 10, 20, 0}, {Unsharp, 2.5, 3, 0.1007}, {Unsharp, -1, 1.5, 0}, {Unsharp, 1, 1, 0.9999},
           {Laplacian, 1, 1, 0}, {Laplacian, -10, 1, 0}, {Laplacian, 0.3, 1, 0.5}, {Laplacian, 10, 1, 1}})
    all.push_back (settings_for (set));
  return all;
}

static const Element element ("clsharpen", make, special);

}  // namespace test::sharpen_cases
