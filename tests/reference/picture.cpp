/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "picture.hpp"

#include <cstring>
#include <sstream>

namespace ref {

static const std::vector<Layout> &
usual_layouts ()
{
  static const std::vector<Layout> all = {
      {GST_VIDEO_FORMAT_GRAY8, "y", 1, 8, 0, 1, 1},
      {GST_VIDEO_FORMAT_GRAY16_LE, "y", 2, 16, 0, 1, 1},
      {GST_VIDEO_FORMAT_RGB, "rgb", 1, 8, 0, 1, 1},
      {GST_VIDEO_FORMAT_RGBA, "rgba", 1, 8, 0, 1, 1},
      {GST_VIDEO_FORMAT_xBGR, "xbgr", 1, 8, 0, 1, 1},
      {GST_VIDEO_FORMAT_I420, "y u v", 1, 8, 0, 2, 2},
      {GST_VIDEO_FORMAT_NV12, "y uv", 1, 8, 0, 2, 2},
      {GST_VIDEO_FORMAT_I420_10LE, "y u v", 2, 10, 0, 2, 2},
      {GST_VIDEO_FORMAT_P010_10LE, "y uv", 2, 10, 6, 2, 2},
      {GST_VIDEO_FORMAT_RGBA64_LE, "rgba", 2, 16, 0, 1, 1},
      {GST_VIDEO_FORMAT_Y41B, "y u v", 1, 8, 0, 4, 1},
  };
  return all;
}

static const Layout other_layouts[] = {
    {GST_VIDEO_FORMAT_ARGB, "argb", 1, 8, 0, 1, 1},
    {GST_VIDEO_FORMAT_Y42B, "y u v", 1, 8, 0, 2, 1},
    {GST_VIDEO_FORMAT_NV21, "y vu", 1, 8, 0, 2, 2},
    {GST_VIDEO_FORMAT_BGR, "bgr", 1, 8, 0, 1, 1},
    {GST_VIDEO_FORMAT_BGRA, "bgra", 1, 8, 0, 1, 1},
    {GST_VIDEO_FORMAT_ABGR, "abgr", 1, 8, 0, 1, 1},
    {GST_VIDEO_FORMAT_RGBx, "rgbx", 1, 8, 0, 1, 1},
    {GST_VIDEO_FORMAT_BGRx, "bgrx", 1, 8, 0, 1, 1},
    {GST_VIDEO_FORMAT_xRGB, "xrgb", 1, 8, 0, 1, 1},
    {GST_VIDEO_FORMAT_YV12, "y v u", 1, 8, 0, 2, 2},
    {GST_VIDEO_FORMAT_Y444, "y u v", 1, 8, 0, 1, 1},
    {GST_VIDEO_FORMAT_Y444_10LE, "y u v", 2, 10, 0, 1, 1},
    {GST_VIDEO_FORMAT_YUY2, "yuyv", 1, 8, 0, 2, 1},
    {GST_VIDEO_FORMAT_UYVY, "uyvy", 1, 8, 0, 2, 1},
    {GST_VIDEO_FORMAT_YVYU, "yvyu", 1, 8, 0, 2, 1},
    {GST_VIDEO_FORMAT_VYUY, "vyuy", 1, 8, 0, 2, 1},
    {GST_VIDEO_FORMAT_NV16, "y uv", 1, 8, 0, 2, 1},
    {GST_VIDEO_FORMAT_NV61, "y vu", 1, 8, 0, 2, 1},
    {GST_VIDEO_FORMAT_NV24, "y uv", 1, 8, 0, 1, 1},
    {GST_VIDEO_FORMAT_I422_10LE, "y u v", 2, 10, 0, 2, 1},
    {GST_VIDEO_FORMAT_I420_12LE, "y u v", 2, 12, 0, 2, 2},
    {GST_VIDEO_FORMAT_I422_12LE, "y u v", 2, 12, 0, 2, 1},
    {GST_VIDEO_FORMAT_Y444_12LE, "y u v", 2, 12, 0, 1, 1},
    {GST_VIDEO_FORMAT_Y444_16LE, "y u v", 2, 16, 0, 1, 1},
    {GST_VIDEO_FORMAT_P012_LE, "y uv", 2, 12, 4, 2, 2},
    {GST_VIDEO_FORMAT_P016_LE, "y uv", 2, 16, 0, 2, 2},
    {GST_VIDEO_FORMAT_GBR, "g b r", 1, 8, 0, 1, 1},
    {GST_VIDEO_FORMAT_GBR_10LE, "g b r", 2, 10, 0, 1, 1},
    {GST_VIDEO_FORMAT_GBR_12LE, "g b r", 2, 12, 0, 1, 1},
    {GST_VIDEO_FORMAT_GBRA, "g b r a", 1, 8, 0, 1, 1},
    {GST_VIDEO_FORMAT_AYUV, "ayuv", 1, 8, 0, 1, 1},
    {GST_VIDEO_FORMAT_VUYA, "vuya", 1, 8, 0, 1, 1},
    {GST_VIDEO_FORMAT_ARGB64, "argb", 2, 16, 0, 1, 1},
    {GST_VIDEO_FORMAT_ARGB64_LE, "argb", 2, 16, 0, 1, 1},
    {GST_VIDEO_FORMAT_AYUV64, "ayuv", 2, 16, 0, 1, 1},
    {GST_VIDEO_FORMAT_GRAY16_BE, "y", 2, 16, 0, 1, 1, true},
    {GST_VIDEO_FORMAT_I420_10BE, "y u v", 2, 10, 0, 2, 2, true},
    {GST_VIDEO_FORMAT_I422_10BE, "y u v", 2, 10, 0, 2, 1, true},
    {GST_VIDEO_FORMAT_Y444_10BE, "y u v", 2, 10, 0, 1, 1, true},
    {GST_VIDEO_FORMAT_I420_12BE, "y u v", 2, 12, 0, 2, 2, true},
    {GST_VIDEO_FORMAT_I422_12BE, "y u v", 2, 12, 0, 2, 1, true},
    {GST_VIDEO_FORMAT_Y444_12BE, "y u v", 2, 12, 0, 1, 1, true},
    {GST_VIDEO_FORMAT_Y444_16BE, "y u v", 2, 16, 0, 1, 1, true},
    {GST_VIDEO_FORMAT_P010_10BE, "y uv", 2, 10, 6, 2, 2, true},
    {GST_VIDEO_FORMAT_P012_BE, "y uv", 2, 12, 4, 2, 2, true},
    {GST_VIDEO_FORMAT_P016_BE, "y uv", 2, 16, 0, 2, 2, true},
    {GST_VIDEO_FORMAT_RGBA64_BE, "rgba", 2, 16, 0, 1, 1, true},
    {GST_VIDEO_FORMAT_ARGB64_BE, "argb", 2, 16, 0, 1, 1, true},
    {GST_VIDEO_FORMAT_GBR_10BE, "g b r", 2, 10, 0, 1, 1, true},
    {GST_VIDEO_FORMAT_GBR_12BE, "g b r", 2, 12, 0, 1, 1, true},
    {GST_VIDEO_FORMAT_YUV9, "y u v", 1, 8, 0, 4, 4},
    {GST_VIDEO_FORMAT_AV12, "y uv a", 1, 8, 0, 2, 2},
    {GST_VIDEO_FORMAT_A420, "y u v a", 1, 8, 0, 2, 2},
    {GST_VIDEO_FORMAT_A422_10LE, "y u v a", 2, 10, 0, 2, 1},
    {GST_VIDEO_FORMAT_A444_10LE, "y u v a", 2, 10, 0, 1, 1},
    {GST_VIDEO_FORMAT_A420_10BE, "y u v a", 2, 10, 0, 2, 2, true},
    {GST_VIDEO_FORMAT_RGBP, "r g b", 1, 8, 0, 1, 1},
    {GST_VIDEO_FORMAT_GBRA_10LE, "g b r a", 2, 10, 0, 1, 1},
    {GST_VIDEO_FORMAT_Y412_LE, "uyva", 2, 12, 4, 1, 1},
};

const std::vector<Layout> &
layouts ()
{
  static const std::vector<Layout> all = [] {
    std::vector<Layout> both = usual_layouts ();
    both.insert (both.end (), std::begin (other_layouts), std::end (other_layouts));
    return both;
  }();
  return all;
}

int
tried_layouts ()
{
  const char *full = g_getenv ("GST_CL_TEST_FULL");
  return int (full && *full ? layouts ().size () : usual_layouts ().size ());
}

const Layout &
layout_of (GstVideoFormat format)
{
  for (const Layout &layout : layouts ())
    if (layout.format == format)
      return layout;
  g_error ("no reference layout for %s", gst_video_format_to_string (format));
}

const Component *
Picture::find (char name) const
{
  for (const Component &component : components)
    if (component.name == name)
      return &component;
  return nullptr;
}

Picture
make_picture (GstVideoFormat format, int width, int height)
{
  Picture picture;
  picture.layout = &layout_of (format);
  picture.width = width;
  picture.height = height;
  for (const char name : std::string ("rgbyuvax")) {
    if (!strchr (picture.layout->planes, name))
      continue;
    const bool chroma = name == 'u' || name == 'v';
    Component component;
    component.name = name;
    component.sub_x = chroma ? picture.layout->sub_x : 1;
    component.sub_y = chroma ? picture.layout->sub_y : 1;
    component.width = (width + component.sub_x - 1) / component.sub_x;
    component.height = (height + component.sub_y - 1) / component.sub_y;
    component.value.assign (component.width * component.height, 0);
    component.spare = component.value;
    picture.components.push_back (component);
  }
  return picture;
}

/* Accesses the samples of a component in a frame. */
class Samples {
public:
  Samples (const Layout &layout, const GstVideoFrame &frame, char name) : bytes (layout.bytes), big_endian (layout.big_endian)
  {
    std::string plane;
    std::istringstream planes (layout.planes);
    int index = 0;
    while (planes >> plane && plane.find (name) == std::string::npos)
      index++;
    group = int (plane.size ()) * bytes;
    for (size_t i = 0; i < plane.size (); i++)
      if (plane[i] == name)
        places.push_back (int (i) * bytes);
    data = static_cast<guint8 *> (GST_VIDEO_FRAME_PLANE_DATA (&frame, index));
    stride = GST_VIDEO_FRAME_PLANE_STRIDE (&frame, index);
  }

  int read (int x, int y) const
  {
    const guint8 *p = at (x, y);
    return bytes == 1 ? p[0] : big_endian ? p[0] << 8 | p[1] : p[0] | p[1] << 8;
  }

  void write (int x, int y, int stored)
  {
    guint8 *p = at (x, y);
    p[big_endian ? bytes - 1 : 0] = stored & 255;
    if (bytes == 2)
      p[big_endian ? 0 : 1] = stored >> 8;
  }

private:
  guint8 *at (int x, int y) const
  {
    const int n = int (places.size ());
    return data + y * stride + x / n * group + places[x % n];
  }

  guint8 *data;
  int bytes, stride, group;
  bool big_endian;
  std::vector<int> places; /* of the group's pixels, from left to right */
};

Picture
unpack (const GstVideoFrame &frame)
{
  Picture picture =
      make_picture (GST_VIDEO_FRAME_FORMAT (&frame), GST_VIDEO_FRAME_WIDTH (&frame), GST_VIDEO_FRAME_HEIGHT (&frame));
  const Layout &layout = *picture.layout;
  for (Component &component : picture.components) {
    const Samples samples (layout, frame, component.name);
    for (const auto [x, y] : component.places ()) {
      const int stored = samples.read (x, y);
      component.at (x, y) = stored >> layout.shift;
      component.spare[y * component.width + x] = stored & ((1 << layout.shift) - 1);
    }
  }
  return picture;
}

void
pack (const Picture &picture, GstVideoFrame &frame)
{
  const Layout &layout = *picture.layout;
  for (const Component &component : picture.components) {
    Samples samples (layout, frame, component.name);
    for (const auto [x, y] : component.places ())
      samples.write (x, y, component.at (x, y) << layout.shift | component.spare[y * component.width + x]);
  }
}

Picture
bounded (const Picture &stored)
{
  Picture picture = stored;
  for (Component &component : picture.components)
    for (int &value : component.value)
      value = std::min (value, picture.max ());
  return picture;
}

std::vector<Picture>
bounded (const std::vector<Picture> &stored)
{
  std::vector<Picture> pictures;
  for (const Picture &picture : stored)
    pictures.push_back (bounded (picture));
  return pictures;
}

Picture
field_of (const Picture &frame, int field)
{
  Picture picture = frame;
  picture.height = (frame.height + 1 - field) / 2;
  for (size_t c = 0; c < frame.components.size (); c++) {
    const Component &from = frame.components[c];
    Component &to = picture.components[c];
    to.height = (from.height + 1 - field) / 2;
    to.value.clear ();
    to.spare.clear ();
    for (const auto [x, y] : to.places ()) {
      to.value.push_back (from.at (x, 2 * y + field));
      to.spare.push_back (from.spare[(2 * y + field) * from.width + x]);
    }
  }
  return picture;
}

void
weave (Picture &frame, const Picture &field_picture, int field)
{
  for (size_t c = 0; c < frame.components.size (); c++) {
    const Component &from = field_picture.components[c];
    Component &to = frame.components[c];
    for (const auto [x, y] : from.places ())
      to.at (x, 2 * y + field) = from.at (x, y);
  }
}

}  // namespace ref
