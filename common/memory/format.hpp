/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The one table of video formats: what stands where in memory, for every format that the elements take. */
#pragma once

#include <gst/cl/gstcl-prelude.h>
#include <gst/video/video.h>

#include <array>
#include <span>

namespace gst::cl {

/** Components by number, as the flags of the property `planes` count them: y and r are 0, u and g 1, v and b 2. */
enum Component : int { padding = -1, first = 0, second = 1, third = 2, alpha = 3 };
inline constexpr unsigned chroma_bits = 1u << second | 1u << third;

inline constexpr int most_planes = 4;

/** One plane in memory. */
struct PlaneLayout {
  /** Samples interleaved per pixel, 1 .. 4. */
  int samples_per_pixel;
  /** Which component each of them is, or padding. */
  std::array<int, 4> components;
  /** log2 of the subsampling. */
  int subsample_x, subsample_y;
  /** The samples are a group that holds so many pixels: v210 has six in four words. */
  int pixels = 1;
  /** Where a plane is cut into tiles, a group is a tile, or two: the bytes of a row of it, its rows, how many groups stand in
   *  the place of one, and whether two rows of tiles take turns in GStreamer's pattern (NV12_64Z32). */
  struct Tile {
    int row_bytes = 0, rows = 1, groups = 1;
    bool zigzag = false;

    explicit operator bool () const { return row_bytes > 0; }
    int bytes () const { return row_bytes * rows; }
  } tile = {};
  /** At which bit of a word of two samples each of them stands, where the other half is another plane's (Format::in_words); else
   *  -1. */
  int part = -1;

  /** A bit for each component. */
  unsigned component_bits () const
  {
    unsigned bits = 0;
    for (const int component : components)
      if (component != padding)
        bits |= 1u << component;
    return bits;
  }
};

enum class ColorModel { gray, rgb, yuv };

/** How values stand in words of one to five bytes (filter/arrangement.cpp). */
enum class Packing {
  none,
  v210,  /* 12 values of 4:2:2 in four words */
  yuyv,  /* 4:2:2 in words of two bytes, the values in their upper bits */
  uyvy,  /* the same, chroma first */
  y410,  /* 4:4:4, alpha in two bits */
  bgr10, /* RGB, alpha in two bits */
  rgb10, /* the same, red first */
  r210,  /* RGB, without alpha */
  three, /* three samples of a plane in 32 bits */
  four,  /* four in five bytes */
  four_big_endian,
  uyvp,    /* U Y V Y in five bytes */
  v308,    /* Y U V in three bytes */
  iyu2,    /* U Y V in three bytes */
  iyu1,    /* U Y Y V Y Y in six bytes */
  rgb16,   /* 5, 6 and 5 bits */
  bgr16,   /* the same, blue in the upper bits */
  rgb15,   /* 5 bits each */
  bgr15,   /* the same, blue in the upper bits */
  palette, /* bytes that count the entries of the second plane (kernels/lib/palette.cl) */
};

struct Format {
  GstVideoFormat id;
  ColorModel model;
  int n_planes;
  std::array<PlaneLayout, most_planes> planes;
  /** Storage of a sample, significant bits, and how far they stand above bit 0. */
  int sample_bits, depth, shift;
  /** What filters see instead (filter/arrangement.hpp): packed YUV as planes, planar RGB as pixels, the processor's order of
   *  bytes; null where they see the frame as it lies. */
  const Format *arranged = nullptr;
  bool big_endian = false;
  /** Whether samples are words of several values. */
  Packing packing = Packing::none;
  /** Packed 4:2:2 as it lies, for filters that take one plane after another from its words (Operation::takes_words()): a word is
   *  16 bits, of which luma is one half and chroma the other. */
  const Format *in_words = nullptr;

  /** Whether frames are in buffers alone: no texture has such planes. */
  bool is_in_buffers () const { return packing != Packing::none || planes[0].tile; }
  /** Whether converters alone take frames, because samples have less bits than those that filters calculate with. */
  bool is_for_converters () const { return packing >= Packing::rgb16; }
  int max_value () const { return (1 << depth) - 1; }
  int sample_size () const { return sample_bits / 8; }
  /** Offsets and strides are multiples of so many bytes where kernels read a plane: whole pixels of what is rearranged. */
  int unit_size (int plane) const
  {
    const bool in_fours = arranged && !is_in_buffers () && planes[plane].samples_per_pixel == most_planes;
    return sample_size () * (in_fours ? most_planes : 1);
  }
  const Format &seen_by_filters () const { return arranged ? *arranged : *this; }
  /** Whether a plane's samples are chroma, which are signed numbers around neutral_chroma(). */
  bool is_chroma (int plane) const { return model == ColorModel::yuv && !(planes[plane].component_bits () & ~chroma_bits); }
  bool is_luma (int plane) const { return model == ColorModel::yuv && planes[plane].components[0] == first; }
  int neutral_chroma () const { return (max_value () + 1) / 2; }
  /** A bit for each component. */
  unsigned component_bits () const
  {
    unsigned bits = 0;
    for (int i = 0; i < n_planes; i++)
      bits |= planes[i].component_bits ();
    return bits;
  }
};

/** The entry of id, or null where the elements do not take it. */
GST_CL_API const Format *find_format (GstVideoFormat id);

/** Every format that the elements take. */
GST_CL_API std::span<const Format> all_formats ();

/** The width in pixels, or in groups of PlaneLayout::pixels, of plane of a frame of that width; likewise the height, in rows or in
 *  rows of tiles. */
inline int
plane_width (const PlaneLayout &plane, int frame_width)
{
  const gint64 width = gint64 (GST_VIDEO_SUB_SCALE (plane.subsample_x, frame_width)) * plane.tile.groups;
  return int (width / plane.pixels + (width % plane.pixels != 0));
}

inline int
plane_height (const PlaneLayout &plane, int frame_height)
{
  const int height = GST_VIDEO_SUB_SCALE (plane.subsample_y, frame_height);
  return height / plane.tile.rows + (height % plane.tile.rows != 0);
}

}  // namespace gst::cl
