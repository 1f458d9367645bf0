/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A picture as plain integers, one list per colour component, for readable references. */
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include <gst/video/video.h>

namespace ref {

/* The memory layout of a format. `planes` names the samples of one pixel of each memory plane in byte order; blanks separate
 * planes: "y uv" is NV12. x stands for padding; "yuyv" are two pixels. */
struct Layout {
  GstVideoFormat format;
  const char *planes;
  int bytes;        /* of one sample */
  int depth;        /* bits of a value */
  int shift;        /* stored word = value << shift */
  int sub_x, sub_y; /* luma samples per chroma sample */
  bool big_endian = false;
};

/* All formats of the elements; those of most cases come first. */
const std::vector<Layout> &layouts ();
/* How many of them a test uses: those of most cases, or all if GST_CL_TEST_FULL is set. The others differ only in depth and in
 * the conversion before a filter, which one filter tests. */
int tried_layouts ();
const Layout &layout_of (GstVideoFormat format);

/* The places of a rectangle row by row, for loops. */
struct Places {
  struct Place {
    int x, y;
    bool operator== (const Place &) const = default;
  };
  struct Iterator {
    Place at;
    int left, right;

    Place operator* () const { return at; }
    bool operator!= (const Iterator &other) const { return at != other.at; }
    Iterator &operator++ ()
    {
      at = at.x + 1 < right ? Place{at.x + 1, at.y} : Place{left, at.y + 1};
      return *this;
    }
  };

  int width, height, left = 0, top = 0;

  Iterator begin () const { return {{left, top}, left, left + width}; }
  Iterator end () const { return {{left, width > 0 ? top + std::max (height, 0) : top}, left, left + width}; }
};

/* As many places to every side of the middle. */
inline Places
window (int radius_x, int radius_y)
{
  return {2 * radius_x + 1, 2 * radius_y + 1, -radius_x, -radius_y};
}

struct Component {
  char name = 0; /* r g b a x y u v */
  int width = 0, height = 0;
  int sub_x = 1, sub_y = 1;
  std::vector<int> value;     /* as stored, row by row: 0 .. max_stored () */
  std::vector<int> spare;     /* the bits of the stored word below the value */
  std::vector<char> filtered; /* 1 where an element must have filtered, 0 where copied; empty: nowhere */

  bool is_chroma () const { return name == 'u' || name == 'v'; }
  int at (int x, int y) const { return value[y * width + x]; }
  int &at (int x, int y) { return value[y * width + x]; }
  Places places () const { return {width, height}; }
};

/* The mean of a component's samples in one of its blocks of this size, such as the luma of a chroma sample; without those outside. */
inline double
mean_of_block (const Component &of, int x, int y, int columns, int rows)
{
  const int left = x * columns, top = y * rows;
  const Places block{std::min (columns, of.width - left), std::min (rows, of.height - top), left, top};
  double sum = 0;
  for (const auto [i, j] : block)
    sum += of.at (i, j);
  return sum / (block.width * block.height);
}

struct Picture {
  const Layout *layout = nullptr;
  int width = 0, height = 0;
  std::vector<Component> components; /* r g b a x or y u v, whatever the order in memory */

  int max () const { return (1 << layout->depth) - 1; }
  /* Whether the range is limited, the default for YUV. */
  bool is_limited () const { return find ('u') != nullptr; }
  int black () const { return is_limited () ? 16 << (layout->depth - 8) : 0; }
  int white () const { return is_limited () ? 235 << (layout->depth - 8) : max (); }
  /* The neutral chroma sample. */
  int neutral () const { return 1 << (layout->depth - 1); }
  /* The largest value that a sample's bits can hold: 65535 for a 10-bit sample in 16 bits. */
  int max_stored () const { return (1 << (8 * layout->bytes - layout->shift)) - 1; }
  const Component *find (char name) const;
  bool is_rgb () const { return find ('r') != nullptr; }
};

/* Pictures as filters see them: stored values above max count as max. */
Picture bounded (const Picture &stored);
std::vector<Picture> bounded (const std::vector<Picture> &stored);

/* A black picture of this format and size. */
Picture make_picture (GstVideoFormat format, int width, int height);

/* Reads a frame, or writes a frame of the same format and size. */
Picture unpack (const GstVideoFrame &frame);
void pack (const Picture &picture, GstVideoFrame &frame);

/* The rows of one field (0 top, 1 bottom) as a separate picture, and the reverse. */
Picture field_of (const Picture &frame, int field);
void weave (Picture &frame, const Picture &field_picture, int field);

}  // namespace ref
