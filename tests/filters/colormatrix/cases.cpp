/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "reference.hpp"

#include "../../elements/filtercase.hpp"

namespace test::colormatrix_cases {

static Settings
settings_for (const ref::ColorMatrix &set, const std::string &properties, int tolerance)
{
  return {.properties = properties + (set.full ? " range=full" : ""),
      .filter = [set] (const ref::Picture &p, const ref::Scene &) { return ref::color_matrix (p, set); },
      .tolerance = tolerance,
      .yuv_tolerance = set.preset != "invert",
      .keeps_spare = true}; /* alpha */
}

static Settings
preset (const char *name, bool full = false)
{
  return settings_for ({name, {}, full}, format ("preset=%s", name), std::string (name) == "sepia" ? 1 : 0);
}

/* With a preset, which must have no effect. */
static Settings
matrix (const std::vector<std::vector<double>> &rows, int tolerance, bool full = false)
{
  std::string text;
  for (const auto &row : rows)
    for (size_t i = 0; i < row.size (); i++)
      text += format ("%.17g%s", row[i], i + 1 < row.size () ? " " : ";");
  text.pop_back ();
  return settings_for ({"", rows, full}, format ("preset=sepia matrix=\"%s\"", text.c_str ()), tolerance);
}

static const Element color_matrix (
    "clcolormatrix",
    [] (Windows, Random &random) {
      if (random.chance (40))
        return preset (random.pick ({"grayscale", "sepia", "invert"}), random.chance (30));
      const bool exact = random.chance (50);
      std::vector<std::vector<double>> rows (3, std::vector<double> (4));
      for (auto &row : rows) {
        for (double &v : row)
          v = exact ? random.steps (-2, 2, 16) : random.steps (-2, 2, 1000003);
        row[3] = random.chance (50) ? 0 : row[3] / 2;
      }
      return matrix (rows, 1, random.chance (30));
    },
    [] () -> std::vector<Settings> {
      return {
          preset ("sepia"),
          preset ("grayscale"),
          preset ("invert"),
          preset ("sepia", true),
          preset ("invert", true),
          matrix ({{0, 0, 1, 0}, {0, 1, 0, 0}, {1, 0, 0, 0}}, 0),
          matrix ({{0, 1, 0, 0}, {0, 0, 1, 0}, {1, 0, 0, 0}}, 0),
          matrix ({{0, 0, 0, 0.5}, {0, 0, 0, 1}, {0, 0, 0, -1}}, 1),
          matrix ({{2, -1, 0, 0}, {0, 2, -1, 0}, {-1, 0, 2, 0}}, 0),
          /* large factors that cancel each other, and factors that are no simple fraction */
          matrix ({{4000, -4000, 1, 0}, {1, 4000, -4000, 0}, {-4000, 1, 4000, 0}}, 1),
          matrix ({{300.123456789, -300.1, 0, 0.1}, {0, 0.333333333, 0, 0}, {0, 0, 1000.00001, -500}}, 1),
          matrix ({{.3, .59, .11, 0}, {.3, .59, .11, 0}, {.3, .59, .11, 0}}, 1),
      };
    });

}  // namespace test::colormatrix_cases
