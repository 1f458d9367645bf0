/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "../../elements/filtercase.hpp"

namespace test {

Settings
settings_for (const ref::Convolve &set, const std::string &properties, int tolerance)
{
  return {.properties = properties,
      .filter = [set] (const ref::Picture &p, const ref::Scene &scene) { return ref::convolve (p, set, scene.border); },
      .tolerance = tolerance};
}

}  // namespace test

namespace test::convolve_cases {

static const char *const presets[] = {
    "edge", "sharpen", "emboss", "gaussian3", "gaussian5", "box3", "box5", "laplacian4", "laplacian8"};

static std::string
matrix_text (const ref::Matrix &matrix, Random &random)
{
  const char *tap_separator = random.pick ({" ", ",", ", "}), *row_separator = random.pick ({";", " ; "});
  std::string text;
  for (size_t j = 0; j < matrix.size (); j++) {
    text += j ? row_separator : "";
    for (size_t i = 0; i < matrix[j].size (); i++)
      text += (i ? tap_separator : "") + format ("%.17g", matrix[j][i]);
  }
  return text;
}

/* A matrix of full rank, of rank one or of rank two, which may be computed differently. */
static ref::Matrix
make_matrix (int width, int height, bool integer, Random &random)
{
  auto tap = [&] { return integer ? random.between (-9, 9) : random.between (-999, 999) / 100.0; };
  const int rank = random.between (0, 2);
  ref::Matrix matrix (height, std::vector<double> (width));
  for (auto &row : matrix)
    for (double &value : row)
      value = rank ? 0 : tap ();
  for (int r = 0; r < rank; r++) {
    std::vector<double> across (width), down (height);
    for (double &value : across)
      value = random.between (-4, 4);
    for (double &value : down)
      value = integer ? random.between (-4, 4) : tap ();
    for (int j = 0; j < height; j++)
      for (int i = 0; i < width; i++)
        matrix[j][i] += down[j] * across[i];
  }
  return matrix;
}

static const Element convolve (
    "clconvolve",
    [] (Windows windows, Random &random) {
      ref::Convolve set;
      std::string properties;
      bool integer = true;
      if (windows != Windows::Huge && random.chance (35)) {
        const char *name = random.pick (presets);
        set.matrix = ref::preset (name);
        properties = format ("preset=%s", name);
      } else {
        const auto [width, height] = pick<std::pair<int, int>> (windows, random, {{3, 3}, {5, 5}},
            {{3, 3}, {4, 2}, {2, 5}, {7, 7}, {9, 1}, {1, 8}}, {{31, 31}, {31, 2}, {1, 31}, {16, 17}});
        integer = random.chance (70);
        set.matrix = make_matrix (width, height, integer, random);
        properties = "matrix=\"" + matrix_text (set.matrix, random) + "\"";
      }
      /* Close to the sum of a few taps, so that results are not all black or white. */
      const int taps = (int) (set.matrix.size () * set.matrix[0].size ());
      if (random.chance (60)) {
        integer = integer && random.chance (75);
        set.divisor = integer ? (random.chance (20) ? -1 : 1) * (2 + taps / 2 + random.between (0, taps)) : taps * 0.37 + 0.1;
        properties += format (" divisor=%.17g", set.divisor);
      }
      if (random.chance (40)) {
        set.bias = random.steps (-0.5, 0.5, 64);
        properties += format (" bias=%.17g", set.bias);
      }
      set.absolute = random.chance (25);
      set.flip = random.chance (35);
      if (set.absolute)
        properties += " absolute=true";
      if (set.flip)
        properties += " flip=true";
      return settings_for (set, properties, integer ? 0 : 1);
    },
    [] {
      std::vector<Settings> all;
      for (const char *name : presets)
        all.push_back (settings_for (ref::Convolve{ref::preset (name)}, format ("preset=%s", name)));
      auto add = [&] (const ref::Convolve &set, const char *matrix, const char *more = "", int tolerance = 0) {
        all.push_back (settings_for (set, format ("matrix=\"%s\" %s", matrix, more), tolerance));
      };
      /* matrix wins over preset */
      add ({{{1, 2, 1}}}, "1 2 1", "preset=edge");
      /* integers that a float holds, and sums that neither a float nor an int holds */
      add ({{{1e6, 2e6, 1e6}, {3e6, 1e6, 1}}}, "1000000 2000000 1000000;3000000 1000000 1");
      add ({{{16777216, -16777216, 1}}, 1}, "16777216 -16777216 1", "divisor=1");
      add ({{{4000, 4000, -7000}, {4000, -5000, 1}}, 3}, "4000 4000 -7000;4000 -5000 1", "divisor=3");
      /* a sum of 0, except for rounding */
      add ({{{0.1, 0.2, -0.3}}}, "0.1,0.2,-0.3", "", 1);
      add ({{{0.1, 0.2, 0.4}}, 0, -0.1}, "1e-1 .2 0.4", "bias=-0.1", 1);
      add ({{{1, 2}, {3, 4}}, 0, 0, false, true}, "1 2;3 4", "flip=true");
      add ({{{1, 2}, {3, 4}}}, " 1  2 ; 3,4 ");
      add ({{{1, -3}, {1, 0}}, -2, -0.125, true}, "1 -3;1 0", "divisor=-2 absolute=true bias=-0.125");
      add ({{{1, -3}, {1, 0}}, -2, 0.5}, "1 -3;1 0", "divisor=-2 bias=0.5");
      add ({{{0, 0}, {0, 0}}, 0, 0.25}, "0 0;0 0", "bias=0.25");
      add ({{{3}}, 2}, "3", "divisor=2");
      add ({{{1}}, 0, -0.25}, "1", "bias=-0.25");
      /* rounds half to even */
      add ({{{1, 1}}, 4}, "1 1", "divisor=4");
      add ({{{-1, 0, 1}}, 2, 0.5}, "-1 0 1", "divisor=2 bias=0.5");
      return all;
    });

}  // namespace test::convolve_cases
