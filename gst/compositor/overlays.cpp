/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "compositor/overlays.hpp"

#include <gst/video/video-overlay-composition.h>

#include <algorithm>
#include <cmath>

namespace gst::cl {

namespace {

/* The overlay library's pixel format, not premultiplied. */
constexpr GstVideoFormat pixel_format = GST_VIDEO_OVERLAY_COMPOSITION_FORMAT_RGB;

}  // namespace

Rect
PictureScale::apply (int px, int py, int width, int height) const
{
  /* other elements set rectangles, which may be far outside; this limit is beyond any picture, and sums of it fit an int */
  constexpr double most = 1 << 28;
  const auto round = [&] (double v) { return int (std::lround (std::clamp (v, -most, most))); };
  return {round (px * x) - left, round (py * y) - top, std::max (round (width * x), 1), std::max (round (height * y), 1)};
}

std::vector<GstVideoOverlayRectangle *>
overlays_of (GstBuffer *buffer)
{
  std::vector<GstVideoOverlayRectangle *> rectangles;
  gpointer state = nullptr;
  while (GstMeta *meta = gst_buffer_iterate_meta_filtered (buffer, &state, GST_VIDEO_OVERLAY_COMPOSITION_META_API_TYPE)) {
    GstVideoOverlayComposition *overlay = reinterpret_cast<GstVideoOverlayCompositionMeta *> (meta)->overlay;
    for (guint i = 0; i < gst_video_overlay_composition_n_rectangles (overlay); i++)
      rectangles.push_back (gst_video_overlay_composition_get_rectangle (overlay, i));
  }
  return rectangles;
}

/* Null if a rectangle is inconsistent. */
const ::cl::Buffer *
Overlays::upload (size_t i, GstVideoOverlayRectangle *rectangle, GstVideoInfo &info)
{
  const ScratchName name{"overlay", int (i)};
  GstBuffer *pixels = gst_video_overlay_rectangle_get_pixels_unscaled_argb (rectangle, GST_VIDEO_OVERLAY_FORMAT_FLAG_NONE);
  const GstVideoMeta *meta = pixels ? gst_buffer_get_video_meta (pixels) : nullptr;
  if (!meta || !gst_video_info_set_format (&info, pixel_format, meta->width, meta->height))
    return nullptr;
  const guint seqnum = gst_video_overlay_rectangle_get_seqnum (rectangle);
  if (known[i].seqnum == seqnum)
    return reader->memory.find_table (name);
  GstVideoFrame frame = {};
  if (!gst_video_frame_map (&frame, &info, pixels, GST_MAP_READ))
    return nullptr;
  g_autoptr (GError) outside = nullptr;
  if (!run_guarded (&outside, [&] { require_within (frame, info, *find_format (pixel_format)); })) {
    gst_video_frame_unmap (&frame);
    return nullptr;
  }
  const size_t row = size_t (GST_VIDEO_INFO_WIDTH (&info)) * 4;
  std::vector<std::byte> bytes;
  for (int y = 0; y < GST_VIDEO_INFO_HEIGHT (&info); y++) {
    const auto *from = static_cast<const std::byte *> (GST_VIDEO_FRAME_PLANE_DATA (&frame, 0))
                       + size_t (y) * GST_VIDEO_FRAME_PLANE_STRIDE (&frame, 0);
    bytes.insert (bytes.end (), from, from + row);
  }
  gst_video_frame_unmap (&frame);
  known[i].seqnum = seqnum;
  return &reader->memory.table (name, bytes);
}

void
Overlays::draw (Runner &writer, const Canvas &canvas, const std::vector<GstVideoOverlayRectangle *> &rectangles,
    const PictureScale &scale, bool profile)
{
  if (rectangles.empty ())
    return;
  const Format &format = *find_format (pixel_format);
  if (!reader)
    reader.emplace (writer.context (), format, writer.backend ());
  if (known.size () < rectangles.size ())
    known.resize (rectangles.size ());
  reader->commands.begin_frame ({}, profile);
  for (size_t i = 0; i < rectangles.size (); i++) {
    gint x, y;
    guint width, height;
    GstVideoInfo info;
    const ::cl::Buffer *pixels = upload (i, rectangles[i], info);
    if (!pixels || !gst_video_overlay_rectangle_get_render_rectangle (rectangles[i], &x, &y, &width, &height))
      continue;
    const PlaneView plane{.memory = *pixels,
        .offset = 0,
        .stride = GST_VIDEO_INFO_WIDTH (&info) * 4,
        .width = GST_VIDEO_INFO_WIDTH (&info),
        .height = GST_VIDEO_INFO_HEIGHT (&info),
        .layout = &format.planes[0]};
    known[i].layer.draw (writer, canvas, {.reader = *reader, .planes = {&plane, 1}, .format = format, .info = info},
        {scale.apply (x, y, int (width), int (height)), 1, Operator::over});
  }
  reader->commands.end_frame (false);
}

}  // namespace gst::cl
