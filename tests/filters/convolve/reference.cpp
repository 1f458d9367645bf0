/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "reference.hpp"

#include <map>

#include "../../reference/common.hpp"

namespace ref {

static Matrix
outer (const std::vector<double> &taps)
{
  Matrix matrix;
  for (const double a : taps) {
    matrix.emplace_back ();
    for (const double b : taps)
      matrix.back ().push_back (a * b);
  }
  return matrix;
}

Matrix
preset (const std::string &name)
{
  static const std::map<std::string, Matrix> presets = {
      {"identity", {{1}}},
      {"edge", {{-1, -1, -1}, {-1, 8, -1}, {-1, -1, -1}}},
      {"sharpen", {{0, -1, 0}, {-1, 5, -1}, {0, -1, 0}}},
      {"emboss", {{-2, -1, 0}, {-1, 1, 1}, {0, 1, 2}}},
      {"gaussian3", outer ({1, 2, 1})},
      {"gaussian5", outer ({1, 4, 6, 4, 1})},
      {"box3", outer ({1, 1, 1})},
      {"box5", outer ({1, 1, 1, 1, 1})},
      {"laplacian4", {{0, 1, 0}, {1, -4, 1}, {0, 1, 0}}},
      {"laplacian8", {{1, 1, 1}, {1, -8, 1}, {1, 1, 1}}},
  };
  return presets.at (name);
}

static double
divisor_of (const Convolve &settings)
{
  if (settings.divisor != 0)
    return settings.divisor;
  double sum = 0, size = 0;
  for (const auto &row : settings.matrix)
    for (const double tap : row) {
      sum += tap;
      size += std::fabs (tap);
    }
  return sum == 0 || std::fabs (sum) < 1e-9 * size ? 1 : sum;
}

static Matrix
turned (Matrix matrix)
{
  std::reverse (matrix.begin (), matrix.end ());
  for (auto &row : matrix)
    std::reverse (row.begin (), row.end ());
  return matrix;
}

Picture
convolve (const Picture &in, const Convolve &settings, const Border &border)
{
  const Matrix matrix = settings.flip ? turned (settings.matrix) : settings.matrix;
  const int rows = (int) matrix.size (), columns = (int) matrix[0].size ();
  const double divisor = divisor_of (settings), bias = settings.bias * in.max ();
  Picture out = in;
  for (Component &component : out.components) {
    const Around source{component, border, in.max ()};
    const bool chroma = component.is_chroma ();
    const int middle = chroma ? in.neutral () : 0;
    for (const auto [x, y] : component.places ()) {
      /* With integer taps, every product and the sum are exact doubles. */
      double s = 0;
      for (const auto [i, j] : Places{columns, rows})
        s += matrix[j][i] * (source (x + i - columns / 2, y + j - rows / 2) - middle);
      s /= divisor;
      if (settings.absolute && !chroma)
        s = std::fabs (s);
      component.at (x, y) = round_to_sample (s + (chroma ? middle : bias), in.max ());
    }
  }
  return out;
}

}  // namespace ref
