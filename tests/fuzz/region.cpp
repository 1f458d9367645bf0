/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Regions of detectors: whatever they contain, the clipped regions lie inside the picture. */
#include "filter/roi.hpp"

#include "fuzz.hpp"

using namespace gst::cl;

extern "C" int
LLVMFuzzerInitialize (int *, char ***)
{
  gst_init (nullptr, nullptr);
  return 0;
}

void
fuzz::run (const uint8_t *data, size_t size)
{
  Reader reader (data, size);
  GstVideoInfo info;
  constexpr int most = 1000;
  gst_video_info_set_format (
      &info, GST_VIDEO_FORMAT_I420, 1 + reader.take<uint16_t> () % most, 1 + reader.take<uint16_t> () % most);
  CommonSettings settings;
  settings.roi_source = RoiSource (reader.take<uint8_t> () % 3);
  for (int *const each : {&settings.roi_x, &settings.roi_y, &settings.roi_width, &settings.roi_height})
    *each = reader.take<gint> () & G_MAXINT;
  GstBuffer *buffer = gst_buffer_new ();
  for (int n = reader.take<uint8_t> () % 4; n > 0; n--) {
    const auto x = reader.take<guint> (), y = reader.take<guint> (), w = reader.take<guint> (), h = reader.take<guint> ();
    gst_buffer_add_video_region_of_interest_meta (buffer, n % 2 ? "face" : "hand", x, y, w, h);
  }
  settings.roi_labels = reader.line ();
  for (const Rect &rect : RegionSource ().find (settings, info, buffer, true).rects) {
    require (!rect.empty () && rect.x >= 0 && rect.y >= 0);
    require (rect.x + rect.width <= info.width && rect.y + rect.height <= info.height);
  }
  gst_buffer_unref (buffer);
}
