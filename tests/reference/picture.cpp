/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "picture.hpp"

#include <algorithm>
#include <cstring>

namespace ref {

const std::vector<Layout> &
layouts ()
{
  static const std::vector<Layout> all = {
      {GST_VIDEO_FORMAT_GRAY8, "y", 1, 8, 0, 1, 1},
      {GST_VIDEO_FORMAT_GRAY16_LE, "y", 2, 16, 0, 1, 1},
      {GST_VIDEO_FORMAT_RGB, "rgb", 1, 8, 0, 1, 1},
      {GST_VIDEO_FORMAT_BGR, "bgr", 1, 8, 0, 1, 1},
      {GST_VIDEO_FORMAT_RGBA, "rgba", 1, 8, 0, 1, 1},
      {GST_VIDEO_FORMAT_BGRA, "bgra", 1, 8, 0, 1, 1},
      {GST_VIDEO_FORMAT_ARGB, "argb", 1, 8, 0, 1, 1},
      {GST_VIDEO_FORMAT_ABGR, "abgr", 1, 8, 0, 1, 1},
      {GST_VIDEO_FORMAT_RGBx, "rgbx", 1, 8, 0, 1, 1},
      {GST_VIDEO_FORMAT_BGRx, "bgrx", 1, 8, 0, 1, 1},
      {GST_VIDEO_FORMAT_xRGB, "xrgb", 1, 8, 0, 1, 1},
      {GST_VIDEO_FORMAT_xBGR, "xbgr", 1, 8, 0, 1, 1},
      {GST_VIDEO_FORMAT_I420, "y u v", 1, 8, 0, 2, 2},
      {GST_VIDEO_FORMAT_YV12, "y v u", 1, 8, 0, 2, 2},
      {GST_VIDEO_FORMAT_Y42B, "y u v", 1, 8, 0, 2, 1},
      {GST_VIDEO_FORMAT_Y444, "y u v", 1, 8, 0, 1, 1},
      {GST_VIDEO_FORMAT_NV12, "y uv", 1, 8, 0, 2, 2},
      {GST_VIDEO_FORMAT_NV21, "y vu", 1, 8, 0, 2, 2},
      {GST_VIDEO_FORMAT_I420_10LE, "y u v", 2, 10, 0, 2, 2},
      {GST_VIDEO_FORMAT_Y444_10LE, "y u v", 2, 10, 0, 1, 1},
      {GST_VIDEO_FORMAT_P010_10LE, "y uv", 2, 10, 6, 2, 2},
      {GST_VIDEO_FORMAT_RGBA64_LE, "rgba", 2, 16, 0, 1, 1},
  };
  return all;
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

/* Where the samples of one component stand in a frame. */
struct Place {
  guint8 *start;
  int pixel, row; /* bytes to the next pixel and to the next row */
};

static Place
place_of (const Layout &layout, const GstVideoFrame &frame, char name)
{
  int plane = 0;
  const char *plane_start = layout.planes;
  for (const char *c = layout.planes; *c; c++) {
    if (*c == ' ') {
      plane++;
      plane_start = c + 1;
    } else if (*c == name) {
      guint8 *data = (guint8 *) GST_VIDEO_FRAME_PLANE_DATA (&frame, plane);
      const int pixel = (int) strcspn (plane_start, " ") * layout.bytes;
      return {data + (c - plane_start) * layout.bytes, pixel, GST_VIDEO_FRAME_PLANE_STRIDE (&frame, plane)};
    }
  }
  g_error ("no component %c", name);
}

Picture
unpack (const GstVideoFrame &frame)
{
  Picture picture =
      make_picture (GST_VIDEO_FRAME_FORMAT (&frame), GST_VIDEO_FRAME_WIDTH (&frame), GST_VIDEO_FRAME_HEIGHT (&frame));
  const Layout &layout = *picture.layout;
  for (Component &component : picture.components) {
    const Place place = place_of (layout, frame, component.name);
    for (int y = 0; y < component.height; y++)
      for (int x = 0; x < component.width; x++) {
        const guint8 *p = place.start + y * place.row + x * place.pixel;
        const int stored = layout.bytes == 1 ? p[0] : p[0] | p[1] << 8;
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
    const Place place = place_of (layout, frame, component.name);
    for (int y = 0; y < component.height; y++)
      for (int x = 0; x < component.width; x++) {
        guint8 *p = place.start + y * place.row + x * place.pixel;
        const int stored = component.at (x, y) << layout.shift | component.spare[y * component.width + x];
        p[0] = stored & 255;
        if (layout.bytes == 2)
          p[1] = stored >> 8;
      }
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
    for (int y = field; y < from.height; y += 2)
      for (int x = 0; x < from.width; x++) {
        to.value.push_back (from.at (x, y));
        to.spare.push_back (from.spare[y * from.width + x]);
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
    for (int y = 0; y < from.height; y++)
      for (int x = 0; x < from.width; x++)
        to.at (x, 2 * y + field) = from.at (x, y);
  }
}

}  // namespace ref
