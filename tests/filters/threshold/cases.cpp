/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "reference.hpp"

#include "../../elements/filtercase.hpp"

namespace test::threshold_cases {

static Settings
settings_for (const ref::Threshold &set)
{
  static const char *const methods[] = {"fixed", "otsu", "mean"};
  static const char *const types[] = {"binary", "binary-inv", "trunc", "tozero", "tozero-inv"};
  return {.properties = format ("method=%s type=%s domain=%s threshold=%.17g radius=%d offset=%.17g range=%s",
              methods[set.method], types[set.type], set.per_component ? "per-component" : "intensity", set.threshold,
              set.radius, set.offset, set.full ? "full" : "auto"),
      .filter = [set] (const ref::Picture &p, const ref::Scene &scene) { return ref::threshold (p, set, scene); },
      .heavy = set.method == ref::Threshold::Mean && set.radius > 15};
}

static Settings
make (Windows windows, Random &random)
{
  using ref::Threshold;
  Threshold set;
  set.method = random.pick ({Threshold::Fixed, Threshold::Otsu, Threshold::Mean, Threshold::Mean});
  set.type = random.pick ({Threshold::Binary, Threshold::BinaryInv, Threshold::Trunc, Threshold::ToZero, Threshold::ToZeroInv});
  /* with a histogram for each component, the chroma of a field in an odd region would matter */
  set.per_component = set.method != Threshold::Otsu && random.chance (50);
  set.threshold = random.steps (0.0625, 0.9375, 14);
  set.radius = windows == Windows::Huge ? random.pick ({20, 127}) : random.pick ({1, 2, 7});
  set.offset = random.steps (-0.25, 0.25, 8);
  set.full = random.chance (30);
  return settings_for (set);
}

static std::vector<Settings>
special ()
{
  using ref::Threshold;
  /* 51 of 255 is not above 0.2 */
  std::vector<Settings> all = settings_of<Threshold> (settings_for,
      {{Threshold::Mean, Threshold::Binary, false, 0.5, 7, 0.02}, {Threshold::Mean, Threshold::BinaryInv, true, 0.5, 7, 0.02},
          {Threshold::Mean, Threshold::Trunc, false, 0.5, 7, 0.02}, {Threshold::Mean, Threshold::ToZero, true, 0.5, 7, 0.02},
          {Threshold::Mean, Threshold::ToZeroInv, false, 0.5, 7, 0.02}, {Threshold::Mean, Threshold::Trunc, true, 0.5, 7, 0.02},
          {Threshold::Otsu, Threshold::Trunc, true}, {Threshold::Otsu, Threshold::BinaryInv, false},
          {Threshold::Fixed, Threshold::Binary, true, 0.2}, {Threshold::Fixed, Threshold::ToZero, false, 0},
          {Threshold::Fixed, Threshold::Trunc, false, 1}, {Threshold::Fixed, Threshold::Trunc, true, 1, 7, 0.02, true},
          {Threshold::Mean, Threshold::Trunc, true, 0.5, 127, -0.5}, {Threshold::Mean, Threshold::Binary, false, 0.5, 1, 0}});
  all[11].keeps_spare = true; /* no effect: frames pass */
  return all;
}

static const Element element ("clthreshold", make, special);

}  // namespace test::threshold_cases
