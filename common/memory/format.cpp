/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "memory/format.hpp"

#include "core/arithmetic.hpp"

#include <algorithm>
#include <vector>

namespace gst::cl {

namespace {

constexpr PlaneLayout
samples (int n, int a, int b = padding, int c = padding, int d = padding)
{
  return {n, {a, b, c, d}, 0, 0};
}

/* Chroma is the second and the third component, in this order, where a frame of planes is filtered. */
constexpr Format
arranged_planes (GstVideoFormat id, int subsample_x, int depth, bool has_alpha)
{
  Format format{id, ColorModel::yuv, has_alpha ? 4 : 3,
      {samples (1, first), samples (1, second), samples (1, third), samples (1, alpha)}, depth > 8 ? 16 : 8, depth, 0};
  format.planes[1].subsample_x = format.planes[2].subsample_x = subsample_x;
  return format;
}

/* Pixels in the order of planar RGB's planes. */
constexpr Format
arranged_pixels (GstVideoFormat id, int depth, int last = padding)
{
  return {id, ColorModel::rgb, 1, {samples (4, second, third, first, last)}, depth > 8 ? 16 : 8, depth, 0};
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
/* What GRAY10_LE32 holds, which has no name by itself. */
constexpr Format gray_10{GST_VIDEO_FORMAT_GRAY16_LE, ColorModel::gray, 1, {samples (1, first)}, 16, 10, 0};

/* A format as GStreamer describes it, in samples. */
Format
described (GstVideoFormat id, const Format *arranged = nullptr, bool big_endian = false)
{
  const GstVideoFormatInfo *info = gst_video_format_get_info (id);
  Format format{id,
      GST_VIDEO_FORMAT_INFO_IS_RGB (info)    ? ColorModel::rgb
      : GST_VIDEO_FORMAT_INFO_IS_GRAY (info) ? ColorModel::gray
                                             : ColorModel::yuv,
      int (info->n_planes), {}, info->depth[0] > 8 ? 16 : 8, int (info->depth[0]), int (info->shift[0]), arranged, big_endian};
  for (PlaneLayout &plane : format.planes)
    plane = samples (0, padding);
  for (guint c = 0; c < info->n_components; c++) {
    PlaneLayout &plane = format.planes[info->plane[c]];
    plane.samples_per_pixel = std::max (plane.samples_per_pixel, info->pixel_stride[c] / format.sample_size ());
    plane.subsample_x = std::max (plane.subsample_x, int (info->w_sub[c]));
    plane.subsample_y = std::max (plane.subsample_y, int (info->h_sub[c]));
  }
  for (guint c = 0; c < info->n_components; c++) {
    PlaneLayout &plane = format.planes[info->plane[c]];
    /* luma stands twice in packed 4:2:2; the offset of P010's chroma is in samples, all others are in bytes */
    const int step = info->pixel_stride[c] / format.sample_size ();
    for (int at = divide_up (int (info->poffset[c]), format.sample_size ()); at < plane.samples_per_pixel; at += step)
      plane.components[at] = int (c);
  }
  return format;
}

/* So many words of so many pixels. */
Format
bit_packed (GstVideoFormat id, Packing packing, int words, int subsample_x, int pixels, const Format *arranged)
{
  Format format{id, arranged->model, 1, {samples (words, padding)}, 32, arranged->depth, 0, arranged};
  format.planes[0].subsample_x = subsample_x;
  format.planes[0].pixels = pixels;
  format.packing = packing;
  return format;
}

/* The planes of packed 4:2:2 as halves of words; luma_at: at which bit of a word. */
Format
words_422 (const Format &planes, int luma_at)
{
  Format format = planes;
  format.sample_bits = 16;
  format.planes[0].part = luma_at;
  format.planes[1].part = 8 - luma_at;
  return format;
}

/* Four samples are two pixels' luma and their chroma, in the order that filters see, too. */
Format
packed_422 (GstVideoFormat id, const Format &planes, const Format &words)
{
  Format format = described (id, &planes);
  format.in_words = &words;
  /* GStreamer describes VYUY as if it were UYVY */
  const int *chroma = planes.planes[1].components.data ();
  for (int &component : format.planes[0].components)
    if (component != first)
      component = *chroma++;
  return format;
}

std::vector<Format>
make_formats ()
{
  static const Format planes_422 = described (GST_VIDEO_FORMAT_NV16), swapped = described (GST_VIDEO_FORMAT_NV61);
  static const Format yuyv = words_422 (planes_422, 0), uyvy = words_422 (planes_422, 8), yvyu = words_422 (swapped, 0),
                      vyuy = words_422 (swapped, 8);
  std::vector<Format> all;
  for (const GstVideoFormat id : {GST_VIDEO_FORMAT_RGBA, GST_VIDEO_FORMAT_BGRA, GST_VIDEO_FORMAT_ARGB, GST_VIDEO_FORMAT_ABGR,
           GST_VIDEO_FORMAT_RGBx, GST_VIDEO_FORMAT_BGRx, GST_VIDEO_FORMAT_xRGB, GST_VIDEO_FORMAT_xBGR, GST_VIDEO_FORMAT_RGB,
           GST_VIDEO_FORMAT_BGR, GST_VIDEO_FORMAT_I420, GST_VIDEO_FORMAT_YV12, GST_VIDEO_FORMAT_Y42B, GST_VIDEO_FORMAT_Y444,
           GST_VIDEO_FORMAT_NV12, GST_VIDEO_FORMAT_NV21, GST_VIDEO_FORMAT_GRAY8, GST_VIDEO_FORMAT_I420_10LE,
           GST_VIDEO_FORMAT_Y444_10LE, GST_VIDEO_FORMAT_P010_10LE, GST_VIDEO_FORMAT_RGBA64_LE, GST_VIDEO_FORMAT_GRAY16_LE,
           GST_VIDEO_FORMAT_NV16, GST_VIDEO_FORMAT_NV61, GST_VIDEO_FORMAT_NV24})
    all.push_back (described (id));
  all.insert (
      all.end (), {packed_422 (GST_VIDEO_FORMAT_YUY2, planes_422, yuyv), packed_422 (GST_VIDEO_FORMAT_UYVY, planes_422, uyvy),
                      packed_422 (GST_VIDEO_FORMAT_YVYU, swapped, yvyu), packed_422 (GST_VIDEO_FORMAT_VYUY, swapped, vyuy),
                      described (GST_VIDEO_FORMAT_AYUV, &planes_4444), described (GST_VIDEO_FORMAT_VUYA, &planes_4444),
                      described (GST_VIDEO_FORMAT_AYUV64, &planes_4444_16)});
  for (const GstVideoFormat id : {GST_VIDEO_FORMAT_I420_12LE, GST_VIDEO_FORMAT_I422_10LE, GST_VIDEO_FORMAT_I422_12LE,
           GST_VIDEO_FORMAT_Y444_12LE, GST_VIDEO_FORMAT_Y444_16LE, GST_VIDEO_FORMAT_P012_LE, GST_VIDEO_FORMAT_P016_LE})
    all.push_back (described (id));
  all.insert (
      all.end (), {described (GST_VIDEO_FORMAT_GBR, &pixels_8), described (GST_VIDEO_FORMAT_GBRA, &pixels_8_alpha),
                      described (GST_VIDEO_FORMAT_GBR_10LE, &pixels_10), described (GST_VIDEO_FORMAT_GBR_12LE, &pixels_12),
                      described (GST_VIDEO_FORMAT_ARGB64_LE), described (GST_VIDEO_FORMAT_ARGB64)});
  /* filters see the processor's order of bytes */
  struct Twins {
    GstVideoFormat id;
    Format twin;
  };
  static const Twins twins[] = {{GST_VIDEO_FORMAT_GRAY16_BE, described (GST_VIDEO_FORMAT_GRAY16_LE)},
      {GST_VIDEO_FORMAT_I420_10BE, described (GST_VIDEO_FORMAT_I420_10LE)},
      {GST_VIDEO_FORMAT_I422_10BE, described (GST_VIDEO_FORMAT_I422_10LE)},
      {GST_VIDEO_FORMAT_Y444_10BE, described (GST_VIDEO_FORMAT_Y444_10LE)},
      {GST_VIDEO_FORMAT_I420_12BE, described (GST_VIDEO_FORMAT_I420_12LE)},
      {GST_VIDEO_FORMAT_I422_12BE, described (GST_VIDEO_FORMAT_I422_12LE)},
      {GST_VIDEO_FORMAT_Y444_12BE, described (GST_VIDEO_FORMAT_Y444_12LE)},
      {GST_VIDEO_FORMAT_Y444_16BE, described (GST_VIDEO_FORMAT_Y444_16LE)},
      {GST_VIDEO_FORMAT_P010_10BE, described (GST_VIDEO_FORMAT_P010_10LE)},
      {GST_VIDEO_FORMAT_P012_BE, described (GST_VIDEO_FORMAT_P012_LE)},
      {GST_VIDEO_FORMAT_P016_BE, described (GST_VIDEO_FORMAT_P016_LE)},
      {GST_VIDEO_FORMAT_RGBA64_BE, described (GST_VIDEO_FORMAT_RGBA64_LE)},
      {GST_VIDEO_FORMAT_ARGB64_BE, described (GST_VIDEO_FORMAT_ARGB64_LE)}};
  for (const Twins &each : twins)
    all.push_back (described (each.id, &each.twin, true));
  all.insert (all.end (),
      {described (GST_VIDEO_FORMAT_GBR_10BE, &pixels_10, true), described (GST_VIDEO_FORMAT_GBR_12BE, &pixels_12, true),
          bit_packed (GST_VIDEO_FORMAT_v210, Packing::v210, 4, 0, 6, &planes_422_10),
          bit_packed (GST_VIDEO_FORMAT_Y210, Packing::y210, 2, 1, 1, &planes_422_10),
          bit_packed (GST_VIDEO_FORMAT_Y410, Packing::y410, 1, 0, 1, &planes_4444_10),
          bit_packed (GST_VIDEO_FORMAT_BGR10A2_LE, Packing::rgb10a2, 1, 0, 1, &pixels_10_alpha),
          bit_packed (GST_VIDEO_FORMAT_GRAY10_LE32, Packing::gray10, 1, 0, 3, &gray_10)});
  return all;
}

}  // namespace

const Format *
find_format (GstVideoFormat id)
{
  for (const Format &format : all_formats ())
    if (format.id == id)
      return &format;
  return nullptr;
}

std::span<const Format>
all_formats ()
{
  static const std::vector<Format> formats = make_formats ();
  return formats;
}

}  // namespace gst::cl
