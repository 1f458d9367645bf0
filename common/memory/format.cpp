/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "memory/format.hpp"

#include "core/arithmetic.hpp"

#include <algorithm>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

namespace gst::cl {

namespace {

constexpr PlaneLayout
samples (int n, int a, int b = padding, int c = padding, int d = padding)
{
  return {n, {a, b, c, d}, 0, 0};
}

/* Planes for filters: chroma is the second and the third component, in this order. */
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

constexpr Format
shifted (Format format, int shift)
{
  format.shift = shift;
  return format;
}

constexpr Format planes_4444 = arranged_planes (GST_VIDEO_FORMAT_AYUV, 0, 8, true);
constexpr Format planes_4444_10 = arranged_planes (GST_VIDEO_FORMAT_A444_10LE, 0, 10, true);
constexpr Format planes_4444_12 = shifted (arranged_planes (GST_VIDEO_FORMAT_Y412_LE, 0, 12, true), 4);
constexpr Format planes_4444_16 = arranged_planes (GST_VIDEO_FORMAT_AYUV64, 0, 16, true);
constexpr Format planes_444 = arranged_planes (GST_VIDEO_FORMAT_Y444, 0, 8, false);
constexpr Format planes_422_10 = arranged_planes (GST_VIDEO_FORMAT_I422_10LE, 1, 10, false);
constexpr Format planes_422_12 = arranged_planes (GST_VIDEO_FORMAT_I422_12LE, 1, 12, false);
constexpr Format planes_422_16 = arranged_planes (GST_VIDEO_FORMAT_v216, 1, 16, false);
constexpr Format planes_411 = arranged_planes (GST_VIDEO_FORMAT_Y41B, 2, 8, false);
constexpr Format pixels_8 = arranged_pixels (GST_VIDEO_FORMAT_GBR, 8);
constexpr Format pixels_8_alpha = arranged_pixels (GST_VIDEO_FORMAT_GBRA, 8, alpha);
constexpr Format pixels_10 = arranged_pixels (GST_VIDEO_FORMAT_GBR_10LE, 10);
constexpr Format pixels_10_alpha = arranged_pixels (GST_VIDEO_FORMAT_GBRA_10LE, 10, alpha);
constexpr Format pixels_12 = arranged_pixels (GST_VIDEO_FORMAT_GBR_12LE, 12);
constexpr Format pixels_12_alpha = arranged_pixels (GST_VIDEO_FORMAT_GBRA_12LE, 12, alpha);
constexpr Format pixels_16 = arranged_pixels (GST_VIDEO_FORMAT_ARGB64, 16);
/* The values of GRAY10_LE32, one in 16 bits. GStreamer before 1.26 has no such format. */
constexpr Format gray_10{GST_VIDEO_FORMAT_GRAY16_LE, ColorModel::gray, 1, {samples (1, first)}, 16, 10, 0};

/* Planes for filters: luma, and one plane with two chroma samples in a pixel. */
constexpr Format
arranged_pairs (GstVideoFormat id, int subsample_y, int depth)
{
  Format format{id, ColorModel::yuv, 2, {samples (1, first), samples (2, second, third)}, depth > 8 ? 16 : 8, depth, 0};
  format.planes[1].subsample_x = 1;
  format.planes[1].subsample_y = subsample_y;
  return format;
}

constexpr Format pairs_420 = arranged_pairs (GST_VIDEO_FORMAT_NV12, 1, 8);
constexpr Format pairs_420_10 = arranged_pairs (GST_VIDEO_FORMAT_NV12_10LE32, 1, 10);
constexpr Format pairs_422_10 = arranged_pairs (GST_VIDEO_FORMAT_NV16_10LE32, 0, 10);

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
    /* packed 4:2:2 has luma twice; the offset of P010's chroma is in samples, all others are in bytes */
    const int step = info->pixel_stride[c] / format.sample_size ();
    for (int at = divide_up (int (info->poffset[c]), format.sample_size ()); at < plane.samples_per_pixel; at += step)
      plane.components[at] = int (c);
  }
  return format;
}

/* The words of a group and the pixels in it. */
struct Grouping {
  Packing packing;
  int word_bits, words, pixels;
};

Format
bit_packed (GstVideoFormat id, const Grouping &grouping, const Format *arranged, bool big_endian)
{
  Format format{id, arranged->model, 1, {samples (grouping.words, padding)}, grouping.word_bits, arranged->depth, 0, arranged,
      big_endian, grouping.packing};
  format.planes[0].pixels = grouping.pixels;
  return format;
}

/* Words of one plane's samples each. A row of chroma has as many groups as a row of luma, as in GStreamer. */
Format
packed_pairs (GstVideoFormat id, const Grouping &grouping, const Format *arranged)
{
  Format format = bit_packed (id, grouping, arranged, false);
  format.n_planes = 2;
  format.planes[1] = format.planes[0];
  format.planes[1].subsample_y = arranged->planes[1].subsample_y;
  return format;
}

/* The palette is one pixel for the whole frame. */
Format
with_palette (GstVideoFormat id)
{
  constexpr int entry_bytes = 4, entries = 256, everything = 31;
  Format format = bit_packed (id, {Packing::palette, 8, 1, 1}, &pixels_8_alpha, false);
  format.n_planes = 2;
  format.planes[1] = samples (entry_bytes * entries, padding);
  format.planes[1].subsample_x = format.planes[1].subsample_y = everything;
  return format;
}

/* 4:2:0 in tiles: the size of a tile. Tiles of chroma have fewer rows if tiles of both planes cover the same part of the
 * picture. */
struct Tiling {
  PlaneLayout::Tile tile;
  int pixels;
  int chroma_rows;
};

Format
tiled (GstVideoFormat id, const Tiling &tiling, Packing packing, const Format *arranged)
{
  Format format{id, ColorModel::yuv, 2, {}, 8, arranged->depth, 0, arranged, packing == Packing::four_big_endian, packing};
  for (int i = 0; i < format.n_planes; i++) {
    PlaneLayout &plane = format.planes[i];
    plane.tile = tiling.tile;
    plane.tile.rows = i > 0 ? tiling.chroma_rows : tiling.tile.rows;
    plane.pixels = tiling.pixels;
    plane.samples_per_pixel = plane.tile.bytes () * (plane.tile.zigzag ? 2 : 1);
    plane.components = {padding, padding, padding, padding};
    plane.subsample_y = i > 0;
  }
  return format;
}

/* The planes of packed 4:2:2 as halves of words; luma_at is the first bit of luma in a word. */
Format
words_422 (const Format &planes, int luma_at)
{
  Format format = planes;
  format.sample_bits = 16;
  format.planes[0].part = luma_at;
  format.planes[1].part = 8 - luma_at;
  return format;
}

/* Four samples are the luma and chroma of two pixels. Filters see them in the same order. */
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

/* All formats by name, in groups of one kind; GStreamer before 1.26 lacks some. Filters see samples in the processor's byte
 * order. */
class Table {
public:
  void add_described (std::initializer_list<const char *> names)
  {
    add (names, [] (GstVideoFormat id, const char *) { return described (id); });
  }

  /* The little-endian twin has the same name with LE instead of BE. */
  void add_big_endian (std::initializer_list<const char *> names)
  {
    add (names, [&] (GstVideoFormat id, const char *name) {
      const std::string twin = std::string (name).substr (0, strlen (name) - 2) + "LE";
      twins.push_back (std::make_unique<Format> (described (gst_video_format_from_string (twin.c_str ()))));
      return described (id, twins.back ().get (), true);
    });
  }

  void add_groups (std::initializer_list<const char *> names, const Format *arranged)
  {
    add (names, [&] (GstVideoFormat id, const char *name) { return described (id, arranged, g_str_has_suffix (name, "BE")); });
  }

  void add_packed (std::initializer_list<const char *> names, const Grouping &grouping, const Format *arranged)
  {
    add (names, [&] (GstVideoFormat id, const char *name) {
      return bit_packed (id, grouping, arranged, g_str_has_suffix (name, "BE"));
    });
  }

  /* Formats with the order U Y V A, which GStreamer does not describe. */
  void add_uyva (std::initializer_list<const char *> names, const Format *arranged)
  {
    add (names, [&] (GstVideoFormat id, const char *name) {
      Format format = described (id, arranged, g_str_has_suffix (name, "BE"));
      format.planes[0].components = {second, first, third, alpha};
      return format;
    });
  }

  template <typename Make> void add (std::initializer_list<const char *> names, const Make &make)
  {
    for (const char *name : names)
      if (const GstVideoFormat id = gst_video_format_from_string (name); id != GST_VIDEO_FORMAT_UNKNOWN)
        formats.push_back (make (id, name));
  }

  std::vector<Format> formats;

private:
  std::vector<std::unique_ptr<const Format>> twins;
};

void
add_packed_422 (Table &table)
{
  static const Format planes_422 = described (GST_VIDEO_FORMAT_NV16), swapped = described (GST_VIDEO_FORMAT_NV61);
  static const Format yuyv = words_422 (planes_422, 0), uyvy = words_422 (planes_422, 8), yvyu = words_422 (swapped, 0),
                      vyuy = words_422 (swapped, 8);
  table.formats.insert (table.formats.end (),
      {packed_422 (GST_VIDEO_FORMAT_YUY2, planes_422, yuyv), packed_422 (GST_VIDEO_FORMAT_UYVY, planes_422, uyvy),
          packed_422 (GST_VIDEO_FORMAT_YVYU, swapped, yvyu), packed_422 (GST_VIDEO_FORMAT_VYUY, swapped, vyuy)});
}

/* Several values in a word. */
void
add_words (Table &table)
{
  table.add_packed ({"v210"}, {Packing::v210, 32, 4, 6}, &planes_422_10);
  table.add_packed ({"UYVP"}, {Packing::uyvp, 8, 5, 2}, &planes_422_10);
  table.add_packed ({"Y210"}, {Packing::yuyv, 16, 4, 2}, &planes_422_10);
  table.add_packed ({"Y212_LE", "Y212_BE"}, {Packing::yuyv, 16, 4, 2}, &planes_422_12);
  table.add_packed ({"Y216_LE", "Y216_BE"}, {Packing::yuyv, 16, 4, 2}, &planes_422_16);
  table.add_packed ({"v216"}, {Packing::uyvy, 16, 4, 2}, &planes_422_16);
  table.add_packed ({"Y410"}, {Packing::y410, 32, 1, 1}, &planes_4444_10);
  table.add_packed ({"BGR10A2_LE"}, {Packing::bgr10, 32, 1, 1}, &pixels_10_alpha);
  table.add_packed ({"RGB10A2_LE"}, {Packing::rgb10, 32, 1, 1}, &pixels_10_alpha);
  table.add_packed ({"BGR10x2_LE"}, {Packing::bgr10, 32, 1, 1}, &pixels_10);
  table.add_packed ({"RGB10x2_LE"}, {Packing::rgb10, 32, 1, 1}, &pixels_10);
  table.add_packed ({"r210"}, {Packing::r210, 32, 1, 1}, &pixels_10);
  table.add_packed ({"GRAY10_LE32"}, {Packing::three, 32, 1, 3}, &gray_10);
  table.add_packed ({"v308"}, {Packing::v308, 8, 3, 1}, &planes_444);
  table.add_packed ({"IYU2"}, {Packing::iyu2, 8, 3, 1}, &planes_444);
  table.add_packed ({"IYU1"}, {Packing::iyu1, 8, 6, 4}, &planes_411);
  table.add_packed ({"RGB16"}, {Packing::rgb16, 16, 1, 1}, &pixels_8);
  table.add_packed ({"BGR16"}, {Packing::bgr16, 16, 1, 1}, &pixels_8);
  table.add_packed ({"RGB15"}, {Packing::rgb15, 16, 1, 1}, &pixels_8);
  table.add_packed ({"BGR15"}, {Packing::bgr15, 16, 1, 1}, &pixels_8);
  table.add ({"RGB8P"}, [] (GstVideoFormat id, const char *) { return with_palette (id); });
  static constexpr Grouping threes{Packing::three, 32, 1, 3}, fours{Packing::four, 8, 5, 4};
  const auto add_pairs = [&] (const char *name, const Grouping &grouping, const Format *arranged) {
    table.add ({name}, [&] (GstVideoFormat id, const char *) { return packed_pairs (id, grouping, arranged); });
  };
  add_pairs ("NV12_10LE32", threes, &pairs_420_10);
  add_pairs ("NV16_10LE32", threes, &pairs_422_10);
  add_pairs ("NV12_10LE40", fours, &pairs_420_10);
  add_pairs ("NV16_10LE40", fours, &pairs_422_10);
}

void
add_tiles (Table &table)
{
  const auto add = [&] (const char *name, const Tiling &tiling, Packing packing, const Format *arranged) {
    table.add ({name}, [&] (GstVideoFormat id, const char *) { return tiled (id, tiling, packing, arranged); });
  };
  add ("NV12_4L4", {{4, 4}, 4, 4}, Packing::none, &pairs_420);
  add ("NV12_32L32", {{32, 32}, 32, 32}, Packing::none, &pairs_420);
  add ("NV12_16L32S", {{16, 32}, 16, 16}, Packing::none, &pairs_420);
  add ("NV12_8L128", {{8, 128}, 8, 128}, Packing::none, &pairs_420);
  add ("NV12_64Z32", {{64, 32, 1, true}, 128, 32}, Packing::none, &pairs_420);
  /* values continue across tiles: 32 pixels are in five tiles */
  add ("NV12_10BE_8L128", {{8, 128, 5}, 32, 128}, Packing::four_big_endian, &pairs_420_10);
  add ("NV12_10LE40_4L4", {{5, 4}, 4, 4}, Packing::four, &pairs_420_10);
  using enum PlaneLayout::Tile::LowBits;
  add ("MT2110T", {{20, 32, 1, false, by_columns}, 16, 16}, Packing::four, &pairs_420_10);
  add ("MT2110R", {{20, 32, 1, false, by_rows}, 16, 16}, Packing::four, &pairs_420_10);
}

/* The formats, and the twins that they point to, are never freed. */
const std::vector<Format> &
make_formats ()
{
  static Table table;
  table.add_described (
      {"RGBA", "BGRA", "ARGB", "ABGR", "RGBx", "BGRx", "xRGB", "xBGR", "RGB", "BGR", "I420", "YV12", "Y42B", "Y444", "NV12",
          "NV21", "GRAY8", "I420_10LE", "Y444_10LE", "P010_10LE", "RGBA64_LE", "GRAY16_LE", "NV16", "NV61", "NV24"});
  add_packed_422 (table);
  table.add_groups ({"AYUV", "VUYA"}, &planes_4444);
  table.add_groups ({"AYUV64"}, &planes_4444_16);
  table.add_uyva ({"Y416_LE", "Y416_BE"}, &planes_4444_16);
  table.add_uyva ({"Y412_LE", "Y412_BE"}, &planes_4444_12);
  table.add_described ({"I420_12LE", "I422_10LE", "I422_12LE", "Y444_12LE", "Y444_16LE", "P012_LE", "P016_LE", "Y41B", "YUV9",
      "YVU9", "AV12", "A420", "A422", "A444", "A420_10LE", "A422_10LE", "A444_10LE", "A420_12LE", "A422_12LE", "A444_12LE",
      "A420_16LE", "A422_16LE", "A444_16LE", "ARGB64_LE", "ARGB64", "BGRA64_LE", "ABGR64_LE", "RBGA", "GRAY10_LE16"});
  table.add_groups ({"GBR", "RGBP", "BGRP"}, &pixels_8);
  table.add_groups ({"GBRA"}, &pixels_8_alpha);
  table.add_groups ({"GBR_10LE", "GBR_10BE"}, &pixels_10);
  table.add_groups ({"GBRA_10LE", "GBRA_10BE"}, &pixels_10_alpha);
  table.add_groups ({"GBR_12LE", "GBR_12BE"}, &pixels_12);
  table.add_groups ({"GBRA_12LE", "GBRA_12BE"}, &pixels_12_alpha);
  table.add_groups ({"GBR_16LE", "GBR_16BE"}, &pixels_16);
  table.add_big_endian ({"GRAY16_BE", "I420_10BE", "I422_10BE", "Y444_10BE", "I420_12BE", "I422_12BE", "Y444_12BE", "Y444_16BE",
      "P010_10BE", "P012_BE", "P016_BE", "A420_10BE", "A422_10BE", "A444_10BE", "A420_12BE", "A422_12BE", "A444_12BE",
      "A420_16BE", "A422_16BE", "A444_16BE", "RGBA64_BE", "ARGB64_BE", "BGRA64_BE", "ABGR64_BE"});
  add_words (table);
  add_tiles (table);
  return table.formats;
}

}  // namespace

const Format *
find_format (GstVideoFormat id)
{
  const auto found = std::ranges::find (all_formats (), id, &Format::id);
  return found == all_formats ().end () ? nullptr : &*found;
}

std::span<const Format>
all_formats ()
{
  static const std::vector<Format> &formats = make_formats ();
  return formats;
}

}  // namespace gst::cl
