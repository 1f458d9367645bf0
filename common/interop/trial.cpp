/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "interop/trial.hpp"

namespace gst::cl {

namespace {

/* A test pattern that differs at every place of every plane. */
guint8
pattern (gsize plane, gsize row, gsize byte)
{
  return static_cast<guint8> (plane * 85 + row * 31 + byte * 7 + (row * byte) / 5);
}

}  // namespace

HostView::HostView (const GstVideoInfo &info, GstBuffer *buffer, GstMapFlags flags)
{
  if (!gst_video_frame_map (&frame, &info, buffer, flags))
    throw Failure (GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_READ,
        "A frame of a test could not be mapped. Start the pipeline again.", "gst_video_frame_map failed");
}

GstVideoInfo
trial_info (GstVideoFormat format)
{
  GstVideoInfo info;
  gst_video_info_set_format (&info, format, 64, 48);
  return info;
}

Trial::Trial (MemoryLink &link_, const GstVideoInfo &info_, const char *feature, const char *target)
    : link (link_), info (info_), caps (gst_video_info_to_caps (const_cast<GstVideoInfo *> (&info)))
{
  gst_caps_set_features (caps.get (), 0, gst_caps_features_new (feature, nullptr));
  if (target)
    gst_caps_set_simple (caps.get (), "texture-target", G_TYPE_STRING, target, nullptr);
  pool = link.create_pool (caps.get (), 2);
  in = acquire_buffer (pool.get ());
  out = acquire_buffer (pool.get ());
  queue = Context::of (link.context.get ()).compute;
}

Trial::~Trial ()
{
  gst_buffer_pool_set_active (pool.get (), FALSE);
}

/* The result is overwritten first, so that an unwritten frame does not pass. */
void
Trial::require_inverse (GstBuffer *from)
{
  for (GstBuffer *each : {from, out.get ()}) {
    HostView (info, each, GST_MAP_WRITE).each_byte ([] (guint8 &byte, gsize plane, gsize row, gsize x) {
      byte = pattern (plane, row, x);
    });
    touch (each, GST_MAP_READ);
  }
  run (from);
  touch (out.get (), GST_MAP_READWRITE);
  unsigned wrong = 0;
  HostView (info, out.get (), GST_MAP_READ).each_byte ([&wrong] (guint8 &byte, gsize plane, gsize row, gsize x) {
    wrong += byte != static_cast<guint8> (~pattern (plane, row, x));
  });
  if (wrong)
    throw Failure (GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_READ,
        "a test picture came back with " + std::to_string (wrong) + " wrong bytes", "");
}

double
Trial::time (GstBuffer *from)
{
  run (from);
  return mean_microseconds ([&] { run (from); });
}

}  // namespace gst::cl
