/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Regions of detectors: whatever they contain, the clipped regions lie inside the picture. */
#include "filter/roi.hpp"

#include "fuzz.hpp"

using namespace gst::cl;

namespace {

void
set (Settings &settings, unsigned i, GType type, fuzz::Reader &reader)
{
  const Property &property = common_properties (false)[i];
  g_auto (GValue) value = G_VALUE_INIT;
  g_value_init (&value, type);
  if (type == G_TYPE_STRING)
    g_value_set_string (&value, reader.line ().c_str ());
  else if (type == G_TYPE_INT)
    g_value_set_int (&value, reader.take<gint> () & G_MAXINT);
  else
    g_value_set_enum (&value, reader.take<uint8_t> () % 3);
  settings.common.set (i, property, &value);
}

}  // namespace

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
  Settings settings{Values ({}), Values (common_properties (false))};
  set (settings, COMMON_ROI_SOURCE, common_properties (false)[COMMON_ROI_SOURCE].type (), reader);
  for (const unsigned each : {COMMON_ROI_X, COMMON_ROI_Y, COMMON_ROI_WIDTH, COMMON_ROI_HEIGHT})
    set (settings, each, G_TYPE_INT, reader);
  GstBuffer *buffer = gst_buffer_new ();
  for (int n = reader.take<uint8_t> () % 4; n > 0; n--) {
    const auto x = reader.take<guint> (), y = reader.take<guint> (), w = reader.take<guint> (), h = reader.take<guint> ();
    gst_buffer_add_video_region_of_interest_meta (buffer, n % 2 ? "face" : "hand", x, y, w, h);
  }
  set (settings, COMMON_ROI_LABELS, G_TYPE_STRING, reader);
  for (const Rect &rect : RegionSource ().find (settings, info, buffer, true).rects) {
    require (!rect.empty () && rect.x >= 0 && rect.y >= 0);
    require (rect.x + rect.width <= info.width && rect.y + rect.height <= info.height);
  }
  gst_buffer_unref (buffer);
}
