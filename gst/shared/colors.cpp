/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "shared/colors.hpp"

#include "shared/range.hpp"

#include <cmath>

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

namespace {

/* Relates samples to numbers from 0 to 1; from -0.5 to 0.5 for chroma. */
struct Scale {
  std::array<double, 3> offset, scale;
};

Scale
scale_of (const GstVideoInfo &info, const Format &format)
{
  if (format.model == ColorModel::yuv) {
    const YuvColors c = yuv_colors (info, format, Range::automatic);
    return {{c.luma_offset, c.chroma_offset, c.chroma_offset}, {c.luma_scale, c.chroma_scale, c.chroma_scale}};
  }
  BlackWhite range = black_and_white (info, format, Range::automatic);
  if (format.model == ColorModel::rgb && GST_VIDEO_INFO_COLORIMETRY (&info).range == GST_VIDEO_COLOR_RANGE_16_235)
    range = {16 << (format.depth - 8), 235 << (format.depth - 8)};
  const double black = range.black, span = range.white - range.black;
  return {{black, black, black}, {span, span, span}};
}

/* Converts the components' numbers to R'G'B'. YUV formats with the matrix RGB hold R'G'B' already. */
Matrix3
to_rgb (const GstVideoInfo &info, const Format &format)
{
  if (format.model == ColorModel::gray)
    return {{{1, 0, 0}, {1, 0, 0}, {1, 0, 0}}};
  if (format.model == ColorModel::rgb || GST_VIDEO_INFO_COLORIMETRY (&info).matrix == GST_VIDEO_COLOR_MATRIX_RGB)
    return identity_matrix;
  const auto [red, blue, a, b, c, d] = yuv_colors (info, format, Range::automatic);
  const double green = 1 - red - blue;
  return {{{1, 0, 2 * (1 - red)}, {1, -2 * blue * (1 - blue) / green, -2 * red * (1 - red) / green}, {1, 2 * (1 - blue), 0}}};
}

Matrix3
from_rgb (const GstVideoInfo &info, const Format &format)
{
  if (format.model == ColorModel::rgb
      || (format.model == ColorModel::yuv && GST_VIDEO_INFO_COLORIMETRY (&info).matrix == GST_VIDEO_COLOR_MATRIX_RGB))
    return identity_matrix;
  const auto [red, blue, a, b, c, d] = yuv_colors (info, format, Range::automatic);
  const double green = 1 - red - blue, u = 0.5 / (1 - blue), v = 0.5 / (1 - red);
  if (format.model == ColorModel::gray)
    return {{{red, green, blue}, {0, 0, 0}, {0, 0, 0}}};
  return {{{red, green, blue}, {-red * u, -green * u, (1 - blue) * u}, {(1 - red) * v, -green * v, -blue * v}}};
}

bool
mixes (const Matrix3 &m)
{
  constexpr double nothing = 1e-9;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      if (i != j && std::abs (m[i][j]) > nothing)
        return true;
  return false;
}

}  // namespace

ColorConversion
convert_colors (const GstVideoInfo &from, const Format &from_format, const GstVideoInfo &to, const Format &to_format,
    PrimariesMode primaries)
{
  const Matrix3 in = to_rgb (from, from_format), out = from_rgb (to, to_format);
  Matrix3 m = out * in;
  const bool grays = from_format.model == ColorModel::gray || to_format.model == ColorModel::gray;
  if (primaries == PrimariesMode::fast || (primaries == PrimariesMode::merge_only && !grays && mixes (m)))
    m = out * convert_primaries (GST_VIDEO_INFO_COLORIMETRY (&from).primaries, GST_VIDEO_INFO_COLORIMETRY (&to).primaries) * in;
  const Scale was = scale_of (from, from_format), is = scale_of (to, to_format);
  ColorConversion result{};
  for (int i = 0; i < 3; i++) {
    result.constants[i] = is.offset[i];
    for (int j = 0; j < 3; j++) {
      constexpr double nothing = 1e-9;
      const double factor = std::abs (m[i][j]) > nothing ? m[i][j] * is.scale[i] / was.scale[j] : 0;
      result.factors[i][j] = factor;
      result.constants[i] -= factor * was.offset[j];
    }
  }
  const bool has_alpha = from_format.component_bits () >> alpha & 1;
  if (has_alpha)
    result.factors[alpha][alpha] = double (to_format.max_value ()) / from_format.max_value ();
  else
    result.constants[alpha] = to_format.max_value ();
  return result;
}

std::array<int, 4>
black_of (const GstVideoInfo &info, const Format &format)
{
  const Scale scale = scale_of (info, format);
  return {int (scale.offset[0]), int (scale.offset[1]), int (scale.offset[2]), format.max_value ()};
}

std::array<int, 4>
white_of (const GstVideoInfo &info, const Format &format)
{
  const Scale scale = scale_of (info, format);
  std::array<int, 4> white = black_of (info, format);
  for (int i = 0; i < (format.model == ColorModel::yuv ? 1 : 3); i++)
    white[i] += int (scale.scale[i]);
  return white;
}

}  // namespace gst::cl
