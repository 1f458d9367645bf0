/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "memory/format.hpp"

namespace gst::cl {

namespace {

constexpr PlaneLayout
packed (int samples, int a, int b = padding, int c = padding, int d = padding)
{
  return {samples, {a, b, c, d}, 0, 0};
}

constexpr PlaneLayout
chroma (int subsample_x, int subsample_y, int samples, int a, int b = padding)
{
  return {samples, {a, b, padding, padding}, subsample_x, subsample_y};
}

constexpr Format
gray (GstVideoFormat id, int bits)
{
  return {id, ColorModel::gray, 1, {packed (1, first)}, bits, bits, 0};
}

constexpr Format
rgb (GstVideoFormat id, PlaneLayout plane, int bits = 8)
{
  return {id, ColorModel::rgb, 1, {plane}, bits, bits, 0};
}

/* u and v: which component the second and third plane in memory hold */
constexpr Format
planar (GstVideoFormat id, int subsample_x, int subsample_y, int u = second, int v = third, int depth = 8)
{
  return {id, ColorModel::yuv, 3,
      {packed (1, first), chroma (subsample_x, subsample_y, 1, u), chroma (subsample_x, subsample_y, 1, v)}, depth > 8 ? 16 : 8,
      depth, 0};
}

constexpr Format
semi_planar (GstVideoFormat id, int u, int v, int bits = 8, int depth = 8)
{
  return {id, ColorModel::yuv, 2, {packed (1, first), chroma (1, 1, 2, u, v)}, bits, depth, bits - depth};
}

constexpr Format formats[] = {
    rgb (GST_VIDEO_FORMAT_RGBA, packed (4, first, second, third, alpha)),
    rgb (GST_VIDEO_FORMAT_BGRA, packed (4, third, second, first, alpha)),
    rgb (GST_VIDEO_FORMAT_ARGB, packed (4, alpha, first, second, third)),
    rgb (GST_VIDEO_FORMAT_ABGR, packed (4, alpha, third, second, first)),
    rgb (GST_VIDEO_FORMAT_RGBx, packed (4, first, second, third, padding)),
    rgb (GST_VIDEO_FORMAT_BGRx, packed (4, third, second, first, padding)),
    rgb (GST_VIDEO_FORMAT_xRGB, packed (4, padding, first, second, third)),
    rgb (GST_VIDEO_FORMAT_xBGR, packed (4, padding, third, second, first)),
    rgb (GST_VIDEO_FORMAT_RGB, packed (3, first, second, third)),
    rgb (GST_VIDEO_FORMAT_BGR, packed (3, third, second, first)),
    planar (GST_VIDEO_FORMAT_I420, 1, 1),
    planar (GST_VIDEO_FORMAT_YV12, 1, 1, third, second),
    planar (GST_VIDEO_FORMAT_Y42B, 1, 0),
    planar (GST_VIDEO_FORMAT_Y444, 0, 0),
    semi_planar (GST_VIDEO_FORMAT_NV12, second, third),
    semi_planar (GST_VIDEO_FORMAT_NV21, third, second),
    gray (GST_VIDEO_FORMAT_GRAY8, 8),
    planar (GST_VIDEO_FORMAT_I420_10LE, 1, 1, second, third, 10),
    planar (GST_VIDEO_FORMAT_Y444_10LE, 0, 0, second, third, 10),
    semi_planar (GST_VIDEO_FORMAT_P010_10LE, second, third, 16, 10),
    rgb (GST_VIDEO_FORMAT_RGBA64_LE, packed (4, first, second, third, alpha), 16),
    gray (GST_VIDEO_FORMAT_GRAY16_LE, 16),
};

}  // namespace

const Format *
find_format (GstVideoFormat id)
{
  for (const Format &format : formats)
    if (format.id == id)
      return &format;
  return nullptr;
}

std::span<const Format>
all_formats ()
{
  return formats;
}

}  // namespace gst::cl
