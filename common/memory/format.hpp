/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The table of video formats: the layout in memory of every format that the elements take. */
#pragma once

#include <gst/cl/gstcl-prelude.h>
#include <gst/video/video.h>

#include <array>
#include <span>

namespace gst::cl {

/** Components, with the numbers of the flags of the property `planes`: y and r are 0, u and g 1, v and b 2. */
enum Component : int { padding = -1, first = 0, second = 1, third = 2, alpha = 3 };
inline constexpr unsigned chroma_bits = 1u << second | 1u << third;

inline constexpr int most_planes = 4;

/** The layout of one plane. */
struct PlaneLayout {
  /** Interleaved samples of a pixel, 1 .. 4. */
  int samples_per_pixel;
  /** The component of each sample, or padding. */
  std::array<int, 4> components;
  /** Subsampling, as log2. */
  int subsample_x, subsample_y;
  /** The number of pixels in a group of samples: v210 has six in four words. */
  int pixels = 1;
  /** For planes that consist of tiles, where a group is one tile or two: bytes of a row of the group, rows of the group, groups
   *  in the place of one, whether two rows of tiles alternate in GStreamer's pattern (NV12_64Z32), and where the two low bits of
   *  10 lie (kernels/lib/tiles.cl). */
  struct Tile {
    enum class LowBits { inside, by_columns, by_rows };
    int row_bytes = 0, rows = 1, groups = 1;
    bool zigzag = false;
    LowBits low_bits = LowBits::inside;

    explicit operator bool () const { return row_bytes > 0; }
    int bytes () const { return row_bytes * rows; }
  } tile = {};
  /** With Format::in_words: the first bit of the plane's sample in a word of two samples, whose other half belongs to another
   *  plane; else -1. */
  int part = -1;

  /** One bit for each component. */
  unsigned component_bits () const
  {
    unsigned bits = 0;
    for (const int component : components)
      if (component != padding)
        bits |= 1u << component;
    return bits;
  }
};

/** Planes of one component, for example intermediate ones. */
inline constexpr PlaneLayout one_sample{1, {first, padding, padding, padding}, 0, 0};

enum class ColorModel { gray, rgb, yuv };

/** The layout of values in words of one to five bytes, see filter/arrangement.cpp. */
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
  palette, /* bytes that are indices into the second plane (kernels/lib/palette.cl) */
};

/** The layout of a video format. */
struct Format {
  GstVideoFormat id;
  ColorModel model;
  int n_planes;
  std::array<PlaneLayout, most_planes> planes;
  /** Bits that a sample takes in memory, its significant bits, and the position of the lowest significant bit. */
  int sample_bits, depth, shift;
  /** The format in which filters see the frame (filter/arrangement.hpp): packed YUV as planes, planar RGB as pixels, big-endian
   *  samples in the processor's byte order. Null if they see the frame unchanged. */
  const Format *arranged = nullptr;
  bool big_endian = false;
  /** The layout of words that hold several values; none if each sample is one value. */
  Packing packing = Packing::none;
  /** For packed 4:2:2: the format of an unchanged frame, for filters that take the planes from its words
   *  (Abilities::words). A word has 16 bits: one half is luma, the other chroma. */
  const Format *in_words = nullptr;

  /** Whether frames can be in buffers only, because no texture has such planes. */
  bool is_in_buffers () const { return packing != Packing::none || planes[0].tile; }
  /** Whether only converters take the format: RGB of 5 and 6 bits, and palettes. */
  bool is_for_converters () const { return packing >= Packing::rgb16; }
  int max_value () const { return (1 << depth) - 1; }
  int sample_size () const { return sample_bits / 8; }
  /** Kernels need offsets and strides that are multiples of this number of bytes: whole pixels if the frame is rearranged. */
  int unit_size (int plane) const
  {
    const bool in_fours = arranged && !is_in_buffers () && planes[plane].samples_per_pixel == most_planes;
    return sample_size () * (in_fours ? most_planes : 1);
  }
  const Format &seen_by_filters () const { return arranged ? *arranged : *this; }
  /** Whether the plane holds only chroma, which are signed numbers around neutral_chroma(). */
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

/** The format of id, or null if the elements do not take it. */
GST_CL_API const Format *find_format (GstVideoFormat id);

/** Every format that the elements take. */
GST_CL_API std::span<const Format> all_formats ();

/** The width of a plane in pixels or in groups of PlaneLayout::pixels, and its height in rows or rows of tiles, in a frame of
 *  that width and height. */
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
