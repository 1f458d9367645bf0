/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <fstream>

#include "reference.hpp"

#include "../../elements/filtercase.hpp"

namespace test::lut3d_cases {

/* Entries that rise and fall, and exceed 0..1. */
static ref::Lut
random_lut (Random &random, int curve, int edge)
{
  ref::Lut lut{.edge = edge};
  const auto fill = [&random] (std::vector<ref::Color> &entries, size_t n) {
    for (size_t i = 0; i < n; i++)
      entries.push_back ({random.steps (-0.1, 1.1, 1000), random.steps (-0.1, 1.1, 1000), random.steps (-0.1, 1.1, 1000)});
  };
  fill (lut.curve, size_t (curve));
  fill (lut.cube, size_t (edge) * edge * edge);
  return lut;
}

/* Writes the table as a file and returns its path. */
static std::string
write_lut (const ref::Lut &lut)
{
  static int number = 0;
  const std::string path = scratch_folder () + format ("/%d.cube", number++);
  std::ofstream file (path, std::ios::binary);
  const char *const end = number % 2 ? "\r\n" : "\n";
  file << "TITLE \"a table\"" << end << "# " << number << end;
  if (!lut.curve.empty ())
    file << "LUT_1D_SIZE " << lut.curve.size () << end;
  if (lut.edge)
    file << "LUT_3D_SIZE " << lut.edge << end;
  for (const auto &[name, v] : {std::pair ("DOMAIN_MIN", lut.low), {"DOMAIN_MAX", lut.high}})
    file << format ("%s %.9g %.9g %.9g", name, v, v, v) << end;
  for (const auto *entries : {&lut.curve, &lut.cube})
    for (const ref::Color &entry : *entries)
      file << format ("%.9g  %.9g\t%.9g", entry[0], entry[1], entry[2]) << end;
  return path;
}

/* Entries that half floats must distinguish: 0, -0, 1, and almost 0. */
static ref::Lut
steep_lut (Random &random)
{
  constexpr double values[] = {0, -0.0, 1, 1e-5, 1e-9, 0.5};
  ref::Lut lut{.edge = 4};
  const auto any = [&] { return values[random.between (0, int (std::size (values)) - 1)]; };
  for (int i = 0; i < lut.edge * lut.edge * lut.edge; i++)
    lut.cube.push_back ({any (), any (), any ()});
  return lut;
}

static Settings
settings_for (const ref::Lut &lut)
{
  return {.properties = format ("location=%s interpolation=%s strength=%.9g", write_lut (lut).c_str (),
              lut.trilinear ? "trilinear" : "tetrahedral", lut.strength),
      .filter = [lut] (const ref::Picture &p, const ref::Scene &) { return ref::lut3d (p, lut); },
      .tolerance = 1,
      .keeps_spare = true}; /* alpha */
}

static const Element lut3d (
    "cllut3d",
    [] (Windows, Random &random) {
      ref::Lut lut = random_lut (random, 0, random.between (2, 9));
      if (random.chance (30)) {
        lut.low = random.steps (-0.5, 0.4, 10);
        lut.high = random.steps (0.6, 2, 10);
      }
      lut.strength = random.chance (30) ? random.steps (0.1, 1, 10) : 1;
      return settings_for (lut);
    },
    [] () -> std::vector<Settings> {
      Random random (4711);
      ref::Lut trilinear = random_lut (random, 0, 4), both = random_lut (random, 17, 5);
      trilinear.trilinear = true;
      both.strength = 0.5;
      const Settings steep = settings_for (steep_lut (random));
      /* the last chroma sample of a row represents the mean of three */
      Settings thirds = settings_for (random_lut (random, 64, 5));
      thirds.format = GST_VIDEO_FORMAT_Y41B;
      return {settings_for (trilinear), settings_for (both), settings_for (random_lut (random, 64, 0)),
          settings_for (random_lut (random, 0, 33)), settings_for (random_lut (random, 0, 2)), steep, thirds};
    });

}  // namespace test::lut3d_cases
