/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "colormatrix.hpp"

#include <cmath>

#include "common.hpp"

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

/* (30 R + 59 G + 11 B) / 100 in integers, half to even. */
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

/* The luma of a block, of what exists of it. */
static double
mean_luma (const Component &luma, int x, int y, int columns, int rows)
{
  double sum = 0;
  int n = 0;
  for (int j = y * rows; j < (y + 1) * rows && j < luma.height; j++)
    for (int i = x * columns; i < (x + 1) * columns && i < luma.width; i++, n++)
      sum += luma.at (i, j);
  return sum / n;
}

/* Of red and blue in luma, where caps do not say them: those of BT.601, of BT.709 for what is higher than PAL, and of BT.2020 for
 * what is as high as UHD. */
static std::pair<double, double>
usual_weights (int height)
{
  return height >= 2160 ? std::pair (.2627, .0593) : height > 576 ? std::pair (.2126, .0722) : std::pair (.299, .114);
}

/* From Y'CbCr to R'G'B' of 0..1 and back, one sample at a time. */
static void
filter_yuv (Picture &out, const Picture &in, const ColorMatrix &settings)
{
  const auto matrix = rows_of (settings);
  const auto [kr, kb] = settings.red > 0 ? std::pair (settings.red, settings.blue) : usual_weights (in.height);
  const double kg = 1 - kr - kb, unit = 1 << (in.layout->depth - 8);
  const double black = settings.full ? 0 : 16 * unit, luma_range = settings.full ? in.max () : 219 * unit;
  const double chroma_range = settings.full ? in.max () : 224 * unit;
  const Component &luma = *in.find ('y'), &u = *in.find ('u'), &v = *in.find ('v');
  for (Component &component : out.components)
    for (int y = 0; y < component.height && component.name != 'a'; y++)
      for (int x = 0; x < component.width; x++) {
        const int cx = x * component.sub_x / u.sub_x, cy = y * component.sub_y / u.sub_y;
        const double l = (mean_luma (luma, x, y, component.sub_x, component.sub_y) - black) / luma_range;
        const double cb = (u.at (cx, cy) - in.neutral ()) / chroma_range, cr = (v.at (cx, cy) - in.neutral ()) / chroma_range;
        const double r = l + 2 * (1 - kr) * cr, b = l + 2 * (1 - kb) * cb, g = (l - kr * r - kb * b) / kg;
        double rgb[3];
        for (int i = 0; i < 3; i++)
          rgb[i] = matrix[i][0] * r + matrix[i][1] * g + matrix[i][2] * b + matrix[i][3];
        const double result = kr * rgb[0] + kg * rgb[1] + kb * rgb[2];
        const double value = component.name == 'y'   ? black + result * luma_range
                             : component.name == 'u' ? in.neutral () + (rgb[2] - result) / (2 * (1 - kb)) * chroma_range
                                                     : in.neutral () + (rgb[0] - result) / (2 * (1 - kr)) * chroma_range;
        component.at (x, y) = round_to_sample (value, in.max ());
      }
}

Picture
color_matrix (const Picture &in, const ColorMatrix &settings)
{
  Picture out = in;
  if (in.find ('u')) {
    filter_yuv (out, in, settings);
    return out;
  }
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
