/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "pictures.hpp"

#include <algorithm>
#include <cmath>

namespace {

/* 0 .. 1 of full scale at a place given in parts of the frame. */
double
shade (double x, double y, int component, guint number)
{
  const double shift = 0.13 * number + 0.21 * component;
  const double soft = 0.5 + 0.3 * std::sin (3.1 * x + shift) * std::cos (2.3 * y - shift);
  const double dx = x - 0.4 - 0.05 * number, dy = y - 0.55;
  const bool disc = dx * dx + dy * dy < 0.04, stripe = std::fmod (x * 7 + y * 3 + shift, 1) < 0.3;
  const double texture = 0.06 * std::sin (190 * x) * std::sin (170 * y + component);
  return soft + (disc ? 0.2 : 0) - (stripe ? 0.15 : 0) + texture;
}

void
fill_component (GstVideoFrame &frame, guint component, guint number)
{
  const gint width = GST_VIDEO_FRAME_COMP_WIDTH (&frame, component), height = GST_VIDEO_FRAME_COMP_HEIGHT (&frame, component);
  const gint depth = GST_VIDEO_FRAME_COMP_DEPTH (&frame, component), step = GST_VIDEO_FRAME_COMP_PSTRIDE (&frame, component);
  const double max = (1 << depth) - 1;
  const int shift = frame.info.finfo->shift[component];
  guint32 state = 1 + component + 16 * number;
  for (gint y = 0; y < height; y++) {
    auto *row = static_cast<guint8 *> (GST_VIDEO_FRAME_COMP_DATA (&frame, component))
                + gsize (y) * GST_VIDEO_FRAME_COMP_STRIDE (&frame, component);
    for (gint x = 0; x < width; x++) {
      state = state * 1664525 + 1013904223;
      const double noise = ((state >> 16) / 65536.0 - 0.5) * 0.03;
      const double value = shade (double (x) / width, double (y) / height, int (component), number) + noise;
      const auto sample = guint (std::clamp (value, 0.0, 1.0) * max) << shift;
      if (depth > 8)
        GST_WRITE_UINT16_LE (row + gsize (x) * step, sample);
      else
        row[gsize (x) * step] = guint8 (sample);
    }
  }
}

}  // namespace

GstBuffer *
make_picture (const GstVideoInfo &info, guint number)
{
  GstBuffer *buffer = gst_buffer_new_allocate (nullptr, GST_VIDEO_INFO_SIZE (&info), nullptr);
  gst_buffer_memset (buffer, 0, 0, GST_VIDEO_INFO_SIZE (&info));
  GstVideoFrame frame;
  if (gst_video_frame_map (&frame, &info, buffer, GST_MAP_WRITE)) {
    for (guint component = 0; component < GST_VIDEO_FRAME_N_COMPONENTS (&frame); component++)
      fill_component (frame, component, number);
    gst_video_frame_unmap (&frame);
  }
  return buffer;
}
