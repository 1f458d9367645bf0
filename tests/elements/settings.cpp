/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Random settings of each filter. Real-valued settings are sixteenths or so wherever a result must be exact: floats
 * hold them, so that no rounding of a property can move a sample across a tie. */
#include "filtercase.hpp"

namespace test {

Settings
settings_for (const ref::Convolve &set, const std::string &properties, int tolerance)
{
  Settings settings;
  settings.properties = properties;
  settings.filter = [set] (const ref::Picture &p, const ref::Border &border) { return ref::convolve (p, set, border); };
  settings.tolerance = tolerance;
  return settings;
}

Settings
settings_for (const ref::Median &set, const std::string &properties)
{
  Settings settings;
  settings.properties = properties;
  settings.filter = [set] (const ref::Picture &p, const ref::Border &border) { return ref::median (p, set, border); };
  settings.keeps_spare = set.threshold > 0;
  return settings;
}

Settings
settings_for (const ref::Bilateral &set, const std::string &properties)
{
  Settings settings;
  settings.properties = properties;
  settings.filter = [set] (
                        const ref::Picture &p, const ref::Border &border) { return ref::bilateral (p, set, border); };
  settings.tolerance = 1;
  return settings;
}

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

static std::pair<int, int>
matrix_size (Windows windows, Random &random)
{
  using Size = std::pair<int, int>;
  switch (windows) {
    case Windows::Common:
      return random.pick ({Size (3, 3), Size (5, 5)});
    case Windows::Any:
      return random.pick ({Size (3, 3), Size (4, 2), Size (2, 5), Size (7, 7), Size (9, 1), Size (1, 8)});
    case Windows::Huge:
      return random.pick ({Size (31, 31), Size (31, 2), Size (1, 31), Size (16, 17)});
  }
  g_assert_not_reached ();
}

/* Full, of rank one or of rank two: each may be computed in another way. */
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

static Settings
convolve_settings (Windows windows, Random &random)
{
  static const char *presets[] = {
      "edge", "sharpen", "emboss", "gaussian3", "gaussian5", "box3", "box5", "laplacian4", "laplacian8"};
  ref::Convolve set;
  std::string properties;
  bool integer = true;
  if (windows != Windows::Huge && random.chance (35)) {
    const char *name = random.pick (presets);
    set.matrix = ref::preset (name);
    properties = format ("preset=%s", name);
  } else {
    const auto [width, height] = matrix_size (windows, random);
    integer = random.chance (70);
    set.matrix = make_matrix (width, height, integer, random);
    properties = "matrix=\"" + matrix_text (set.matrix, random) + "\"";
  }
  /* Near the sum of a few taps, so that results are not all black or white. */
  const int taps = (int) (set.matrix.size () * set.matrix[0].size ());
  if (random.chance (60)) {
    integer = integer && random.chance (75);
    set.divisor =
        integer ? (random.chance (20) ? -1 : 1) * (2 + taps / 2 + random.between (0, taps)) : taps * 0.37 + 0.1;
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
}

static Settings
median_settings (Windows windows, Random &random)
{
  ref::Median set;
  switch (windows) {
    case Windows::Common:
      set.radius = random.pick ({1, 2});
      break;
    case Windows::Any:
      set.radius = random.pick ({1, 2, 3, 5, 7});
      set.radius_y = random.pick ({-1, -1, 0, 1, 4});
      break;
    case Windows::Huge:
      set.radius = random.pick ({31, 127});
      set.radius_y = random.pick ({-1, 0, 127});
      break;
  }
  std::string properties = format ("radius=%d", set.radius);
  if (set.radius_y >= 0)
    properties += format (" radius-y=%d", set.radius_y);
  if (random.chance (50)) {
    set.percentile = random.chance (40) ? random.between (0, 1) : random.steps (0, 1, 64);
    properties += format (" percentile=%.17g", set.percentile);
  }
  if (random.chance (30)) {
    set.threshold = random.steps (0, 0.5, 32);
    properties += format (" threshold=%.17g", set.threshold);
  }
  return settings_for (set, properties);
}

static Settings
bilateral_settings (Windows windows, Random &random)
{
  ref::Bilateral set;
  switch (windows) {
    case Windows::Common:
      set.radius = random.pick ({1, 2});
      break;
    case Windows::Any:
      set.radius = random.pick ({0, 1, 2, 3, 4});
      break;
    case Windows::Huge:
      set.radius = random.pick ({12, 20});
      break;
  }
  set.sigma_space = windows == Windows::Huge ? 30 : random.pick ({0.5, 1.0, 1.5, 2.0});
  set.sigma_range = random.pick ({0.03, 0.1, 0.25, 1.0});
  const char *distance = random.pick ({"intensity", "per-component", "color"});
  set.distance = *distance == 'i'   ? ref::Bilateral::Intensity
                 : *distance == 'p' ? ref::Bilateral::PerComponent
                                    : ref::Bilateral::Color;
  set.circle = random.chance (40);
  return settings_for (
      set, format ("sigma-space=%.9g sigma-range=%.9g radius=%d distance=%s window=%s", set.sigma_space,
               set.sigma_range, set.radius, distance, set.circle ? "circle" : "square"));
}

Settings
make_settings (const std::string &element, Windows windows, Random &random)
{
  if (element == "clconvolve")
    return convolve_settings (windows, random);
  if (element == "clmedian")
    return median_settings (windows, random);
  g_assert (element == "clbilateral");
  return bilateral_settings (windows, random);
}

}  // namespace test
