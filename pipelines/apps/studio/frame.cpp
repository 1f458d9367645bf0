/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "frame.hpp"
#include "mappedframe.hpp"

#include <gdk-pixbuf/gdk-pixbuf.h>

namespace studio {

void
save_frame (GstSample *frame, const std::string &path)
{
  GstVideoInfo info;
  GstBuffer *buffer = frame ? gst_sample_get_buffer (frame) : nullptr;
  if (!buffer || !gst_video_info_from_caps (&info, gst_sample_get_caps (frame)))
    throw std::runtime_error ("There is no frame yet");
  const MappedFrame mapped (&info, buffer, GST_MAP_READ);
  if (!mapped || GST_VIDEO_INFO_FORMAT (&info) != GST_VIDEO_FORMAT_BGRx)
    throw std::runtime_error ("The frame cannot be read");
  const auto picture = Ref<GdkPixbuf>::take (gdk_pixbuf_new (GDK_COLORSPACE_RGB, FALSE, 8, info.width, info.height));
  if (!picture)
    throw std::runtime_error ("There is no memory for the picture");
  for (int y = 0; y < info.height; y++) {
    const auto *from =
        static_cast<const guint8 *> (mapped.frame.data[0]) + gsize (y) * GST_VIDEO_FRAME_PLANE_STRIDE (&mapped.frame, 0);
    guint8 *to = gdk_pixbuf_get_pixels (picture.get ()) + gsize (y) * gdk_pixbuf_get_rowstride (picture.get ());
    for (int x = 0; x < info.width; x++)
      for (int c = 0; c < 3; c++)
        to[3 * x + c] = from[4 * x + 2 - c];
  }
  GError *error = nullptr;
  const bool saved = gdk_pixbuf_save (picture.get (), path.c_str (), "png", &error, nullptr);
  ensure (saved, error);
}

}  // namespace studio
