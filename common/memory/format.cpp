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

/* Chroma is the second and the third component, in this order, where a frame of planes is filtered. */
constexpr Format
arranged_planes (GstVideoFormat id, int subsample_x, int depth, bool has_alpha)
{
  return {id, ColorModel::yuv, has_alpha ? 4 : 3,
      {packed (1, first), chroma (subsample_x, 0, 1, second), chroma (subsample_x, 0, 1, third), packed (1, alpha)},
      depth > 8 ? 16 : 8, depth, 0};
}

/* Pixels in the order of planar RGB's planes. */
constexpr Format
arranged_pixels (GstVideoFormat id, int depth, int last = padding)
{
  return {id, ColorModel::rgb, 1, {packed (4, second, third, first, last)}, depth > 8 ? 16 : 8, depth, 0};
}

constexpr Format planes_4444 = arranged_planes (GST_VIDEO_FORMAT_AYUV, 0, 8, true);
constexpr Format planes_422_10 = arranged_planes (GST_VIDEO_FORMAT_I422_10LE, 1, 10, false);
constexpr Format planes_4444_10 = arranged_planes (GST_VIDEO_FORMAT_A444_10LE, 0, 10, true);
constexpr Format planes_4444_16 = arranged_planes (GST_VIDEO_FORMAT_AYUV64, 0, 16, true);
constexpr Format pixels_8 = arranged_pixels (GST_VIDEO_FORMAT_GBR, 8);
constexpr Format pixels_8_alpha = arranged_pixels (GST_VIDEO_FORMAT_GBRA, 8, alpha);
constexpr Format pixels_10 = arranged_pixels (GST_VIDEO_FORMAT_GBR_10LE, 10);
constexpr Format pixels_10_alpha = arranged_pixels (GST_VIDEO_FORMAT_GBRA_10LE, 10, alpha);
constexpr Format pixels_12 = arranged_pixels (GST_VIDEO_FORMAT_GBR_12LE, 12);

constexpr Format
packed_yuv (GstVideoFormat id, PlaneLayout plane, const Format *arranged)
{
  return {id, ColorModel::yuv, 1, {plane}, arranged->sample_bits, arranged->depth, 0, arranged};
}

constexpr Format
planar_rgb (GstVideoFormat id, const Format *arranged, bool big_endian = false)
{
  const bool has_alpha = arranged->planes[0].components[3] == alpha;
  return {id, ColorModel::rgb, has_alpha ? 4 : 3, {packed (1, second), packed (1, third), packed (1, first), packed (1, alpha)},
      arranged->sample_bits, arranged->depth, 0, arranged, big_endian};
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

/* So many words of so many pixels. */
constexpr Format
bit_packed (GstVideoFormat id, Packing packing, int words, int subsample_x, int pixels, const Format *arranged)
{
  Format format{id, arranged->model, 1, {packed (words, padding)}, 32, arranged->depth, 0, arranged};
  format.planes[0].subsample_x = subsample_x;
  format.planes[0].pixels = pixels;
  format.packing = packing;
  return format;
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
semi_planar (GstVideoFormat id, int subsample_x, int subsample_y, int u, int v, int depth = 8)
{
  const int bits = depth > 8 ? 16 : 8;
  return {id, ColorModel::yuv, 2, {packed (1, first), chroma (subsample_x, subsample_y, 2, u, v)}, bits, depth, bits - depth};
}

constexpr Format planes_422 = semi_planar (GST_VIDEO_FORMAT_NV16, 1, 0, second, third);
constexpr Format planes_422_swapped = semi_planar (GST_VIDEO_FORMAT_NV61, 1, 0, third, second);

/* luma_at: at which bit of a word. */
constexpr Format
words_422 (const Format &planes, int luma_at)
{
  Format format = planes;
  format.sample_bits = 16;
  format.planes[0].part = luma_at;
  format.planes[1].part = 8 - luma_at;
  return format;
}

constexpr Format words_yuyv = words_422 (planes_422, 0);
constexpr Format words_uyvy = words_422 (planes_422, 8);
constexpr Format words_yvyu = words_422 (planes_422_swapped, 0);
constexpr Format words_vyuy = words_422 (planes_422_swapped, 8);

/* Four samples are two pixels' luma and their chroma, in the order that filters see, too. */
constexpr Format
packed_422 (GstVideoFormat id, int a, int b, int c, int d)
{
  const bool swapped = (a == first ? b : a) == third;
  Format format{
      id, ColorModel::yuv, 1, {PlaneLayout{4, {a, b, c, d}, 1, 0}}, 8, 8, 0, swapped ? &planes_422_swapped : &planes_422};
  format.in_words = a == first ? (swapped ? &words_yvyu : &words_yuyv) : swapped ? &words_vyuy : &words_uyvy;
  return format;
}

constexpr Format
big_endian (GstVideoFormat id, const Format *twin)
{
  Format format = *twin;
  format.id = id;
  format.arranged = twin;
  format.big_endian = true;
  return format;
}

constexpr Format i420_10 = planar (GST_VIDEO_FORMAT_I420_10LE, 1, 1, second, third, 10);
constexpr Format i420_12 = planar (GST_VIDEO_FORMAT_I420_12LE, 1, 1, second, third, 12);
constexpr Format i422_10 = planar (GST_VIDEO_FORMAT_I422_10LE, 1, 0, second, third, 10);
constexpr Format i422_12 = planar (GST_VIDEO_FORMAT_I422_12LE, 1, 0, second, third, 12);
constexpr Format y444_10 = planar (GST_VIDEO_FORMAT_Y444_10LE, 0, 0, second, third, 10);
constexpr Format y444_12 = planar (GST_VIDEO_FORMAT_Y444_12LE, 0, 0, second, third, 12);
constexpr Format y444_16 = planar (GST_VIDEO_FORMAT_Y444_16LE, 0, 0, second, third, 16);
constexpr Format p010 = semi_planar (GST_VIDEO_FORMAT_P010_10LE, 1, 1, second, third, 10);
constexpr Format p012 = semi_planar (GST_VIDEO_FORMAT_P012_LE, 1, 1, second, third, 12);
constexpr Format p016 = semi_planar (GST_VIDEO_FORMAT_P016_LE, 1, 1, second, third, 16);
constexpr Format rgba64 = rgb (GST_VIDEO_FORMAT_RGBA64_LE, packed (4, first, second, third, alpha), 16);
constexpr Format argb64 = rgb (GST_VIDEO_FORMAT_ARGB64_LE, packed (4, alpha, first, second, third), 16);
constexpr Format gray16 = gray (GST_VIDEO_FORMAT_GRAY16_LE, 16);

/* What GRAY10_LE32 holds, which has no name by itself. */
constexpr Format gray_10{GST_VIDEO_FORMAT_GRAY16_LE, ColorModel::gray, 1, {packed (1, first)}, 16, 10, 0};

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
    semi_planar (GST_VIDEO_FORMAT_NV12, 1, 1, second, third),
    semi_planar (GST_VIDEO_FORMAT_NV21, 1, 1, third, second),
    gray (GST_VIDEO_FORMAT_GRAY8, 8),
    i420_10,
    y444_10,
    p010,
    rgba64,
    gray16,
    planes_422,
    planes_422_swapped,
    semi_planar (GST_VIDEO_FORMAT_NV24, 0, 0, second, third),
    packed_422 (GST_VIDEO_FORMAT_YUY2, first, second, first, third),
    packed_422 (GST_VIDEO_FORMAT_UYVY, second, first, third, first),
    packed_422 (GST_VIDEO_FORMAT_YVYU, first, third, first, second),
    packed_422 (GST_VIDEO_FORMAT_VYUY, third, first, second, first),
    packed_yuv (GST_VIDEO_FORMAT_AYUV, packed (4, alpha, first, second, third), &planes_4444),
    packed_yuv (GST_VIDEO_FORMAT_VUYA, packed (4, third, second, first, alpha), &planes_4444),
    packed_yuv (GST_VIDEO_FORMAT_AYUV64, packed (4, alpha, first, second, third), &planes_4444_16),
    i420_12,
    i422_10,
    i422_12,
    y444_12,
    y444_16,
    p012,
    p016,
    planar_rgb (GST_VIDEO_FORMAT_GBR, &pixels_8),
    planar_rgb (GST_VIDEO_FORMAT_GBRA, &pixels_8_alpha),
    planar_rgb (GST_VIDEO_FORMAT_GBR_10LE, &pixels_10),
    planar_rgb (GST_VIDEO_FORMAT_GBR_12LE, &pixels_12),
    argb64,
    rgb (GST_VIDEO_FORMAT_ARGB64, packed (4, alpha, first, second, third), 16),
    big_endian (GST_VIDEO_FORMAT_GRAY16_BE, &gray16),
    big_endian (GST_VIDEO_FORMAT_I420_10BE, &i420_10),
    big_endian (GST_VIDEO_FORMAT_I422_10BE, &i422_10),
    big_endian (GST_VIDEO_FORMAT_Y444_10BE, &y444_10),
    big_endian (GST_VIDEO_FORMAT_I420_12BE, &i420_12),
    big_endian (GST_VIDEO_FORMAT_I422_12BE, &i422_12),
    big_endian (GST_VIDEO_FORMAT_Y444_12BE, &y444_12),
    big_endian (GST_VIDEO_FORMAT_Y444_16BE, &y444_16),
    big_endian (GST_VIDEO_FORMAT_P010_10BE, &p010),
    big_endian (GST_VIDEO_FORMAT_P012_BE, &p012),
    big_endian (GST_VIDEO_FORMAT_P016_BE, &p016),
    big_endian (GST_VIDEO_FORMAT_RGBA64_BE, &rgba64),
    big_endian (GST_VIDEO_FORMAT_ARGB64_BE, &argb64),
    planar_rgb (GST_VIDEO_FORMAT_GBR_10BE, &pixels_10, true),
    planar_rgb (GST_VIDEO_FORMAT_GBR_12BE, &pixels_12, true),
    bit_packed (GST_VIDEO_FORMAT_v210, Packing::v210, 4, 0, 6, &planes_422_10),
    bit_packed (GST_VIDEO_FORMAT_Y210, Packing::y210, 2, 1, 1, &planes_422_10),
    bit_packed (GST_VIDEO_FORMAT_Y410, Packing::y410, 1, 0, 1, &planes_4444_10),
    bit_packed (GST_VIDEO_FORMAT_BGR10A2_LE, Packing::rgb10a2, 1, 0, 1, &pixels_10_alpha),
    bit_packed (GST_VIDEO_FORMAT_GRAY10_LE32, Packing::gray10, 1, 0, 3, &gray_10),
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
