/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "shared/primaries.hpp"

namespace gst::cl {

Matrix3
operator* (const Matrix3 &a, const Matrix3 &b)
{
  Matrix3 product{};
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      for (int k = 0; k < 3; k++)
        product[i][j] += a[i][k] * b[k][j];
  return product;
}

Matrix3
inverse (const Matrix3 &m)
{
  const auto minor = [&m] (int i, int j) {
    const int a = (i + 1) % 3, b = (i + 2) % 3, c = (j + 1) % 3, d = (j + 2) % 3;
    return m[a][c] * m[b][d] - m[a][d] * m[b][c];
  };
  const double determinant = m[0][0] * minor (0, 0) + m[0][1] * minor (0, 1) + m[0][2] * minor (0, 2);
  Matrix3 result;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      result[j][i] = minor (i, j) / determinant;
  return result;
}

Matrix3
to_xyz (GstVideoColorPrimaries primaries)
{
  const GstVideoColorPrimariesInfo &p = *gst_video_color_primaries_get_info (primaries);
  const double x[] = {p.Rx, p.Gx, p.Bx}, y[] = {p.Ry, p.Gy, p.By};
  Matrix3 m;
  for (int i = 0; i < 3; i++) {
    m[0][i] = x[i] / y[i];
    m[1][i] = 1;
    m[2][i] = (1 - x[i] - y[i]) / y[i];
  }
  const Matrix3 solve = inverse (m);
  const double white[] = {p.Wx / p.Wy, 1, (1 - p.Wx - p.Wy) / p.Wy};
  for (int i = 0; i < 3; i++) {
    const double part = solve[i][0] * white[0] + solve[i][1] * white[1] + solve[i][2] * white[2];
    for (auto &row : m)
      row[i] *= part;
  }
  return m;
}

Matrix3
convert_primaries (GstVideoColorPrimaries from, GstVideoColorPrimaries to)
{
  if (from == to || from == GST_VIDEO_COLOR_PRIMARIES_UNKNOWN || to == GST_VIDEO_COLOR_PRIMARIES_UNKNOWN)
    return identity_matrix;
  return inverse (to_xyz (to)) * to_xyz (from);
}

}  // namespace gst::cl
