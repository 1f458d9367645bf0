/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "reference.hpp"

#include "../../reference/color.hpp"
#include "../../reference/common.hpp"

namespace ref {

static std::vector<std::vector<double>>
rows_of (const ColorMatrix &settings)
{
  if (!settings.rows.empty ())
    return settings.rows;
  if (settings.preset == "sepia")
    return {{.393, .769, .189, 0}, {.349, .686, .168, 0}, {.272, .534, .131, 0}};
  if (settings.preset == "grayscale")
    return {{.3, .59, .11, 0}, {.3, .59, .11, 0}, {.3, .59, .11, 0}};
  if (settings.preset == "invert")
    return {{-1, 0, 0, 1}, {0, -1, 0, 1}, {0, 0, -1, 1}};
  return {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}};
}

/* (30 R + 59 G + 11 B) / 100 in integers, rounded half to even. */
static int
intensity (int r, int g, int b)
{
  const int sum = 30 * r + 59 * g + 11 * b, whole = sum / 100, rest = sum % 100;
  return rest > 50 || (rest == 50 && whole % 2) ? whole + 1 : whole;
}

static void
filter_gray (Component &gray, const ColorMatrix &settings, int max)
{
  if (settings.rows.empty () && settings.preset == "grayscale")
    return;
  const auto rows = rows_of (settings);
  for (int &v : gray.value) {
    double color[3];
    for (int i = 0; i < 3; i++)
      color[i] = rows[i][0] * v + rows[i][1] * v + rows[i][2] * v + rows[i][3] * max;
    v = settings.rows.empty () && settings.preset == "invert"
            ? max - v
            : round_to_sample (.3 * color[0] + .59 * color[1] + .11 * color[2], max);
  }
}

Picture
color_matrix (const Picture &in, const ColorMatrix &settings)
{
  Picture out = in;
  if (in.find ('u'))
    return map_colors (in, {settings.full, settings.red, settings.blue}, [matrix = rows_of (settings)] (const Color &c) {
      Color out;
      for (int i = 0; i < 3; i++)
        out[i] = matrix[i][0] * c[0] + matrix[i][1] * c[1] + matrix[i][2] * c[2] + matrix[i][3];
      return out;
    });
  if (!in.is_rgb ()) {
    filter_gray (out.components[0], settings, in.max ());
    return out;
  }
  const bool gray = settings.rows.empty () && settings.preset == "grayscale";
  const auto rows = rows_of (settings);
  for (size_t i = 0; i < in.components[0].value.size (); i++) {
    const int color[3] = {in.find ('r')->value[i], in.find ('g')->value[i], in.find ('b')->value[i]};
    for (Component &component : out.components) {
      const size_t row = std::string ("rgb").find (component.name);
      if (row == std::string::npos)
        continue;
      double sum = rows[row][3] * in.max ();
      for (int k = 0; k < 3; k++)
        sum += rows[row][k] * color[k];
      component.value[i] = gray ? intensity (color[0], color[1], color[2]) : round_to_sample (sum, in.max ());
    }
  }
  return out;
}

}  // namespace ref
