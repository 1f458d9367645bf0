/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "reference.hpp"

#include "../../elements/filtercase.hpp"

namespace test::adjust_cases {

static Settings
settings_for (const ref::Adjust &set)
{
  Settings settings;
  settings.keeps_spare = true; /* alpha */
  const std::pair<const char *, double> numbers[] = {{"exposure", set.exposure}, {"brightness", set.brightness},
      {"contrast", set.contrast}, {"saturation", set.saturation}, {"hue", set.hue}, {"temperature", set.temperature},
      {"tint", set.tint}, {"shadows", set.shadows}, {"highlights", set.highlights}, {"vibrance", set.vibrance}};
  for (const auto &[name, value] : numbers)
    settings.properties += format (" %s=%.17g", name, value);
  const char *const curves[] = {"curve", "curve-red", "curve-green", "curve-blue"};
  for (int i = 0; i < 4; i++) {
    std::string points;
    for (const auto &[x, y] : set.curves[i])
      points += format ("%.17g %.17g;", x, y);
    settings.properties += format (" %s=\"%s\"", curves[i], points.c_str ());
  }
  settings.filter = [set] (const ref::Picture &p, const ref::Scene &) { return ref::adjust (p, set); };
  settings.tolerance = settings.yuv_tolerance = 1;
  return settings;
}

static ref::Adjust
random_balance (Random &random)
{
  return {.brightness = random.steps (-0.3, 0.3, 100),
      .contrast = random.steps (0, 2, 100),
      .saturation = random.steps (0, 2, 100),
      .hue = random.steps (-1, 1, 100)};
}

static ref::Adjust
random_steps (Random &random)
{
  ref::Adjust set = random_balance (random);
  set.exposure = random.steps (-1, 1, 100);
  set.temperature = random.steps (-1, 1, 100);
  set.tint = random.steps (-1, 1, 100);
  set.shadows = random.steps (-1, 1, 100);
  set.highlights = random.steps (-1, 1, 100);
  set.vibrance = random.steps (-1, 1, 100);
  return set;
}

static const Element adjust (
    "cladjust",
    [] (Windows, Random &random) {
      return settings_for (random.chance (40) ? random_balance (random) : random_steps (random));
    },
    [] () -> std::vector<Settings> {
      Random random (815);
      ref::Adjust curves = random_steps (random);
      curves.curves[0] = {{0, 1}, {1, 0}};
      curves.curves[1] = {{0.25, 0}, {1, 0.75}};
      curves.curves[3] = {{0, 0.1}, {0.5, 0.6}, {0.8, 0.9}};
      /* red and blue of YUV exceed 1, and only a curve limits them */
      ref::Adjust green;
      green.curves[2] = {{0, 0}, {1, 1}};
      ref::Adjust steep;
      steep.curves[0] = {{0, 0}, {0.47, 0.04}, {0.5, 0.95}, {1, 1}};
      steep.curves[2] = {{0, 0.3}, {0.2, 0.5}, {0.21, 0.2}, {0.7, 0.2}, {0.9, 1}, {1, 0}};
      /* so many points that pieces are found by an index, with two of them in one cell */
      ref::Adjust many;
      for (int i = 0; i < 40; i++)
        for (const int curve : {0, 2})
          many.curves[curve].push_back ({(i + random.steps (0, 0.9, 10)) / 40, random.steps (0, 1, 100)});
      many.curves[0].push_back ({0.998, 0.5});
      many.curves[0].push_back ({0.9985, 0.51});
      return {settings_for ({.exposure = 1}), settings_for ({.brightness = 0.2, .contrast = 1.5}),
          settings_for ({.saturation = 0}), settings_for ({.hue = 0.5}), settings_for ({.temperature = 1, .tint = -1}),
          settings_for ({.shadows = 1, .highlights = -1}), settings_for ({.vibrance = 1}), settings_for (curves),
          settings_for (green), settings_for (steep), settings_for (many)};
    });

}  // namespace test::adjust_cases
